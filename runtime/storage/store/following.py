"""One change stream over the whole deployment, as content-free signals: what was written, never the values.

The stream is resumed where it broke, so nothing is missed; where that cannot be done, and whenever one
begins, the first signal is ``ANYTHING``. It needs a replica set or a sharded cluster and the right to
follow all databases (``changeStream`` and ``find``); without them it keeps trying, says so once in the
log, and its users fall back on forgetting by age.
"""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pymongo
from pymongo import AsyncMongoClient
from pymongo.asynchronous.change_stream import AsyncChangeStream
from pymongo.errors import ConnectionFailure, PyMongoError

from runtime.heartbeat import heed_cancellation
from runtime.logs import log
from runtime.storage.store.faults import describe_refusal

Document = dict[str, Any]

_AWAIT_MS = 400
"""An idle stream is asked this often: caches trust it only while it answered within the last second."""
_PATIENCE_SECONDS = 5.0
"""Until an answer that does not come counts as a fault. Commands have another, shorter deadline."""
_FRESH_SECONDS = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


@dataclass(frozen=True, slots=True)
class Changed:
    """What was written, or removed. None stands for any: any database, any collection, any record."""

    database: str | None = None
    collection: str | None = None
    record_id: str | None = None


ANYTHING = Changed()
"""Something may have changed that no signal reported."""


class Following:
    """The signals of some collections. One reader; it ends when its task is cancelled or it is closed.

    ``revocable``: those of which only the end of a record is reported, not each of its many uses.
    """

    def __init__(
        self,
        client: AsyncMongoClient[Document],
        collections: Collection[str],
        revocable: Collection[str] = (),
    ) -> None:
        self._client = client
        self._collections = frozenset(collections)
        self._revocable = frozenset(revocable)
        self._place: Mapping[str, Any] | None = None
        self._answered: float | None = None
        self._pause = _FIRST_PAUSE

    @property
    def is_alive(self) -> bool:
        """Whether the stream answered within the last seconds."""
        return self.silence() < _FRESH_SECONDS

    def silence(self) -> float:
        """Return the seconds since all signals were last known to be delivered; infinite without a stream."""
        return math.inf if self._answered is None else time.monotonic() - self._answered

    async def read_signals(self) -> AsyncGenerator[Changed, None]:
        """Yield signals in the order of the writes, without end. Faults of the store are waited out."""
        while True:
            begun = False
            try:
                async with await self._open() as stream:
                    heed_cancellation()
                    begun = True
                    if self._place is None:
                        yield ANYTHING
                        self._note(stream)  # a resumed stream has yet to hand out what was missed
                    while stream.alive:
                        change = await read_change(stream)
                        for signal in self._signals_of(change):
                            yield signal
                        self._note(stream)
            except PyMongoError as error:
                await self._wait_out(error, begun)

    async def _open(self) -> AsyncChangeStream[Document]:
        with pymongo.timeout(_PATIENCE_SECONDS):
            stages = _stages(self._collections, self._revocable)
            return await self._client.watch(stages, resume_after=self._place, max_await_time_ms=_AWAIT_MS)

    def _note(self, stream: AsyncChangeStream[Document]) -> None:
        """Note how far the reader has come, and that the store answers."""
        self._place = stream.resume_token
        self._answered = time.monotonic()
        if self._pause > _FIRST_PAUSE:
            log.info("changes.followed")
            self._pause = _FIRST_PAUSE

    async def _wait_out(self, error: PyMongoError, begun: bool) -> None:
        """Give up a place from which no stream begins, unless the fault is one that passes."""
        heed_cancellation()
        self._answered = None
        if not begun and not is_passing(error):
            self._place = None
        if self._pause == _FIRST_PAUSE:
            log.warning("changes.lost", error=describe_refusal(error), resumes=self._place is not None)
        pause, self._pause = self._pause, min(2 * self._pause, _LONGEST_PAUSE)
        await asyncio.sleep(pause)

    def _signals_of(self, change: Document | None) -> Iterator[Changed]:
        """Yield the signals of a change; a drop concerns a whole collection, or each one of a database."""
        if change is None:
            return
        database = change["ns"]["db"]
        record_id = change.get("documentKey", {}).get("_id")
        if "coll" not in change["ns"]:
            yield from (Changed(database, name) for name in sorted(self._collections))
            return
        yield Changed(database, change["ns"]["coll"], None if record_id is None else str(record_id))
        if "to" in change:
            yield Changed(change["to"]["db"], change["to"]["coll"])


async def read_change(stream: AsyncChangeStream[Document]) -> Document | None:
    """Return the next event; None where there is none yet. A silent store counts as a fault."""
    with pymongo.timeout(_PATIENCE_SECONDS):
        change = await stream.try_next()
    heed_cancellation()
    return change


def _stages(collections: Collection[str], revocable: Collection[str] = ()) -> list[Document]:
    """Build the stages of the stream: names and ids alone, and what operators rename or drop."""
    named = {"$in": sorted(collections)}
    use = {
        "ns.coll": {"$in": sorted(revocable)},
        "operationType": {"$in": ["insert", "update"]},
        "updateDescription.updatedFields.revoked": {"$exists": False},
    }
    return [
        {"$match": {"$or": [{"ns.coll": named}, {"to.coll": named}, {"operationType": "dropDatabase"}]}},
        {"$match": {"$nor": [use]}},
        {"$project": {"operationType": 1, "ns": 1, "to": 1, "documentKey._id": 1}},
    ]


def is_passing(error: PyMongoError) -> bool:
    """Whether the fault says nothing about the place; in doubt the stream starts over."""
    return (
        isinstance(error, ConnectionFailure)
        or error.timeout
        or error.has_error_label("ResumableChangeStreamError")
        or error.has_error_label("RetryableWriteError")
    )
