"""Many writers of one record that name no version: each is served, one at a time, whichever route it takes."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import bson
import httpx2
import pytest
from bson import ObjectId
from starlette.testclient import TestClient

from generated.app import create
from runtime.storage.store import AnyStore, Left
from runtime.storage.store.writes import Writes
from tests.http.test_csv_import import send
from tests.http.test_save_races import at_once
from tests.http.world import NOWHERE, Document, World

CUSTOMERS, ORDERS = "/logistics/customers", "/logistics/orders"
PATCH = {"Content-Type": "application/merge-patch+json"}
MANY = 40


Write = Callable[[World, Document, int], httpx2.Response]


def _bulk(world: World, made: Document, n: int, *, atomic: bool) -> httpx2.Response:
    save = {"op": "save", "record": {"id": made["id"], "name": f"writer {n}"}}
    return world.ask(f"POST {CUSTOMERS}/bulk", json={"operations": [save], "atomic": atomic})


def _bulk_set(world: World, made: Document, n: int, *, atomic: bool, **which: Any) -> httpx2.Response:
    body = {"values": {"name": f"writer {n}"}, "atomic": atomic, **which}
    return world.ask(f"PUT {CUSTOMERS}/bulk/set", json=body)


WRITES: dict[str, Write] = {
    "save": lambda world, made, n: world.ask(
        f"POST {CUSTOMERS}", json={"id": made["id"], "name": f"writer {n}"}
    ),
    "save of one key": lambda world, made, n: world.ask(
        f"POST {CUSTOMERS}", json={"id": made["id"], "name": f"writer {n}"},
        headers={"Idempotency-Key": f"{made['id']}-{n}"},
    ),
    "patch": lambda world, made, n: world.ask(
        f"PATCH {CUSTOMERS}/id/{made['id']}", json={"name": f"writer {n}"}, headers=PATCH
    ),
    "set": lambda world, made, n: world.ask(f"PUT {CUSTOMERS}/set?id={made['id']}&pairs=name:writer{n}"),
    "bulk": lambda world, made, n: _bulk(world, made, n, atomic=False),
    "atomic bulk": lambda world, made, n: _bulk(world, made, n, atomic=True),
    "bulk set": lambda world, made, n: _bulk_set(world, made, n, atomic=False, ids=[made["id"]]),
    "atomic bulk set": lambda world, made, n: _bulk_set(
        world, made, n, atomic=True, filter=f"refName:{made['refName']}"
    ),
    "import": lambda world, made, n: send(
        world, f"{CUSTOMERS}/csv", f"{made['refName']},writer {n}", columns="refName,name"
    ),
}  # fmt: skip


def refused(answer: httpx2.Response) -> bool:
    """Whether the write did not happen, wherever the answer says so."""
    body = answer.json()
    return answer.status_code >= 300 or bool(body.get("failed") or body.get("failedCount"))


@pytest.mark.parametrize("route", WRITES)
def test_every_writer_is_served(world: World, route: str) -> None:
    made = world.make("Customer", refName=f"hot-{route.replace(' ', '-')}")
    answers = at_once(lambda n: WRITES[route](world, made, n), 12)
    assert [answer.text for answer in answers if refused(answer)] == []
    assert world.read("Customer", made)["version"] == 1 + 12


def test_all_routes_at_one_record(world: World) -> None:
    """Among them dry runs, which store nothing."""
    made, routes = world.make("Customer", refName="hot-mixed"), list(WRITES.values())

    def ask(n: int) -> httpx2.Response:
        if n % 10 == 9:
            body = {"id": made["id"], "name": "dry"}
            return world.ask(f"POST {CUSTOMERS}?dryRun=true", json=body)
        return routes[n % len(routes)](world, made, n)

    answers = at_once(ask, MANY)
    assert [answer.text for answer in answers if refused(answer)] == []
    now = world.read("Customer", made)
    assert now["version"] == 1 + MANY - MANY // 10
    assert now["name"] != "dry"


def test_an_audited_record_has_one_revision_for_each_write(world: World) -> None:
    made = world.make("Order")
    path = f"{ORDERS}/id/{made['id']}"
    currencies = [f"A{chr(65 + n)}A" for n in range(20)]
    answers = at_once(
        lambda n: world.ask(f"PATCH {path}", json={"currency": currencies[n]}, headers=PATCH), 20
    )
    assert Counter(answer.status_code for answer in answers) == {200: 20}
    told = {answer.json()["version"]: answer.json()["currency"] for answer in answers}
    rows = list(world.documents["revisions"].find({"recordId": made["id"]}).sort("recordVersion"))
    assert [row["recordVersion"] for row in rows] == list(range(1, 22))
    for before, row in pairwise(rows):
        change = next(one for one in row["changes"] if one["path"] == "currency")
        assert change["after"] == told[row["recordVersion"]], "the revision of a version is that of its write"
        assert change["before"] == told.get(before["recordVersion"], "EUR")


def test_two_atomic_requests_that_cross_do_not_wait_for_each_other(world: World) -> None:
    first, second = world.make("Customer"), world.make("Customer")

    def ask(n: int) -> httpx2.Response:
        order = (first, second) if n % 2 else (second, first)
        saves = [{"op": "save", "record": {"id": one["id"], "name": f"writer {n}"}} for one in order]
        return world.ask(f"POST {CUSTOMERS}/bulk", json={"operations": saves, "atomic": True})

    answers = at_once(ask, 16)
    assert [answer.text for answer in answers if refused(answer)] == []
    names = {world.read("Customer", one)["name"] for one in (first, second)}
    assert len(names) == 1, "both are those of one request"


def test_what_is_refused_does_not_wait(world: World) -> None:
    """A caller that cannot see the record, or sends what is wrong, is answered while others write."""
    made, store = world.make("Customer"), world.app.state.service.store
    turn = f"write {world.realm}/acme/Customer/{made['id']}"
    path = f"{CUSTOMERS}/id/{made['id']}"
    assert world.client.portal is not None
    with ThreadPoolExecutor(1) as pool:
        with world.client.portal.wrap_async_context_manager(store.take_turns([turn])):
            waits = pool.submit(world.ask, f"PATCH {path}", json={"name": "waits"}, headers=PATCH)
            while not store._turns._lines[turn].waiting:
                assert not waits.done()
            for status, caller, headers, name in (
                (404, "globex", PATCH, "x"),
                (412, "acme", PATCH | {"If-Match": '"7"'}, "x"),
                (422, "acme", PATCH, 5),
            ):
                answer = world.ask(f"PATCH {path}", caller, json={"name": name}, headers=headers)
                assert answer.status_code == status
            missing = f"DELETE {CUSTOMERS}/id/{NOWHERE}"
            assert world.ask(missing).status_code == 404
            assert not waits.done()
        assert waits.result().status_code == 200
    assert not store.busy_line(turn)


def test_nothing_is_refused_for_what_a_writer_left_to_the_next(world: World) -> None:
    """Another process has stored a version since; its caller names that one."""
    made, store = world.make("Customer"), world.app.state.service.store
    stored = world.documents["customers"].find_one({"_id": ObjectId(made["id"])})
    turn = f"write {world.realm}/acme/Customer/{made['id']}"
    world.documents["customers"].update_one({"_id": ObjectId(made["id"])}, {"$inc": {"version": 1}})
    assert world.client.portal is not None
    with ThreadPoolExecutor(1) as pool:
        with world.client.portal.wrap_async_context_manager(store.take_turns([turn])) as lines:
            lines[0].left = Left(bson.encode(stored or {}), time.monotonic() + 60)
            headers = PATCH | {"If-Match": f'"{made["version"] + 1}"'}
            path = f"{CUSTOMERS}/id/{made['id']}"
            waits = pool.submit(world.ask, f"PATCH {path}", json={"name": "mine"}, headers=headers)
            while not lines[0].waiting:
                assert not waits.done(), waits.result().text
        assert waits.result().status_code == 200, waits.result().text
    assert world.read("Customer", made)["version"] == made["version"] + 2


def test_writers_of_two_processes_meet_at_one_record(world: World) -> None:
    """What the turns of a process cannot order, trying again does: two services, each with its own turns."""
    made = world.make("Customer", refName="hot-shared")
    with TestClient(create(world.app.state.service.settings), raise_server_exceptions=False) as client:
        other = replace(world, client=client)
        answers = at_once(lambda n: WRITES["patch"](other if n % 2 else world, made, n), MANY)
    assert [answer.text for answer in answers if refused(answer)] == []
    assert world.read("Customer", made)["version"] == 1 + MANY


@pytest.mark.parametrize("path", [CUSTOMERS, ORDERS], ids=["plain", "audited"])
def test_another_process_that_writes_without_end_does_not_keep_a_writer_out(
    world: World, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Before each write of this service another one has stored the record, unless it is locked."""
    kind, member = ("Customer", "name") if path == CUSTOMERS else ("Order", "currency")
    made, replace_one = world.make(kind), Writes.replace
    collection = world.documents[path.rpartition("/")[2]]
    others: list[Future[Any]] = []
    waited: list[bool] = []

    def store_as_another() -> None:
        collection.update_one({"_id": ObjectId(made["id"])}, {"$inc": {"version": 1}})

    async def replace_after_another(store: AnyStore, *given: Any, **named: Any) -> bool:
        others.append(pool.submit(store_as_another))
        done, _waits = await asyncio.wait([asyncio.wrap_future(others[-1])], timeout=0.5)
        waited.append(not done)
        return await replace_one(store, *given, **named)

    monkeypatch.setattr(Writes, "replace", replace_after_another)
    with ThreadPoolExecutor(1) as pool:
        answer = world.ask(f"PATCH {path}/id/{made['id']}", json={member: "XXX"}, headers=PATCH)
    assert answer.status_code == 200, answer.text
    assert waited == [False, False, False, True]
    now = world.read(kind, made)
    assert (now[member], now["version"]) == ("XXX", made["version"] + 3 + 1 + 1)
    assert answer.json()["version"] == made["version"] + 3 + 1, "the other one came after"
