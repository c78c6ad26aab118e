"""What to write in place of a word that is unknown, or of a value of the wrong shape."""

import re
from collections.abc import Iterable
from typing import Any

from generator.problems import did_you_mean, find_odd_character, nearest
from generator.spec import KINDS, RecordSpec, Spec

Path = tuple[str | int, ...]

_SYNONYMS = {
    "min": "minimum", "max": "maximum", "regex": "pattern", "ref": "reference", "items": "list",
    "nullable": "required", "optional": "required", "mandatory": "required", "desc": "description",
    "array": "list", "ttl": "expireAfterSeconds", "unit": "description", "length": "maxLength",
    "title": "description", "comment": "description", "values": "enum", "role": "identity",
    "if": "when", "condition": "when", "transitions": "next", "target": "reference",
    "column": "sourceColumn", "field": "targetField", "parameters": "arguments", "args": "arguments",
    "body": "request", "returns": "response", "url": "path", "route": "path", "index": "indexed",
    "computed": "calculated", "formula": "calculated", "secret": "hidden", "private": "hidden",
    "relation": "reference", "foreignKey": "reference", "datatype": "type", "oldName": "renamedFrom",
    "record": "reference",
}  # fmt: skip
_OF_FIELDS = {"properties": ("fields", "object"), "fields": ("object",)}
"""Words for fields inside something: of a record or structure, and of a field."""

_COMMA_SEPARATED = frozenset({"sort", "projection"})

_ASSIGNMENT = re.compile(r"(\w+)\s*(?:=|->|=>|:=)\s*(\S.*)")
_LETTERS = re.compile(r"\w+")
_DASH = re.compile(r"-(?=[^\s\d-])")
_LONGEST = 120


def advise_on_shape(path: Path, value: Any, wanted: str, spec: type[Spec]) -> str:
    """Return what to write for a value of the wrong shape; empty where nothing short is likely to be meant.

    A value can be a text of many lines, and a problem is one line.
    """
    advice = _find_advice(path, value, wanted, spec)
    return advice if len(advice) <= _LONGEST and advice.isprintable() else ""


def _find_advice(path: Path, value: Any, wanted: str, spec: type[Spec]) -> str:
    if is_bare_template(path, value):
        return f': quote the template, "{{{next(iter(value), "")}}}"'
    if wanted == "text" and path[-1] == "states":
        return ": write the name of a state graph, which has a file of its own"
    if wanted == "text" and not isinstance(value, dict | None):
        return _advise_text(path, value)
    match path, value:
        case ("settings", name), {}:
            return f": write {name}.{next(iter(value), '…')}: … as one key"
    if isinstance(value, str) and (odd := find_odd_character(_LETTERS.sub("", value))):
        return f": it has the character {odd}, as copied texts have"
    if "a list" in wanted:
        return "" if isinstance(value, str) and wanted.startswith('"') else _advise_list(path, value)
    if wanted == "a mapping":
        return _advise_mapping(path, value, spec)
    return _drop_quotes(value, wanted)


def is_bare_template(path: Path, value: Any) -> bool:
    """Whether a template is a mapping for YAML, since it begins with a brace and lacks quotes."""
    match path:
        case ("display",) | ("fields", _, "calculated"):
            return isinstance(value, dict) and not any(value.values())
    return False


def describe_wanted(path: Path, wanted: str, spec: type[Spec]) -> str:
    """Return what a place takes, where that is more than one type."""
    if path == ("endpoints",) and spec is RecordSpec:
        return '"standard" or a list'
    return "a list of fields, or a mapping" if path[:1] == ("indexes",) and len(path) == 2 else wanted


def _advise_text(path: Path, value: Any) -> str:
    if not isinstance(value, list):
        return ": quote it"
    if not all(isinstance(one, str) for one in value):
        return ""
    if len(value) > 1:
        return f': write "{",".join(value)}"' if path[-1] in _COMMA_SEPARATED else ""
    return f": write {value[0]}" if value else ""


def _advise_list(path: Path, value: Any) -> str:
    if isinstance(value, dict) and path[-1] == "enum":
        return f": write [{', '.join(map(str, value))}]"
    if isinstance(value, dict):
        return ': begin each item with "- "'
    if isinstance(value, str) and _DASH.match(value):
        return f": write a blank behind the dash, {_DASH.sub('- ', value, count=1)}"
    if not isinstance(value, str | int) or isinstance(value, bool):
        return ""
    return f": write [[{value}]]" if path == ("indexes",) else f": write [{value}]"


def _advise_mapping(path: Path, value: Any, spec: type[Spec]) -> str:
    words = _find_needed(path, spec)
    if not path:
        return f": begin with {words[0]}:"
    if isinstance(value, str):
        if assigned := _ASSIGNMENT.fullmatch(value):
            return f": write {assigned[1]}: {assigned[2]}"
        return f": write {{{', '.join(f'{word}: …' for word in words)}}}" if words else ""
    first = value[0] if isinstance(value, list) and value else None
    if path[-2:-1] == ("fields",) and isinstance(value, list):
        return f": write {{list: {first if isinstance(first, str) else '…'}}}"
    if isinstance(first, str) and path[:1] == ("states",) and len(path) > 1:
        return f": write {{next: [{first}]}}"
    if isinstance(first, str):
        return f": write {first}: … in place of each item"
    if isinstance(first, dict):
        is_named = isinstance(first.get("name"), str)
        return f": write {first['name']}: … without dashes" if is_named else ": write it without dashes"
    return ""


def _drop_quotes(value: Any, wanted: str) -> str:
    is_right = {
        "true or false": value in ("true", "false"),
        "a whole number": isinstance(value, str) and re.fullmatch("[0-9]{1,18}", value) is not None,
    }
    return ": remove the quotes" if is_right.get(wanted) else ""


def advise_on_word(path: Path, spec: type[Spec]) -> str:
    """Return what to write in place of an unknown key."""
    known, name = words_at(path[:-1], spec), str(path[-1])
    if len(path) == 1 and name in KINDS:
        return ": write one thing per file, and this in a file of its own"
    if name != name.strip():
        return ": it begins or ends with a blank that is not a space, as copied texts have: use spaces"
    if odd := find_odd_character(name):
        return f": it has the character {odd}, as copied texts have"
    if synonym := _find_synonym(name, known):
        return f'; did you mean "{synonym}"?'
    return did_you_mean(name, known)


def list_meant(name: str, known: frozenset[str]) -> list[str]:
    """List the keys that an unknown one may stand for, best first."""
    synonym = _find_synonym(name, known)
    return [synonym] if synonym else nearest(name, known)


def _find_synonym(name: str, known: frozenset[str]) -> str | None:
    meant = _OF_FIELDS.get(name) or (_SYNONYMS.get(name, ""),)
    return next((one for one in meant if one in known), None)


def words_at(path: Iterable[str | int], spec: type[Spec]) -> frozenset[str]:
    """Return the keys of the last spec class that a path enters."""
    return frozenset(info.alias or name for name, info in _enter(path, spec).model_fields.items())


def _find_needed(path: Path, spec: type[Spec]) -> list[str]:
    """Return the keys that a file needs, or each item of a list, for the path of one."""
    if path and not isinstance(path[-1], int):
        return []
    fields = _enter(path, spec).model_fields.items()
    return [info.alias or name for name, info in fields if info.is_required()]


def _enter(path: Iterable[str | int], spec: type[Spec]) -> type[Spec]:
    here: type[Spec] = spec
    for step in path:
        for name, info in here.model_fields.items():
            if step == (info.alias or name):
                here = _spec_class(info.annotation) or here
                break
    return here


def _spec_class(annotation: Any) -> type[Spec] | None:
    if isinstance(annotation, type) and issubclass(annotation, Spec):
        return annotation
    inner = (_spec_class(argument) for argument in getattr(annotation, "__args__", ()))
    return next((found for found in inner if found), None)
