"""Resolution of import profiles: the target, the fields of columns and the lookups must exist."""

from collections.abc import Mapping
from typing import Any

from generator.model import Kind, Record, Seed, Type
from generator.resolve.columns import (
    NAMES_A_RECORD,
    check_cells,
    check_filled,
    check_headers,
    check_key,
    check_strategy,
    names_elements,
)
from generator.resolve.context import Context, Spot
from generator.resolve.paths import Missing, Paths, is_list
from generator.spec import ColumnSpec, Document, ImportProfileSpec, LookupSpec
from generator.types import REF_NAME_RULE, is_ref_name
from runtime.model.import_columns import (
    Modifier,
    find_element_problem,
    find_reference_problem,
    find_separator_problem,
    split_name,
)
from runtime.model.paths import around, top_of

_TRANSFORMATIONS = {"trim", "case", "regex", "default", "date_format"}
"""Words of a column that the record keeps together."""

_KEPT = frozenset(
    {"id", "auditInfo", "references", "persistentEvents", "actionList", "invalid", "violations"}
)
"""Common fields that a save sets, whatever was sent."""

_NO_ELEMENTS = frozenset({Kind.OBJECT, Kind.STRUCTURE, Kind.LIST, Kind.MAP, Kind.JSON})
"""Kinds of items that are no element of a cell: they are written as JSON."""


def build_profile(
    context: Context, document: Document[ImportProfileSpec], records: Mapping[str, Record], paths: Paths
) -> Seed | None:
    """Resolve a profile to a seed of its record; None if its target is unknown."""
    spot, spec = Spot(context, document), document.spec
    context.claim("the import profile", spec.import_profile, spot.at("importProfile"), rule="SPEC021")
    if not is_ref_name(spec.import_profile):
        spot.report("SPEC092", f"the name of a profile is its refName, of {REF_NAME_RULE}", "importProfile")
    if not spot.known("record", spec.target, context.records, "target"):
        return None
    columns = [
        _resolve_column(spot.within("columnMappings", position), one, spec, records, paths)
        for position, one in enumerate(spec.column_mappings)
    ]
    check_headers(spot, spec)
    check_strategy(spot, spec)
    record = records.get(spec.target)
    if record:
        check_filled(spot, spec, record, paths)
        for position, column in enumerate(spec.column_mappings):
            check_key(spot.within("columnMappings", position), column, record, spec.header_modifiers)
    if record and spec.dynamic_attribute_strategy and not record.dynamic_attributes:
        message = f"{spec.target} has no dynamic attributes: add dynamicAttributes: true to its specification"
        spot.report("SPEC092", message, "dynamicAttributeStrategy")
    said = spec.model_dump(
        by_alias=True, exclude_defaults=True, exclude={"import_profile", "target", "version", "shared"}
    )
    target = f"{record.area}.{record.stored_name}" if record else spec.target
    values = {"refName": spec.import_profile, "targetType": target, **said, "columnMappings": columns}
    return Seed("ImportProfile", spec.version, (values,), spec.shared)


def _resolve_column(
    spot: Spot, spec: ColumnSpec, profile: ImportProfileSpec, records: Mapping[str, Record], paths: Paths
) -> dict[str, Any]:
    found_type = _check_target(spot, spec, profile, records, paths)
    check_cells(spot, spec, found_type)
    values = spec.model_dump(by_alias=True, exclude_defaults=True, exclude=_TRANSFORMATIONS)
    made = spec.model_dump(by_alias=True, exclude_defaults=True, include=_TRANSFORMATIONS)
    if made:
        values["transformations"] = made
    if spec.lookup and spot.known("record", spec.lookup.record, spot.context.records, "lookup", "record"):
        below = spot.within("lookup")
        _check_looked_up(below, spec.lookup.match, spec.lookup.record, records, paths, "match")
        returned = _check_looked_up(below, spec.lookup.return_, spec.lookup.record, records, paths, "return")
        _check_lookup(
            below, spec, spec.lookup, returned, _find_referred(spec, profile.target, records, paths)
        )
        found = records.get(spec.lookup.record)
        values["lookup"] = {
            "lookupCollection": found.collection if found else spec.lookup.record,
            "lookupMatchField": spec.lookup.match,
            "lookupReturnField": spec.lookup.return_,
            "onNotFound": spec.lookup.on_not_found,
        }
    return values


def _check_looked_up(
    spot: Spot, path: str, target: str, records: Mapping[str, Record], paths: Paths, word: str
) -> Type | None:
    """Check that a lookup compares or takes a single value, which is not hidden; return its type."""
    found, record = _check_field(spot, path, target, records, paths, word), records.get(target)
    if found is None or record is None:
        return None
    if paths.find_list_around(record, path) or found.kind in _NO_ELEMENTS | {Kind.REFERENCE}:
        message = f"{path} of {target} is not a single value, as a lookup compares and takes"
        spot.report("SPEC092", message, word)
    elif any(field.hidden for field in record.fields if field.name == top_of(path)):
        spot.report("SPEC092", f"{path} of {target} is hidden: no lookup may compare or take it", word)
    return found


def _find_referred(spec: ColumnSpec, target: str, records: Mapping[str, Record], paths: Paths) -> str | None:
    """Return the record type whose id a column gives to a reference, or None if it gives no id of one."""
    record, path = records.get(target), spec.target_field.removesuffix(".entityId")
    found = paths.of_record(record, path) if record else None
    if not isinstance(found, Type):
        return None
    held = found.item or found
    return held.target if held.kind is Kind.REFERENCE else None


def _check_lookup(
    spot: Spot, spec: ColumnSpec, lookup: LookupSpec, returned: Type | None, referred: str | None
) -> None:
    """Check that a reference gets the id of a record that it can refer to."""
    if referred is None or returned is None:
        return
    if returned.kind is not Kind.OBJECT_ID:
        message = f"{spec.target_field} takes the id of a record, but the lookup returns {lookup.return_}"
        spot.report("SPEC092", f"{message} of {lookup.record}: return id", "return")
    elif lookup.return_ == "id" and lookup.record != referred:
        message = f"{spec.target_field} refers to {referred}, but the lookup returns ids of {lookup.record}"
        spot.report("SPEC092", f"{message}: look in {referred}", "record")


def _check_target(
    spot: Spot, spec: ColumnSpec, profile: ImportProfileSpec, records: Mapping[str, Record], paths: Paths
) -> Type | None:
    """Check that a cell can fill the field: writable, not inside a list, and a reference by a name.

    Return the type of the field; None if it is unknown or broken.
    """
    path, record = spec.target_field, records.get(profile.target)
    found = _check_field(spot, path.replace("[0]", ""), profile.target, records, paths, "targetField")
    if record is None or found is None:
        return None
    if _is_made_by_server(record, path):
        _name, modifier = split_name(spec.source_column, profile.header_modifiers)
        if modifier is not Modifier.CALCULATED:
            spot.report("SPEC092", f"{path} is written by the server", "targetField")
        return found
    is_by_element = names_elements(record, path, paths)
    if wrong := _target_problem(record, spec, paths, is_by_element):
        spot.report("SPEC092", wrong, "targetField")
    elif wrong := _separator_problem(spec, found, is_by_element):
        spot.report("SPEC092", wrong, "listSeparator")
    elif _is_reference(spec, found) and not (spec.lookup or spec.row_value_resolver_name):
        spot.report("SPEC092", find_reference_problem(path), "targetField")
    return found


def _is_reference(spec: ColumnSpec, found: Type) -> bool:
    """Return whether a cell, or each element that it lists, is a reference."""
    held = found.item or found if spec.list_separator else found
    return held.kind is Kind.REFERENCE


def _separator_problem(spec: ColumnSpec, found: Type, is_by_element: bool) -> str | None:
    """Return why cells cannot list elements; None where they can, and where none is asked to."""
    path, item = spec.target_field, found.item if found.kind is Kind.LIST else None
    if not spec.list_separator:
        return None
    has_elements = item is not None and item.kind not in _NO_ELEMENTS
    takes_elements = is_by_element or path.startswith("dynamicAttributes.") or has_elements
    return find_separator_problem(path, bool(spec.row_value_resolver_name), takes_elements)


def _target_problem(record: Record, spec: ColumnSpec, paths: Paths, is_by_element: bool) -> str | None:
    path = spec.target_field
    if is_by_element:
        has_resolver = bool(spec.row_value_resolver_name)
        return None if spec.list_separator else find_element_problem(path, has_resolver)
    bare = path.replace("[0]", "")
    for before in around(bare):
        outer, name = paths.of_record(record, before), top_of(bare.removeprefix(f"{before}."))
        if is_list(outer):
            return f"{path} is inside the list {before}: a list is one cell of JSON"
        if isinstance(outer, Type) and outer.kind is Kind.REFERENCE and name not in NAMES_A_RECORD:
            return f"{path} is a copy that follows the record: fill {before}.entityRefName"
    if "[" in path:
        return f"{path} steps into a list: a list is one cell of JSON"
    return None


def _is_made_by_server(record: Record, path: str) -> bool:
    top = top_of(path)
    return top in _KEPT or any(field.is_made_by_server for field in record.fields if field.name == top)


def _check_field(
    spot: Spot, path: str, target: str, records: Mapping[str, Record], paths: Paths, word: str
) -> Type | None:
    """Return the type of a field; None if it is unknown or broken."""
    record = records.get(target)
    if record is None:
        return None
    found = paths.of_record(record, path)
    if isinstance(found, Missing):
        spot.report("SPEC034", f'{target} has no field "{path}"{found.advise()}', word)
        return None
    return found
