"""A store that stops, freezes or is not there: 503 within the deadline, and back by itself.

On a mongod of its own, since the one of the run serves other tests.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.errors import StoreUnavailable
from runtime.filter import EVERYTHING, by_ids
from runtime.model.catalog import Catalog
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import Changes, Replacement, Store
from tests.patience import wait_until
from tests.stoppable import StoppableServer, stoppable_server

from .conftest import WIDGET, stored_widget

# The driver leaves the sockets of broken connections to the garbage collector, which complains.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

DEADLINE = 0.6
"""Seconds a command may take; the tests allow for a busy machine on top."""
PATIENCE = DEADLINE + 2

ACCESS = Access(WIDGET, Action.UPDATE, "faults", DomainScope("acme"), hidden=WIDGET.hidden)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableServer]:
    with stoppable_server(tmp_path_factory.mktemp("faults")) as running:
        yield running


@pytest.fixture(params=[True, False], ids=["lane", "driver"])
async def store(server: StoppableServer, request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    opened = Store(server.address.uri, timeout_ms=int(DEADLINE * 1000), lane=request.param)
    yield opened
    await opened.close()


COMMANDS: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "ping": lambda store: store.ping(),
    "find": lambda store: store.find(ACCESS, EVERYTHING),
    "find_one": lambda store: store.find_one(ACCESS, EVERYTHING),
    "count": lambda store: store.count(ACCESS, EVERYTHING),
    "insert": lambda store: store.insert(ACCESS, stored_widget()),
    "insert_many": lambda store: store.insert_many(ACCESS, [stored_widget(), stored_widget()]),
    "replace": lambda store: store.replace(ACCESS, EVERYTHING, stored_widget()),
    "update_one": lambda store: store.update_one(ACCESS, EVERYTHING, Changes(set={"title": "x"})),
    "update_many": lambda store: store.update_many(ACCESS, EVERYTHING, Changes(set={"title": "x"})),
    "delete_one": lambda store: store.delete_one(ACCESS, EVERYTHING),
    "transact": lambda store: store.transact(COMMANDS["update_one"]),
}


async def _refused_in_time(command: Callable[[Store], Awaitable[Any]], store: Store) -> StoreUnavailable:
    began = time.monotonic()
    with pytest.raises(StoreUnavailable) as caught:
        await command(store)
    assert time.monotonic() - began < PATIENCE
    return caught.value


async def _works_again(store: Store) -> bool:
    """Within ten seconds, without anybody doing anything."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            await store.insert(ACCESS, stored_widget())
        except StoreUnavailable:
            await asyncio.sleep(0.05)
        else:
            return True
    return False


async def test_a_stopped_server_is_503_in_time_for_every_command_and_comes_back(
    server: StoppableServer, store: Store
) -> None:
    await store.ping()
    server.stop()
    try:
        refusals = await asyncio.gather(*(_refused_in_time(command, store) for command in COMMANDS.values()))
        with pytest.raises(StoreUnavailable):
            await apply_indexes(store, "faults", Catalog((WIDGET,)))
    finally:
        server.start()

    assert {refusal.headers["Retry-After"] for refusal in refusals} == {"1"}
    assert all(refusal.cause is not None for refusal in refusals)
    assert await _works_again(store)


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be frozen there")
async def test_a_frozen_server_is_503_in_time_and_comes_back(server: StoppableServer, store: Store) -> None:
    await store.ping()  # so that the connection is open: no answer comes on it
    server.freeze()
    try:
        await asyncio.gather(*(_refused_in_time(command, store) for command in COMMANDS.values()))
    finally:
        server.thaw()

    assert await _works_again(store)


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be frozen there")
async def test_no_transaction_stays_open_that_a_frozen_server_reads_when_it_thaws(
    server: StoppableServer,
) -> None:
    store, widget = Store(server.address.uri, timeout_ms=int(DEADLINE * 1000)), stored_widget()
    await store.insert(ACCESS, widget)
    await asyncio.gather(*[store.ping() for _connection in range(2)])
    server.freeze()
    try:
        await _refused_in_time(COMMANDS["transact"], store)
    finally:
        server.thaw()

    assert await _works_again(store)
    await store.close()
    with MongoClient[Any](server.address.uri) as client:
        wait_until(lambda: not client.admin.command("serverStatus")["transactions"]["currentOpen"], 3)


async def test_a_server_that_never_was_is_503_in_time() -> None:
    store = Store("mongodb://127.0.0.1:9/?directConnection=true", timeout_ms=int(DEADLINE * 1000))
    try:
        refusal = await _refused_in_time(COMMANDS["find_one"], store)
    finally:
        await store.close()

    assert "127.0.0.1" not in refusal.message


async def test_what_was_acknowledged_is_there_after_kill_9(server: StoppableServer, store: Store) -> None:
    widget = stored_widget()
    await store.insert(ACCESS, widget)
    await asyncio.to_thread(server.kill)
    server.start()

    assert await _works_again(store)
    assert widget["_id"] in {row["_id"] for row in await store.find(ACCESS, EVERYTHING)}


async def test_many_that_are_replaced_at_once_survive_kill_9(server: StoppableServer) -> None:
    """The driver does not send such an update again; the store does, record by record."""
    store = Store(server.address.uri, timeout_ms=20_000)
    widgets = [stored_widget() for _at in range(200)]
    await store.insert_many(ACCESS, widgets)
    is_going, is_back, version = asyncio.Event(), asyncio.Event(), 1

    async def replace_all() -> None:
        nonlocal version
        while not is_back.is_set():
            after = [{**widget, "version": version + 1} for widget in widgets]
            await store.replace_many(ACCESS, [Replacement(one, version) for one in after])
            version += 1
            if version == 4:
                is_going.set()

    work = asyncio.create_task(replace_all())
    await asyncio.wait_for(is_going.wait(), 60)
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    is_back.set()
    await work
    found = await store.find(ACCESS, by_ids([str(widget["_id"]) for widget in widgets]))
    assert [row["version"] for row in found] == [version] * len(widgets)
    await store.close()
