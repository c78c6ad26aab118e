"""Columns of import profiles: their headers differ, and what their cells become fits the field."""

from collections.abc import Iterator

from generator.filters import find_value_kind
from generator.model import Kind, Type
from generator.problems import did_you_mean
from generator.resolve.context import Spot
from generator.spec import ColumnSpec, ImportProfileSpec
from runtime.filter.values import Unreadable, read_value
from runtime.model.date_format import NoDate, parse_date_format
from runtime.model.field_type import FieldType

_MODIFIERS = ("*", "?", "~", "#")
_KEY = "#"
_CHECKED = frozenset(
    {
        *(Kind.INTEGER, Kind.NUMBER, Kind.DECIMAL, Kind.BOOLEAN, Kind.DATE, Kind.DATETIME),
        *(Kind.OBJECT_ID, Kind.ENUM, Kind.STATES),
    }
)
"""Kinds whose values are not any text."""


def check_headers(spot: Spot, spec: ImportProfileSpec) -> None:
    """Check that columns have names of their own, and that one of them is the key."""
    names: list[str] = []
    keys: list[str] = []
    for position, column in enumerate(spec.column_mappings):
        name, modifier = _split_name(column.source_column, spec.header_modifiers)
        below = spot.within("columnMappings", position)
        if name in names:
            below.report("SPEC021", f'"{name}" is mapped twice', "sourceColumn")
        elif not name or name == spec.intent_column:
            wrong = f'"{name}" is the intentColumn: name another one' if name else "the column has no name"
            below.report("SPEC092", wrong, "sourceColumn")
        names.append(name)
        if modifier == _KEY:
            keys.append(name)
            if len(keys) > 1:
                message = f'"{name}" is marked as a second key, after "{keys[0]}": write one #'
                below.report("SPEC092", message, "sourceColumn")


def _split_name(header: str, has_modifiers: bool) -> tuple[str, str]:
    """Return the name of a column as imports find it, and its modifier or nothing."""
    name = header.strip()
    if has_modifiers and name.endswith(_MODIFIERS):
        return name[:-1].rstrip(), name[-1]
    return name, ""


def check_cells(spot: Spot, spec: ColumnSpec, found: Type | None) -> None:
    """Check the date format, and values that a profile gives; the field is None where it is unknown."""
    if spec.date_format is not None:
        try:
            parse_date_format(spec.date_format)
        except NoDate as error:
            spot.report("SPEC092", f'the date format "{spec.date_format}" {error}', "dateFormat")
    if found is None or found.kind not in _CHECKED or _is_changed_later(spec):
        return
    for value, path in _list_values(spec):
        if wrong := _value_problem(found, value):
            spot.report("SPEC092", f'{spec.target_field} cannot be "{value}": it takes {wrong}', *path)


def _is_changed_later(spec: ColumnSpec) -> bool:
    """Whether the field gets something other than the value of a cell, such as what a lookup returns."""
    steps = (spec.lookup, spec.row_value_resolver_name, spec.list_separator, spec.date_format)
    return any(step is not None for step in steps)


def _list_values(spec: ColumnSpec) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the values that cells become, with their places; an empty one clears the field."""
    if spec.case is None and spec.regex is None:
        for cell, value in spec.value_mappings.items():
            if value:
                yield value, ("valueMappings", cell)
    if spec.default:
        yield spec.default, ("default",)


def _value_problem(found: Type, value: str) -> str | None:
    try:
        read_value(FieldType(find_value_kind(found.kind), values=found.values), value)
    except Unreadable as error:
        near = did_you_mean(value, found.values, list_few=False)
        return f"{error}{near}"
    return None
