"""Committing a session: its error-free rows go into the store, each exactly once.

A running commit holds the session for a few seconds at a time. Rows go in their order, or, where they refer
to each other, in the waves that the analysis found; a batch in one transaction, which also records how far
the commit has come, on condition that the holder is still the same. So a row is never stored twice: the next
commit goes on after the last stored batch. Rows are decided again, as the store and the rules are then.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import Any, Final
from uuid import uuid4

from runtime.call import Call
from runtime.contract.imports import CommitResult
from runtime.errors import NotFound, ServiceError, SessionNotReady, ValidationFailed
from runtime.model.clock import now
from runtime.model.record_type import RecordType
from runtime.records.document.terms import PLAIN, Terms
from runtime.storage.store import Changes
from runtime.storage.wire import Json, to_json
from runtime.system.documents import ImportSessionDocument
from runtime.transfer.importing.analyze import require_import_permission
from runtime.transfer.importing.planning import plan
from runtime.transfer.importing.renewing import renew_rights
from runtime.transfer.importing.row_batches import RowBatches
from runtime.transfer.importing.targets import Targets
from runtime.transfer.rows.row_report import count_rows
from runtime.transfer.sessions.hold import BatchMarks, Hold, Superseded
from runtime.transfer.sessions.kept_row import build_input_row
from runtime.transfer.sessions.session import Session, read_own_session

LEASE: Final = timedelta(seconds=6)
"""Longer than a batch may take. It only spares work: who lost the session can store nothing."""

LONGEST_LEASE: Final = 16 * LEASE
"""Of a request that lost the session before: on a busy machine a batch may take longer than it should."""

_POLL_SECONDS: Final = 0.1


async def commit_session(
    call: Call,
    kind: RecordType[Any],
    session_id: str,
    _terms: Terms = PLAIN,
    *,
    expected: int | None = None,
) -> Json[CommitResult]:
    """Store the session's rows. ``expected``: how many rows without errors it must have.

    Requested again, it goes on, waits for the one that is running, or reports what was done. Raises
    ``NotFound``, ``Denied``, ``ValidationFailed`` for another number, ``SessionNotReady`` while the file is
    read and after a discard, ``StoreUnavailable``: then send the request again.
    """
    return _answer(await store_session(call, kind, session_id, expected))


async def store_session(
    call: Call, kind: RecordType[Any], session_id: str, expected: int | None = None
) -> ImportSessionDocument:
    """Do the work of ``commit_session`` and return the session as it is in the end."""
    require_import_permission(call, kind)
    session = await read_own_session(call, kind, session_id)
    call.turn.give_back()  # a commit lasts; each batch takes a turn of its own
    lease = LEASE
    while True:
        if session.state == "COMMITTED":
            return session.document
        if session.state == "ANALYZING":
            raise SessionNotReady("the file of this session is still being read")
        rows = session.document["validRows"]
        if expected not in (None, rows):
            raise ValidationFailed.at("confirm", f"is {expected}, but validRows is {rows}")
        held = session.document.get("leaseUntil")
        if held is not None and held > now():
            await asyncio.sleep(_POLL_SECONDS)
        else:
            commit = _Commit(call, kind, session, lease)
            try:
                return await commit.run()
            except Superseded:
                if commit.has_held:  # else two that are equally slow supersede each other for ever
                    lease = min(2 * lease, LONGEST_LEASE)
        session = await _read_again(call, kind, session_id)


class _Commit:
    """One try to commit a session, from where the last one ended."""

    def __init__(self, call: Call, kind: RecordType[Any], session: Session, lease: timedelta) -> None:
        self._kind = kind
        self._session = session
        self._hold = Hold(session, uuid4().hex, lease)
        self.has_held = False
        self._call = replace(call, receipt=self._hold)
        self._targets = Targets(call, kind)
        self._batches = RowBatches(self._call, kind, self._targets)

    async def run(self) -> ImportSessionDocument:
        """Commit the session and return it. Raises ``Superseded`` and faults: another commit may go on."""
        store = self._call.store
        position = (await self._take())["position"]
        try:
            while rows := await self._session.read_rows_to_commit(position):
                for wave, together in groupby(rows, self._session.wave_of):
                    documents = list(together)
                    async with self._call.turn.another():
                        await self._renew_rights()
                        inputs = [build_input_row(one, self._session.terms) for one in documents]
                        outcomes = await plan(self._call, self._kind, inputs, self._targets)
                        self._batches.answer = partial(BatchMarks, wave)
                        done = await self._batches.store(outcomes)
                        count_rows(self._call.service.meters, done)
                    position = self._session.place_of(documents[-1]["rowNumber"], wave)
            return await self._hold.finish(store)
        except Superseded:
            raise
        except Exception:
            with suppress(
                ServiceError, Superseded
            ):  # the fault is the error to report; the lease ends anyway
                await self._hold.release(store)
            raise

    async def _renew_rights(self) -> None:
        """Check the caller's rights again; raise ``AccessError`` if lost: another commit may go on."""
        self._call = await renew_rights(self._call, self._kind)
        self._targets.use(self._call)
        self._batches.call = self._call

    async def _take(self) -> ImportSessionDocument:
        """Take the session, if it is still as it was read."""
        document = self._session.document
        taken: ImportSessionDocument = {
            "state": "COMMITTING",
            "holder": self._hold.holder,
            "leaseUntil": now() + self._hold.lease,
        }
        expected: dict[str, str] = {"state": document["state"]}
        if "holder" in document:
            expected["holder"] = document["holder"]
        found = await self._session.change(Changes(set=taken), **expected)
        if found is None:
            raise Superseded
        self.has_held = True
        return found


async def _read_again(call: Call, kind: RecordType[Any], session_id: str) -> Session:
    """Read the session again, of which there was one a moment ago."""
    try:
        return await read_own_session(call, kind, session_id)
    except NotFound:
        message = "the session was discarded or has expired; batches stored before stay stored"
        raise SessionNotReady(message) from None


def _answer(document: ImportSessionDocument) -> Json[CommitResult]:
    done = {name: document[name] for name in ("inserted", "updated", "skipped")}
    failed = document["errorRows"] + document["failed"]
    return Json(to_json({"sessionId": document["_id"], **done, "failed": failed}))
