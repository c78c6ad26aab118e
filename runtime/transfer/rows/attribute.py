"""The values of dynamic attributes of an import: text or JSON → ``{type, value}`` as stored. Pure.

A value without a type stays ``Written`` until the stored record is known, for it is read by the type of the
attribute it changes. A new attribute gets the type its text looks like.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic_core import to_json

from runtime.contract.imports import RowCode
from runtime.errors import ValidationFailed
from runtime.filter.unreadable import Unreadable
from runtime.json_text import UnfitJson, read_cell_json
from runtime.model.attribute_names import show_path, stored_name
from runtime.model.nearest import nearest
from runtime.model.record import DynamicAttribute
from runtime.records.document.dynamic import MAX_NAME, MAX_STRING, Written, inferred_type, value_of_text
from runtime.storage.storable import free_form
from runtime.transfer.rows.row_error import RowError, RowRefused

Document = dict[str, Any]

TYPES: Final[tuple[str, ...]] = get_args(DynamicAttribute.model_fields["type"].annotation)

_NAME = re.compile(r"[^\s.$\0](?:[^.\0]*[^\s.\0])?")


def path_of(group: str, name: str) -> str:
    """Return the dotted field of an attribute, as a caller writes it."""
    return show_path(f"dynamicAttributes.{group}.{name}")


def build_settled(path: str, there: Mapping[str, Any] | None, value: Document | Written) -> Document:
    """Build the attribute as stored; text without a type takes that of the attribute it changes.

    Raises ``RowRefused``.
    """
    if not isinstance(value, Written):
        return value
    return build_typed(path, str(there["type"]) if there else _type_of(value), value)


def _type_of(written: Written) -> str:
    kind = inferred_type(written)
    return "Text" if kind == "String" and len(written.text) > MAX_STRING else kind


def build_typed(path: str, kind: str, written: Written) -> Document:
    """Build ``{type, value}`` as stored. Raises ``RowRefused`` (PARSE)."""
    if kind in _JSON_SHAPES and written.items is None:
        return require_storable(path, {"type": kind, "value": _parse_value(path, kind, written.text)})
    try:
        return {"type": kind, "value": value_of_text(kind, written)}
    except Unreadable as error:
        raise build_unreadable_cell(
            path, f"is {kind}: {error}, such as {error.example}", written.text
        ) from None


def require_storable(path: str, attribute: Document) -> Document:
    """Return the same attribute. Raises ``RowRefused`` (VALIDATION) for one that the store cannot keep.

    The attribute waits there with its session, whatever the merge makes of it.
    """
    try:
        free_form(attribute.get("value"), path)
    except ValidationFailed as error:
        found = error.details["violations"][0]
        raise RowRefused(RowError(RowCode.VALIDATION, found["message"], found["path"])) from None
    return attribute


_JSON_SHAPES: Final[Mapping[str, tuple[type, str]]] = {
    "Object": (dict, "a JSON object"),
    "MultiSelect": (list, 'one choice, or a JSON list as in ["a", "b"]'),
}


def _parse_value(path: str, kind: str, text: str) -> Any:
    """Parse a value: an object, and more than one choice, are JSON; one choice is its text."""
    if kind == "MultiSelect" and not text.lstrip().startswith("["):
        return [text]
    shape, words = _JSON_SHAPES[kind]
    try:
        value = read_cell_json(text)
    except UnfitJson as error:
        raise build_unreadable_cell(path, f"is {kind}: {words} {error} belongs here", text) from None
    except ValueError:
        value = None
    if not isinstance(value, shape):
        raise build_unreadable_cell(path, f"is {kind}: {words} belongs here", text)
    return value


def of_json(value: Any) -> Document | Written:
    """Read a plain JSON value: text where the stored attribute may decide, else with the type it shows."""
    if isinstance(value, str):
        return Written(value, quoted=inferred_type(Written(value)) not in ("Date", "DateTime"))
    if isinstance(value, dict):
        is_typed = value.get("type") in TYPES and value.keys() <= {"type", "value"}
        return {"value": None, **value} if is_typed else {"type": "Object", "value": value}
    if isinstance(value, list):
        if all(isinstance(one, str) for one in value):
            return Written("[…]", items=tuple(Written(one, quoted=True) for one in value))
        return {"type": "MultiSelect", "value": value}
    shown = {bool: "Boolean", float: "Double"}.get(type(value), "Long")
    written = Written(to_json(value).decode())
    looks = inferred_type(written)
    return written if looks in (shown, "Integer") else {"type": shown, "value": value}


def is_name(name: str) -> bool:
    """Return whether a set or an attribute can be called that."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def read_names(group: str, name: str) -> tuple[str, str]:
    """Return the names of a set and an attribute as they are stored. Raises ``RowRefused`` (MAPPING)."""
    return _read_name(group, "set", f"{group}.{name}"), _read_name(name, "attribute", f"{group}.{name}")


def _read_name(name: str, what: str, path: str) -> str:
    why = f"1 to {MAX_NAME} characters without blanks around them"
    try:
        if is_name(stored := stored_name(name)):
            return stored
    except ValueError as error:
        why = f"it {error}"
    message = f"{name[:100] or 'nothing'} is not a name of {what}: {why}"
    raise RowRefused(RowError(RowCode.MAPPING, message, f"dynamicAttributes.{path}"[:500], name))


def require_known_type(kind: str, field: str) -> str:
    """Return the type of that name, found in ``field``. Raises ``RowRefused`` (MAPPING) with the nearest."""
    if kind in TYPES:
        return kind
    folded = {one.casefold(): one for one in TYPES}
    near = [folded[one] for one in nearest(kind.casefold(), folded)]
    hint = f"; did you mean {near[0]}?" if near else f": one of {', '.join(TYPES)}"
    message = f"{kind[:40]} is not a type of attribute{hint}"
    raise RowRefused(RowError(RowCode.MAPPING, message, field, kind, near[0] if near else None))


def build_unreadable_cell(field: str, message: str, value: str | None = None) -> RowRefused:
    """Build the refusal of a cell or a header (PARSE)."""
    return RowRefused(RowError(RowCode.PARSE, message, field, value))
