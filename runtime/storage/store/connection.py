"""The one client of a process, and what all of its commands share."""

import linecache
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, Final, TypeAlias, TypedDict

import pymongo
from bson.codec_options import CodecOptions
from bson.raw_bson import DEFAULT_RAW_BSON_OPTIONS
from pymongo import AsyncMongoClient, WriteConcern
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.client_session_shared import TransactionOptions
from pymongo.errors import ConfigurationError, OperationFailure
from pymongo.read_concern import ReadConcern
from pymongo.read_preferences import ReadPreference
from pymongo.uri_parser_shared import SRV_SCHEME

from runtime.admission import AdaptiveLimit
from runtime.errors import Misconfigured, StoreUnavailable
from runtime.plain_structlog import log
from runtime.storage.access import Access
from runtime.storage.lane import (
    Ask,
    DriverListener,
    Lane,
    LaneCollection,
    LaneSession,
    Watch,
    WatchedLane,
    count_connections,
    find_obstacle,
)
from runtime.storage.store.batches import Room
from runtime.storage.store.changes import Document
from runtime.storage.store.faults import explain_address
from runtime.storage.store.spellings import Spellings

Check = Callable[[Access[Any]], Awaitable[None]]

AnyCollection: TypeAlias = AsyncCollection[Document] | LaneCollection
"""A collection of the driver, or one whose commands take the lane."""

_TRANSACTIONS: Final = TransactionOptions(
    ReadConcern("snapshot"), WriteConcern("majority"), ReadPreference.PRIMARY
)
"""The primary whatever the address of the store says: no other takes transactions."""

_ENCODED: Final[CodecOptions[Any]] = DEFAULT_RAW_BSON_OPTIONS

_UNUSED: Final = (
    *("asserts", "connections", "electionMetrics", "extra_info", "flowControl", "globalLock", "locks"),
    *("metrics", "mirroredReads", "network", "opcounters", "oplogTruncation", "repl", "security", "tcmalloc"),
    *("transactions", "wiredTiger"),
)
"""Parts of ``serverStatus`` that are not to be collected."""

_HEARTBEAT_MS, _CONNECT_MS = 1000, 2000
"""A primary that keeps its connections and answers nothing is given up after both: then what waits for it is
sent again to the next one, before its deadline."""

_GOODBYE_SECONDS: Final = 0.25
"""For what a client sends at its end where no server is known: the store ends its sessions by itself too."""

_COMMANDS_IN_A_TIMEOUT = 10
"""A command should take no more than such a part of its time limit, else fewer requests are let in."""


class Options(TypedDict, total=False):
    """What ``Connection`` takes in addition to an address."""

    timeout_ms: int
    pool_size: int
    most_requests: int
    lane: bool
    watch: Watch | None
    is_traced: Ask | None


class Connection:
    """One client and what its commands share, whether they belong to a transaction or not.

    ``client``: the driver's. ``seconds``: the time limit of one command. ``limit``: how many requests may use
    the store at once, by how long its commands take. ``room``: the memory that all streams share.
    ``spellings``: the migrations in force. ``open_check`` is awaited before each command that stores or
    removes records, ``write_check`` before each that stores some, ``search_check`` before each that searches;
    what they raise refuses it.
    ``watch`` is passed each command when it has ended; one that ``is_traced`` is sent by itself.
    ``lane_obstacle``: why commands take the driver's way although the lane was asked for.
    """

    open_check: Check | None = None
    write_check: Check | None = None
    search_check: Check | None = None
    lane_obstacle: str | None = None
    _lane: Lane | None = None

    def __init__(
        self,
        uri: str,
        *,
        timeout_ms: int = 5000,
        pool_size: int = 64,
        most_requests: int = 48,
        lane: bool = True,
        watch: Watch | None = None,
        is_traced: Ask | None = None,
    ) -> None:
        listening: dict[str, Any] = {} if watch is None else {"event_listeners": [DriverListener(watch)]}
        with explain_address():
            self.client: AsyncMongoClient[Document] = AsyncMongoClient(
                uri,
                timeoutMS=timeout_ms,
                serverSelectionTimeoutMS=timeout_ms,
                maxPoolSize=pool_size,
                heartbeatFrequencyMS=_HEARTBEAT_MS,
                connectTimeoutMS=_CONNECT_MS,
                w="majority",
                appname="recordsmith",
                **listening,
            )
        linecache.clearcache()  # the driver notes who opened it, and read 2 MB of source text for that
        self.seconds = timeout_ms / 1000
        spare = pool_size // 4  # a quarter of the connections is for what is not counted, as readiness
        self.limit = AdaptiveLimit(
            min(most_requests, pool_size - spare), target_seconds=self.seconds / _COMMANDS_IN_A_TIMEOUT
        )
        self.room = Room()
        self.is_traced = is_traced
        self.spellings = Spellings()
        self._watch, self._asks_for_lane = watch, lane
        self._collections: dict[tuple[str, str, bool], AnyCollection] = {}
        self._knows_servers = not uri.startswith(SRV_SCHEME)
        if self._knows_servers:
            self._open_lane()

    def require_transactions(self) -> None:
        """Raise ``Misconfigured`` for a lone server, found by a command before: nobody can sign in."""
        servers = self.client.topology_description.server_descriptions().values()
        if any(one.server_type_name == "Standalone" for one in servers):
            message = "MONGODB_URI names a lone server, which has no transactions: use a replica set"
            raise Misconfigured(f"{message} or a sharded cluster of MongoDB 7 or 8")

    async def resolve(self) -> None:
        """Look up the servers of a ``mongodb+srv`` address, before the first command.

        Until then the driver has neither servers nor the options that are stored with them, so no lane.
        Raises ``StoreUnavailable``.
        """
        if not self._knows_servers:
            try:
                await self.client.aconnect()
            except ConfigurationError as error:
                message = f"the servers that MONGODB_URI names cannot be looked up: {error}"
                raise StoreUnavailable(message, cause=error) from error
            self._knows_servers = True
            self._open_lane()

    def _open_lane(self) -> None:
        self.lane_obstacle = find_obstacle(self.client) if self._asks_for_lane else None
        if self.lane_obstacle is not None:
            log.warning("store.lane_off", reason=self.lane_obstacle)
        elif self._asks_for_lane:
            watch, client = self._watch, self.client
            self._lane = Lane(client) if watch is None else WatchedLane(client, watch, self.is_traced)

    def count_connections(self) -> tuple[int, int] | None:
        """Return how many connections are in use and idle; None where the driver's pools are not known."""
        return None if self._lane is None else count_connections(self.client)

    def collection(self, access: Access[Any], *, encoded: bool = False) -> AnyCollection:
        """Return the collection of the records that are accessed, which the driver is slow to create.

        ``encoded``: what is read from it stays as the store sent it.
        """
        name = access.database, access.kind.collection, encoded
        found = self._collections.get(name)
        if found is None:
            driver = self.client[name[0]][name[1]]
            if encoded:
                driver = driver.with_options(codec_options=_ENCODED)
            found = driver if self._lane is None else LaneCollection(self._lane, driver)
            self._collections[name] = found
        return found

    def start_session(self) -> AsyncClientSession:
        """Start a session whose transactions each see one snapshot and commit with a majority."""
        if self._lane is not None:
            return LaneSession(self._lane, self.client, _TRANSACTIONS)
        return self.client.start_session(default_transaction_options=_TRANSACTIONS)

    async def count_served(self) -> int | None:
        """Return how many reads and writes the primary has served; None where it does not say."""
        try:
            answer = await self.client.admin.command({"serverStatus": 1, **dict.fromkeys(_UNUSED, 0)})
        except OperationFailure:  # the privilege for it is not among those for data
            return None
        counted = answer.get("opLatencies", {})
        return sum(int(counted[name]["ops"]) for name in ("reads", "writes") if name in counted)

    async def close(self) -> None:
        """Close all connections. A store that is gone is not waited for once more."""
        is_there = self.client.topology_description.has_readable_server()
        with nullcontext() if is_there else pymongo.timeout(_GOODBYE_SECONDS):
            await self.client.close()
