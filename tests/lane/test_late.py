"""Transactions whose first message is given up, and reaches MongoDB after others: none stays open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pymongo import MongoClient, _csot, timeout
from pymongo.errors import ConnectionFailure, ExecutionTimeout

from runtime.errors import StoreUnavailable
from runtime.filter import by_ids
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.store import Changes, Replacement, Store, Transaction
from tests.runtime.conftest import WIDGET, stored_widget

from .conftest import Open, Ways
from .proxy import Proxy, proxied

pytestmark = pytest.mark.anyio

Act = Callable[[Ways, list[Any], Proxy], Awaitable[None]]

SECONDS = 0.6


async def _cancel(ways: Ways, ids: list[Any], proxy: Proxy) -> None:
    task = asyncio.create_task(ways.change_two(ids))
    await proxy.took.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _cancel_twice(ways: Ways, ids: list[Any], proxy: Proxy) -> None:
    """The second time before the first message of those that undo it is answered."""
    asked = asyncio.Event()

    async def leave_unanswered(_answer: bytes, _out: asyncio.StreamWriter) -> None:
        asked.set()

    proxy.do(leave_unanswered, mark=b"abortTransaction")
    task = asyncio.create_task(ways.change_two(ids))
    await proxy.took.wait()
    task.cancel()
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _break(ways: Ways, ids: list[Any], proxy: Proxy) -> None:
    """It runs once."""
    proxy.until_closed, proxy.alone = False, True
    with pytest.raises(ConnectionFailure):
        async with ways.session() as session, await session.start_transaction():
            await ways.fast.update_one({"_id": ids[0]}, {"$inc": {"both": 1}}, session=session)


async def _break_and_run_again(ways: Ways, ids: list[Any], proxy: Proxy) -> None:
    proxy.until_closed, proxy.alone = False, True
    await ways.change_two(ids)


async def _run_out_of_time(ways: Ways, ids: list[Any], _proxy: Proxy) -> None:
    with pytest.raises(ExecutionTimeout), timeout(SECONDS):
        await ways.change_two(ids)


async def _run_out_of_time_in_driver(ways: Ways, ids: list[Any], proxy: Proxy) -> None:
    """No connection is idle."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ways.lane, "_take", lambda *_command: None)
        await _run_out_of_time(ways, ids, proxy)


async def _run_again_out_of_time(ways: Ways, ids: list[Any], proxy: Proxy) -> None:
    """The connection breaks at the first attempt, and the second is given up at the deadline."""
    proxy.until_closed, proxy.alone = False, True

    async def lose_another() -> None:
        await proxy.took.wait()
        proxy.lost, proxy.until_closed = b"both", True

    losing = asyncio.create_task(lose_another())
    await _run_out_of_time(ways, ids, proxy)
    await losing


ACTS: dict[str, Act] = {
    "cancelled": _cancel,
    "cancelled twice": _cancel_twice,
    "broken": _break,
    "broken, and run again": _break_and_run_again,
    "late": _run_out_of_time,
    "late, in the driver": _run_out_of_time_in_driver,
    "broken, and run again, and late": _run_again_out_of_time,
}


@pytest.mark.parametrize("others", range(4))
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
async def test_no_transaction_stays_open_whose_first_message_comes_late(
    mongo_uri: str, opened: Open, mongo_client: MongoClient[Any], realm: str, act: Act, others: int
) -> None:
    """MongoDB reads it after as many others of those that undo it."""
    async with proxied(mongo_uri) as proxy:
        async with opened(proxy.uri, maxPoolSize=2) as ways:
            ids = await ways.fill()
            await asyncio.gather(*[ways.driver.find_one({"_id": one}) for one in ids[:2]])
            proxy.lost, proxy.others, proxy.until_closed = b"both", others, True
            await act(ways, ids, proxy)
            assert proxy.took.is_set()
            await ways.rest()
        await proxy.deliver_rest()
        _write(mongo_client, realm, "items", ids[0])


def _write(client: MongoClient[Any], realm: str, collection: str, record_id: Any) -> None:
    """Another writer would wait until MongoDB ends the transaction."""
    with timeout(3):
        client[realm][collection].update_one({"_id": record_id}, {"$set": {"n": 1}})


class Widgets:
    """Widgets, and a store with two connections that changes them in a transaction."""

    def __init__(self, store: Store, realm: str) -> None:
        self.store = store
        self.access = Access(WIDGET, Action.UPDATE, realm, DomainScope("acme"), hidden=WIDGET.hidden)
        self.rows = [stored_widget() for _number in range(10)]

    async def change(self, inside: Transaction) -> None:
        match = by_ids([str(self.rows[0]["_id"])])
        await inside.update_one(self.access, match, Changes(set={"title": "both"}))

    async def transact(self) -> None:
        with pytest.raises(StoreUnavailable):
            await self.store.transact(self.change)

    async def replace_many(self) -> None:
        """Replace them in one transaction, and then each alone, which nothing is in the way of."""
        after = [Replacement({**one, "version": 2, "title": "both"}, 1) for one in self.rows]
        await self.store.replace_many(self.access, after)


@asynccontextmanager
async def _store_widgets(uri: str, realm: str) -> AsyncIterator[Widgets]:
    store = Store(uri, timeout_ms=5000, pool_size=2)
    widgets = Widgets(store, realm)
    try:
        await store.insert_many(widgets.access, widgets.rows)
        await asyncio.gather(*[store.ping() for _connection in range(2)])
        store._connection.seconds = SECONDS
        yield widgets
    finally:
        await store.close()


STORED = {
    "a transaction, late": (Widgets.transact, True, 0),
    "a transaction, late, after another": (Widgets.transact, True, 1),
    "a transaction, late, after all": (Widgets.transact, True, 9),
    "many at once, broken": (Widgets.replace_many, False, 1),
    "many at once, late": (Widgets.replace_many, True, 0),
}


@pytest.mark.parametrize(("act", "until_closed", "others"), STORED.values(), ids=STORED)
async def test_no_transaction_of_the_store_stays_open(
    mongo_uri: str, mongo_client: MongoClient[Any], realm: str, act: Any, until_closed: bool, others: int
) -> None:
    async with proxied(mongo_uri) as proxy:
        async with _store_widgets(proxy.uri, realm) as widgets:
            proxy.lost, proxy.others, proxy.until_closed, proxy.alone = b"both", others, until_closed, True
            await act(widgets)
            assert proxy.took.is_set()
        await proxy.deliver_rest()
        _write(mongo_client, realm, WIDGET.collection, widgets.rows[0]["_id"])


async def test_no_transaction_stays_open_whose_time_is_over_between_its_commands(
    mongo_uri: str, mongo_client: MongoClient[Any], realm: str
) -> None:
    async with _store_widgets(mongo_uri, realm) as widgets:

        async def work(inside: Transaction) -> None:
            await widgets.change(inside)
            _csot.DEADLINE.set(0)
            await widgets.change(inside)

        with pytest.raises(StoreUnavailable):
            await widgets.store.transact(work)
        _write(mongo_client, realm, WIDGET.collection, widgets.rows[0]["_id"])
