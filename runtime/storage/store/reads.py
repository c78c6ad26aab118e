"""The reading half of the store: every command is bound to the scope of its ``Access``."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from runtime.admission import Turn
from runtime.fast.flat_columns import FlatColumn
from runtime.filter import EVERYTHING, Order, Predicate, Projection
from runtime.storage.access import Access, DocumentT
from runtime.storage.lane import LaneCollection
from runtime.storage.store.batches import SMALL, WEIGHED, Batches, Cursor, in_bytes, size_of_each
from runtime.storage.store.changes import Document
from runtime.storage.store.pages import Pages
from runtime.storage.store.spellings import decide, plan_reading, widen
from runtime.storage.store.stages import (
    UNORDERED,
    AnyOrder,
    Stages,
    build_collation,
    build_find_stages,
    build_projection,
    build_stream_projection,
    needs_stages,
    plan_find,
    scope,
)

_MOST_AT_ONCE: Final = 1000
"""Records that one answer of the store has: by itself it begins with 101, and has to be asked again."""
_MOST_WITHIN_LIMIT: Final = 5 * _MOST_AT_ONCE
"""The same where a limit says how many there may be: decoding an answer holds the event loop."""


class Reads(Pages):
    """Reads of the store, without hidden fields."""

    async def find(
        self,
        access: Access[DocumentT],
        match: Predicate,
        *,
        order: AnyOrder = (),
        projection: Projection | None = None,
        skip: int = 0,
        limit: int = 0,
    ) -> list[DocumentT]:
        """Return the records in scope that match; all of them when ``limit`` is 0."""
        access = self._spell(access)
        await self._require_searchable(access, match)
        shown, order = build_projection(access, projection), Order.of(order)
        reading = plan_find(access, match, order, shown)
        if reading is None:
            return await self._find_in_stages(access, match, shown, order, skip, limit)
        cursor = self._collection(access).find(
            scope(access, match, order),
            reading.projection,
            sort=list(order.keys) or None,
            skip=skip,
            limit=limit,
            batch_size=min(limit, _MOST_WITHIN_LIMIT) or _MOST_AT_ONCE,
            collation=build_collation(order),
            session=self._session,
        )
        with self._command(access):
            return cast(list[DocumentT], reading.show(await cursor.to_list()))

    async def _find_in_stages(
        self,
        access: Access[Any],
        match: Predicate,
        shown: Mapping[str, Any],
        order: Order = UNORDERED,
        skip: int = 0,
        limit: int = 0,
    ) -> list[Any]:
        """Find records where stages are needed: for renamed fields and for nulls at the other end."""
        stages = build_find_stages(access, match, order, shown, skip=skip, limit=limit)
        most = limit + 1 if limit else _MOST_AT_ONCE
        collation = build_collation(order)
        return await self._aggregate(access, stages, batchSize=most, allowDiskUse=True, collation=collation)

    async def stream(
        self,
        access: Access[Any],
        match: Predicate,
        *,
        order: AnyOrder = (),
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
        access = self._spell(access)
        await self._require_searchable(access, match)
        shown, order = build_stream_projection(access, projection, flat), Order.of(order)
        each = size_of_each(await self._sample(access, EVERYTHING, shown))
        collation = build_collation(order)
        collection = self._driver_collection(access)
        cursor: Cursor = collection.find(
            scope(access, match, order),
            shown,
            sort=list(order.keys) or None,
            skip=skip,
            limit=limit,
            allow_disk_use=True,
            collation=collation,
        )
        if needs_stages(access, order):  # the cursor above was never sent
            stages = build_find_stages(access, match, order, shown, skip=skip, limit=limit)
            async with self._limit_time(access):
                cursor = await collection.aggregate(
                    stages, batchSize=in_bytes(SMALL, each), allowDiskUse=True, collation=collation
                )
        return Batches(cursor, each, lambda: self._limit_time(access), turn or Turn(), self._connection.room)

    async def _sample(
        self, access: Access[Any], match: Predicate, shown: Mapping[str, Any]
    ) -> list[Document]:
        """Sample a few records, in any order, to estimate how large they are."""
        if needs_stages(access):
            return await self._find_in_stages(access, match, shown, limit=WEIGHED)
        cursor = self._collection(access).find(access.scoped(match), shown, limit=WEIGHED)
        with self._command(access):
            return await cursor.to_list()

    async def find_one(
        self, access: Access[DocumentT], match: Predicate, *, projection: Projection | None = None
    ) -> DocumentT | None:
        """Return the first record in scope that matches, or None."""
        access = self._spell(access)
        await self._require_searchable(access, match)
        shown = build_projection(access, projection)
        if (reading := plan_reading(access, access.scoped(match), (), shown)) is None:
            rows = await self._find_in_stages(access, match, shown, limit=1)
            return rows[0] if rows else None
        with self._command(access):
            found = await self._find_first(access, match, reading.projection)
        return None if found is None else cast(DocumentT, reading.show([found])[0])

    async def _find_first(
        self, access: Access[Any], match: Predicate, shown: Mapping[str, Any]
    ) -> Document | None:
        collection, numbers = self._collection(access), match.record_ids
        if len(numbers) != 1 or self._session is not None or not isinstance(collection, LaneCollection):
            return await collection.find_one(access.scoped(match), shown, session=self._session)
        return await collection.find_by_id(access.scoped(match), shown, numbers[0])

    async def count(self, access: Access[Any], match: Predicate, *, most: int | None = None) -> int:
        """Count the records in scope that match; with ``most`` counting ends there."""
        access = self._spell(access)
        await self._require_searchable(access, match)
        scoped = access.scoped(match)
        wide = widen(access, scoped)
        decided = [] if wide == scoped else decide(access, scoped)
        bound: Stages = [] if most is None else [{"$limit": most}]
        stages: Stages = [{"$match": wide}, *decided, *bound, {"$count": "count"}]
        return sum(row["count"] for row in await self._aggregate(access, stages))
