"""The only door to MongoDB. No command works without an ``Access``; its scope is part of every command.

Documents are as stored: wire names, ``_id`` an object id, dates naive UTC in milliseconds. Hidden
fields are projected away here, so they never leave the store. Every command has one deadline, retries
included (``mongodb.timeout-ms``). Faults of the driver become ``Duplicate``, ``TooLarge`` or
``StoreUnavailable``; anything else is a fault of ours.

A ``Store`` stores each command on its own; ``Store.transact`` passes its work a ``Transaction``. Code that
may run inside a transaction of its caller as well as outside of one takes ``AnyStore``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any, TypeAlias, TypeVar, Unpack

import pymongo
from bson import Timestamp
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.database import AsyncDatabase

from runtime.admission import AdaptiveLimit
from runtime.model.record_type import RecordType
from runtime.storage.access import Access
from runtime.storage.store.changes import Document
from runtime.storage.store.closing import Closing
from runtime.storage.store.connection import Check, Connection, Options
from runtime.storage.store.faults import FaultTranslation, advise
from runtime.storage.store.feed import CollectionName, Feed, read_past
from runtime.storage.store.following import Following
from runtime.storage.store.groups import Groups
from runtime.storage.store.links import Linking
from runtime.storage.store.moving import Moving
from runtime.storage.store.spellings import Spellings
from runtime.storage.store.turns import Line, Turns
from runtime.storage.store.whole import Snapshot, Whole
from runtime.storage.store.writes import Writes
from runtime.storage.store.written import Place, Written

T = TypeVar("T")


class Store(Linking, Groups, Writes, Moving, Whole):
    """The store; one per process, safe for many concurrent calls of one event loop."""

    def __init__(self, uri: str, **options: Unpack[Options]) -> None:
        super().__init__(Connection(uri, **options))
        self._turns = Turns()

    async def transact(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        is_dry_run: bool = False,
        turns: Collection[str] = (),
    ) -> T:
        """Run ``work`` in a transaction: all that it writes is stored, or nothing is.

        ``work`` runs again when another write was in its way or the primary changed, all within one
        deadline; so it must do nothing but read and write through its argument. What it raises undoes its
        writes, and so does the end of a dry run. ``turns``: records that others of this process write too,
        one at a time. Raises ``RecordBusy``, and at the deadline ``StoreUnavailable`` with ``advice``.
        """
        last: list[Transaction] = []

        async def attempt(session: AsyncClientSession) -> T:
            transaction = Transaction(self._connection, session)
            last[:] = [transaction]
            answer = await work(transaction)
            await transaction.insert_rest(is_committed=not is_dry_run)
            if is_dry_run:
                await session.abort_transaction()
            return answer

        advice = advise(lambda: last[-1].advice if last else "")
        async with self.take_turns(turns):
            with advice, FaultTranslation(None), pymongo.timeout(self.seconds):
                async with self._connection.start_session() as session:
                    answer = await session.with_transaction(attempt)
        for transaction in () if is_dry_run else last:
            for further in transaction.afterwards:
                await further(self)
        return answer

    async def run_after_storing(self, work: Afterwards) -> None:
        """Run ``work`` at once, since there is no transaction to wait for."""
        await work(self)

    def is_traced(self) -> bool:
        """Return whether the request that is under way is traced, with each of its commands."""
        return self._connection.is_traced is not None and self._connection.is_traced()

    def busy_line(self, name: str) -> Line | None:
        """Return the turn at this record, if another writer of this process has it or waits for it."""
        return self._turns.busy_line(name)

    def take_turns(self, names: Collection[str]) -> AbstractAsyncContextManager[Sequence[Line]]:
        """Write to these records while no other writer of this process does that takes turns too.

        ``transact`` may take others inside the block, never the same. Raises ``RecordBusy``.
        """
        return self._turns.take(names, self.seconds) if names else nullcontext(())

    @asynccontextmanager
    async def open_snapshot(self) -> AsyncIterator[Snapshot]:
        """Open reads of one moment, while others write; each of them needs an ``Access``."""
        async with self._connection.client.start_session(snapshot=True) as session:
            yield Snapshot(self._connection, session)

    @property
    def limit(self) -> AdaptiveLimit:
        """The limit on requests that may use the store at once."""
        return self._connection.limit

    def count_connections(self) -> tuple[int, int] | None:
        """Return how many connections are in use, and how many idle; None where that is not known."""
        return self._connection.count_connections()

    @property
    def lane_obstacle(self) -> str | None:
        """Why the lane is off although the settings ask for it."""
        return self._connection.lane_obstacle

    def check_before_changing(self, check: Check) -> None:
        """Await ``check`` before each command that stores or removes records; what it raises refuses it."""
        self._connection.open_check = check

    def check_before_writing(self, check: Check) -> None:
        """Await ``check`` before each command that stores records; what it raises refuses the command."""
        self._connection.write_check = check

    def check_before_searching(self, check: Check) -> None:
        """Await ``check`` before each command that searches texts; what it raises refuses the command."""
        self._connection.search_check = check

    @property
    def spellings(self) -> Spellings:
        """The migrations in force, as ``runtime.migrations`` reports them."""
        return self._connection.spellings

    async def resolve(self) -> None:
        """Look up the servers that the address of the store names by one. Raises ``StoreUnavailable``."""
        await self._connection.resolve()

    async def ping(self) -> None:
        """Check that a primary answers in time.

        Raises ``StoreUnavailable``, and ``Misconfigured`` for a server that has no transactions.
        """
        with FaultTranslation(None):
            await self._connection.client.admin.command("ping")
        self._connection.require_transactions()

    def follow(
        self, kinds: Collection[RecordType[object]], *, revocable: Collection[RecordType[object]] = ()
    ) -> Following:
        """Follow what is written to these types in every database; of ``revocable`` ones the ends alone."""
        names = [[kind.collection for kind in group] for group in (kinds, revocable)]
        return Following(self._connection.client, *names)

    def feed(self, collections: Callable[[], frozenset[CollectionName]]) -> Feed:
        """Follow what is written to the collections that are wanted, each with its database.

        The records in it are shown to holders of an ``Access`` alone.
        """
        return Feed(self._connection.client, collections, self.spellings)

    def read_past(
        self, access: Access[Any], after: Place, until: Timestamp, also: Sequence[Access[Any]] = ()
    ) -> AsyncGenerator[Written | Place, None]:
        """Read what was written to record types of a realm behind a place, up to a time, in order.

        Raises ``HistoryLost`` where the store does not reach so far back.
        """
        collections = {one.kind.collection for one in (access, *also)}
        database = self._connection.client[access.database]
        return read_past(database, collections, after, until, self.spellings)

    async def read_time(self) -> Timestamp:
        """Return the time of the last write. Raises ``StoreUnavailable``."""
        with FaultTranslation(None):
            answer = await self._connection.client.admin.command("ping")
        time: Timestamp = answer["operationTime"]
        return time

    def bare_database(self, name: str) -> AsyncDatabase[Document]:
        """Return a realm's database, for ``storage.indexes`` and ``images``: data needs an ``Access``."""
        return self._connection.client[name]

    async def close(self) -> None:
        await self._connection.close()


class Transaction(Linking, Groups, Closing, Moving):
    """What the work of ``Store.transact`` reads and writes through; it ends with that work.

    Reads see one snapshot. Code that begins a transaction or takes turns joins this one: the code that began
    it has taken the turns. ``afterwards``: the work to do once all is stored. ``advice``: of ``advise``.
    """

    advice: str = ""

    def __init__(self, connection: Connection, session: AsyncClientSession) -> None:
        super().__init__(connection, session)
        self.afterwards: list[Afterwards] = []

    async def transact(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        is_dry_run: bool = False,
        turns: Collection[str] = (),
    ) -> T:
        """Run ``work`` as a part of this transaction, which is a dry run or not as a whole."""
        return await work(self)

    async def run_after_storing(self, work: Afterwards) -> None:
        """Run ``work`` with the store once the transaction is committed; never if it is undone."""
        self.afterwards.append(work)

    def busy_line(self, name: str) -> Line | None:
        """Return None: nobody waits for a turn inside a transaction."""
        return None

    def take_turns(self, names: Collection[str]) -> AbstractAsyncContextManager[Sequence[Line]]:
        """Do nothing: the code that began the transaction has the turns."""
        return nullcontext(())


Afterwards: TypeAlias = Callable[[Store], Awaitable[None]]

AnyStore: TypeAlias = Store | Transaction
"""What reads and writes: a transaction, or the store outside of one."""
