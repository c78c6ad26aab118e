"""One value ↔ the text of its cell. Pure; lossless except for the empty text, which is read back as null.

| value | as text |
|---|---|
| absent, null | the empty cell; read back: null |
| text | itself, guarded where a spreadsheet would run it (``dialect.guard_text``) |
| boolean, integer, double | ``true``, ``5``, ``2.5``: the shortest text that is read back as the same value |
| decimal | its digits, exactly, with a dot |
| date-time, date, id | as on the wire: ``2026-03-27T04:12:14.118Z``, ``2026-03-27``, 24 hexadecimal digits |
| free-form, object, map, list | JSON, as on the wire |
| dynamic attribute | by the type of its value |

Text is read as a filter value is, by the type of the field (``filter.values``).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import orjson
from bson import Decimal128, Int64, ObjectId

from runtime.fast.decimals import format_decimal, format_decimals
from runtime.fast.timestamps import format_timestamp, format_timestamps
from runtime.filter.unreadable import Unreadable, unreadable
from runtime.filter.values import read_value
from runtime.json_text import UnfitJson, read_cell_json
from runtime.model.attribute_names import sets_as_sent, sets_as_stored
from runtime.model.field_type import FieldType, ValueKind
from runtime.records.document.dynamic import Written
from runtime.storage.wire import to_json
from runtime.transfer.csv.dialect import FORMULA_STARTS, guard_text, remove_guard

_LONGEST_NUMBER: Final = 400
"""Characters; a decimal of more is written with an exponent, as ``filter.values`` reads it."""

_COMPOSITE: Final = frozenset({ValueKind.OBJECT, ValueKind.MAP, ValueKind.LIST})


def is_single(field_type: FieldType) -> bool:
    """Return whether a cell of this type is one value, of which no part can be hidden."""
    inside = field_type.kind in _COMPOSITE or field_type.kind is ValueKind.JSON
    return not inside and not field_type.is_attribute


def build_cell_writer(field_type: FieldType, *, guard: bool) -> Callable[[Sequence[Any]], list[str]]:
    """Return a function from the stored values of a column to its cells."""
    if levels := _levels_of_attributes(field_type):
        return lambda values: [_BY_TYPE.get(type(one), _json)(sets_as_sent(one, levels)) for one in values]
    if field_type.kind is ValueKind.JSON and not field_type.is_attribute:
        return lambda values: ["" if value is None else _json(value) for value in values]
    by_type = {**_BY_TYPE, str: guard_text} if guard else _BY_TYPE
    in_bulk = _IN_BULK.get(field_type.kind, _render_none)

    def write(values: Sequence[Any]) -> list[str]:
        whole = in_bulk(values)
        return whole or [
            value
            if type(value) is str and value[:1] not in _SUSPECT
            else by_type.get(type(value), _json)(value)
            for value in values
        ]

    return write


def build_cell_reader(field_type: FieldType, *, guard: bool) -> Callable[[str], Any]:
    """Return ``read_cell`` for many cells of one type."""
    if field_type.kind is not ValueKind.STRING or field_type.values or field_type.is_attribute:
        return partial(read_cell, field_type, guard=guard)
    if guard:
        return lambda cell: (remove_guard(cell) if cell[:1] == "'" else cell) or None
    return lambda cell: cell or None


def read_cell(field_type: FieldType, cell: str, *, guard: bool) -> Any:
    """Read the value of a cell as stored; None for the empty one.

    ``guard``: the file was written guarded. A dynamic attribute is ``Written``: its type is that of the
    attribute it changes. Raises ``Unreadable``.
    """
    if not cell:
        return None
    if guard and cell[0] == "'":
        cell = remove_guard(cell)
    if field_type.is_attribute:
        return Written(cell)
    if field_type.kind in _COMPOSITE or field_type.kind is ValueKind.JSON:
        value = _convert_json(field_type, _parse_json(field_type, cell))
        levels = _levels_of_attributes(field_type)
        return _with_stored_names(field_type, value, levels) if levels else value
    return read_value(field_type, cell)


def _levels_of_attributes(field_type: FieldType) -> int:
    """Return the levels of attribute names in a cell: 2 in that of all sets, 1 in that of one set."""
    item = field_type.item
    if field_type.kind is not ValueKind.MAP or item is None:
        return 0
    if "value" in item.fields and item.fields["value"].is_attribute:
        return 1
    return 2 if _levels_of_attributes(item) else 0


def _with_stored_names(field_type: FieldType, value: Any, levels: int) -> Any:
    try:
        return sets_as_stored(value, levels)
    except ValueError as error:
        raise unreadable(field_type, f"and a name {error}", '{"set": {"name": …}}') from None


def as_text(value: Any) -> str:
    """Render a stored value as its cell without a guard, by its own type, like a dynamic attribute."""
    return _BY_TYPE.get(type(value), _json)(value)


def _render_none(_values: Sequence[Any]) -> None:
    return None


def _render_timestamps(values: Sequence[Any]) -> list[str] | None:
    """Render a column of timestamps at once; None for any other value in it."""
    return format_timestamps(values) if set(map(type, values)) == {datetime} else None


def _render_decimals(values: Sequence[Any]) -> list[str] | None:
    """Render a column of decimals at once; None for any other value in it."""
    if set(map(type, values)) != {Decimal128}:
        return None
    texts = format_decimals(values)
    return [text or _decimal(value) for text, value in zip(texts, values, strict=True)]


def _json(value: Any) -> str:
    return to_json(value).decode()


def _decimal(value: Decimal128) -> str:
    text = format_decimal(value)
    return text if len(text) <= _LONGEST_NUMBER else str(value.to_decimal())


_SUSPECT: Final = frozenset(f"'{FORMULA_STARTS}")
"""First characters of texts that the guard may have to look at."""

_IN_BULK: Mapping[ValueKind, Callable[[Sequence[Any]], list[str] | None]] = {
    ValueKind.DATETIME: _render_timestamps,
    ValueKind.DECIMAL: _render_decimals,
}

_BY_TYPE: Mapping[type, Callable[[Any], str]] = {
    type(None): lambda _none: "",
    str: lambda text: text,
    bool: lambda value: "true" if value else "false",
    int: str,
    Int64: str,
    float: repr,
    datetime: format_timestamp,
    Decimal128: _decimal,
    ObjectId: str,
}
"""By the type of the value, not of the field: that of a dynamic attribute is its own, and a record that was
saved in spite of its violations may hold anything."""


def _parse_json(field_type: FieldType, cell: str) -> Any:
    example = _JSON_LIST if field_type.kind is ValueKind.LIST else _JSON_OBJECT
    try:
        value = read_cell_json(cell)
        orjson.dumps(value)
    except UnfitJson as error:
        raise Unreadable("JSON", example, str(error)) from None
    except ValueError:
        raise Unreadable("JSON", example) from None
    except TypeError:  # what cannot be written again
        raise Unreadable("JSON", example, "with integers of 64 bits") from None
    expected = list if field_type.kind is ValueKind.LIST else dict
    if field_type.kind in _COMPOSITE and not isinstance(value, expected):
        raise unreadable(field_type, "and is written as JSON", example)
    return value


_JSON_LIST: Final = '["a", "b"]'
_JSON_OBJECT: Final = '{"name": 1}'


def _convert_json(field_type: FieldType, value: Any) -> Any:
    """Convert JSON to stored form: strings become the types of the fields inside.

    What does not fit at all is left for the checks of the whole record, which report its path.
    """
    if isinstance(value, list) and field_type.item:
        return [_convert_json(field_type.item, one) for one in value]
    if isinstance(value, dict) and field_type.kind is ValueKind.MAP and field_type.item:
        return {name: _convert_json(field_type.item, one) for name, one in value.items()}
    if isinstance(value, dict):
        known = field_type.fields
        return {
            name: _convert_json(known[name], one) if name in known else one for name, one in value.items()
        }
    is_told = isinstance(value, str) and field_type.kind not in (ValueKind.STRING, ValueKind.JSON)
    return read_value(field_type, value) if is_told and field_type.kind not in _COMPOSITE else value
