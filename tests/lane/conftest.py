"""Both ways to the same collection: through the lane, and through the driver alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from bson import ObjectId
from pymongo import AsyncMongoClient, MongoClient, network_layer
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.client_session_shared import TransactionOptions
from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern

from runtime.storage.lane import Lane, LaneCollection, LaneSession

from .secured import secured_server

Document = dict[str, Any]
Open = Callable[..., Any]

TRANSACTIONS = TransactionOptions(ReadConcern("snapshot"), WriteConcern("majority"))


class Ways:
    """One client, and what its commands go through."""

    def __init__(self, uri: str, database: str, **options: Any) -> None:
        given: dict[str, Any] = {"timeoutMS": 5000, "w": "majority", "maxPoolSize": 4} | options
        self.client: AsyncMongoClient[Document] = AsyncMongoClient(uri, **given)
        self.lane = Lane(self.client)
        self.driver = self.client[database]["items"]
        self.fast = LaneCollection(self.lane, self.driver)

    @property
    def pool(self) -> Any:
        """The pool of the primary."""
        (server,) = self.client._topology._servers.values()
        return server.pool

    def session(self, *, lane: bool = True) -> AsyncClientSession:
        """Start a session as the store does."""
        if lane:
            return LaneSession(self.lane, self.client, TRANSACTIONS)
        return self.client.start_session(default_transaction_options=TRANSACTIONS)

    async def fill(self, number: int = 10) -> list[ObjectId]:
        """Store documents that can be told apart; a connection is idle afterwards."""
        documents: list[Document] = [{"_id": ObjectId(), "n": at} for at in range(number)]
        await self.driver.insert_many(documents)
        return [document["_id"] for document in documents]

    async def change_two(self, ids: list[Any]) -> None:
        """Change the first two documents in a transaction, which runs again where it may."""

        async def work(session: Any) -> None:
            for one in ids[:2]:
                await self.fast.update_one({"_id": one}, {"$inc": {"both": 1}}, session=session)

        async with self.session() as session:
            await session.with_transaction(work)

    async def rest(self) -> None:
        """Wait until no connection is out; the driver's own cleaning up takes one now and then."""
        assert not self.lane._attempts._exchange._waiting
        deadline = time.monotonic() + 5
        while self._is_busy():
            assert time.monotonic() < deadline, "a connection was never returned"
            await asyncio.sleep(0.01)

    def _is_busy(self) -> bool:
        pool = self.pool
        return bool(pool.requests or pool.active_sockets or pool.operation_count or pool.active_contexts)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let drivers look for a server soon after a connection broke: they begin up to half a second later."""
    monkeypatch.setattr(network_layer, "_POLL_TIMEOUT", 0.02)


@pytest.fixture
def opened(mongo_uri: str, realm: str) -> Open:
    """``async with opened(maxPoolSize=1) as ways``."""

    @asynccontextmanager
    async def ways(uri: str = mongo_uri, **options: Any) -> AsyncIterator[Ways]:
        found = Ways(uri, realm, **options)
        try:
            yield found
        finally:
            await found.client.close()
            await asyncio.sleep(0)

    return ways


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that answers nobody without TLS and a password."""
    with secured_server(tmp_path_factory.mktemp("secured")) as uri:
        yield uri


@pytest.fixture
def failing(secured: str) -> Iterator[MongoClient[Document]]:
    """A client that makes commands of others fail."""
    with MongoClient[Document](secured) as client:
        yield client
        client.admin.command("configureFailPoint", "failCommand", mode="off")
