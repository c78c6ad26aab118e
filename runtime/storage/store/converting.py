"""Records in an earlier spelling, brought into the one of now before they are written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import copy
from typing import Any, Final, Self, TypeVar

import pymongo
from pymongo.asynchronous.client_session import AsyncClientSession

from runtime.filter import Predicate, has_any
from runtime.spelling import move_values
from runtime.storage.access import Access, DocumentT
from runtime.storage.store.changes import Document
from runtime.storage.store.commands import Commands
from runtime.storage.store.faults import FaultTranslation
from runtime.storage.store.spellings import spelling_of

T = TypeVar("T")

_MOST_IDS: Final = 5000
"""Ids in one command, which may hold some hundred thousand; a smaller one holds others up for less time."""


def is_shared(access: Access[Any]) -> bool:
    """Return whether a write stores both spellings."""
    spelling = spelling_of(access)
    return spelling is not None and spelling.is_shared


class Converting(Commands):
    """What a write does first, as long as there are records in an earlier spelling."""

    async def _convert(self, access: Access[Any], match: Predicate) -> None:
        """Store what a write may be about in the spelling of now. It changes nothing that a read returns.

        Where a condition needs computed records this includes some that it turns out not to match.
        """
        spelling = spelling_of(access)
        if spelling is not None:
            where: Document = {"$and": [spelling.widen(access.scoped(match)), spelling.unsettled]}
            update = spelling.conversion
        elif access.renamed:
            where = dict(access.scoped(match & has_any(sorted(access.renamed.values()))))
            update = move_values(access.renamed)
        else:
            return
        with self._command(access):
            await self._collection(access).update_many(where, update, session=self._session)

    def takes_several_commands(self, access: Access[Any]) -> bool:
        """Return whether a write of a stored record converts it first. Raises ``StoreUnavailable``."""
        spelled = self._spell(access)
        return bool(spelled.renamed) or spelling_of(spelled) is not None

    def _must_compute(self, access: Access[Any], match: Predicate) -> bool:
        """Return whether a condition is about what the spelling changes."""
        spelling = spelling_of(access)
        return spelling is not None and spelling.touches(access.scoped(match))

    async def _share(
        self,
        access: Access[DocumentT],
        match: Predicate,
        work: Callable[[Self, Access[DocumentT]], Awaitable[T]],
    ) -> T:
        """Write in one transaction: as if there were the spelling of now alone, and then the former one too.

        So a worker of the earlier shape sees the write, and one of its own that comes in between is not lost.
        """
        if self._session is not None:
            return await self._write_both(access, match, work)

        async def attempt(session: AsyncClientSession) -> T:
            inside = copy(self)
            inside._session = session
            return await inside._write_both(access, match, work)

        with FaultTranslation(None), pymongo.timeout(self.seconds):
            async with self._connection.start_session() as session:
                return await session.with_transaction(attempt)

    async def _write_both(
        self,
        access: Access[DocumentT],
        match: Predicate,
        work: Callable[[Self, Access[DocumentT]], Awaitable[T]],
    ) -> T:
        if (spelling := spelling_of(access)) is None:
            return await work(self, access)
        collection, where = self._collection(access), spelling.widen(access.scoped(match))
        with self._command(access):
            found = await collection.find(dict(where), {"_id": 1}, session=self._session).to_list()
        done = await work(self, access.spelled(spelling.inner))
        for begin in range(0, len(found), _MOST_IDS):
            ids = [one["_id"] for one in found[begin : begin + _MOST_IDS]]
            written: Document = {"_id": {"$in": ids}, **spelling.settled}
            with self._command(access):
                await collection.update_many(written, spelling.sharing, session=self._session)
        return done
