"""What Pydantic says of a file, in the words of the language and at the place in the file."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from generator.problems import Problem, did_you_mean, nearest
from generator.spec import KINDS, Positions, Spec

_SYNONYMS = {
    "min": "minimum", "max": "maximum", "regex": "pattern", "ref": "reference", "items": "list",
    "nullable": "required", "optional": "required", "properties": "fields", "desc": "description",
    "array": "list", "ttl": "expireAfterSeconds", "unit": "description", "length": "maxLength",
    "title": "description", "comment": "description", "values": "enum", "role": "identity",
    "if": "when", "condition": "when", "transitions": "next",
    "column": "sourceColumn", "field": "targetField",
}  # fmt: skip
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
        for meant in _list_meant(str(one["loc"][-1]), _words_at(one["loc"][:-1], spec))[:1]
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


def _drop_union_tags(location: tuple[str | int, ...], plain: Any) -> tuple[str | int, ...]:
    """Leave out the steps that name members of unions. A key of the file may be called so as well."""
    path: list[str | int] = []
    here = plain
    for step in location:
        members = dict(_list_members(here))
        if step in members or step not in _UNION_TAGS:
            path.append(step)
            here = members.get(step, here)  # a shorthand lacks steps
    return tuple(path)


def list_empty(value: Any) -> Iterator[tuple[str | int, ...]]:
    """List the paths of keys with nothing behind them. A state needs nothing; every other word does."""
    stack: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while stack:
        inner, path = stack.pop()
        for step, child in _list_members(inner):
            if _is_bare_template((*path, step), child):
                continue  # which is reported as what it is
            if isinstance(child, dict | list):
                stack.append((child, (*path, step)))
            elif child is None and path != ("states",):
                yield (*path, step)


def _is_bare_template(path: tuple[str | int, ...], value: Any) -> bool:
    """Whether a template is a mapping for YAML, since it begins with a brace and lacks quotes."""
    match path:
        case ("display",) | ("fields", _, "calculated"):
            return isinstance(value, dict) and not any(value.values())
    return False


def _list_members(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, list):
        return enumerate(value)
    return value.items() if isinstance(value, dict) else ()


def explain_empty(key: str | int) -> str:
    """Explain a key without a value: often it is one with its value, without a blank between them.

    A number is the position of an item of a list, from 0.
    """
    if isinstance(key, int):
        return f'item {key + 1} of the list has no value: give one, quote it ("null") or remove it'
    word, colon, value = key.partition(":")
    if colon and value:
        return f'"{key}" is one word: write a blank behind the colon, {word}: {value}'
    return f'"{key}" has no value: give one or remove the key'


def _problem(one: Any, path: tuple[str | int, ...], spec: type[Spec], at: Positions) -> Problem:
    said, value = one["type"], one["input"]
    if said == "extra_forbidden":
        return Problem.at(at.key(*path), "SPEC012", f'unknown key "{path[-1]}"{_nearest(path, spec)}')
    if said == "missing":
        return Problem.at(at.value(*path[:-1]), "SPEC013", f'"{path[-1]}" is missing')
    if said == "literal_error":
        choices = one["ctx"]["expected"].replace("'", "")
        near = did_you_mean(str(value), choices.replace(" or ", ", ").split(", "), list_few=False)
        return Problem.at(at.value(*path), "SPEC015", f"expected {choices}, found {_show(value)}{near}")
    if said == "too_short":
        return Problem.at(at.value(*path), "SPEC014", "nothing is listed: expected at least one")
    if said in _EXPECTED:
        return _explain_type(path, value, _EXPECTED[said], at)
    wanted = f"expected {_LIMITS[said].format(**one['ctx'])}" if said in _LIMITS else ""
    message = f"{wanted or one['msg'].removeprefix('Input ')}, found {_show(value)}"
    return Problem.at(at.value(*path), "SPEC014", message)


def _explain_type(path: tuple[str | int, ...], value: Any, expected: str, at: Positions) -> Problem:
    if path == ("roles",) and isinstance(value, list):  # which may be one of names
        position = next(position for position, name in enumerate(value) if not isinstance(name, str))
        return _explain_type((*path, position), value[position], "text", at)
    wanted = _describe_wanted(path, expected)
    message = f"expected {wanted}, found {_show(value)}{_advise(path, value, wanted)}"
    return Problem.at(at.value(*path), "SPEC014", message)


def _advise(path: tuple[str | int, ...], value: Any, wanted: str) -> str:
    if _is_bare_template(path, value):
        return f': quote the template, "{{{next(iter(value), "")}}}"'
    if wanted == "text" and not isinstance(value, list | dict | None):
        return ": quote it"
    if path[:1] == ("indexes",) and wanted.startswith("a list") and isinstance(value, str):
        missing = 1 if path[-1] == "fields" else 3 - len(path)
        return f": write {'[' * missing}{value}{']' * missing}"
    match path, value:
        case ("settings", name), {}:
            return f": write {name}.{next(iter(value), '…')}: … as one key"
    return ""


def _describe_wanted(path: tuple[str | int, ...], wanted: str) -> str:
    if path == ("endpoints",) and wanted == "a list":
        return '"standard" or a list'
    return "a list of fields, or a mapping" if path[:1] == ("indexes",) and len(path) == 2 else wanted


def _nearest(path: tuple[str | int, ...], spec: type[Spec]) -> str:
    known, name = _words_at(path[:-1], spec), str(path[-1])
    if len(path) == 1 and name in KINDS:
        return ": write one thing per file, and this in a file of its own"
    if name != name.strip():
        return ": it begins or ends with a blank that is not a space, as copied texts have: use spaces"
    if _SYNONYMS.get(name) in known:
        return f'; did you mean "{_SYNONYMS[name]}"?'
    return did_you_mean(name, known)


def _list_meant(name: str, known: frozenset[str]) -> list[str]:
    synonym = _SYNONYMS.get(name)
    return [synonym] if synonym in known else nearest(name, known)


def _words_at(path: Iterable[str | int], spec: type[Spec]) -> frozenset[str]:
    """Return the keys of the last spec class that a path enters."""
    here: type[Spec] = spec
    for step in path:
        for name, info in here.model_fields.items():
            if step == (info.alias or name):
                here = _spec_class(info.annotation) or here
                break
    return frozenset(info.alias or name for name, info in here.model_fields.items())


def _spec_class(annotation: Any) -> type[Spec] | None:
    if isinstance(annotation, type) and issubclass(annotation, Spec):
        return annotation
    inner = (_spec_class(argument) for argument in getattr(annotation, "__args__", ()))
    return next((found for found in inner if found), None)


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
        return f'"{value}"' if len(value) <= _MAX_SHOWN else f'"{value[:_MAX_SHOWN]}…"'
    return f"the number {value}"
