"""What to write in place of a word that is unknown, or of a value of the wrong shape."""

import re
from typing import Any, get_origin

from generator.load.spec_types import Path, find_type, list_keys, list_needed, words_at
from generator.operations import BY_KEY
from generator.problems import did_you_mean, find_odd_character, nearest
from generator.spec import KINDS, FieldSpec, RecordSpec, Spec, StateSpec
from generator.types import SCALARS

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
_NAME = re.compile(r"\w[\w.-]*")
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
    if wanted == "text" and path[:1] == ("fields",) and path[-1] == "states":
        return ": write the name of a state graph, which has a file of its own"
    if wanted == "text" and value is not None:
        return _advise_text(path, value)
    match path, value:
        case ("settings", name), {}:
            return f": write {name}.{next(iter(value), '…')}: … as one key"
        case ("endpoints",), str() | bool() if spec is RecordSpec:
            return _advise_operations(value)
    if isinstance(value, str) and (odd := find_odd_character(_LETTERS.sub("", value))):
        return f": it has the character {odd}, as copied texts have"
    if "a list" in wanted:
        return _advise_list(path, value, spec)
    if wanted.endswith("a mapping"):
        return _advise_mapping(path, value, spec)
    return _drop_quotes(value, wanted)


def _advise_operations(value: str | bool) -> str:
    """Return what to write in place of a word, where a list of operations belongs."""
    if value in (False, "none"):
        return ": write []"
    first = str(value).partition(",")[0]
    if first in BY_KEY:
        return f": write [{value}]"
    near = nearest(first, ["standard", *BY_KEY])[:1]
    return f": write [{near[0]}]" if near and near[0] in BY_KEY else ': write "standard"'


def is_bare_template(path: Path, value: Any) -> bool:
    """Whether a template is a mapping for YAML, since it begins with a brace and lacks quotes."""
    match path:
        case ("display",) | ("fields", _, "calculated"):
            return isinstance(value, dict) and not any(value.values())
    return False


def describe_wanted(path: Path, wanted: str, spec: type[Spec]) -> str:
    """Return what a place takes, where that is more than one type."""
    match path:
        case ("endpoints",) if spec is RecordSpec:
            return '"standard" or a list'
        case ("indexes", _):
            return "a list of fields, or a mapping"
        case ("settings", _):
            return "a single value"
    return "a type, or a mapping" if path and find_type(path, spec) is FieldSpec else wanted


def _advise_text(path: Path, value: Any) -> str:
    if isinstance(value, dict):
        return _advise_name(path, value)
    if not isinstance(value, list):
        return ": quote it"
    if not all(isinstance(one, str) for one in value):
        return ""
    if len(value) > 1:
        return f': write "{",".join(value)}"' if path[-1] in _COMMA_SEPARATED else ""
    return f": write {value[0]}" if value else ""


def _advise_name(path: Path, value: dict[Any, Any]) -> str:
    """Return what to write in place of a mapping where a name belongs."""
    match path[-1], [*value.values()]:
        case "structure", _ if len(path) > 1:
            return ": write object in place of structure"
        case "reference", [str(name)]:
            return f": write {name}"
    return ": write it without the dash" if path[:-1] == ("roles",) else ""


def _advise_list(path: Path, value: Any, spec: type[Spec]) -> str:
    item = find_type((*path, 0), spec)
    words = list_needed(item)
    if isinstance(value, dict):
        return _advise_items(value, item, words)
    if isinstance(value, str) and _DASH.match(value):
        return f": write a blank behind the dash, {_DASH.sub('- ', value, count=1)}"
    if type(value) not in ((str,) if item is str else (str, int)):
        return ""
    if path == ("indexes",):
        return f": write [[{value}]]"
    if words and path[0] != "indexes":
        return f": write [{_show_mapping(words)}]"
    return f": write [{{refName: {value}}}]" if path[-1] == "rows" else f": write [{value}]"


def _advise_items(value: dict[Any, Any], item: Any, words: list[str]) -> str:
    """Return what to write in place of a mapping where a list belongs."""
    first = str(next(iter(value), ""))
    if item is str:
        return f": write [{', '.join(map(str, value))}]"
    if words and first and first not in list_keys(item):
        return f': begin each item with "- {words[0]}: {first}"'
    return ': begin each item with "- "'


def _advise_mapping(path: Path, value: Any, spec: type[Spec]) -> str:
    here = find_type(path, spec)
    words = list_needed(here)
    if not path:
        return f": begin with {words[0]}:"
    if isinstance(value, str):
        return _replace_text(path, value, here)
    if isinstance(value, int | float) and here is FieldSpec and path[-2:-1] == ("fields",):
        kind = "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else "number"
        return f": write {{type: {kind}, default: {str(value).lower()}}}"
    first = value[0] if isinstance(value, list) and value else None
    if path[-2:-1] == ("fields",) and isinstance(value, list):
        return f": write {{list: {first if isinstance(first, str) else '…'}}}"
    if isinstance(first, str):
        return _replace_items(path, first, here)
    if isinstance(first, dict):
        is_named = isinstance(first.get("name"), str)
        return f": write {first['name']}: … without dashes" if is_named else ": write it without dashes"
    return ""


def _replace_text(path: Path, value: str, here: Any) -> str:
    """Return what to write in place of a text where a mapping belongs."""
    if assigned := _ASSIGNMENT.fullmatch(value):
        return f": write {assigned[1]}: {assigned[2]}"
    if here is StateSpec:
        shown = f"{value}: true" if value in ("initial", "final") else f"next: [{value}]"
        return f": write {{{shown}}}"
    if words := list_needed(here):
        return f": write {_show_mapping(words)}"
    if get_origin(here) is not dict or not _NAME.fullmatch(value):
        return ""
    if path[-2:-1] == ("rows",):
        return f": write {{refName: {value}}}"
    is_type = path[-1] == "object" and value in SCALARS
    return f": write {{name: {value}}}" if is_type else f": write {{{value}: …}}"


def _replace_items(path: Path, first: str, here: Any) -> str:
    """Return what to write in place of a list of texts where a mapping belongs."""
    if here is StateSpec:
        return f": write {{next: [{first}]}}"
    if here is FieldSpec:
        return f": write {path[-1]}: {first}"
    words = list_needed(here)
    return f": write {_show_mapping(words)}" if words else f": write {first}: … in place of each item"


def _show_mapping(words: list[str]) -> str:
    return f"{{{', '.join(f'{word}: …' for word in words)}}}"


def _drop_quotes(value: Any, wanted: str) -> str:
    is_right = {
        "true or false": value in ("true", "false"),
        "a whole number": isinstance(value, str) and re.fullmatch("[0-9]{1,18}", value) is not None,
    }
    return ": remove the quotes" if is_right.get(wanted) else ""


def advise_on_word(path: Path, value: Any, spec: type[Spec]) -> str:
    """Return what to write in place of an unknown key with a value."""
    known, name = words_at(path[:-1], spec), str(path[-1])
    if len(path) == 1 and name in KINDS:
        return ": write one thing per file, and this in a file of its own"
    if name != name.strip():
        return ": it begins or ends with a blank that is not a space, as copied texts have: use spaces"
    if odd := find_odd_character(name):
        return f": it has the character {odd}, as copied texts have"
    if synonym := _find_synonym(name, known):
        return f'; did you mean "{synonym}"?'
    is_member = len(path) == 1 and (isinstance(value, dict) or value in SCALARS)
    holders = sorted(known & {"fields", "states"})
    if is_member and holders and not nearest(name, known):
        return f": indent it below {holders[0]}, if it belongs there"
    return did_you_mean(name, known)


def list_meant(name: str, known: frozenset[str]) -> list[str]:
    """List the keys that an unknown one may stand for, best first."""
    synonym = _find_synonym(name, known)
    return [synonym] if synonym else nearest(name, known)


def _find_synonym(name: str, known: frozenset[str]) -> str | None:
    meant = _OF_FIELDS.get(name) or (_SYNONYMS.get(name, ""),)
    return next((one for one in meant if one in known), None)
