"""Pages of records: what one answer of the store has room for."""

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, cast

from bson.raw_bson import RawBSONDocument

from runtime.fast.wire_rows import WireRows
from runtime.filter import EVERYTHING, Order, Predicate, Projection
from runtime.storage.access import Access, DocumentT
from runtime.storage.lane import LaneCollection
from runtime.storage.store.batches import AnyCursor, read_one_answer
from runtime.storage.store.explaining import Explains
from runtime.storage.store.stages import (
    UNORDERED,
    AnyOrder,
    build_collation,
    build_find_stages,
    build_page_stages,
    build_projection,
    needs_stages,
    plan_find,
    scope,
)


class Part(NamedTuple, Generic[DocumentT]):
    """Records that were found. ``is_cut``: more of those asked for follow, for which there was no room."""

    rows: list[DocumentT]
    is_cut: bool


class Pages(Explains):
    """Reads one answer of the store, hidden fields left out."""

    async def find_page(
        self,
        access: Access[DocumentT],
        ranges: Sequence[Predicate],
        *,
        order: AnyOrder,
        limit: int,
        match: Predicate = EVERYTHING,
        projection: Projection | None = None,
        skip: int = 0,
        wire: WireRows | None = None,
    ) -> Part[DocumentT]:
        """Find what matches in each range, one range after the other, up to ``limit``; in one command.

        A range is only looked for when those before it have not filled the limit. At most one answer of the
        store is read, 16 MB: behind that the page is cut. ``skip``: of the first range. With ``wire`` rows
        may have text in place of ids, decimals and timestamps; ``wire.stored`` returns one as it is stored.
        """
        access = self._spell(access)
        await self._require_searchable(access, match, *ranges)
        if not ranges:
            return Part([], is_cut=False)
        collection, order = self._collection(access), Order.of(order)
        collation, reading = build_collation(order), None
        if len(ranges) == 1:
            reading = plan_find(access, match, order, build_projection(access, projection), ranges[0])
        is_shown_as_found = reading is None or reading.spelling is None
        takes_wire = is_shown_as_found and isinstance(collection, LaneCollection)
        decoding: dict[str, Any] = {"rows": wire} if wire and takes_wire else {}
        with self._command(access):
            cursor: AnyCursor
            if reading is not None:
                cursor = collection.find(
                    scope(access, match, order, ranges[0]),
                    reading.projection,
                    sort=list(order.keys) or None,
                    skip=skip,
                    limit=limit,
                    batch_size=limit,
                    collation=collation,
                    session=self._session,
                    **decoding,
                )
            else:
                # A batch that is not filled ends the cursor, which saves asking for the next.
                stages = build_page_stages(access, match, ranges, order, projection, limit, skip)
                cursor = await collection.aggregate(
                    stages, session=self._session, batchSize=limit + 1, collation=collation, **decoding
                )
            rows, has_more = await read_one_answer(cursor)
            shown = rows if reading is None else reading.show(rows)
            return Part(cast(list[DocumentT], shown), is_cut=has_more and len(rows) < limit)

    async def find_encoded(
        self, access: Access[Any], match: Predicate, *, limit: int, projection: Projection | None = None
    ) -> Part[RawBSONDocument]:
        """Find what matches, in any order and as the store encodes it; else as ``find_page``."""
        access = self._spell(access)
        await self._require_searchable(access, match)
        collection, shown = self._encoded_collection(access), build_projection(access, projection)
        with self._command(access):
            cursor: AnyCursor
            if needs_stages(access):
                stages = build_find_stages(access, match, UNORDERED, shown, limit=limit)
                cursor = await collection.aggregate(stages, session=self._session, batchSize=limit + 1)
            else:
                cursor = collection.find(
                    access.scoped(match), shown, limit=limit, batch_size=limit, session=self._session
                )
            rows, has_more = await read_one_answer(cursor)
            return Part(cast(list[RawBSONDocument], rows), is_cut=has_more and len(rows) < limit)
