"""The constraints of a record type, checked on the rows of seeds as far as a row alone decides them.

A row says nothing about what the server sets from elsewhere: ids, calculated fields, the data domain of the
tenant for which it is planted, and whatever a variable stands for. A constraint that names any of it is
checked when the row is planted, as all of them are.
"""

from collections.abc import Callable, Mapping
from typing import Any

from generator.filters import filter_decision, find_value_kind, list_paths
from generator.model import Field, Kind, Record, Structure
from generator.resolve.context import Spot
from generator.resolve.graphs import find_start
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType
from runtime.model.paths import top_of
from runtime.model.record_type import Constraint

_UNDECIDED = frozenset({Kind.JSON, Kind.MAP, Kind.LIST, Kind.OBJECT, Kind.STRUCTURE})
"""Kinds with values inside, which may have defaults of their own."""

_REF_NAME = "entityRefName"

Row = Mapping[str, Any]


def build_constraint_check(
    record: Record, structures: Mapping[str, Structure]
) -> Callable[[Spot, Row], None]:
    """Return what checks a row, which is otherwise in order, against the constraints of its record type."""
    decided = [] if record.lenient else [one for one in record.constraints if _is_decided(one, record)]
    decide = filter_decision(record, structures)

    def check(spot: Spot, row: Row) -> None:
        for constraint in decided:
            names = {top_of(path) for path in list_paths(constraint.when)}
            document = _build_document(spot, record, row, names)
            if document is not None and decide(constraint.when, document) is False:
                message = f'{constraint.message}: the row does not match the constraint "{constraint.when}"'
                spot.report("SPEC090", message, *[name for name in row if name in names][:1])

    return check


def _is_decided(constraint: Constraint, record: Record) -> bool:
    fields = {one.name: one for one in record.fields}
    return all(_is_in_row(path, fields.get(top_of(path))) for path in list_paths(constraint.when))


def _is_in_row(path: str, field: Field | None) -> bool:
    if field is None:
        return path == "refName"
    if field.type.kind is Kind.REFERENCE:
        return path == f"{field.name}.{_REF_NAME}"
    return field.calculated is None and field.type.kind not in _UNDECIDED


def _build_document(spot: Spot, record: Record, row: Row, names: set[str]) -> dict[str, Any] | None:
    """Build what would be stored of the named fields; None where a value is of no kind that is stored."""
    document = {"refName": row["refName"]}
    for field in record.fields:
        if field.name in names and (value := _find_value(spot, field, row)) is not None:
            try:
                document[field.name] = _store(field, value)
            except Unreadable:
                return None
    return document


def _find_value(spot: Spot, field: Field, row: Row) -> object:
    """Return what a row has for a field, or what a new record has where it says nothing."""
    if field.name in row and not field.is_made_by_server:
        return row[field.name]
    return find_start(spot.context, field.type) if field.default is None else field.default


def _store(field: Field, value: object) -> object:
    if field.type.kind is Kind.REFERENCE:
        if isinstance(value, str):
            return {_REF_NAME: value}
        raise Unreadable("a refName", "PT")
    if isinstance(value, bool):
        return value
    return read_value(FieldType(find_value_kind(field.type.kind), values=field.type.values), str(value))
