"""The only door to MongoDB. No method works without an ``Access``; its scope is part of every command.

Documents are as stored: wire names, ``_id`` an object id, dates naive UTC in milliseconds. Hidden
fields are projected away here, so they never leave the store. Every command has one deadline, retries
included (``mongodb.timeout-ms``). Faults of the driver become ``Duplicate``, ``TooLarge`` or
``StoreUnavailable``; anything else is a fault of ours.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, TypeVar

import pymongo
from pymongo import AsyncMongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.database import AsyncDatabase

from runtime.admission import AdaptiveLimit
from runtime.model.record_type import RecordType
from runtime.storage.store.batches import Room
from runtime.storage.store.changes import Document
from runtime.storage.store.faults import faults
from runtime.storage.store.following import Following
from runtime.storage.store.reads import Reads
from runtime.storage.store.turns import Line, Turns
from runtime.storage.store.writes import Writes

T = TypeVar("T")
Afterwards = Callable[["Store"], Awaitable[None]]

_HEARTBEAT_MS, _CONNECT_MS = 1000, 2000
"""A primary that keeps its connections and answers nothing is given up after both: then what waits for it is
sent again to the next one, before its deadline."""

_COMMANDS_IN_A_TIMEOUT = 10
"""A command should take no more than such a part of its time limit, else fewer requests are let in."""


class Store(Reads, Writes):
    """One per process; safe for many concurrent calls of one event loop."""

    def __init__(
        self, uri: str, *, timeout_ms: int = 5000, pool_size: int = 64, most_requests: int = 48
    ) -> None:
        self._client: AsyncMongoClient[Document] = AsyncMongoClient(
            uri,
            timeoutMS=timeout_ms,
            serverSelectionTimeoutMS=timeout_ms,
            maxPoolSize=pool_size,
            heartbeatFrequencyMS=_HEARTBEAT_MS,
            connectTimeoutMS=_CONNECT_MS,
            w="majority",
            appname="recordsmith",
        )
        self._seconds = timeout_ms / 1000
        spare = pool_size // 4  # a quarter of the connections is for what is not counted, as readiness
        self.limit = AdaptiveLimit(
            min(most_requests, pool_size - spare), target_seconds=self._seconds / _COMMANDS_IN_A_TIMEOUT
        )
        self._collections = {}
        self._afterwards: list[Afterwards] = []
        self._turns = Turns()
        self._room = Room()

    async def transact(
        self,
        work: Callable[[Store], Awaitable[T]],
        *,
        is_dry_run: bool = False,
        turns: Collection[str] = (),
    ) -> T:
        """Run ``work`` on a store of one snapshot: all that it writes is stored, or nothing is.

        ``work`` runs again when another write was in its way or the primary changed, all within one
        deadline; so it must do nothing but read and write through its argument. What it raises undoes its
        writes. A dry run executes it against the store and rolls it back in the end. Inside a
        transaction the work joins that one. ``turns`` names records that others of this process write to
        as well: they go one at a time. Raises ``StoreUnavailable`` at the deadline, ``RecordBusy``.
        """
        if self._session is not None:
            return await work(self)

        afterwards: list[Afterwards] = []

        async def attempt(session: AsyncClientSession) -> T:
            afterwards.clear()
            bound = copy(self)
            bound._session, bound._afterwards = session, afterwards
            answer = await work(bound)
            if is_dry_run:
                await session.abort_transaction()
            return answer

        async with self._turns.take(turns, self._seconds):
            with faults(None), pymongo.timeout(self._seconds):
                async with self._for_transactions() as session:
                    answer = await session.with_transaction(attempt)
        for further in () if is_dry_run else afterwards:
            await further(self)
        return answer

    @property
    def is_in_transaction(self) -> bool:
        """Whether what this store writes may still be undone."""
        return self._session is not None

    def busy_line(self, name: str) -> Line | None:
        """Return the turn at this record, if another writer of this process has it or waits for it."""
        return None if self._session is not None else self._turns.busy_line(name)

    @asynccontextmanager
    async def turn(self, names: Collection[str]) -> AsyncIterator[Sequence[Line]]:
        """Write to these records while no other writer of this process does that takes turns too.

        Inside a transaction this does nothing: the code that began it has the turns. ``transact`` may take
        others inside the block, never the same. Raises ``RecordBusy``.
        """
        if self._session is not None or not names:
            yield ()
            return
        async with self._turns.take(names, self._seconds) as lines:
            yield lines

    @property
    def seconds(self) -> float:
        """The time limit of one command, and of waiting for a turn."""
        return self._seconds

    async def after_storing(self, work: Afterwards) -> None:
        """Run ``work`` once the transaction is committed, or at once outside of one.

        It is given a store without a transaction. It never runs for a transaction that was undone.
        """
        if self._session is None:
            await work(self)
        else:
            self._afterwards.append(work)

    async def ping(self) -> None:
        """Check that a primary answers in time. Raises ``StoreUnavailable``."""
        with faults(None):
            await self._client.admin.command("ping")

    def follow(self, kinds: Collection[RecordType[Any]]) -> Following:
        """Content-free signals of what is written to these record types, in every database."""
        return Following(self._client, [kind.collection for kind in kinds])

    def bare_database(self, name: str) -> AsyncDatabase[Document]:
        """Return a realm's database, for ``runtime.storage.indexes`` alone: data needs an ``Access``."""
        return self._client[name]

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()
