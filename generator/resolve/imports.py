"""Import profiles: the target, the fields that columns fill and the look-ups exist (spec 2 §2.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.model import ImportProfile, Record
from generator.problems import did_you_mean
from generator.resolve.context import Context, Spot
from generator.resolve.paths import Missing, Paths
from generator.resolve.patterns import pattern_problem
from generator.spec import ColumnSpec, Document, ImportProfileSpec


def build_profile(
    context: Context, document: Document[ImportProfileSpec], records: Mapping[str, Record], paths: Paths
) -> ImportProfile | None:
    """The profile as it is stored; None when its target is unknown."""
    spot, spec = Spot(context, document), document.spec
    place = spot.place("importProfile")
    context.claim("the import profile", spec.import_profile, place, rule="SPEC021")
    if not spot.known("record", spec.target, context.records, "target"):
        return None
    columns = [
        _column(spot.within("columnMappings", position), one, spec.target, records, paths)
        for position, one in enumerate(spec.column_mappings)
    ]
    _check_twice(spot, spec)
    record = records.get(spec.target)
    values = spec.model_dump(by_alias=True, exclude_none=True, exclude={"import_profile", "target"})
    values |= {"refName": spec.import_profile, "columnMappings": columns}
    values["targetType"] = f"{record.area}.{record.name}" if record else spec.target
    return ImportProfile(spec.import_profile, spec.target, values, document.source)


def _column(
    spot: Spot, spec: ColumnSpec, target: str, records: Mapping[str, Record], paths: Paths
) -> dict[str, Any]:
    _check_field(spot, spec.target_field, target, records, paths, "targetField")
    values = spec.model_dump(by_alias=True, exclude_none=True)
    if spec.regex and (wrong := pattern_problem(spec.regex.pattern)):
        spot.report("SPEC043", f"the pattern cannot be used: {wrong}", "regex", "pattern")
    if spec.lookup and spot.known("record", spec.lookup.record, spot.context.records, "lookup", "record"):
        below = spot.within("lookup")
        for word, name in (("match", spec.lookup.match), ("return", spec.lookup.return_)):
            _check_field(below, name, spec.lookup.record, records, paths, word)
        found = records.get(spec.lookup.record)
        values["lookup"] = {
            "lookupCollection": found.collection if found else spec.lookup.record,
            "lookupMatchField": spec.lookup.match,
            "lookupReturnField": spec.lookup.return_,
            "onNotFound": spec.lookup.on_not_found,
        }
    return values


def _check_field(
    spot: Spot, path: str, target: str, records: Mapping[str, Record], paths: Paths, word: str
) -> None:
    record = records.get(target)
    if record is None:
        return
    found = paths.of_record(record, path.replace("[0]", ""))
    if isinstance(found, Missing):
        near = did_you_mean(found.step, found.known)
        spot.report("SPEC034", f'{target} has no field "{path}"{near}', word)


def _check_twice(spot: Spot, spec: ImportProfileSpec) -> None:
    for word in ("source_column", "target_field"):
        names = [getattr(one, word) for one in spec.column_mappings]
        for position, name in enumerate(names):
            if name in names[:position]:
                alias = str(ColumnSpec.model_fields[word].alias)
                spot.report("SPEC021", f'"{name}" is mapped twice', "columnMappings", position, alias)
