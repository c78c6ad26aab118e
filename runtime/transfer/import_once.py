"""Direct import with an idempotency key: each row is stored once, however often the request is sent.

The file is analysed into a session, which the key's document then names, and committed as any session is. A
request that is sent again after a crash goes on with that session. This costs storing each row twice.
"""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from runtime.call import Call, Receipt
from runtime.contract.imports import ImportAnswer, ImportParameters
from runtime.errors import ServiceError
from runtime.filter import equals
from runtime.model.record_type import RecordType
from runtime.storage.wire import Json
from runtime.transfer.import_answer import MOST_REPORTED, broken_import, render_import
from runtime.transfer.rows.reading import MOST_TOGETHER
from runtime.transfer.rows.row_report import Tally
from runtime.transfer.sessions.committing import store_session
from runtime.transfer.sessions.few_rows import REPORT
from runtime.transfer.sessions.liveness import discard
from runtime.transfer.sessions.opening import analyse_file
from runtime.transfer.sessions.session import Session, read_own_session

_SESSION = "sessionId"


async def import_once(
    call: Call, receipt: Receipt, kind: RecordType[Any], query: ImportParameters, file: AsyncIterator[bytes]
) -> Json[ImportAnswer]:
    """Store the rows of a file, or the rest of them, where an earlier request with the key did some.

    Raises as ``import_csv``, but nothing is stored of a file that cannot be read to its end.
    """
    session_id = await _open_or_resume(call, receipt, kind, query, file)
    try:
        session = Session(call, await store_session(call, kind, session_id))
    except Exception as error:  # whatever it is, the caller learns what was stored before
        raise broken_import(error, await _read_tally(call, kind, session_id)) from None
    answer = await _build_answer(session)
    await receipt.sign(call.store, answer)
    with suppress(ServiceError):  # it expires by itself
        await discard(session)
    return answer


async def _open_or_resume(
    call: Call, receipt: Receipt, kind: RecordType[Any], query: ImportParameters, file: AsyncIterator[bytes]
) -> str:
    """Return the id of the session that the key names. A new one is named before anything of it is stored."""
    if 0 in receipt.parts:
        return str(receipt.parts[0][_SESSION])
    session = await analyse_file(call, kind, query, file)
    try:
        await receipt.by_parts().sign(call.store, {0: {_SESSION: session.id}})
    except ServiceError:
        with suppress(ServiceError):
            await discard(session)
        raise
    return session.id


async def _read_tally(call: Call, kind: RecordType[Any], session_id: str) -> Tally:
    with suppress(ServiceError):  # the store may be what does not answer
        return _build_tally(await read_own_session(call, kind, session_id))
    return Tally()


def _build_tally(session: Session) -> Tally:
    done = session.document
    return Tally(done["inserted"], done["updated"], done["skipped"], done["errorRows"] + done["failed"])


async def _build_answer(session: Session) -> Json[ImportAnswer]:
    tally = _build_tally(session)
    reports: list[bytes] = []
    while len(reports) < min(tally.failed, MOST_REPORTED) and sum(map(len, reports)) <= MOST_TOGETHER:
        limit = MOST_REPORTED - len(reports)
        rows = await session.read_rows(
            equals(isFailed=True), skip=len(reports), limit=limit, projection=REPORT
        )
        if not rows:
            break
        reports += [row["report"].encode() for row in rows]
    return render_import(tally, reports)
