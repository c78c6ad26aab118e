"""Examples of the service's own bodies in the document that name a record type: it is one of the project.

The specifications of the service show the example, whose record types other projects do not have: requests
about them would be refused. The examples are derived together, so that a query, columns and a record fit one
another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from generator.model import Field, Kind, Model, Record, Structure, Type
from generator.openapi.examples import Examples

_NAMES_TYPE = frozenset(
    {
        *("rootType", "className", "domainFilter", "targetType", "recordTypes", "functionalDomain"),
        *("webhookId", "predicate"),
    }
)
_NEEDED = frozenset({"list", "save", "delete", "import"})
_USUAL = frozenset({"user", "admin"})
_NAMED = "refName:A*"


def show_project_records(model: Model) -> Model:
    """Return a model in which examples that name a record type name one of the project."""
    record = find_shown_record(model)
    if record is None:
        return model
    values = _derive_values(model, record)
    of_service = (one for one in model.structures if one.is_system)
    shown = {str(one.name): replace(one, fields=_show_fields(one.fields, values)) for one in of_service}
    return replace(
        model,
        records=tuple(
            replace(one, fields=_show_fields(one.fields, values)) if one.is_system else one
            for one in model.records
        ),
        structures=tuple(shown.get(one.name, one) for one in model.structures),
        endpoints=tuple(
            replace(one, request=_find(shown, one.request), response=_find(shown, one.response))
            for one in model.endpoints
        ),
        tools=tuple(
            replace(
                one, arguments=shown.get(one.arguments.name, one.arguments), answer=_find(shown, one.answer)
            )
            for one in model.tools
        ),
    )


def find_shown_record(model: Model) -> Record | None:
    """Return the first record type with routes, by area and name; None where there is none.

    One that callers of the usual roles may save, list, delete and import comes before others, since its
    examples can be sent, and one of the project before those of the service.
    """

    def rank(record: Record) -> tuple[bool, bool, bool, str, str]:
        offered = {row.key for row in record.operations}
        is_usual = set(record.roles) >= _USUAL
        return record.is_system, not is_usual, bool(_NEEDED - offered), record.area, str(record.name)

    return min((one for one in model.records if one.operations), key=rank, default=None)


def _find(shown: Mapping[str, Structure], structure: Structure | None) -> Structure | None:
    return None if structure is None else shown.get(structure.name, structure)


def _derive_values(model: Model, record: Record) -> dict[str, Any]:
    """Derive the examples of members, by their names."""
    name = f"{record.area}.{record.name}"
    entity = Examples.of(model).smallest_record(record) or {"refName": f"{record.name.upper()}-1"}
    cells = _list_cells(record, entity)
    column = next((one for one in cells if one != "refName" and "." not in one), "displayName")
    ends = next(((one.domain, one.range) for one in model.predicates), (record.name, record.name))
    return {
        "rootType": name,
        "className": name,
        "simpleName": str(record.name),
        "collectionName": record.collection,
        "path": record.path,
        "area": record.area,
        "functionalDomain": record.domain,
        "domainFilter": str(ends[0]),
        "rangeFilter": str(ends[1]),
        "predicate": next((str(one.name) for one in model.predicates), None),
        "entity": entity,
        "columns": list(cells),
        "csv": f"{','.join(cells)}\n{','.join(map(_quote, cells.values()))}\n",
        "groupBy": [_find_group(record), "auditInfo.createdDate.by(month) as month"],
        "query": _expand(record),
        "targetType": name,
        "sourceColumn": column.upper(),
        "targetField": column,
        "lookupCollection": record.collection,
        "recordTypes": [str(record.name)],
        "type": f"{record.domain}.updated",
        "filter": _NAMED,
    }


def _list_cells(record: Record, entity: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns and cells of a row that is the record; lists and objects are left out."""
    types = {one.name: one.type for one in record.fields}
    cells = {}
    for name, value in entity.items():
        kind = types.get(name)
        if kind is not None and kind.kind is Kind.REFERENCE:
            cells[f"{name}.entityRefName"] = f"{str(kind.target).upper()}-1"
        elif not isinstance(value, list | dict):
            cells[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return cells


def _quote(cell: str) -> str:
    if not set(cell) & {",", '"', "\n", "\r"}:
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


def _find_group(record: Record) -> str:
    """Return a field with few values, to group records by."""
    few = (one.name for one in record.fields if one.type.kind in (Kind.STATES, Kind.ENUM) and not one.hidden)
    return next(few, "activeStatus")


def _expand(record: Record) -> str:
    """Return a query that expands a reference, where the record type has one."""
    references = (one.name for one in record.fields if one.type.kind is Kind.REFERENCE and not one.hidden)
    found = next(references, None)
    return _NAMED if found is None else f"{_NAMED} && expand({found})"


def _show_fields(
    fields: tuple[Field, ...], values: Mapping[str, Any], is_about_type: bool = False
) -> tuple[Field, ...]:
    """Show the record type in an object of which a member names it, and in all objects inside that one."""
    names = {one.name for one in fields}
    is_about_type = is_about_type or bool(names & _NAMES_TYPE)
    return tuple(
        replace(one, example=values[one.name])
        if is_about_type and one.name in values and _depends_on_type(one, names)
        else replace(one, type=_show_type(one.type, values, is_about_type))
        for one in fields
    )


def _depends_on_type(field: Field, names: set[str]) -> bool:
    """Return whether the example of a field depends on the record type: other queries and columns fit all."""
    if field.name == "query":
        return "expand(" in str(field.example)
    return field.example is not None and (field.name != "columns" or "csv" in names)


def _show_type(kind: Type, values: Mapping[str, Any], is_about_type: bool) -> Type:
    if kind.item is not None:
        return replace(kind, item=_show_type(kind.item, values, is_about_type))
    if kind.kind is not Kind.OBJECT:
        return kind
    return replace(kind, fields=_show_fields(kind.fields, values, is_about_type))
