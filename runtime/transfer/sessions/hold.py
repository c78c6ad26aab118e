"""The hold that a running commit has on its session, and what its batches record there.

Every change of the session is on condition that the holder is still the same: a commit that lost the session
to another can store nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

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


class BatchMarks(NamedTuple):
    """What became of the rows of a batch, which are of one wave."""

    wave: int
    outcomes: Sequence[Outcome]


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

    async def sign(self, store: AnyStore, marks: BatchMarks, /) -> None:
        """Sign with the records of a batch, in their transaction. Raises ``Superseded``.

        Record the position of its last row, the counts, and the valid rows that failed.
        """
        place = self.session.place_of(marks.outcomes[-1].row.number, marks.wave)
        counts = Tally().count(marks.outcomes).counts
        progress = {"position": place, "leaseUntil": now() + self.lease}
        await self._change(store, Changes(set=progress, increment=counts))
        if failed := [found for found in marks.outcomes if isinstance(found, Failed)]:
            await store.update_each(
                row_access(self.session.call, Action.UPDATE),
                [
                    (equals(sessionId=self.session.id, rowNumber=one.row.number), _failure(one))
                    for one in failed
                ],
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


def _failure(found: Failed) -> Changes:
    report = to_json(render_report(found)).decode()
    return Changes(set={"isFailed": True, "intent": intent_of(found), "report": report})
