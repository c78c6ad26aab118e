"""The lane with a server that wants TLS and SCRAM, and one that steps down."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.asynchronous.pool import AsyncConnection
from pymongo.errors import OperationFailure, PyMongoError

from runtime.errors import Misconfigured, StoreUnavailable
from runtime.filter import EVERYTHING
from runtime.storage.as_service import as_service
from runtime.storage.embedded import read_server_facts
from runtime.storage.embedded.server import _NEEDED
from runtime.storage.store import Store, explain_faults
from runtime.system.record_types import CREDENTIAL
from tests.log_lines import capture_logs
from tests.stoppable import stoppable_server

from .conftest import Document, Open
from .secured import PASSWORD, USER

pytestmark = pytest.mark.anyio


async def test_tls_and_scram(secured: str, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(secured) as ways:
        ids = await ways.fill(300)
        with monkeypatch.context() as patch:
            patch.setattr(AsyncConnection, "command", None)
            assert await ways.fast.find_one({"_id": ids[3]}) == {"_id": ids[3], "n": 3}
            large = {"_id": 1, "text": "x" * 3_000_000}
            await ways.fast.insert_one(large)
            assert await ways.fast.find_one({"_id": 1}) == large
            assert len(await ways.fast.find({}, batch_size=50).to_list()) == 301
        found = await asyncio.gather(*(ways.fast.find_one({"_id": one}) for one in ids))
        assert [one["n"] for one in found] == list(range(300))
        await ways.rest()


async def test_who_may_not_is_refused_as_by_the_driver(secured: str, opened: Open) -> None:
    async with opened(secured) as ways:
        await ways.client.admin.command("createUser", "reader", pwd=PASSWORD, roles=[])
    async with opened(secured.replace(f"{USER}:", "reader:")) as ways:
        with pytest.raises(OperationFailure) as one:
            await ways.driver.find_one({})
        for _time in range(2):
            with pytest.raises(OperationFailure) as other:
                await ways.fast.find_one({})
            assert (other.value.code, str(other.value.details)[:60]) == (13, str(one.value.details)[:60])


async def test_only_who_may_sees_how_much_a_store_serves(secured: str) -> None:
    """A user with rights on data alone can migrate all the same."""
    with MongoClient[Document](secured) as client:
        client.admin.command("createUser", "writer", pwd=PASSWORD, roles=["readWriteAnyDatabase"])
    for user in (USER, "writer"):
        store = Store(secured.replace(f"{USER}:", f"{user}:"))
        try:
            first, second = await store.count_served(), await store.count_served()
            assert (first is None) == (second is None) == (user == "writer")
            assert (second or 0) >= (first or 0)
        finally:
            await store.close()


@pytest.mark.parametrize(
    ("roles", "missing"),
    [
        (["readWriteAnyDatabase", "dbAdminAnyDatabase"], ()),
        (["root"], ()),
        (["readWriteAnyDatabase"], ("collMod",)),
        ([{"role": "dbOwner", "db": "main"}], tuple(sorted(_NEEDED))),
    ],
    ids=["as advised", "root", "no administration", "one realm alone"],
)
def test_the_privileges_that_a_user_lacks_are_found(
    secured: str, roles: list[Any], missing: tuple[str, ...]
) -> None:
    user = f"user{len(missing)}{len(roles)}"
    with MongoClient[Document](secured) as client:
        client.admin.command("createUser", user, pwd=PASSWORD, roles=roles)
    assert read_server_facts(secured.replace(f"{USER}:", f"{user}:"), 5000).missing == missing


async def test_a_refused_change_stream_is_logged_without_its_command(secured: str) -> None:
    with MongoClient[Document](secured) as client:
        client.admin.command(
            "createUser", "narrow", pwd=PASSWORD, roles=[{"role": "readWrite", "db": "main"}]
        )
    store = Store(secured.replace(f"{USER}:", "narrow:"))
    with capture_logs() as lines, suppress(TimeoutError):
        async with asyncio.timeout(2), aclosing(store.follow([]).read_signals()) as signals:
            await anext(signals)
    await store.close()
    assert [line["error"] for line in lines if line["event"] == "changes.lost"] == [
        "not authorized on admin to execute command { aggregate: 1 … }"
    ]


async def test_a_store_that_lets_the_service_in_no_more_is_away_until_it_does(secured: str) -> None:
    """Who operates it takes a right back, or changes the password, while the service runs."""
    roles = ["readWriteAnyDatabase"]
    access = as_service(CREDENTIAL, "main")
    with MongoClient[Document](secured) as client:
        client.admin.command("createUser", "guest", pwd=PASSWORD, roles=roles)
        store = Store(secured.replace(f"{USER}:", "guest:"))
        client.admin.command("updateUser", "guest", roles=[])
        with pytest.raises(StoreUnavailable, match="does not let this service in"):
            await store.count(access, EVERYTHING)
        with pytest.raises(Misconfigured, match="not authorized on main to execute"), explain_faults():
            await store.count(access, EVERYTHING)
        client.admin.command("updateUser", "guest", roles=roles)
        assert await store.count(access, EVERYTHING) == 0
        await store.close()
        client.admin.command("updateUser", "guest", pwd="another pass")
        store = Store(secured.replace(f"{USER}:", "guest:"))
        with pytest.raises(StoreUnavailable, match="does not let this service in"):
            await store.count(access, EVERYTHING)
        client.admin.command("updateUser", "guest", pwd=PASSWORD)
        assert await store.count(access, EVERYTHING) == 0
        await store.close()


async def test_what_is_acknowledged_while_the_primary_steps_down_is_stored_once(
    tmp_path: Path, opened: Open
) -> None:
    with stoppable_server(tmp_path) as server, MongoClient[Document](server.address.uri) as client:
        async with opened(server.address.uri, timeoutMS=20_000) as ways:
            await ways.fill(1)
            acknowledged: list[int] = []
            watchers: list[tuple[int, asyncio.Event]] = []
            is_over = False

            async def write(writer: int) -> None:
                number = writer
                while not is_over:
                    await ways.fast.insert_one({"_id": number})
                    acknowledged.append(number)
                    for most, more in watchers:
                        if len(acknowledged) >= most:
                            more.set()
                    await ways.fast.update_one({"_id": number}, {"$inc": {"times": 1}})
                    number += 10

            async def enough(number: int) -> None:
                more = asyncio.Event()
                watchers.append((number, more))
                await more.wait()

            writers = [asyncio.create_task(write(one)) for one in range(1, 5)]
            for _time in range(2):
                await asyncio.sleep(0.3)
                order = {"replSetStepDown": 1, "secondaryCatchUpPeriodSecs": 0, "force": True}
                await asyncio.to_thread(_told, client, order)
                await asyncio.wait_for(enough(len(acknowledged) + 50), 15)
            is_over = True
            await asyncio.gather(*writers)
            await ways.rest()
            stored = {one["_id"]: one.get("times") for one in ways_database(client, ways).find({"n": None})}
            assert {number: stored.get(number) for number in acknowledged} == dict.fromkeys(acknowledged, 1)
            assert len(acknowledged) == len(stored)


def ways_database(client: MongoClient[Document], ways: Any) -> Any:
    return client[ways.driver.database.name]["items"]


def _told(client: MongoClient[Document], order: Document) -> None:
    with suppress(PyMongoError):
        client.admin.command(order)
