"""The records of analysed rows: what each row would store, or what it is about where it changes nothing.

They are worked out when rows are read, from the values that the session stores, as the store and the caller's
permissions are then; of rows that the commit is done with they are the stored records. So nothing is stored
twice, and a row never shows what its reader may no longer see. It costs what deciding the same rows costs in
a commit.
"""

from collections.abc import Sequence
from typing import Any

from runtime.call import Call
from runtime.errors import UnknownField
from runtime.model.record_type import RecordType
from runtime.records.operations.write import as_seen
from runtime.storage.wire import to_json, to_wire
from runtime.system.documents import ImportRowDocument
from runtime.transfer.importing.existing import find_existing, name_of
from runtime.transfer.importing.planning import plan
from runtime.transfer.importing.targets import Targets
from runtime.transfer.rows.reading import MOST_TOGETHER
from runtime.transfer.rows.rows import Document, Failed, Insert, Outcome, Skip
from runtime.transfer.sessions.kept_row import build_input_row
from runtime.transfer.sessions.session import Session

_UNKNOWN = ("id", "actionList")
"""What a new record gets when it is stored."""


async def render_rows(
    session: Session, kind: RecordType[Any], documents: Sequence[ImportRowDocument]
) -> list[bytes]:
    """Render stored rows as JSON, with their records as far as they fit into an answer."""
    records = await _build_records(session, kind, documents)
    rendered, size = [], 0
    for document in documents:
        report = document["report"].encode()
        record = records.get(document["rowNumber"])
        shown = b"" if record is None else to_json(record)
        if shown and (size := size + len(shown)) <= MOST_TOGETHER:
            report = report[:-1] + b',"record":' + shown + b"}"
        rendered.append(report)
    return rendered


async def _build_records(
    session: Session, kind: RecordType[Any], documents: Sequence[ImportRowDocument]
) -> dict[int, Document]:
    """Return the records by row number.

    Rows with errors have none, nor have those whose turn has not come because they refer to rows that are not
    stored yet.
    """
    call = session.call
    rows = [build_input_row(document, session.terms) for document in documents if not document["isFailed"]]
    if not rows:
        return {}
    try:
        stored = await find_existing(call, kind, rows)
    except UnknownField:  # the key of the file is withheld from the caller since
        return {}
    found: dict[int, Document] = {}
    done = {document["rowNumber"] for document in documents if session.is_done(document)}
    outcomes: list[Outcome] = [Skip(row) for row in rows if row.number in done]
    if rest := [row for row in rows if row.number not in done]:
        outcomes += await plan(call, kind, rest, Targets(call, kind), stored)
    for outcome in outcomes:
        name = name_of(call, outcome.row)
        record = _record(call, kind, outcome, stored.records.get(name) if name is not None else None)
        if record is not None:
            found[outcome.row.number] = record
    return found


def _record(call: Call, kind: RecordType[Any], outcome: Outcome, stored: Document | None) -> Document | None:
    """Return the record as the caller sees it, without what it gets when it is stored."""
    if isinstance(outcome, Failed):
        return None
    after = stored if isinstance(outcome, Skip) else outcome.change.after
    shown = None if after is None else as_seen(call, kind, after)
    if shown is None or isinstance(outcome, Skip):
        return shown and to_wire(shown)
    shown.pop("auditInfo", None)  # of the write that is still to come
    unknown = _UNKNOWN if isinstance(outcome, Insert) else ()
    return {name: value for name, value in to_wire(shown).items() if name not in unknown}
