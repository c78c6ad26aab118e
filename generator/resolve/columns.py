"""Columns of import profiles: their headers and fields differ, and what their cells become fits the field."""

from collections.abc import Iterator

from generator.filters import find_value_kind
from generator.model import Kind, Record, Type
from generator.problems import did_you_mean
from generator.resolve.context import Spot
from generator.resolve.paths import Paths
from generator.spec import ColumnSpec, ImportProfileSpec, RegexSpec
from generator.types import SCALARS
from runtime.contract.imports import VerticalColumn
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.date_format import NoDate, parse_date_format
from runtime.model.field_type import FieldType
from runtime.model.import_columns import (
    Modifier,
    find_blank_problem,
    find_intent_problem,
    find_prefix_problem,
    find_unmapped_problem,
    split_name,
)
from runtime.model.paths import overlap
from runtime.model.replacements import BadReplacement, parse_replacement

NAMES_A_RECORD = frozenset({"entityId", "entityRefName"})
_OF_KEYS = frozenset({Kind.STRING, Kind.INTEGER, Kind.DATE, Kind.DATETIME, Kind.OBJECT_ID, Kind.REFERENCE})
"""Kinds of which two values are equal or not, however they are written."""

CHECKED = frozenset({*map(Kind, SCALARS), Kind.ENUM, Kind.STATES} - {Kind.STRING, Kind.TEXT, Kind.JSON})
"""Kinds whose values are not any text."""


def check_headers(spot: Spot, spec: ImportProfileSpec) -> None:
    """Check that columns have names of their own, and that one of them is the key."""
    names: list[str] = []
    keys: list[str] = []
    for position, column in enumerate(spec.column_mappings):
        name, modifier = split_name(column.source_column, spec.header_modifiers)
        below = spot.within("columnMappings", position)
        if name in names:
            message = f'"{name}" is mapped twice: a column of the file fills one field'
            below.report("SPEC021", message, "sourceColumn")
        elif not name or name == spec.intent_column:
            wrong = f'"{name}" is the intentColumn: name another one' if name else "the column has no name"
            below.report("SPEC092", wrong, "sourceColumn")
        names.append(name)
        if modifier is Modifier.KEY:
            keys.append(name)
            if len(keys) > 1:
                message = f'"{name}" is marked as a second key, after "{keys[0]}": write one #'
                below.report("SPEC092", message, "sourceColumn")


def check_strategy(spot: Spot, spec: ImportProfileSpec) -> None:
    """Check the words about dynamic attributes, and the column of intents."""
    if wrong := find_prefix_problem(spec.dynamic_attribute_prefix):
        spot.report("SPEC092", wrong, "dynamicAttributePrefix")
    if wrong := find_intent_problem(spec.intent_column or "", spec.header_modifiers):
        spot.report("SPEC092", wrong, "intentColumn")
    if spec.dynamic_attribute_strategy == "VERTICAL" and spec.intent_column in set(VerticalColumn):
        message = f"{spec.intent_column} has another meaning with VERTICAL: name another column"
        spot.report("SPEC092", message, "intentColumn")


def check_filled(spot: Spot, spec: ImportProfileSpec, record: Record, paths: Paths) -> None:
    """Check that no two columns fill the same field, or one a part of what another fills."""
    filled: list[tuple[str, str]] = []
    for position, column in enumerate(spec.column_mappings):
        name = whole = column.target_field
        if names_elements(record, name, paths):  # then the column fills the list
            whole = name.rpartition(".")[0]
        other = next((other for other, field in filled if overlap(whole, field)), None)
        if other is not None:
            twice = f'"{name}" is mapped twice: a field is filled by one column'
            wrong = twice if other == name else f'"{other}" fills "{name}" already'
            spot.report("SPEC021", wrong, "columnMappings", position, "targetField")
        filled.append((name, whole))


def names_elements(record: Record, path: str, paths: Paths) -> bool:
    """Return whether a path is the name or the id in each element of a list of references."""
    outer, _, name = path.rpartition(".")
    found = paths.of_record(record, outer) if outer else None
    if name not in NAMES_A_RECORD or not isinstance(found, Type) or found.item is None:
        return False
    return found.kind is Kind.LIST and found.item.kind is Kind.REFERENCE


def check_key(spot: Spot, spec: ColumnSpec, record: Record, has_modifiers: bool) -> None:
    """Check that the column marked as the key fills a unique field, by which a record is found."""
    if split_name(spec.source_column, has_modifiers)[1] is not Modifier.KEY:
        return
    if "indexes" in spot.context.records[record.name].omitted_words:
        return  # one of them may be unique
    alone = {index.keys[0][0] for index in record.indexes if index.unique and len(index.keys) == 1}
    fields = [one for one in record.fields if one.type.kind in _OF_KEYS and not one.hidden]
    unique = {one.name for one in fields if one.unique or {one.name, f"{one.name}.entityId"} & alone}
    known = {"refName", *unique}
    if spec.target_field.removesuffix(".entityId").removesuffix(".entityRefName") not in known:
        message = f"{spec.target_field} is not unique, so it cannot be the key; what can: "
        spot.report("SPEC092", message + ", ".join(sorted(known)), "sourceColumn")


def check_cells(spot: Spot, spec: ColumnSpec, found: Type | None) -> None:
    """Check the date format, and values that a profile gives; the field is None where it is unknown."""
    _check_mappings(spot, spec)
    if spec.regex is not None:
        _check_regex(spot, spec.regex)
    if spec.date_format is not None:
        try:
            parse_date_format(spec.date_format)
        except NoDate as error:
            spot.report("SPEC092", f'the date format "{spec.date_format}" {error}', "dateFormat")
    if found is None or found.kind not in CHECKED or _is_changed_later(spec):
        return
    for value, path in _list_values(spec):
        if wrong := _value_problem(found, value):
            spot.report("SPEC092", f'{spec.target_field} cannot be "{value}": it takes {wrong}', *path)


def _check_mappings(spot: Spot, spec: ColumnSpec) -> None:
    if wrong := find_unmapped_problem(spec.unmapped_value_behavior, bool(spec.value_mappings)):
        spot.report("SPEC092", wrong, "unmappedValueBehavior")
    for cell in spec.value_mappings:
        if not cell or "." in cell or cell[0] == "$" or "\0" in cell:
            message = f'"{cell}" cannot be stored as a name: not empty, no leading $, no dot'
            spot.report_key("SPEC092", message, "valueMappings", cell)
        elif spec.trim and (wrong := find_blank_problem(cell)):
            spot.report_key("SPEC092", wrong, "valueMappings", cell)


def _check_regex(spot: Spot, spec: RegexSpec) -> None:
    try:
        parse_replacement(spec.pattern, spec.replacement)
    except BadReplacement as error:
        spot.report("SPEC092", f"the pattern {error}", "regex", "replacement")
    except ValueError as error:
        spot.report("SPEC043", f"the pattern {error}", "regex", "pattern")


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
