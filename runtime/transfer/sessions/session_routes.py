"""What may be asked about a session: its rows, how far its commit is; and its end."""

import asyncio
from collections.abc import AsyncGenerator
from itertools import count
from typing import Any, Final

from runtime.access.guard import may_write
from runtime.call import Call
from runtime.contract.imports import ImportRows, RowsParameters
from runtime.errors import AccessError, NotFound
from runtime.filter import EVERYTHING, equals
from runtime.model.record_type import RecordType
from runtime.records.document.page_size import page_limit
from runtime.server_sent import HEADERS, MEDIA_TYPE, render_comment, render_event
from runtime.storage.wire import Json, to_json
from runtime.stream import Stream
from runtime.system.documents import ImportSessionDocument
from runtime.transfer.importing.analyze import require_import_permission
from runtime.transfer.importing.renewing import renew_rights
from runtime.transfer.sessions.liveness import discard
from runtime.transfer.sessions.row_records import render_rows
from runtime.transfer.sessions.session import Session, read_own_session

_POLL_SECONDS: Final = 0.25
_LOOKS_PER_CHECK: Final = 4
"""Rights are checked again once a second."""
_COMMENT_EVERY: Final = 60
"""Looks without news, until a comment says that the stream is alive."""

_ENDED: Final = ("COMMITTED", "DISCARDED")
_COUNTS: Final = ("totalRows", "errorRows", "inserted", "updated", "skipped", "failed")


async def list_rows(
    call: Call, kind: RecordType[Any], session_id: str, query: RowsParameters
) -> Json[ImportRows]:
    """Return a page of analysed rows, in their order.

    A page of large rows ends early: the next one begins after its ``rowCount``. Raises ``NotFound``.
    """
    require_import_permission(call, kind)
    session = await read_own_session(call, kind, session_id)
    match = equals(isFailed=True) if query.only_errors else EVERYTHING
    if query.intent is not None:
        match = match & equals(intent=query.intent)
    limit = page_limit(call, query.limit)
    rows = await session.read_rows(match, skip=query.skip, limit=limit)
    head = {"offset": query.skip, "limit": limit}
    total = session.document["totalRows"] if match is EVERYTHING else await session.count(match)
    tail = {"rowCount": len(rows), "totalCount": total}
    shown = b",".join(await render_rows(session, kind, rows))
    return Json(to_json(head)[:-1] + b',"rows":[' + shown + b"]," + to_json(tail)[1:])


async def discard_session(call: Call, kind: RecordType[Any], session_id: str) -> Json[None]:
    """End a session, whatever its state.

    A session that does not exist, or is not the caller's, gets the same answer (204).
    """
    await end_session(call, kind, session_id)
    return Json(b"", 204)


async def end_session(call: Call, kind: RecordType[Any], session_id: str) -> ImportSessionDocument | None:
    """End a session, and return it with the counts of what it stored; None where the caller has none.

    A commit that is running stops after its current batch. One that has ended already is returned as well.
    Callers may end their own sessions even if they may not import any more. Raises ``Denied`` for a token
    that is for reading alone, and for callers that may not import and have no such session.
    """
    try:
        session = await read_own_session(call, kind, session_id, hidden=None)
    except NotFound:
        require_import_permission(call, kind)
        return None
    if not may_write(call, kind):
        require_import_permission(call, kind)
    return session.document if session.state == "DISCARDED" else await discard(session)


async def follow_progress(call: Call, kind: RecordType[Any], session_id: str) -> Stream:
    """Stream server-sent events: how far the session is, at once and whenever that changes.

    Ends with its commit, and when the caller may no longer see it. Read from the store, so any worker can
    report a commit that another one runs.
    """
    require_import_permission(call, kind)
    session = await read_own_session(call, kind, session_id)
    return Stream(_render_event(session), _send_events(session, kind), MEDIA_TYPE, HEADERS)


async def _send_events(session: Session, kind: RecordType[Any]) -> AsyncGenerator[bytes, None]:
    last, quiet = _render_event(session), 0
    for look in count(1):
        if session.state in _ENDED:
            return
        await asyncio.sleep(_POLL_SECONDS)
        try:
            call = await renew_rights(session.call, kind) if look % _LOOKS_PER_CHECK == 0 else session.call
            session = await read_own_session(call, kind, session.id)
        except AccessError:
            return
        except NotFound:
            yield render_event(b'{"status":"DISCARDED"}')
            return
        event = _render_event(session)
        quiet = 0 if event != last else quiet + 1
        if event != last:
            last = event
            yield event
        elif quiet % _COMMENT_EVERY == 0:
            yield render_comment("still here")


def _render_event(session: Session) -> bytes:
    document = session.document
    event = {"status": document["state"]} | {name: document[name] for name in _COUNTS}
    event["doneRows"] = sum(
        document[name] for name in ("inserted", "updated", "skipped", "failed", "errorRows")
    )
    return render_event(to_json(event))
