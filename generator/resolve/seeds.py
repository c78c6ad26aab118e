"""Seeds: rows that the record type would accept, keyed by refName. References are given by refName."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.model import Field, Record, Seed
from generator.problems import did_you_mean, nearest
from generator.resolve.context import Context, Spot
from generator.resolve.graphs import list_choices, list_starts
from generator.resolve.paths import COMMON_FIELDS, COMMON_NAMES, Paths
from generator.resolve.seed_constraints import build_constraint_check
from generator.resolve.seed_order import SeedRow, arrange_seeds, check_targets, list_rows
from generator.resolve.values import Values
from generator.spec import Document, SeedSpec, SeedsSpec
from generator.types import REF_NAME_RULE, is_ref_name

_OF_ROWS = ("refName", "displayName", "activeStatus", "dataDomain")
_COMMON = {field.name: field for field in COMMON_FIELDS if field.name in _OF_ROWS}


def build_seeds(context: Context, records: Mapping[str, Record], paths: Paths) -> tuple[Seed, ...]:
    """Resolve all seeds, in the order in which they can be planted."""
    found = [seed for one in context.specs.seeds for seed in _build_seeds(context, one, records, paths)]
    check_targets(context, [row for _seed, rows in found for row in rows])
    return tuple(arrange_seeds(found))


def _build_seeds(
    context: Context, document: Document[SeedsSpec], records: Mapping[str, Record], paths: Paths
) -> Iterator[tuple[Seed, list[SeedRow]]]:
    for position, spec in enumerate(document.spec.seeds):
        spot = Spot(context, document, ("seeds", position))
        if spot.known("record", spec.record, context.records, "record"):
            record = records.get(spec.record)
            if record:
                _check_shared(spot, spec, record)
                _check_rows(spot.within("rows"), spec, record, Values(paths, ref_names=True, stored=True))
            seed = Seed(spec.record, spec.version, tuple(spec.rows), spec.shared)
            yield seed, list_rows(seed, spot.within("rows"), record, paths)


def _check_shared(spot: Spot, spec: SeedSpec, record: Record) -> None:
    if not spec.shared:
        return
    if record.area == "security":
        message = "records of the area security are never shared: remove shared"
        spot.report_key("SPEC090", message, "shared")
    for position, row in enumerate(spec.rows):
        if "dataDomain" in row:
            message = "a row of a shared seed has no data domain of its own: the whole tenant reads it"
            spot.report_key("SPEC090", message, "rows", position, "dataDomain")


def _check_rows(spot: Spot, spec: SeedSpec, record: Record, values: Values) -> None:
    known = {field.name: field for field in record.fields} | _COMMON
    unsure = spot.context.unsure[record.name]
    check_constraints = build_constraint_check(record, values.paths.structures)
    for position, row in enumerate(spec.rows):
        below, earlier = spot.within(position), len(spot.context.problems)
        _check_ref_name(below, row, record)
        meant = set[str]()
        for name, value in row.items():
            if name in known:
                _check_value(below, record, known[name], value, values)
            elif name in COMMON_NAMES:
                message = f"a seed cannot set {name}: of the common fields it has {', '.join(_OF_ROWS)}"
                below.report_key("SPEC090", message, name)
            elif name not in unsure:
                meant |= set(nearest(name, known))
                near = did_you_mean(name, known)
                below.report_key("SPEC034", f'{record.name} has no field "{name}"{near}', name)
        for field in record.fields:
            if field.name not in row.keys() | meant:
                _check_absent(below, field)
        if len(spot.context.problems) == earlier:
            check_constraints(below, row)


def _check_value(spot: Spot, record: Record, field: Field, value: object, values: Values) -> None:
    name = field.name
    if field.is_made_by_server:
        message = f"the server writes {name} and ignores what is sent: remove it"
        spot.report_key("SPEC090", message, name)
    elif wrong := values.problem(field.type, value):
        spot.report("SPEC090", f"{name}: {wrong}", name)
    elif (name, value) == ("displayName", ""):
        spot.report("SPEC090", "displayName is empty: remove it, and it is the refName or the display", name)
    elif (starts := list_starts(spot.context, field.type)) and value not in starts:
        message = f"{name}: a new record is never {value}: write {' or '.join(starts)}"
        spot.report("SPEC090", message, name)
    elif field.unique:
        spot.context.claim(f"the {record.name} with {name}", str(value), spot.at(name), rule="SPEC091")


def _check_absent(spot: Spot, field: Field) -> None:
    if field.required and not field.is_made_by_server:
        spot.report("SPEC090", f'the required field "{field.name}" is missing')
    elif choices := list_choices(spot.context, field.type):
        message = f"a new record has one of several states: write {field.name}: {' or '.join(choices)}"
        spot.report("SPEC090", message)


def _check_ref_name(spot: Spot, row: Mapping[str, Any], record: Record) -> None:
    name = row.get("refName", "")
    if not isinstance(name, str):
        return  # which is reported as a value of the wrong type
    if not is_ref_name(name):
        spot.report("SPEC091", f"a row needs a refName of {REF_NAME_RULE}", "refName")
        return
    space = f"the {record.name} with refName"
    spot.context.claim(space, name, spot.at("refName"), rule="SPEC091")
