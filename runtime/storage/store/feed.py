"""Change streams with content: each write of a record with the record before and after it (``written.py``).

A ``Feed`` follows some collections, each of one database, for a whole process; ``read_past`` reads once what
was written between two places. MongoDB looks up records for what they match alone, so an event above its
limit elsewhere ends neither. Both begin at the time of a place and skip what lies before it, since MongoDB
resumes at an event only in a stream that has this event, and collections come and go here. The record before
and after a write is there only in collections that keep images (``storage.images``).
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from typing import Any, Final

import pymongo
from bson import Timestamp
from pymongo import AsyncMongoClient
from pymongo.asynchronous.change_stream import AsyncChangeStream
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import PyMongoError

from runtime.errors import TooLarge
from runtime.heartbeat import heed_cancellation
from runtime.logs import log
from runtime.storage.store.changes import Document
from runtime.storage.store.faults import FaultTranslation, describe_refusal
from runtime.storage.store.following import is_passing, read_change
from runtime.storage.store.spellings import Spellings
from runtime.storage.store.written import OPERATIONS, Place, Written

Target = AsyncMongoClient[Document] | AsyncDatabase[Document]

CollectionName = tuple[str, str]
"""A database, and a collection in it."""

_AWAIT_MS: Final = 200
"""How long the store waits for an event before it answers that there is none."""

_HURRIED_MS: Final = 20
"""The same where only what has been written already is read."""

_BATCH: Final = 100
"""Writes that are read at once: behind each batch other tasks have their turn."""

_OPEN_SECONDS: Final = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class HistoryLost(Exception):
    """The store no longer has what was written since a place, or not all of it."""


class Feed:
    """What is written to some collections, in order and without gaps. One reader.

    ``collections`` returns those that are wanted now; none of them ends the feed. ``followed``: those whose
    writes are delivered. ``place``: up to where all of them were, None before the feed has begun.
    """

    def __init__(
        self,
        client: AsyncMongoClient[Document],
        collections: Callable[[], frozenset[CollectionName]],
        spellings: Spellings,
    ) -> None:
        self._client = client
        self._spellings = spellings
        self._collections = collections
        self._pause = _FIRST_PAUSE
        self.followed: frozenset[CollectionName] = frozenset()
        self.place: Place | None = None

    async def read(self, on_begin: Callable[[], None]) -> AsyncGenerator[Written, None]:
        """Yield each write. Faults of the store are waited out. Raises ``HistoryLost``.

        ``on_begin`` is called when ``followed`` may have changed.
        """
        while wanted := self._collections():
            try:
                start = None if self.place is None else self.place.time
                async with await _open(self._client, wanted, start) as stream:
                    self._begin(wanted, stream)
                    on_begin()
                    while stream.alive and self._collections() == wanted:
                        change = await read_change(stream)
                        if (written := _read(change, self.place, self._spellings)) is not None:
                            yield written
                        self._note(stream)
            except PyMongoError as error:
                await self._wait_out(error)

    def _begin(self, wanted: frozenset[CollectionName], stream: AsyncChangeStream[Document]) -> None:
        self.place = self.place or _place_of(stream)
        self.followed = wanted

    def _note(self, stream: AsyncChangeStream[Document]) -> None:
        """Note how far the reader has come; a stream that was begun again repeats some of it."""
        place = _place_of(stream)
        if place is not None and (self.place is None or place > self.place):
            self.place = place
        self._pause = _FIRST_PAUSE

    async def _wait_out(self, error: PyMongoError) -> None:
        heed_cancellation()
        if not is_passing(error) and self.place is not None:
            raise HistoryLost from error
        log.warning("feed.interrupted", error=describe_refusal(error))
        pause, self._pause = self._pause, min(2 * self._pause, _LONGEST_PAUSE)
        await asyncio.sleep(pause)


async def read_past(
    database: AsyncDatabase[Document],
    collections: Collection[str],
    after: Place,
    until: Timestamp,
    spellings: Spellings,
) -> AsyncGenerator[Written | Place, None]:
    """Yield what was written behind a place, in order, until all up to the time ``until`` was.

    A ``Place`` among them says how far that is, where nothing was written for a while. Raises ``HistoryLost``
    where the store does not reach so far back, and ``StoreUnavailable``.
    """
    try:
        with FaultTranslation(None):
            named = {(database.name, collection) for collection in collections}
            async with await _open(database, named, after.time, _HURRIED_MS) as stream:
                while stream.alive:
                    change = await read_change(stream)
                    if (written := _read(change, after, spellings)) is not None:
                        yield written
                    place = _place_of(stream)
                    if change is None and place is not None:
                        yield max(place, after)
                        if place.time >= until:
                            return
    except (PyMongoError, TooLarge) as error:  # none that passes, or an event above 16 MB
        raise HistoryLost from error


async def _open(
    target: Target,
    collections: Collection[CollectionName],
    start: Timestamp | None,
    await_ms: int = _AWAIT_MS,
) -> AsyncChangeStream[Document]:
    stages: list[Document] = [
        {"$match": {"$or": _match_names(collections), "operationType": {"$in": sorted(OPERATIONS)}}},
        {"$unset": "updateDescription"},  # the record after the write says it, too, and an event has a limit
    ]
    # Events are not split: both sides of a write that is followed fit into one (`sizes.py`). Only a record
    # that was larger before its type had `changes: true` exceeds it; then the history counts as lost.
    with pymongo.timeout(_OPEN_SECONDS):
        return await target.watch(
            stages,
            start_at_operation_time=start,
            full_document="whenAvailable",
            full_document_before_change="whenAvailable",
            max_await_time_ms=await_ms,
            batch_size=_BATCH,
        )


def _match_names(names: Collection[CollectionName]) -> list[Document]:
    """Build one condition for each collection: MongoDB takes long to plan one for each of many databases."""
    databases: dict[str, list[str]] = {}
    for database, collection in sorted(names):
        databases.setdefault(collection, []).append(database)
    return [{"ns.coll": collection, "ns.db": {"$in": found}} for collection, found in databases.items()]


def _read(change: Document | None, after: Place | None, spellings: Spellings) -> Written | None:
    """Return the write that an event is about, unless it lies before a place."""
    if change is None:
        return None
    written = Written.of(change, spellings)
    return written if after is None or written.place > after else None


def _place_of(stream: AsyncChangeStream[Any]) -> Place | None:
    token = stream.resume_token
    return None if token is None else Place(token["_data"])
