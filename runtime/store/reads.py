"""The reading half of the store: every command is bound to the scope of its ``Access``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import bson
import pymongo
from pymongo.asynchronous.cursor import AsyncCursor

from runtime.access import Access
from runtime.errors import StoreUnavailable
from runtime.filter import EVERYTHING, Predicate, Projection
from runtime.store.changes import Document
from runtime.store.connection import Connection
from runtime.store.stages import SOURCE, Leaf, in_order, in_stream, picked, visible

Order = Sequence[tuple[str, int]]

_UNLIMITED: Final = 86400  # seconds
_TURNS_TO_SEND: Final = 2
"""Of the event loop, until a command is on its way: one for its task to begin, and one for uvloop to send
what was written. With less the store would wait while the caller works on the batch before."""

_MOST_IN_A_STREAM: Final = 1200
"""Records that a stream reads at once where they are small: so few that the first are there soon, so many
that asking for them takes little of the time."""

_BYTES_IN_A_STREAM: Final = 2**20
_WEIGHED: Final = 20
"""Records by which their size is told."""

_MOST_AT_ONCE: Final = 1000
"""Records that one answer of the store has: by itself it begins with 101, and has to be asked again."""


class Reads(Connection):
    """What the store answers, hidden fields left out."""

    async def find(
        self,
        access: Access,
        match: Predicate,
        *,
        order: Order = (),
        projection: Projection | None = None,
        skip: int = 0,
        limit: int = 0,
    ) -> list[Document]:
        """The records in scope that match; all of them when ``limit`` is 0."""
        cursor = self._collection(access).find(
            access.scoped(match),
            visible(access, projection),
            sort=list(order) or None,
            skip=skip,
            limit=limit,
            batch_size=limit or _MOST_AT_ONCE,
            session=self._session,
        )
        with self._command(access):
            return await cursor.to_list()

    async def find_in_turn(
        self,
        access: Access,
        matches: Sequence[Predicate],
        *,
        order: Order,
        limit: int,
        projection: Projection | None = None,
    ) -> list[Document]:
        """What ``find`` answers for each match, one after the other, up to ``limit`` of all; in one command.

        A match is only looked for when those before it have not filled the limit.
        """
        stages: list[Document] = []
        for match in matches:
            rows = in_order(access, match, order, projection, limit)
            union = [{"$unionWith": {"coll": access.kind.collection, "pipeline": rows}}]
            stages += union if stages else rows
        if not stages:
            return []
        stages.append({"$limit": limit})
        with self._command(
            access
        ):  # a batch that is not filled ends the cursor, which saves asking for the next
            cursor = await self._collection(access).aggregate(
                stages, session=self._session, batchSize=limit + 1
            )
            return await cursor.to_list()

    async def stream(
        self,
        access: Access,
        match: Predicate,
        *,
        order: Order = (),
        projection: Projection | None = None,
        skip: int = 0,
        limit: int = 0,
        leaves: Sequence[Leaf] = (),
    ) -> AsyncGenerator[list[Document]]:
        """What ``find`` answers, batch by batch, none of them empty; for more than memory should hold.
        With ``leaves`` these values of it alone, each under the number of its place as text.

        Each batch has the time limit of a command, the whole has none. The store makes the next one while the
        caller works on this one. Close it (``aclosing``) and the cursor in the store is closed too. Not for
        transactions.
        """
        if self._session is not None:
            raise ValueError("a transaction reads what it can hold: use find")
        shown = in_stream(access, projection, leaves)
        cursor = self._collection(access).find(
            access.scoped(match),
            shown,
            sort=list(order) or None,
            skip=skip,
            limit=limit,
            batch_size=at_once(await self._some(access, EVERYTHING, shown)),
            allow_disk_use=True,
        )
        async with cursor:
            ahead = asyncio.create_task(self._next_batch(access, cursor))
            taken = 0
            try:
                while rows := await ahead:
                    taken += len(rows)
                    ahead = asyncio.create_task(self._next_batch(access, cursor, taken))
                    for _turn in range(_TURNS_TO_SEND):
                        await asyncio.sleep(0)
                    yield rows
            finally:
                ahead.cancel()
                await asyncio.gather(ahead, return_exceptions=True)

    async def _some(
        self, access: Access, match: Predicate, shown: Mapping[str, Any] | None
    ) -> list[Document]:
        """A few, in no order, to tell how large they are."""
        cursor = self._collection(access).find(access.scoped(match), shown, limit=_WEIGHED)
        with self._command(access):
            return await cursor.to_list()

    async def _next_batch(
        self, access: Access, cursor: AsyncCursor[Document], taken: int = 0
    ) -> list[Document]:
        """One answer of the store, after ``taken`` records; empty at the end."""
        async with self._within(access):
            if (first := await anext(cursor, None)) is None:
                return []
            further = cursor.retrieved - taken - 1
            return [first, *(await cursor.to_list(further) if further else ())]

    @asynccontextmanager
    async def _within(self, access: Access) -> AsyncIterator[None]:
        """One command of several of a cursor. The limit is held here: what the driver would tell the store
        is counted there for all commands of the cursor together."""
        try:
            with self._command(access), pymongo.timeout(_UNLIMITED):
                async with asyncio.timeout(self._seconds):
                    yield
        except TimeoutError as error:
            raise StoreUnavailable("the store did not answer in time; try again", cause=error) from error

    async def find_one(
        self, access: Access, match: Predicate, *, projection: Projection | None = None
    ) -> Document | None:
        """The first record in scope that matches, or None."""
        with self._command(access):
            return await self._collection(access).find_one(
                access.scoped(match), visible(access, projection), session=self._session
            )

    async def find_across(
        self,
        access: Access,
        match: Predicate,
        others: Sequence[tuple[Access, Predicate]],
        projection: Projection,
        *,
        limit: int = 0,
    ) -> list[list[Document]]:
        """What ``find`` answers for this and for each of ``others``, in one command. One database.

        With ``limit`` the first of each by ``_id``.
        """
        if self._session is not None:  # a transaction cannot join what it finds
            asked, first = ((access, match), *others), (("_id", 1),) if limit else ()
            return [
                await self.find(one, its, order=first, projection=projection, limit=limit)
                for one, its in asked
            ]
        pipeline = picked(access, match, projection, 0, limit)
        for at, (other, other_match) in enumerate(others, start=1):
            rows = picked(other, other_match, projection, at, limit)
            pipeline.append({"$unionWith": {"coll": other.kind.collection, "pipeline": rows}})
        found: list[list[Document]] = [[] for _each in (access, *others)]
        with self._command(access):
            cursor = await self._collection(access).aggregate(pipeline, session=self._session)
            for document in await cursor.to_list():
                found[document.pop(SOURCE)].append(document)
        return found

    async def count(self, access: Access, match: Predicate, *, most: int | None = None) -> int:
        """How many records in scope match; with ``most`` counting ends there."""
        bound: dict[str, Any] = {} if most is None else {"limit": most}
        with self._command(access):
            return await self._collection(access).count_documents(
                access.scoped(match), session=self._session, **bound
            )


def at_once(records: Sequence[Document]) -> int:
    """How many to read at once that are about as large as these: large ones take no more memory than small
    ones do."""
    size = len(bson.encode({"": records}))
    return min(_MOST_IN_A_STREAM, max(1, len(records) * _BYTES_IN_A_STREAM // size))
