"""New records that are stored as their transaction is committed, in one exchange of messages with the commit.

A transaction that stores a record and what belongs to it would take three, each of which waits for the one
before. Nothing depends on these answers, since MongoDB undoes a transaction of which it refuses an insert.
An insert that is turned away before MongoDB looks at its transaction, as one whose user loses a privilege at
this moment, does not undo it. So what was passed last is sent first, begins the transaction, and the record
comes last: none is ever stored without what belongs to it. What is committed without its record is removed
again. In a transaction that has begun, as one that holds others, each waits for the one before.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pymongo.errors import PyMongoError

from runtime.filter import by_id
from runtime.logs import log
from runtime.storage.access import Access
from runtime.storage.lane import Command, LaneCollection, LaneSession
from runtime.storage.store.changes import Document
from runtime.storage.store.faults import FaultTranslation
from runtime.storage.store.insertions import require_sound, require_sound_together
from runtime.storage.store.spellings import guard, spell
from runtime.storage.store.writes import Writes


class _Insert(NamedTuple):
    """Records of one type, in the scope of their access, which are not sent yet."""

    access: Access[Any]
    documents: Sequence[Document]


class Closing(Writes):
    """Inserts that a transaction sends at its end. ``_last``: in the order in which they were passed."""

    _last: tuple[_Insert, ...] = ()

    async def insert_last(
        self, access: Access[Any], document: Document, others: Sequence[tuple[Access[Any], Document]] = ()
    ) -> None:
        """Insert records of one type as the transaction is committed, each in the scope of its own access.

        Raises ``Denied`` at once; what MongoDB refuses, ``Store.transact`` raises as ``insert`` does.
        """
        self._last = (*self._last, _Insert(access, require_sound_together(access, document, others)))

    async def insert_along(self, access: Access[Any], documents: Sequence[Any]) -> None:
        """Insert what belongs to records that are inserted last, together with them; else at once.

        Raises what ``insert`` does, at once or as ``insert_last``.
        """
        if self._last:
            for one in documents:
                require_sound(access, one)
            self._last = (*self._last, _Insert(access, documents))
            return
        for refused in (await self.insert_many(access, documents)).values():
            raise refused

    async def insert_rest(self, *, is_committed: bool) -> None:
        """Insert what was left for the end, with the commit if that follows. Raises what ``insert`` does."""
        rest, self._last = self._last[::-1], ()
        if not rest or (is_committed and await self._insert_and_commit(rest)):
            return
        for one in rest:  # whose scopes were checked when they were passed
            for refused in (await self._insert_batch(one.access, list(one.documents))).values():
                raise refused

    async def _insert_and_commit(self, rest: Sequence[_Insert]) -> bool:
        """Insert and commit in one exchange; False: nothing was sent, since the lane cannot."""
        session = self._session
        if not isinstance(session, LaneSession):
            return False
        spelled = [_Insert(await self._prepare_to_write(one.access), one.documents) for one in rest]
        with self._command(spelled[-1].access):
            ended = await session.commit_with([self._build_insert(*one, session) for one in spelled])
        if ended is None:
            return False
        if ended.is_torn:
            await self._remove_stored(spelled, ended.refusals)
        for one, refusal in zip(spelled, ended.refusals, strict=True):
            if refusal is not None:  # else its time would be recorded a second time
                with self._command(one.access):
                    raise refusal
        return True

    def _build_insert(
        self, access: Access[Any], documents: Sequence[Document], session: LaneSession
    ) -> Command:
        collection = self._collection(access)
        if not isinstance(collection, LaneCollection):
            raise TypeError("a session of the lane belongs to collections of the lane")
        return collection.prepare_insert([spell(access, one) for one in documents], session)

    async def _remove_stored(self, rest: Sequence[_Insert], refusals: Sequence[PyMongoError | None]) -> None:
        """Remove what was committed although MongoDB has refused a part."""
        log.error("store.torn_transaction", types=[one.access.kind.name for one in rest])
        stored = [one for one, refusal in zip(rest, refusals, strict=True) if refusal is None]
        for access, document in [(one.access, its) for one in stored for its in one.documents]:
            match = by_id(str(document["_id"]))
            with FaultTranslation(access):
                await self._collection(access).delete_one(guard(access, match))
