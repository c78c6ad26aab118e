"""When the lane is taken, and when not: told in the log, and refused nobody."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pymongo
import pytest
from pymongo import AsyncMongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.pool import AsyncConnection
from pymongo.errors import PyMongoError, ServerSelectionTimeoutError, WaitQueueTimeoutError
from structlog.testing import capture_logs

from runtime import logs
from runtime.model.record_type import RecordType
from runtime.principal import DomainScope
from runtime.settings import Settings
from runtime.storage.access import Access, Action
from runtime.storage.lane import LaneCollection, LaneSession, find_obstacle
from runtime.storage.lane.driver import _NAMES
from runtime.storage.store.connection import Connection

from .conftest import Document, Open, Ways

pytestmark = pytest.mark.anyio

URI = "mongodb://127.0.0.1:1/"


def connection(uri: str = URI, *, lane: bool = True) -> Connection:
    return Connection(uri, timeout_ms=1000, pool_size=4, most_requests=4, lane=lane)


def find_named(options: str = "") -> str | None:
    return find_obstacle(AsyncMongoClient(f"{URI}{options}", timeoutMS=1000))


def test_the_installed_driver_has_all_that_is_needed() -> None:
    assert find_named() is None


@pytest.mark.parametrize("place", _NAMES)
def test_each_name_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setitem(_NAMES, place, f"{_NAMES[place]} _newName")
    assert find_named() == f"PyMongo has no {place.removesuffix(':')}._newName"


def test_a_module_or_class_that_is_gone_misses_all_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_NAMES, "no_module:", "one two")
    monkeypatch.setitem(_NAMES, "message:_NoClass", "three")
    found = find_named()
    assert found == "PyMongo has no no_module.one, no_module.two, message:_NoClass.three"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("?readPreference=secondaryPreferred", "readPreference"),
        ("?loadBalanced=true", "loadBalanced"),
        ("?authMechanism=MONGODB-OIDC&authMechanismProperties=ENVIRONMENT:k8s", "authMechanism=MONGODB-OIDC"),
    ],
)
def test_what_only_the_driver_does_is_left_to_it(options: str, named: str) -> None:
    assert find_named(options) == f"MONGODB_URI has {named}"


async def test_another_version_switches_it_off_and_is_logged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pymongo, "version", "4.99.0")
    logs.configure(
        Settings.read({})
    )  # a service that ran before in this process may have logged errors alone
    with capture_logs() as lines:
        opened = connection()
        for _time in range(2):
            assert not isinstance(opened.start_session(), LaneSession)
    reason = "PyMongo 4.99.0 is not one it was tested with (4.20.0, 4.20.1)"
    assert [(line["event"], line["reason"]) for line in lines] == [("store.lane_off", reason)]
    assert opened.lane_obstacle == reason
    assert isinstance(opened.start_session(), AsyncClientSession)


@pytest.mark.parametrize("lane", [True, False])
async def test_the_setting_decides(lane: bool) -> None:
    opened = connection(lane=lane)
    kind: Any = RecordType
    access = Access(kind, Action.VIEW, "realm", DomainScope("acme"))
    kind.collection = "items"
    try:
        assert isinstance(opened.collection(access), LaneCollection) is lane
        assert isinstance(opened.start_session(), LaneSession) is lane
        assert opened.lane_obstacle is None
    finally:
        del kind.collection


ALL = {
    "find": lambda ways: ways.fast.find({}).to_list(),
    "several answers": lambda ways: ways.fast.find({}, batch_size=2).to_list(),
    "find one": lambda ways: ways.fast.find_one({}),
    "insert": lambda ways: ways.fast.insert_one({}),
    "insert many": lambda ways: ways.fast.insert_many([{}, {}]),
    "update": lambda ways: ways.fast.update_one({}, {"$set": {"n": 1}}),
    "update many": lambda ways: ways.fast.update_many({}, {"$set": {"n": 1}}),
    "delete": lambda ways: ways.fast.delete_one({}),
    "delete many": lambda ways: ways.fast.delete_many({}),
    "find and modify": lambda ways: ways.fast.find_one_and_update({}, {"$set": {"n": 1}}),
}


async def _aggregate(ways: Ways) -> list[Document]:
    cursor = await ways.fast.aggregate([{"$match": {}}])
    return await cursor.to_list()


async def _transact(ways: Ways) -> None:
    async with ways.session() as session:
        await session.with_transaction(lambda own: ways.fast.insert_one({}, session=own))
        await session.start_transaction()
        await ways.fast.insert_one({}, session=session)
        await session.abort_transaction()


@pytest.mark.parametrize("act", [*ALL.values(), _aggregate, _transact], ids=[*ALL, "aggregate", "transact"])
async def test_no_command_takes_the_drivers_way_while_all_is_well(
    opened: Open, act: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as ways:
        await ways.fill(7)
        await ways.fast.find_one({})
        with monkeypatch.context() as patch:
            patch.setattr(AsyncConnection, "command", None)
            patch.setattr(AsyncConnection, "send_message", None)
            await act(ways)


async def test_what_was_sent_before_the_pool_was_cleared_is_answered_and_its_connection_closed(
    opened: Open,
) -> None:
    async with opened(maxPoolSize=1) as ways:
        ids = await ways.fill(2)
        asking = asyncio.create_task(ways.fast.find_one({"_id": ids[1]}))
        await asyncio.sleep(0)
        assert (ways.pool.active_sockets, len(ways.pool.conns)) == (1, 0)
        await ways.pool.reset_without_pause()
        assert await asking == {"_id": ids[1], "n": 1}
        assert not ways.pool.conns
        await ways.rest()


async def test_reads_of_many_batches_that_wait_for_a_connection_are_read_to_the_end(opened: Open) -> None:
    async with opened(maxPoolSize=2) as ways:
        await ways.fill(40)
        reads = [ways.fast.find({}, batch_size=7).to_list() for _read in range(6)]
        for rows in await asyncio.gather(*reads):
            assert sorted(row["n"] for row in rows) == list(range(40))
        await ways.rest()


@pytest.mark.parametrize("error", [WaitQueueTimeoutError, ServerSelectionTimeoutError])
async def test_a_cursor_that_waits_in_vain_for_a_connection_or_its_server_is_closed(
    opened: Open, monkeypatch: pytest.MonkeyPatch, error: type[PyMongoError]
) -> None:
    async with opened(maxPoolSize=1) as ways:
        await ways.fill(9)
        run = ways.lane.run_until

        async def run_without_connection(deadline: float, command: Any) -> Any:
            if command.address is None:
                return await run(deadline, command)
            if error is ServerSelectionTimeoutError:  # as of a server that the driver has given up
                return await run(time.monotonic() + 0.2, command._replace(address=("127.0.0.1", 1)))
            async with ways.pool.checkout():
                return await run(time.monotonic() + 0.2, command)

        monkeypatch.setattr(ways.lane, "run_until", run_without_connection)
        with pytest.raises(error):
            await ways.fast.find({}, batch_size=2).to_list()
        assert len(ways.client._kill_cursors_queue) == 1
        await ways.rest()
