"""Records in place of the references to them.

Each reference of a page is collected first; then each record type is asked once for all of its records that
the page refers to, under the caller's own permission, and each record is written as JSON once, however often
it is referred to. That is a query for each path and not, as with ``$lookup``, one for each row, and no list
is searched for each of its elements. What a caller may cost is known before it is spent: the number of
references before any is followed, the size of the answer before it is written.
"""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, TypeAlias

from runtime.call import Call
from runtime.errors import StoreUnavailable, TooWide
from runtime.event_loop import Pace
from runtime.filter import Predicate, by_ids
from runtime.records.expansion.planning import Embedding
from runtime.records.relations import compile_callers_filter
from runtime.storage.wire import Fragment, is_id, render_encoded, render_fragment

Document = dict[str, Any]

MOST_BYTES: Final = 16 * 2**20
"""What is embedded in one answer, as JSON: as much as a page of records may have."""


_Spot: TypeAlias = tuple[Any, Any, Any]
"""A place that has a reference: its holder, its key there, and the id referred to, or None."""

_Fragments: TypeAlias = dict[bytes, Fragment]
"""Records as JSON, by the bytes of their ids: the driver compares ids in Python."""


async def embed_records(call: Call, documents: list[Document], embeddings: Iterable[Embedding]) -> None:
    """Replace references in stored documents by the records they refer to, None where there is none.

    None is what the caller cannot see, what is archived or gone, and what the embedding's filter leaves out:
    they cannot be distinguished. References that are not set stay absent. Raises ``TooWide`` (422), and
    ``StoreUnavailable`` when all queries together take longer than one command may.
    """
    try:
        async with asyncio.timeout(call.store.seconds):
            await _Replacing(call).replace(documents, embeddings)
    except TimeoutError as error:
        message = "the records to embed were not found in time; try again, or expand fewer paths"
        raise StoreUnavailable(message, cause=error) from error


class _Replacing:
    """Replaces references for one answer, within its limits."""

    def __init__(self, call: Call) -> None:
        self._call, self._most = call, call.service.settings.expanded_records
        self._left, self._bytes = self._most, 0
        self._pace = Pace()

    async def replace(self, documents: list[Document], embeddings: Iterable[Embedding]) -> None:
        """Replace what these embeddings name; inner ones first, since a record is written with them."""
        for embedding in embeddings:
            spots = self._find_spots(documents, embedding)
            ids = {one.binary: one for _holder, _key, one in spots if one is not None}
            found = await self._read(embedding, [*ids.values()])
            for holder, key, one in spots:
                holder[key] = None if one is None else self._take(found.get(one.binary))

    def _find_spots(self, documents: list[Document], embedding: Embedding) -> list[_Spot]:
        spots: list[_Spot] = []
        for reference in embedding.references:
            steps = reference.path.split(".")
            if len(steps) == 1 and not steps[0].endswith("[]"):  # as most are: one at most in each document
                spots += _find_flat(documents, steps[0])
                self._require_few(spots)
                continue
            for document in documents:
                spots += islice(_walk(document, steps), self._left - len(spots) + 1)
                self._require_few(spots)
        self._left -= len(spots)
        return spots

    def _require_few(self, spots: list[_Spot]) -> None:
        if len(spots) > self._left:
            message = f"an answer can replace at most {self._most} references by records"
            raise TooWide(f"{message}: ask for fewer rows (limit) or paths")

    async def _read(self, embedding: Embedding, ids: list[Any]) -> _Fragments:
        if not ids:
            return {}
        match = await compile_callers_filter(self._call, embedding.access, embedding.where) & by_ids(ids)
        read = self._read_decoded if embedding.inner else self._read_encoded
        return await read(embedding, match, len(ids))

    async def _read_encoded(self, embedding: Embedding, match: Predicate, most: int) -> _Fragments:
        part = await self._call.store.find_encoded(
            embedding.access, match, projection=embedding.projection, limit=most
        )
        if part.is_cut:
            raise _too_large()
        found: _Fragments = {}
        for row in part.rows:
            record_id, fragment = render_encoded(row, omits_id=embedding.omits_id)
            found[record_id] = fragment
            await self._pace.step()
        return found

    async def _read_decoded(self, embedding: Embedding, match: Predicate, most: int) -> _Fragments:
        part = await self._call.store.find_page(
            embedding.access, [match], order=(), projection=embedding.projection, limit=most
        )
        if part.is_cut:
            raise _too_large()
        await self.replace(part.rows, embedding.inner)
        found: _Fragments = {}
        for row in part.rows:
            found[row["_id"].binary] = render_fragment(row, omits_id=embedding.omits_id)
            await self._pace.step()
        return found

    def _take(self, record: Fragment | None) -> Any:
        if record is None:
            return None
        self._bytes += record.size
        if self._bytes > MOST_BYTES:
            raise _too_large()
        return record.json


def _too_large() -> TooWide:
    message = "the embedded records are over 16 MB together"
    return TooWide(f"{message}: ask for fewer rows (limit), or for some of their fields")


def _find_flat(documents: list[Document], key: str) -> list[_Spot]:
    return [
        (document, key, _read_id(value)) for document in documents if (value := document.get(key)) is not None
    ]


def _walk(here: Any, steps: list[str]) -> Iterator[_Spot]:
    """Yield the places that ``steps`` lead to; ``items[]`` walks a list, ``rows[][]`` a list of lists."""
    name, _, marks = steps[0].partition("[")
    if isinstance(here, dict) and name in here:
        for holder, key in _walk_lists(here, name, marks.count("]")):
            value = holder[key]
            if len(steps) > 1:
                yield from _walk(value, steps[1:])
            elif value is not None:
                yield holder, key, _read_id(value)


def _walk_lists(holder: Any, key: Any, levels: int) -> Iterator[tuple[Any, Any]]:
    if not levels:
        yield holder, key
    elif isinstance(holder[key], list):
        for at in range(len(holder[key])):
            yield from _walk_lists(holder[key], at, levels - 1)


def _read_id(reference: Any) -> Any:
    """Return the id of a stored reference, None for what is not a reference."""
    found = reference.get("entityId") if isinstance(reference, dict) else None
    return found if is_id(found) else None
