"""The reading half of the store: every command is bound to the scope of its ``Access``."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Generic, NamedTuple, cast

import bson
import pymongo
from pymongo.asynchronous.command_cursor import AsyncCommandCursor
from pymongo.asynchronous.cursor import AsyncCursor

from runtime.admission import Turn
from runtime.errors import StoreUnavailable
from runtime.fast.flat_columns import FlatColumn
from runtime.filter import EVERYTHING, Predicate, Projection
from runtime.storage.access import Access, DocumentT
from runtime.storage.store.batches import SMALL, WEIGHED, Batches, Cursor, in_bytes, size_of_each
from runtime.storage.store.changes import Document
from runtime.storage.store.explaining import Explains
from runtime.storage.store.stages import (
    SOURCE,
    build_find_stages,
    build_page_stages,
    build_projection,
    build_stream_projection,
    build_union_part,
)

Order = Sequence[tuple[str, int]]

_UNLIMITED: Final = 86400  # seconds
_MOST_AT_ONCE: Final = 1000
"""Records that one answer of the store has: by itself it begins with 101, and has to be asked again."""


class Part(NamedTuple, Generic[DocumentT]):
    """Records that were found. ``is_cut``: more of those asked for follow, for which there was no room."""

    rows: list[DocumentT]
    is_cut: bool


class Reads(Explains):
    """What the store answers, hidden fields left out."""

    async def find(
        self,
        access: Access[DocumentT],
        match: Predicate,
        *,
        order: Order = (),
        projection: Projection | None = None,
        skip: int = 0,
        limit: int = 0,
    ) -> list[DocumentT]:
        """Return the records in scope that match; all of them when ``limit`` is 0."""
        await self._require_searchable(access, match)
        shown = build_projection(access, projection)
        if access.kind.renamed:
            return await self._find_in_stages(access, match, shown, order, skip, limit)
        cursor: AsyncCursor[Any] = self._collection(access).find(
            access.scoped(match),
            shown,
            sort=list(order) or None,
            skip=skip,
            limit=limit,
            batch_size=limit or _MOST_AT_ONCE,
            session=self._session,
        )
        with self._command(access):
            return await cursor.to_list()

    async def _find_in_stages(
        self,
        access: Access[Any],
        match: Predicate,
        shown: Mapping[str, Any],
        order: Order = (),
        skip: int = 0,
        limit: int = 0,
    ) -> list[Any]:
        """Find records of a type with renamed fields, whose values may come from two members."""
        stages = build_find_stages(access, match, order, shown, skip=skip, limit=limit)
        most = limit + 1 if limit else _MOST_AT_ONCE
        with self._command(access):
            cursor: AsyncCommandCursor[Any] = await self._collection(access).aggregate(
                stages, session=self._session, batchSize=most, allowDiskUse=True
            )
            return await cursor.to_list()

    async def find_page(
        self,
        access: Access[DocumentT],
        matches: Sequence[Predicate],
        *,
        order: Order,
        limit: int,
        projection: Projection | None = None,
        skip: int = 0,
    ) -> Part[DocumentT]:
        """Find the records of each match, one match after the other, up to ``limit`` in all; in one command.

        A match is only looked for when those before it have not filled the limit. At most one answer of the
        store is read, 16 MB: behind that the page is cut. ``skip``: of the first match.
        """
        await self._require_searchable(access, *matches)
        if not matches:
            return Part([], is_cut=False)
        match, collection = matches[0], self._collection(access)
        with self._command(access):
            if len(matches) == 1 and not access.kind.renamed:
                batches = collection.find_raw_batches(
                    access.scoped(match),
                    build_projection(access, projection),
                    sort=list(order) or None,
                    skip=skip,
                    limit=limit,
                    batch_size=limit,
                    session=self._session,
                )
                async with batches:
                    first: Any = await anext(batches, None)
                    rows: list[Any] = bson.decode_all(first or b"", collection.codec_options)
                    return Part(rows, is_cut=batches.alive and len(rows) < limit)
            # A batch that is not filled ends the cursor, which saves asking for the next.
            stages = build_page_stages(access, matches, order, projection, limit, skip)
            cursor = await collection.aggregate(stages, session=self._session, batchSize=limit + 1)
            async with cursor:
                number = len(cursor._data)  # of the first batch; raw batches would take two commands
                rows = await cursor.to_list(number) if number else []
                return Part(rows, is_cut=cursor.alive and len(rows) < limit)

    async def stream(
        self,
        access: Access[Any],
        match: Predicate,
        *,
        order: Order = (),
        projection: Projection | None = None,
        skip: int = 0,
        limit: int = 0,
        flat: Sequence[FlatColumn] = (),
        turn: Turn | None = None,
    ) -> Batches:
        """Return what ``find`` would, batch by batch; for more than memory should hold.

        With ``flat`` only these columns (``fast.flat_columns``).

        Each batch has the time limit of a command, the whole has none. ``turn``: that of the request; batches
        behind the first take another. Not for transactions.
        """
        if self._session is not None:
            raise ValueError("a transaction reads what it can hold: use find")
        await self._require_searchable(access, match)
        shown = build_stream_projection(access, projection, flat)
        each = size_of_each(await self._sample(access, EVERYTHING, shown))
        cursor: Cursor = self._collection(access).find(
            access.scoped(match),
            shown,
            sort=list(order) or None,
            skip=skip,
            limit=limit,
            allow_disk_use=True,
        )
        if access.kind.renamed:
            stages = build_find_stages(access, match, order, shown, skip=skip, limit=limit)
            async with self._limit_time(access):
                cursor = await self._collection(access).aggregate(
                    stages, batchSize=in_bytes(SMALL, each), allowDiskUse=True
                )
        return Batches(cursor, each, lambda: self._limit_time(access), turn or Turn(), self._connection.room)

    async def _sample(
        self, access: Access[Any], match: Predicate, shown: Mapping[str, Any]
    ) -> list[Document]:
        """Sample a few records, in any order, to estimate how large they are."""
        if access.kind.renamed:
            return await self._find_in_stages(access, match, shown, limit=WEIGHED)
        cursor = self._collection(access).find(access.scoped(match), shown, limit=WEIGHED)
        with self._command(access):
            return await cursor.to_list()

    @asynccontextmanager
    async def _limit_time(self, access: Access[Any]) -> AsyncIterator[None]:
        """Surround one of several commands of a cursor with the time limit.

        The limit is held here: the store would count the driver's for all commands of the cursor together.
        """
        try:
            with self._command(access), pymongo.timeout(_UNLIMITED):
                async with asyncio.timeout(self.seconds):
                    yield
        except TimeoutError as error:
            raise StoreUnavailable("the store did not answer in time; try again", cause=error) from error

    async def find_one(
        self, access: Access[DocumentT], match: Predicate, *, projection: Projection | None = None
    ) -> DocumentT | None:
        """Return the first record in scope that matches, or None."""
        await self._require_searchable(access, match)
        if access.kind.renamed:
            rows = await self._find_in_stages(access, match, build_projection(access, projection), limit=1)
            return rows[0] if rows else None
        with self._command(access):
            found = await self._collection(access).find_one(
                access.scoped(match), build_projection(access, projection), session=self._session
            )
        return cast(DocumentT | None, found)

    async def find_across(
        self,
        access: Access[Any],
        match: Predicate,
        others: Sequence[tuple[Access[Any], Predicate]],
        projection: Projection,
        *,
        limit: int = 0,
    ) -> list[list[Document]]:
        """Return what ``find`` would for this and for each of ``others``, in one command. One database.

        With ``limit`` the first of each by ``_id``.
        """
        if self._session is not None:  # a transaction cannot join what it finds
            asked, first = ((access, match), *others), (("_id", 1),) if limit else ()
            return [
                await self.find(one, its, order=first, projection=projection, limit=limit)
                for one, its in asked
            ]
        pipeline = build_union_part(access, match, projection, 0, limit)
        for at, (other, other_match) in enumerate(others, start=1):
            rows = build_union_part(other, other_match, projection, at, limit)
            pipeline.append({"$unionWith": {"coll": other.kind.collection, "pipeline": rows}})
        found: list[list[Document]] = [[] for _each in (access, *others)]
        with self._command(access):
            cursor = await self._collection(access).aggregate(pipeline, session=self._session)
            for document in await cursor.to_list():
                found[document.pop(SOURCE)].append(document)
        return found

    async def count(self, access: Access[Any], match: Predicate, *, most: int | None = None) -> int:
        """How many records in scope match; with ``most`` counting ends there."""
        await self._require_searchable(access, match)
        bound: dict[str, Any] = {} if most is None else {"limit": most}
        with self._command(access):
            return await self._collection(access).count_documents(
                access.scoped(match), session=self._session, **bound
            )
