"""All record types: known ones as an earlier run has resolved them, the others from their specifications."""

from collections.abc import Mapping
from dataclasses import replace

from generator.model import Record
from generator.resolve.context import Claim, Context, Spot
from generator.resolve.known_records import KnownRecords
from generator.resolve.ontology import check_statements
from generator.resolve.paths import Paths
from generator.resolve.records import build_record, check_record
from generator.spec import Document, RecordSpec


def resolve_records(context: Context, paths: Paths, known: KnownRecords | None) -> dict[str, Record]:
    """Build the records; one that is extended last with the fields of the project."""
    own = _resolve_all(context, context.records, paths, known)
    extended = _resolve_all(context, context.extended, paths, None)
    return own | {name: replace(record, extends=own[name]) for name, record in extended.items()}


def _resolve_all(
    context: Context,
    documents: Mapping[str, Document[RecordSpec]],
    paths: Paths,
    known: KnownRecords | None,
) -> dict[str, Record]:
    found: dict[str, Record] = {}
    built: dict[str, list[Claim]] = {}
    for name, document in documents.items():
        record = known.find(document) if known else None
        if record is None:
            before = len(context.history)
            record = build_record(context, document)
            built[name] = context.history[before:]
        if record is not None:
            found[name] = record
    for name in [one for one in built if one in found]:
        found[name] = _check(context, documents[name], found[name], paths)
    if known and not context.problems:
        for name, claims in built.items():
            known.store(documents[name], found[name], claims)
    return found


def _check(context: Context, document: Document[RecordSpec], record: Record, paths: Paths) -> Record:
    checked = check_record(context, document, record, paths)
    check_statements(Spot(context, document), checked, document.spec.fields)
    return checked
