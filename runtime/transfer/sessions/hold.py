"""The hold that a running commit has on its session, and what its batches record there.

Every change of the session is on condition that the holder is still the same: a commit that lost the session
to another can store nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from runtime.call import Receipt
from runtime.filter import by_id, equals
from runtime.model.clock import now
from runtime.storage.access import Action
from runtime.storage.store import AnyStore, Changes
from runtime.storage.wire import to_json
from runtime.system.documents import ImportSessionDocument
from runtime.transfer.rows.row_report import Tally, intent_of, render_report
from runtime.transfer.rows.rows import Document, Failed, Outcome
from runtime.transfer.sessions.session import Session, row_access, session_access


class Superseded(Exception):
    """Another request commits the session now, or it was discarded."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a batch records: the position of its last row, counts, and valid rows that failed."""

    position: int
    tally: Tally
    failed: Sequence[Failed]


@dataclass(frozen=True, slots=True)
class Hold:
    """A session while it is held: the receipt that its batches sign."""

    session: Session
    holder: str
    lease: timedelta

    @property
    def parts(self) -> Mapping[int, Document]:
        return {}

    def by_parts(self) -> Receipt:
        return self

    async def sign(self, store: AnyStore, marks: Marks, /) -> None:
        """Sign with the records of a batch, in their transaction. Raises ``Superseded``."""
        progress = {"position": marks.position, "leaseUntil": now() + self.lease}
        await self._change(store, Changes(set=progress, increment=marks.tally.counts))
        if marks.failed:
            await store.update_each(
                row_access(self.session.call, Action.UPDATE),
                [(self._row(found), _failure(found)) for found in marks.failed],
            )

    async def finish(self, store: AnyStore) -> ImportSessionDocument:
        """Finish the commit; return the session."""
        return await self._change(store, Changes(set={"state": "COMMITTED"}, unset=("holder", "leaseUntil")))

    async def release(self, store: AnyStore) -> None:
        """Let another go on at once."""
        await self._change(store, Changes(unset=("leaseUntil",)))

    async def _change(self, store: AnyStore, changes: Changes) -> ImportSessionDocument:
        mine = by_id(self.session.id) & equals(holder=self.holder, state="COMMITTING")
        found = await store.update_one(session_access(self.session.call, Action.UPDATE), mine, changes)
        if found is None:
            raise Superseded
        return found

    def _row(self, found: Failed) -> Any:
        return equals(sessionId=self.session.id, rowNumber=found.row.number)


def build_marks(session: Session, wave: int, outcomes: Sequence[Outcome]) -> Marks:
    """Build what a batch of this wave records."""
    failed = [found for found in outcomes if isinstance(found, Failed)]
    return Marks(session.place_of(outcomes[-1].row.number, wave), Tally().count(outcomes), failed)


def _failure(found: Failed) -> Changes:
    report = to_json(render_report(found)).decode()
    return Changes(set={"isFailed": True, "intent": intent_of(found), "report": report})
