"""The constraints of a record type, checked on the rows of seeds as far as a row alone decides them.

A row says nothing about what the server sets from elsewhere: ids, calculated fields, the data domain of the
tenant for which it is planted, and whatever a variable stands for. A constraint that names any of it is
checked when the row is planted, as all of them are.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from generator.filters import filter_decision, find_value_kind, list_paths
from generator.model import Field, Kind, Record, Structure, Type
from generator.resolve.context import Spot
from generator.resolve.graphs import find_start
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType
from runtime.model.paths import top_of
from runtime.model.record_type import Constraint

_REF_NAME = "entityRefName"

Row = Mapping[str, Any]
Structures = Mapping[str, Structure]


def build_constraint_check(record: Record, structures: Structures) -> Callable[[Spot, Row], None]:
    """Return what checks a row, which is otherwise in order, against the constraints of its record type."""
    checked = () if record.lenient else record.constraints
    decided = [one for one in checked if _is_decided(one, record, structures)]
    decide = filter_decision(record, structures)

    def check(spot: Spot, row: Row) -> None:
        for constraint in decided:
            names = {top_of(path) for path in list_paths(constraint.when)}
            document = _build_document(spot, record, row, names, structures)
            if document is not None and decide(constraint.when, document) is False:
                message = f'{constraint.message}: the row does not match the constraint "{constraint.when}"'
                spot.report("SPEC090", message, *[name for name in row if name in names][:1])

    return check


def _is_decided(constraint: Constraint, record: Record, structures: Structures) -> bool:
    fields = {one.name: one for one in record.fields}
    return all(_is_in_row(path, fields.get(top_of(path)), structures) for path in list_paths(constraint.when))


def _is_in_row(path: str, field: Field | None, structures: Structures) -> bool:
    if field is None:
        return path == "refName"
    return field.calculated is None and _is_known(field.type, path.split(".")[1:], structures)


def _is_known(kind: Type, steps: Sequence[str], structures: Structures) -> bool:
    """Return whether a value from a row says what is stored behind these steps."""
    if kind.kind in (Kind.REFERENCE, Kind.JSON):
        return kind.kind is Kind.REFERENCE and list(steps) == [_REF_NAME]
    if kind.item:
        return _is_known(kind.item, steps[1:] if kind.kind is Kind.MAP else steps, structures)
    fields = _list_fields(kind, structures)
    if fields is None:
        return False
    found = next((one for one in fields if [one.name] == list(steps[:1])), None)
    return found is None or _is_known(found.type, steps[1:], structures)


def _list_fields(kind: Type, structures: Structures) -> Sequence[Field] | None:
    """List the fields of an object; none of other values, None for a structure that is broken."""
    if kind.kind is not Kind.STRUCTURE:
        return kind.fields
    structure = structures.get(kind.target or "")
    return structure.fields if structure else None


def _build_document(
    spot: Spot, record: Record, row: Row, names: set[str], structures: Structures
) -> dict[str, Any] | None:
    """Build what would be stored of the named fields; None where a value is of no kind that is stored."""
    document = {"refName": row["refName"]}
    for field in record.fields:
        if field.name in names and (value := _find_value(spot, field, row)) is not None:
            try:
                document[field.name] = _store(field.type, value, structures)
            except Unreadable:
                return None
    return document


def _find_value(spot: Spot, field: Field, row: Row) -> object:
    """Return what a row has for a field, or what a new record has where it says nothing."""
    if field.name in row and not field.is_made_by_server:
        return row[field.name]
    return find_start(spot.context, field.type) if field.default is None else field.default


def _store(kind: Type, value: Any, structures: Structures) -> object:
    if kind.kind is Kind.REFERENCE:
        if isinstance(value, str):
            return {_REF_NAME: value}
        raise Unreadable("a refName", "PT")
    if kind.kind is Kind.LIST and kind.item:
        return [_store(kind.item, one, structures) for one in value]
    if kind.kind is Kind.MAP and kind.item:
        return {key: _store(kind.item, one, structures) for key, one in value.items()}
    if kind.kind in (Kind.OBJECT, Kind.STRUCTURE):
        fields = _list_fields(kind, structures) or ()
        members = {one.name: (one.type, value.get(one.name, one.default)) for one in fields}
        return {name: _store(its, one, structures) for name, (its, one) in members.items() if one is not None}
    if isinstance(value, bool) or kind.kind is Kind.JSON:
        return value
    return read_value(FieldType(find_value_kind(kind.kind), values=kind.values), str(value))
