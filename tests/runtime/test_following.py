"""The change stream as signals: names and ids only, nothing missed, and back by itself after any fault.

On a mongod of its own, since these tests stop it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from bson import ObjectId
from pymongo import AsyncMongoClient
from pymongo.asynchronous.database import AsyncDatabase

from runtime.storage.store import ANYTHING, Changed, Following, Store, following
from tests.log_lines import capture_logs
from tests.stoppable import StoppableServer, stoppable_server

from .conftest import WIDGET

# The driver leaves the sockets of broken connections to the garbage collector, which complains.
pytestmark = [
    pytest.mark.usefixtures("usual_logs"),
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

PATIENCE = 30.0
"""Seconds a test waits for a signal, on a busy machine."""
NAME = WIDGET.collection

Document = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableServer]:
    with stoppable_server(tmp_path_factory.mktemp("following")) as running:
        yield running


@pytest.fixture
async def client(server: StoppableServer) -> AsyncIterator[AsyncMongoClient[Document]]:
    async with AsyncMongoClient[Document](server.address.uri) as opened:
        yield opened


@pytest.fixture
def database(client: AsyncMongoClient[Document]) -> AsyncDatabase[Document]:
    return client[f"test-{uuid4().hex[:12]}"]


class Heard:
    """What a reader in a task of its own was told, in order."""

    def __init__(self, stream: Following) -> None:
        self.stream = stream
        self._queue: asyncio.Queue[Changed] = asyncio.Queue()
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async with aclosing(self.stream.read_signals()) as signals:
            async for signal in signals:
                self._queue.put_nowait(signal)

    async def next(self) -> Changed:
        async with asyncio.timeout(PATIENCE):
            return await self._queue.get()

    async def until(self, wanted: Changed) -> list[Changed]:
        """Everything before it."""
        before = []
        while (signal := await self.next()) != wanted:
            before.append(signal)
        return before

    def is_silent(self) -> bool:
        return self._queue.empty()


@asynccontextmanager
async def heard(server: StoppableServer, *, is_revocable: bool = False) -> AsyncIterator[Heard]:
    """A reader whose stream has begun."""
    store = Store(server.address.uri, timeout_ms=1000)
    reader = Heard(store.follow([WIDGET], revocable=[WIDGET] if is_revocable else []))
    try:
        assert await reader.next() == ANYTHING
        yield reader
    finally:
        reader.task.cancel()
        await asyncio.wait({reader.task})
        assert reader.task.cancelled()
        await store.close()


async def test_of_revocable_records_only_the_end_is_reported(
    server: StoppableServer, database: AsyncDatabase[Document]
) -> None:
    things, revoked, replaced, deleted = database[NAME], ObjectId(), ObjectId(), ObjectId()
    async with heard(server, is_revocable=True) as reader:
        for key in (revoked, replaced, deleted):
            await things.insert_one({"_id": key, "revoked": False})
            for use in range(3):
                await things.update_one({"_id": key}, {"$set": {"current": str(use)}, "$inc": {"version": 1}})
        await things.update_one({"_id": revoked}, {"$set": {"revoked": True, "version": 9}})
        await things.replace_one({"_id": replaced}, {"current": "x"})
        await things.delete_one({"_id": deleted})
        assert [await reader.next() for _ in range(3)] == [
            Changed(database.name, NAME, str(key)) for key in (revoked, replaced, deleted)
        ]
        await things.drop()
        assert await reader.next() == Changed(database.name, NAME)


async def test_every_kind_of_write_is_told(
    server: StoppableServer, database: AsyncDatabase[Document]
) -> None:
    things, key = database[NAME], ObjectId()
    async with heard(server) as reader:
        await things.insert_one({"_id": key, "secret": "x"})
        await things.update_one({"_id": key}, {"$set": {"secret": "y"}})
        await things.replace_one({"_id": key}, {"secret": "z"})
        await things.delete_one({"_id": key})
        told = [await reader.next() for _ in range(4)]
    assert told == [Changed(database.name, NAME, str(key))] * 4


async def test_many_at_once_are_told_one_by_one(
    server: StoppableServer, database: AsyncDatabase[Document]
) -> None:
    documents = [{"_id": ObjectId()} for _ in range(500)]
    async with heard(server) as reader:
        await database[NAME].insert_many(documents)
        told = [(await reader.next()).record_id for _ in documents]
    assert told == [str(document["_id"]) for document in documents]


async def test_other_collections_are_not_told_of(
    server: StoppableServer, database: AsyncDatabase[Document]
) -> None:
    async with heard(server) as reader:
        await database["others"].insert_one({})
        await database["others"].drop()
        made = await database[NAME].insert_one({})
        assert await reader.next() == Changed(database.name, NAME, str(made.inserted_id))


async def test_what_operators_do_is_told_too(
    server: StoppableServer, client: AsyncMongoClient[Document], database: AsyncDatabase[Document]
) -> None:
    whole = Changed(database.name, NAME)
    async with heard(server) as reader:
        await database["others"].insert_one({})
        await database["others"].rename(NAME)
        await reader.until(whole)
        await database[NAME].drop()
        await reader.until(whole)
        await client.drop_database(database.name)
        await reader.until(whole)


async def test_only_names_and_ids_travel(server: StoppableServer, client: AsyncMongoClient[Document]) -> None:
    database = client[f"test-{uuid4().hex[:12]}"]
    async with await client.watch(following._stages([NAME])) as stream:
        await database[NAME].insert_one({"_id": 1, "secret": "x"})
        await database[NAME].update_one({"_id": 1}, {"$set": {"secret": "y"}})
        changes = [await stream.next() for _ in range(2)]
    assert "secret" not in str(changes)
    assert [change["documentKey"] for change in changes] == [{"_id": 1}] * 2


async def test_a_killed_stream_goes_on_where_it_was(
    server: StoppableServer, client: AsyncMongoClient[Document], database: AsyncDatabase[Document]
) -> None:
    async with heard(server) as reader:
        await client.admin.command("killAllSessions", [])
        made = await database[NAME].insert_one({})
        assert await reader.until(Changed(database.name, NAME, str(made.inserted_id))) == []


async def test_a_stopped_server_costs_no_signal(
    server: StoppableServer, client: AsyncMongoClient[Document], database: AsyncDatabase[Document]
) -> None:
    """Written while nobody was following: told when the stream is back."""
    async with heard(server) as reader:
        server.kill()
        server.start()
        made = await database[NAME].insert_one({})
        assert await reader.until(Changed(database.name, NAME, str(made.inserted_id))) == []
        assert reader.stream.is_alive


async def test_where_it_cannot_be_resumed_anything_may_have_changed(
    server: StoppableServer, client: AsyncMongoClient[Document], database: AsyncDatabase[Document]
) -> None:
    store = Store(server.address.uri)
    stream = store.follow([WIDGET])
    stream._place = {"_data": "82" + "00" * 30}  # a place that no oplog holds
    reader = Heard(stream)
    assert await reader.next() == ANYTHING
    made = await database[NAME].insert_one({})
    assert await reader.until(Changed(database.name, NAME, str(made.inserted_id))) == []
    reader.task.cancel()
    await asyncio.wait({reader.task})
    await store.close()


async def test_a_reader_ends_at_any_moment(
    server: StoppableServer, database: AsyncDatabase[Document]
) -> None:
    """The driver takes some cancellations for a fault of the connection, and would go on."""
    for steps in range(12):
        async with heard(server) as reader:
            made = await database[NAME].insert_one({})
            await reader.until(Changed(database.name, NAME, str(made.inserted_id)))
            for _ in range(steps):
                await asyncio.sleep(0)


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be frozen there")
async def test_a_frozen_server_is_noticed(
    server: StoppableServer, database: AsyncDatabase[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_FRESH_SECONDS", 1.5)
    async with heard(server) as reader:
        server.freeze()
        try:
            await wait_until(lambda: not reader.stream.is_alive)
        finally:
            server.thaw()
        await wait_until(lambda: reader.stream.is_alive)
        made = await database[NAME].insert_one({})
        assert await reader.until(Changed(database.name, NAME, str(made.inserted_id))) == []


async def test_without_a_server_it_keeps_trying_and_says_so_once(
    server: StoppableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_PATIENCE_SECONDS", 0.2)
    store = Store(server.address.uri, timeout_ms=200)
    server.stop()
    try:
        with capture_logs() as lines:
            reader = Heard(store.follow([WIDGET]))
            await wait_until(lambda: reader.stream._pause >= 0.8)
            assert not reader.stream.is_alive
            assert reader.is_silent()
            assert [line["event"] for line in lines] == ["changes.lost"]
            assert "Topology" not in lines[0]["error"]
            server.start()
            assert await reader.next() == ANYTHING
            await wait_until(lambda: reader.stream.is_alive)
            assert [line["event"] for line in lines] == ["changes.lost", "changes.followed"]
    finally:
        if not server.folder.is_served():
            server.start()
        reader.task.cancel()
        await asyncio.wait({reader.task})
        await store.close()


async def wait_until(condition: Any) -> None:
    for _ in range(int(PATIENCE / 0.02)):
        if condition():
            return
        await asyncio.sleep(0.02)
    pytest.fail("it did not come to that")
