"""What Pydantic says of a file, in the words of the language and at the place in the file."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from generator.load.advice import (
    advise_on_shape,
    advise_on_word,
    describe_wanted,
    is_bare_template,
    list_meant,
)
from generator.load.spec_types import Path, words_at
from generator.problems import Problem, did_you_mean
from generator.spec import REASON, Positions, Spec

_EXPECTED = {
    "string_type": "text", "bool_type": "true or false", "int_type": "a whole number",
    "float_type": "a number", "list_type": "a list", "dict_type": "a mapping", "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}  # fmt: skip
_LIMITS = {
    "greater_than_equal": "{ge} or more", "string_too_short": "{min_length} character or more",
    "string_too_long": "{max_length} characters or fewer",
}  # fmt: skip
# Union members of Pydantic appear in the path of an error: int | float says the same thing twice.
_UNION_TAGS = frozenset({"int", "float", "str", "bool", "list[str]", "dict[str,str]", "AreaSpec"})
_HOLDERS = frozenset(
    {"fields", "list", "map", "object", "states", "rows", "columnMappings", "arguments", "parameters"}
)
"""Words whose value is mostly in the lines below."""

_MAX_SHOWN = 40


def explain(error: ValidationError, spec: type[Spec], at: Positions, plain: Any) -> list[Problem]:
    """Return a problem for each error; those of several members of a union at one place are one.

    ``plain`` is the value of the file.
    """
    found: dict[tuple[Any, ...], Problem] = {}
    errors = error.errors(include_url=False)
    misspelt = {
        (*one["loc"][:-1], meant)
        for one in errors
        if one["type"] == "extra_forbidden"
        for meant in list_meant(str(one["loc"][-1]), words_at(one["loc"][:-1], spec))[:1]
    }
    paths = [_drop_union_tags(one["loc"], plain) for one in errors]
    entered = {path[:length] for path in paths for length in range(len(path))}
    for one, path in zip(errors, paths, strict=True):
        if path in entered:
            continue  # another member of the union takes the value, and something inside is wrong
        if one["type"] == "missing" and one["loc"] in misspelt:
            continue  # it is there, under a name that is reported
        if path not in found or one["type"] == "float_type":  # any number would do, not only a whole one
            found[path] = _problem(one, path, spec, at)
    return list(found.values())


def _drop_union_tags(location: Path, plain: Any) -> Path:
    """Leave out the steps that name members of unions. A key of the file may be called so as well."""
    path: list[str | int] = []
    here = plain
    for step in location:
        members = dict(_list_members(here))
        if step in members or step not in _UNION_TAGS:
            path.append(step)
            here = members.get(step, here)  # a shorthand lacks steps
    return tuple(path)


def list_empty(value: Any) -> Iterator[Path]:
    """List the paths of keys with nothing behind them. A state needs nothing; every other word does."""
    stack: list[tuple[Any, Path]] = [(value, ())]
    while stack:
        inner, path = stack.pop()
        for step, child in _list_members(inner):
            if isinstance(child, dict | list):
                if not is_bare_template((*path, step), child):  # which is reported as what it is
                    stack.append((child, (*path, step)))
            elif child is None and path != ("states",):
                yield (*path, step)


def _list_members(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, list):
        return enumerate(value)
    return value.items() if isinstance(value, dict) else ()


def explain_empty(path: Path, line: str) -> str:
    """Explain a key without a value: often it is one with its value, without a blank between them.

    ``line``: where the key is.
    """
    key = path[-1]
    if isinstance(key, int):
        return f'item {key + 1} of the list has no value: give one, quote it ("null") or remove it'
    word, colon, value = key.partition(":")
    if colon and value:
        return f'"{key}" is one word: write a blank behind the colon, {word}: {value}'
    if key in _HOLDERS:
        return f'"{key}" has no value: indent what belongs to it, or remove the key'
    if path[0] == "breaking" and key == "reason":
        return f'"{key}" has no value: write {REASON}'
    comment = "; # begins a comment: quote text that has it" if ": #" in line else ""
    return f'"{key}" has no value: give one or remove the key{comment}'


def _problem(one: Any, path: Path, spec: type[Spec], at: Positions) -> Problem:
    said, value = one["type"], one["input"]
    if said == "extra_forbidden":
        return Problem.at(
            at.key(*path), "SPEC012", f'unknown key "{path[-1]}"{advise_on_word(path, value, spec)}'
        )
    if said == "missing":
        return Problem.at(at.value(*path[:-1]), "SPEC013", f'"{path[-1]}" is missing')
    if said == "literal_error":
        choices = one["ctx"]["expected"].replace("'", "")
        near = did_you_mean(str(value), choices.replace(" or ", ", ").split(", "), list_few=False)
        return Problem.at(at.value(*path), "SPEC015", f"expected {choices}, found {_show(value)}{near}")
    if said == "too_short":
        return Problem.at(at.value(*path), "SPEC014", "nothing is listed: expected at least one")
    if said in _EXPECTED:
        return _explain_type(path, value, _EXPECTED[said], spec, at)
    wanted = f"expected {_LIMITS[said].format(**one['ctx'])}" if said in _LIMITS else ""
    message = f"{wanted or one['msg'].removeprefix('Input ')}, found {_show(value)}"
    return Problem.at(at.value(*path), "SPEC014", message)


def _explain_type(path: Path, value: Any, expected: str, spec: type[Spec], at: Positions) -> Problem:
    if path == ("roles",) and isinstance(value, list):  # which may be one of names
        position = next(position for position, name in enumerate(value) if not isinstance(name, str))
        return _explain_type((*path, position), value[position], "text", spec, at)
    wanted = describe_wanted(path, expected, spec)
    message = f"expected {wanted}, found {_show(value)}{advise_on_shape(path, value, wanted, spec)}"
    return Problem.at(at.value(*path), "SPEC014", message)


def _show(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        first = (value.splitlines() or [""])[0][:_MAX_SHOWN]
        return f'"{first}"' if first == value else f'"{first}…"'
    return f"the number {value}"
