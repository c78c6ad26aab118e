"""Opening a session: a file is analysed, and only the findings are stored."""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Final

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.imports import ImportParameters, ImportResult
from runtime.errors import ServiceError
from runtime.filter import EVERYTHING
from runtime.model.record_type import RecordType
from runtime.records.document.terms import PLAIN, Terms
from runtime.storage.access import Action
from runtime.storage.store import Changes
from runtime.storage.wire import Json, to_json
from runtime.transfer.csv.columns import parse_importable_columns
from runtime.transfer.csv.dialect import build_dialect
from runtime.transfer.csv.reader import CsvFile
from runtime.transfer.importing.analyze import Analysis, require_import_permission
from runtime.transfer.importing.assembly import read_input_rows
from runtime.transfer.importing.renewing import renew_rights
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.rows import FileTerms, InputRow, Outcome
from runtime.transfer.sessions.liveness import discard, keep_beating
from runtime.transfer.sessions.row_records import render_rows
from runtime.transfer.sessions.session import Session, begin, build_ended

_MOST_SHOWN: Final = 100


async def open_session(
    call: Call,
    kind: RecordType[Any],
    query: ImportParameters,
    file: AsyncIterator[bytes],
    _terms: Terms = PLAIN,
) -> Json[ImportResult]:
    """Analyse a file; the answer names the session that can be committed.

    Raises as ``import_csv``; of a file that cannot be read nothing is kept.
    """
    return await render_analysis(kind, await analyse_file(call, kind, query, file))


async def analyse_file(
    call: Call, kind: RecordType[Any], query: ImportParameters, file: AsyncIterator[bytes]
) -> Session:
    """Open a session for a file and return it when all of its rows are stored. Raises as ``import_csv``."""
    reading = open_reading(call, kind, query)
    columns, dialect = reading.columns, build_dialect(query)
    rows = read_input_rows(CsvFile(file, dialect, query.skip_header_row), reading)
    parameters = {"requestedColumns": query.requested_columns}
    session = await begin(call, kind, parameters, columns.names, dialect, reading.terms)
    return await analyse_batches(call, kind, session, rows, is_grouped=columns.list_path is not None)


def open_reading(call: Call, kind: RecordType[Any], query: ImportParameters) -> Reading:
    """Return how the rows of an import by columns are read.

    Raises ``Denied`` for a caller that may not import, ``UnknownField`` for columns that are hidden from the
    caller, ``InvalidParameter``.
    """
    require_import_permission(call, kind)
    columns = parse_importable_columns(query.requested_columns, kind, find_withheld_fields(call, kind))
    terms = FileTerms(restore_archived=query.restore_archived)
    return Reading(columns, guard=query.formula_guard, terms=terms)


def find_withheld_fields(call: Call, kind: RecordType[Any]) -> frozenset[str]:
    """Return the fields that an import cannot name, because the caller may not see, create or change them."""
    leaves = (allow(call, kind, action) for action in (Action.VIEW, Action.CREATE, Action.UPDATE))
    return frozenset[str]().union(*(access.hidden for access in leaves))


async def analyse_batches(
    call: Call,
    kind: RecordType[Any],
    session: Session,
    batches: AsyncIterator[list[InputRow]],
    *,
    is_grouped: bool,
) -> Session:
    """Decide and store the rows of a session that has just begun; nothing when its sender goes away.

    Raises ``SessionNotReady`` when the session was ended in between, also by the end of the connection.
    """
    analysis = Analysis(call, kind, is_grouped=is_grouped, is_stored=False)
    try:
        async with keep_beating(session):
            async for rows in batches:
                async with call.turn.another():
                    analysis.use(await renew_rights(call, kind))
                    await _keep(session, analysis, await analysis.decide(rows))
            async with call.turn.another():
                while outcomes := await analysis.finish():
                    await _keep(session, analysis, outcomes)
        if call.is_abandoned is not None and await call.is_abandoned():
            raise build_ended()
        done = Changes(set={"state": "ANALYZED"}, unset=("beat",))
        if (found := await session.change(done, state="ANALYZING")) is None:
            raise build_ended()
    except BaseException:
        with suppress(ServiceError):
            await discard(session)
        raise
    return Session(call, found)


async def _keep(session: Session, analysis: Analysis, outcomes: Sequence[Outcome]) -> None:
    """Add rows to a session, and those that waited for them."""
    while outcomes:
        following, through = await analysis.follow(outcomes, outcomes)
        await session.add(through)
        outcomes = following


async def render_analysis(kind: RecordType[Any], session: Session) -> Json[ImportResult]:
    """Render what the analysis found, with the first rows."""
    document = session.document
    counts = ("totalRows", "validRows", "errorRows", "insertCount", "updateCount", "skipCount")
    first = await session.read_rows(EVERYTHING, limit=_MOST_SHOWN)
    head = {"sessionId": document["_id"], "status": document["state"]}
    head |= {name: value for name, value in document.items() if name in counts}
    async with session.call.turn.another():
        shown = b",".join(await render_rows(session, kind, first))
    return Json(to_json(head)[:-1] + b',"rows":[' + shown + b"]}")
