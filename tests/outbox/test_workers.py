"""Several workers, dead workers and slow receivers: once while a lease lasts, in order, and nobody starves."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from threading import Event
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.outbox.queue import Busy, Queue
from runtime.settings import Settings
from runtime.storage.indexes import plan_index_models
from runtime.storage.store import Changes
from runtime.system.record_types import WEBHOOK_DELIVERY
from tests.http.world import Document, World
from tests.outbox.conftest import SETTINGS
from tests.outbox.hooks import CARRIERS, await_value, make_hook, patch
from tests.outbox.receiver import Received, Receiver
from tests.profiling import most_examined, profiled


@pytest.fixture(scope="module")
def second(world: World, mongo_uri: str) -> Iterator[TestClient]:
    """Another worker of the same service, which reads again which webhooks there are: when the change stream
    reports a new one to it is chance."""
    values = {
        "credential_cache_seconds": 0,
        "mongodb_uri": mongo_uri,
        "environment": "development",
        "default_realm": world.realm,
        "log_level": "ERROR",
    }
    app = create(
        Settings.read(
            {}, **values, bcrypt_cost=4, data_folder=world.app.state.service.settings.data_folder, **SETTINGS
        )
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def bulk(world: World, operations: list[Document], worker: TestClient | None = None) -> list[Document]:
    headers = {"Authorization": f"Bearer {world.tokens['acme']}"}
    answer = (worker or world.client).post(
        f"{CARRIERS}/bulk", json={"operations": operations}, headers=headers
    )
    assert answer.json()["failed"] == 0, answer.text
    results: list[Document] = answer.json()["results"]
    return results


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_workers_send_each_once_and_in_order(
    world: World, receiver: Receiver, second: TestClient, seed: int
) -> None:
    """Whatever fails how often: no version before the one before it is accepted, none again after that."""
    random = Random(seed)
    failures: dict[str, int] = defaultdict(lambda: random.choice([0, 0, 0, 1, 2]))

    def answer(one: Received) -> tuple[int, dict[str, str]]:
        if failures[one.id] > 0:
            failures[one.id] -= 1
            return random.choice([500, 429, 302, 400]), {}
        return 204, {}

    asked: list[tuple[str, int]] = []
    accepted: list[Received] = []

    def note(one: Received) -> tuple[int, dict[str, str]]:
        status, headers = answer(one)
        asked.append((one.id, status))
        if status == 204:
            accepted.append(one)
        return status, headers

    receiver.answer = note
    make_hook(world, receiver.address)
    made = [
        one["id"]
        for one in bulk(world, [{"op": "save", "record": world.sample("Carrier")} for _ in range(6)])
    ]
    versions = dict.fromkeys(made, 1)
    for turn in range(6):
        chosen = random.sample(made, random.randint(1, 6))
        operations = [{"op": "save", "record": world.sample("Carrier") | {"id": one}} for one in chosen]
        bulk(world, operations, second if turn % 2 else None)
        for one in chosen:
            versions[one] += 1
    for one in random.sample(made, 2):
        world.ask(f"DELETE {CARRIERS}/id/{one}")
        versions[one] += 1
    number = sum(versions.values())
    await_value(lambda: len(accepted) >= number, seconds=20)
    time.sleep(0.3)
    order: dict[str, list[int]] = defaultdict(list)
    for got in accepted:
        order[got.said["data"]["id"]].append(got.said["data"]["version"])
    assert order == {one: list(range(1, last + 1)) for one, last in versions.items()}
    assert len({got.id for got in accepted}) == len(accepted), "none is accepted twice"
    assert len(asked) == len(accepted) + sum(status != 204 for _id, status in asked)


def lease(world: World, seconds: float) -> None:
    """As if a worker had taken all that waits and died."""
    until = datetime.now(UTC).replace(tzinfo=None) + timedelta(seconds=seconds)
    taken = {"$set": {"holder": "somebody else", "dueAt": until}}
    world.documents["webhookDeliveries"].update_many({"status": "WAITING"}, taken)


def test_a_lease_is_respected_until_it_ends(world: World, receiver: Receiver, second: TestClient) -> None:
    answers: list[int] = [500]
    receiver.answer = lambda _one: (answers.pop() if answers else 204, {"Retry-After": "1"})
    make_hook(world, receiver.address)
    world.make("Carrier")
    receiver.await_all(1)
    await_value(lambda: world.documents["webhookDeliveries"].count_documents({"attempts": 1, "holder": ""}))
    lease(world, 2.5)
    began = time.monotonic()
    came = receiver.await_all(2)
    assert came[1].at - began > 2.3
    assert came[1].id == came[0].id
    time.sleep(0.5)
    assert len(receiver.came) == 2


def test_what_a_worker_that_lost_its_lease_says_does_not_count(world: World, receiver: Receiver) -> None:
    """Another has taken over in the meantime: it alone says what becomes of the delivery."""

    def answer(_one: Received) -> tuple[int, dict[str, str]]:
        lease(world, 3600)
        return 500, {}

    receiver.answer = answer
    make_hook(world, receiver.address)
    world.make("Carrier")
    receiver.await_all(1)
    time.sleep(0.3)
    stored = world.documents["webhookDeliveries"].find_one({})
    assert stored is not None
    assert (stored["holder"], stored["attempts"], stored["status"]) == ("somebody else", 0, "WAITING")


def test_a_worker_sends_what_it_stores_without_looking_for_it(world: World, receiver: Receiver) -> None:
    make_hook(world, receiver.address)
    store, sought = world.app.state.service.store, list[str]()
    find = store.find

    async def note(access: Any, *arguments: Any, **options: Any) -> Any:
        found = await find(access, *arguments, **options)
        if access.kind.name == "WebhookDelivery" and any("document" in row for row in found):
            sought.append(found)
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "find", note)
        receiver.answer = lambda _one: (500, {}) if len(receiver.came) == 1 else (204, {})
        world.make("Carrier")
        first, again = receiver.await_all(2)
    assert sought == []
    assert (first.id, first.body) == (again.id, again.body), "the second time it comes from the store"


def test_what_a_worker_stores_as_its_own_is_sent_by_others_when_it_dies(
    world: World, receiver: Receiver, second: TestClient
) -> None:
    make_hook(world, receiver.address)
    intake = world.app.state.service.outbox.intake
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(intake, "pass_on", lambda *_given: True)  # as if it died behind the commit
        world.make("Carrier")
    stored = world.documents["webhookDeliveries"].find_one({})
    assert stored is not None
    assert stored["holder"] != ""
    assert stored["status"] == "WAITING"
    assert (stored["dueAt"] - stored["occurredAt"]).total_seconds() > SETTINGS["webhook_seconds"]
    assert receiver.came == []
    lease(world, 0)
    assert receiver.await_all(1)[0].id == f"msg_{stored['_id']}"


def test_slow_receivers_do_not_starve_the_others(world: World, receiver: Receiver) -> None:
    def answer(one: Received) -> tuple[int, dict[str, str]]:
        if one.path.startswith("/slow"):
            time.sleep(0.8)
        return 204, {}

    receiver.answer = answer
    for number in range(3):
        make_hook(world, f"{receiver.address}/slow{number}", filter="mode:SEA")
    bulk(world, [{"op": "save", "record": world.sample("Carrier") | {"mode": "SEA"}} for _ in range(30)])
    receiver.await_all(3)
    make_hook(world, f"{receiver.address}/fast", filter="mode:AIR")
    began = time.monotonic()
    bulk(world, [{"op": "save", "record": world.sample("Carrier") | {"mode": "AIR"}} for _ in range(30)])
    receiver.await_all(30, path="/fast")
    assert time.monotonic() - began < 4.0
    assert len([one for one in receiver.came if one.path != "/fast"]) < 90, "the slow ones are not done yet"


def test_a_line_of_many_versions_is_sent_without_gaps(world: World, receiver: Receiver) -> None:
    make_hook(world, receiver.address)
    made = world.make("Carrier")
    for number in range(40):
        bulk(
            world,
            [{"op": "save", "record": world.sample("Carrier") | {"id": made["id"], "name": f"N {number}"}}],
        )
    came = receiver.await_all(41, seconds=20)
    assert [one.said["data"]["version"] for one in came] == list(range(1, 42))


def test_a_delivery_goes_on_when_the_one_before_it_is_done_as_it_is_set_aside(
    world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look here does not find it: what puts it back has to report it."""
    for name in ("_SCAN_SECONDS", "_IDLE_SCAN_SECONDS"):
        monkeypatch.setattr(f"runtime.outbox.sender.{name}", 3600.0)
    store, is_aside, is_settled = world.app.state.service.store, Event(), asyncio.Event()
    update_many, settle = store.update_many, Queue.settle

    async def update_late(access: Any, match: Any, changes: Changes, **options: Any) -> Any:
        if changes.set.get("isBlocked"):
            is_aside.set()
            await is_settled.wait()
        return await update_many(access, match, changes, **options)

    async def settle_and_report(*given: Any) -> bool:
        has_more = await settle(*given)
        is_settled.set()
        return has_more

    def answer(one: Received) -> tuple[int, dict[str, str]]:
        assert one.said["data"]["version"] != 1 or is_aside.wait(10)
        return 204, {}

    receiver.answer = answer
    monkeypatch.setattr(store, "update_many", update_late)
    monkeypatch.setattr(Queue, "settle", settle_and_report)
    make_hook(world, receiver.address)
    world.app.state.service.outbox.wake(world.realm)  # the next look is an hour away from here on
    made = world.make("Carrier")
    receiver.await_all(1)
    patch(world, f"{CARRIERS}/id/{made['id']}", {"name": "Renamed"})
    assert [one.said["data"]["version"] for one in receiver.await_all(2)] == [1, 2]


def test_a_service_without_webhooks_stores_and_asks_nothing_more(world: World, receiver: Receiver) -> None:
    found: Any = world.documents["webhookDeliveries"].count_documents({})
    world.make("Carrier")
    assert world.documents["webhookDeliveries"].count_documents({}) == found == 0


def test_a_look_for_webhooks_ends_at_the_first(world: World, receiver: Receiver) -> None:
    make_hook(world, receiver.address)
    hooks = world.documents["webhooks"]
    (stored,) = hooks.find()
    hooks.insert_many({**stored, "_id": ObjectId(), "refName": str(number)} for number in range(20))
    with profiled(world.documents, "webhooks") as commands:
        assert world.client.portal is not None
        world.client.portal.call(world.app.state.service.outbox.wake, world.realm)
        seen = {"ns": f"{world.realm}.webhooks"}
        await_value(lambda: world.documents["system.profile"].count_documents(seen))
    assert most_examined(commands) == 1


def test_what_waits_for_busy_receivers_is_passed_over_in_an_index(
    world: World, mongo_client: MongoClient[Document], realm: str
) -> None:
    """Thousands may wait for each, and whatever is due behind them is looked for again and again."""
    rows = mongo_client[realm][WEBHOOK_DELIVERY.collection]
    rows.create_indexes(plan_index_models(WEBHOOK_DELIVERY))
    waits = {"status": "WAITING", "line": "a", "sequence": 1, "holder": "", "attempts": 0}
    began = datetime(2020, 1, 1)
    due = ("slow", "acme", range(40)), ("other", "globex", range(40)), ("quick", "acme", range(50, 250))
    rows.insert_many(
        waits | {"webhookId": webhook, "dataDomain": {"tenantId": tenant}, "refName": f"{webhook}-{at}"}
        | {"dueAt": began + timedelta(seconds=at)}
        for webhook, tenant, seconds in due
        for at in seconds
    )  # fmt: skip
    assert world.client.portal is not None
    queue = Queue(world.app.state.service.store, timedelta(seconds=1))
    with profiled(mongo_client[realm], WEBHOOK_DELIVERY.collection) as commands:
        found = world.client.portal.call(queue.find_due, realm, 10, Busy({"slow"}, {"globex"}))
    assert [one["webhookId"] for one in found.rows] == ["quick"] * 10
    assert most_examined(commands) == 10
