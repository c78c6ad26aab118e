"""Seeds: rows that the record type would accept, keyed by refName. References are given by refName."""

from collections.abc import Mapping
from typing import Any

from generator.model import Field, Kind, Record, Seed, Type
from generator.naming import PythonName
from generator.problems import did_you_mean
from generator.resolve.context import Context, Spot
from generator.resolve.paths import COMMON_FIELDS, Paths
from generator.resolve.values import Values
from generator.spec import Document, SeedSpec, SeedsSpec

_OF_ROWS = ("refName", "displayName", "activeStatus", "dataDomain")
_COMMON = {field.name: field for field in COMMON_FIELDS if field.name in _OF_ROWS}
_MAX_REF_NAME = 200
_DATA_DOMAIN = Field("dataDomain", PythonName("data_domain"), Type(Kind.JSON))


def build_seeds(
    context: Context, document: Document[SeedsSpec], records: Mapping[str, Record], paths: Paths
) -> tuple[Seed, ...]:
    """Resolve the seeds of one file."""
    found = []
    for position, spec in enumerate(document.spec.seeds):
        spot = Spot(context, document, ("seeds", position))
        if spot.known("record", spec.record, context.records, "record"):
            if record := records.get(spec.record):
                _check_shared(spot, spec, record)
                _check_rows(spot.within("rows"), spec, record, Values(paths, ref_names=True))
            found.append(Seed(spec.record, spec.version, tuple(spec.rows), document.source, spec.shared))
    return tuple(found)


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
    known = {field.name: field for field in record.fields} | _COMMON | {"dataDomain": _DATA_DOMAIN}
    unsure = spot.context.unsure[record.name]
    for position, row in enumerate(spec.rows):
        below = spot.within(position)
        _check_ref_name(below, row, record)
        for name, value in row.items():
            if name not in known and name not in unsure:
                near = did_you_mean(name, known)
                below.report_key("SPEC034", f'{record.name} has no field "{name}"{near}', name)
            elif name in known and (wrong := values.problem(known[name].type, value)):
                below.report("SPEC090", f"{name}: {wrong}", name)
        for field in record.fields:
            if field.required and field.name not in row and not field.is_made_by_server:
                below.report("SPEC090", f'the required field "{field.name}" is missing')


def _check_ref_name(spot: Spot, row: Mapping[str, Any], record: Record) -> None:
    name = row.get("refName")
    if not isinstance(name, str) or not 0 < len(name) <= _MAX_REF_NAME:
        spot.report("SPEC091", f"a row needs a refName, text of 1 to {_MAX_REF_NAME} characters")
        return
    space = f"the {record.name} with refName"
    spot.context.claim(space, name, spot.at("refName"), rule="SPEC091")
