"""The changes of records, live and as pages: what the watcher may see of each write, in order, and nothing else."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from base64 import urlsafe_b64decode
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from bson import ObjectId

from generated.record_types import CARRIER
from runtime.errors import InvalidParameter
from runtime.events.changes import _ChangesWatch, _refuse_search, _require_decidable
from runtime.filter import Predicate, admits, compile_filter
from runtime.identity.users.users import NewUser
from runtime.storage.store import Place, Written
from tests.http.test_subscribe import lose_history
from tests.http.watching_events import Stream, watch
from tests.http.world import NOWHERE, PASSWORD, Document, World
from tests.patience import wait_until

SHIPMENTS = "/logistics/shipments"
CHANGES = f"{SHIPMENTS}/changes"
PATCH = {"Content-Type": "application/merge-patch+json"}


def patch(world: World, record_id: str, user: str = "acme", **members: Any) -> Document:
    answer = world.ask(f"PATCH {SHIPMENTS}/id/{record_id}", user, json=members, headers=PATCH)
    assert answer.status_code == 200, answer.text
    changed: Document = answer.json()
    return changed


def remove(world: World, record_id: str) -> None:
    assert world.ask(f"DELETE {SHIPMENTS}/id/{record_id}").status_code == 204


def changes(stream: Stream) -> list[Document]:
    return [json.loads(data) for data in stream.data]


def await_changes(stream: Stream, number: int) -> list[tuple[str, str]]:
    """Return operation and id of each change, once so many have come."""
    wait_until(lambda: len(stream.data) >= number)
    return [(change["op"], change["id"]) for change in changes(stream)]


def page(world: World, since: str, user: str = "acme", **query: Any) -> Document:
    answer = world.ask(f"GET {CHANGES}", user, params={"since": since, **query})
    assert answer.status_code == 200, answer.text
    read: Document = answer.json()
    return read


def pages(world: World, since: str, user: str = "acme", **query: Any) -> Iterator[Document]:
    """Each change behind a place, page by page."""
    while True:
        read = page(world, since, user, **query)
        yield from read["changes"]
        since = read["cursor"]
        if not read["hasMore"]:
            return


def test_each_write_is_told_with_the_record(world: World) -> None:
    with watch(world, CHANGES) as stream:
        assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
        made = world.make("Shipment")
        changed = patch(world, made["id"], weightKg="12.5")
        remove(world, made["id"])
        last = world.make("Shipment")
        assert await_changes(stream, 4) == [
            ("created", made["id"]),
            ("updated", made["id"]),
            ("deleted", made["id"]),
            ("created", last["id"]),
        ]
        first, second, third, _ = changes(stream)
    assert first["version"] == made["version"]
    assert second["version"] == changed["version"]
    assert "record" not in third
    assert third["version"] == changed["version"] + 1, "a copy takes what is newer than what it has"
    for change, record in ((first, made), (second, changed)):
        read = {name: value for name, value in record.items() if name not in ("actionList", "references")}
        assert {
            name: value
            for name, value in change["record"].items()
            if name not in ("actionList", "references")
        } == read


def test_pages_tell_what_the_stream_tells(world: World) -> None:
    since = page(world, "now")["cursor"]
    with watch(world, CHANGES) as stream:
        made = [world.make("Shipment") for _ in range(3)]
        for one in made:
            patch(world, one["id"], weightKg="1.5")
        remove(world, made[1]["id"])
        assert len(await_changes(stream, 7)) == 7
        for limit in (1, 2, 3, 7, 1000):
            assert list(pages(world, since, limit=limit)) == changes(stream)
        read = page(world, since, limit=7)
        rest = page(world, read["cursor"])
        assert (rest["changes"], rest["hasMore"]) == ([], False)
        assert page(world, rest["cursor"])["changes"] == []
        for number, event in enumerate(stream.events, start=1):
            assert event.last_id is not None
            assert list(pages(world, event.last_id)) == changes(stream)[number:]
    with watch(world, CHANGES, after=stream.events[2].last_id) as again:
        assert len(await_changes(again, 4)) == 4
        assert changes(again) == changes(stream)[3:]


def test_a_filter_and_what_leaves_it(world: World) -> None:
    inside, outside = world.make("Shipment", notes="in"), world.make("Shipment", notes="out")
    since = page(world, "now")["cursor"]
    with watch(world, CHANGES, params={"filter": "notes:in"}) as stream:
        patch(world, outside["id"], weightKg="1.5")
        patch(world, inside["id"], weightKg="1.5")
        patch(world, inside["id"], notes="away")
        patch(world, inside["id"], weightKg="2.5")
        remove(world, inside["id"])
        patch(world, outside["id"], notes="in")
        remove(world, outside["id"])
        assert await_changes(stream, 4) == [
            ("updated", inside["id"]), ("gone", inside["id"]), ("updated", outside["id"]), ("deleted", outside["id"]),
        ]  # fmt: skip
        assert changes(stream)[1] == {"op": "gone", "id": inside["id"]}
    assert list(pages(world, since, filter="notes:in")) == changes(stream)


def rewrite(world: World, record_id: str, notes: str) -> None:
    """Store longer notes than a request may have."""
    world.documents["shipments"].update_one({"_id": ObjectId(record_id)}, {"$set": {"notes": notes}})


def test_a_decision_that_takes_long_is_made_aside(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for all that share the filter, and the loop is free until then."""
    made, names = world.make("Shipment", notes="in"), list[str]()
    since, text = page(world, "now")["cursor"], "notes:i* || notes:*?*x*"

    def note(predicate: Predicate, document: Document) -> bool:
        names.append(threading.current_thread().name)
        return admits(predicate, document)

    with (
        watch(world, CHANGES, params={"filter": text}) as stream,
        watch(world, CHANGES, params={"filter": f"{text} "}) as same,
        watch(world, CHANGES, "globex", params={"filter": text}) as theirs,
    ):
        monkeypatch.setattr("runtime.storage.store.written.admits", note)
        rewrite(world, made["id"], "in " + "ab" * 500_000)
        assert await_changes(stream, 1) == await_changes(same, 1)
        rewrite(world, made["id"], "away")
        rewrite(world, made["id"], "an x")
        assert [op for op, _ in await_changes(stream, 3)] == ["updated", "gone", "updated"]
        assert changes(same) == changes(stream)
        assert (len(names), set(names[:4])) == (6, {"long-work_0"})
        assert list(pages(world, since, filter=text)) == changes(stream)
        assert theirs.data == []


def test_a_filter_that_takes_too_long_ends_its_stream_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world.make("Shipment", notes="in")
    monkeypatch.setattr("runtime.events.watch.MOST_SECONDS", 0)
    text = "notes:i* || notes:*?*x*"
    with (
        watch(world, CHANGES, params={"filter": text}) as stream,
        watch(world, CHANGES, params={"filter": "notes:i*"}) as light,
        watch(world, CHANGES) as plain,
        watch(world, CHANGES, "globex", params={"filter": text}) as theirs,
    ):
        rewrite(world, made["id"], "in it")
        assert await_changes(stream, 1) == await_changes(light, 1)
        rewrite(world, made["id"], "in " + "ab" * 300_000)
        assert len(await_changes(light, 2)) == len(await_changes(plain, 2)) == 2
        rewrite(world, made["id"], "away")
        stream.expect_end()
        assert b": the filter takes long for a large record: connect again" in stream.body
        assert [op for op, _ in await_changes(light, 3)] == ["updated", "updated", "gone"]
        assert len(await_changes(plain, 3)) == 3
        assert theirs.is_open
    with watch(world, CHANGES, after=stream.last_id, params={"filter": text}) as again:
        assert [op for op, _ in await_changes(again, 2)] == ["updated", "gone"]
        assert changes(stream) + changes(again) == changes(light)


def test_what_is_outside_of_the_scope_is_not_told(world: World) -> None:
    since = page(world, "now")["cursor"]
    with (
        watch(world, CHANGES, "globex") as theirs,
        watch(world, CHANGES, "acme-north") as north,
        watch(world, CHANGES) as ours,
    ):
        made = world.make("Shipment")
        patch(world, made["id"], weightKg="1.5")
        remove(world, made["id"])
        own = world.make("Shipment", "acme-north")
        foreign = world.make("Shipment", "globex")
        assert await_changes(ours, 4)[-1] == ("created", own["id"])
        assert await_changes(north, 1) == [("created", own["id"])]
        assert await_changes(theirs, 1) == [("created", foreign["id"])]
    for user, stream in (("globex", theirs), ("acme-north", north)):
        assert list(pages(world, since, user)) == changes(stream)
        assert made["id"] not in stream.body.decode()


def test_a_record_that_leaves_the_scope_is_gone(world: World) -> None:
    made = world.make("Shipment", "acme-north")
    with watch(world, CHANGES, "acme-north") as stream, watch(world, CHANGES, "acme-south") as south:
        rows = world.documents["shipments"]
        rows.update_one(
            {"_id": ObjectId(made["id"])}, {"$set": {"dataDomain.orgRefName": "south", "notes": "secret"}}
        )
        assert await_changes(stream, 1) == [("gone", made["id"])]
        assert await_changes(south, 1) == [("updated", made["id"])]
        rows.update_one({"_id": ObjectId(made["id"])}, {"$set": {"notes": "more"}})
        rows.delete_one({"_id": ObjectId(made["id"])})
        own = world.make("Shipment", "acme-north")
        assert await_changes(stream, 2) == [("gone", made["id"]), ("created", own["id"])]
    assert "secret" not in stream.body.decode()


@pytest.fixture
def hide_notes(world: World) -> Iterator[Callable[[], None]]:
    """Store a rule that takes the notes of shipments from a user; it is gone after the test."""
    header = {
        "identity": "user@acme.example", "area": "logistics", "functionalDomain": "shipment", "action": "VIEW",
    }  # fmt: skip
    rule = {
        "name": "no notes", "effect": "ALLOW", "priority": 50, "securityURI": {"header": header},
        "hiddenFields": ["notes"],
    }  # fmt: skip

    def store() -> None:
        assert world.ask("POST /security/permission/rules", json=rule).status_code == 201

    yield store
    world.documents["permissionRules"].delete_many({"name": "no notes"})


def test_fields_that_rules_withhold_are_not_told(world: World, hide_notes: Callable[[], None]) -> None:
    made = world.make("Shipment", notes="secret")
    hide_notes()
    read = f"GET {SHIPMENTS}/id/{made['id']}"
    wait_until(lambda: "notes" not in world.ask(read, "acme-user").json())
    with watch(world, CHANGES, "acme-user") as stream:
        patch(world, made["id"], notes="a secret", weightKg="1.5")
        patch(world, made["id"], notes="another secret")
        assert len(await_changes(stream, 2)) == 2
        assert all("notes" not in change["record"] for change in changes(stream))
    assert "secret" not in stream.body.decode()
    answer = world.ask(f"GET {CHANGES}", "acme-user", params={"filter": "notes:x"})
    assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown")


def test_writes_that_change_nothing_to_see_are_not_told(world: World) -> None:
    made = world.make("Shipment")
    rows = world.documents["shipments"]
    with watch(world, CHANGES) as stream:
        rows.update_one({"_id": ObjectId(made["id"])}, {"$set": {"_lock": 1, "formerField": "x"}})
        last = world.make("Shipment")
        assert await_changes(stream, 1) == [("created", last["id"])]


def test_two_versions_that_exceed_a_document_end_streams_once(world: World) -> None:
    """An event has both, and MongoDB delivers none above 16 MB: what lies behind it is delivered again."""
    made = world.make("Shipment")
    since = page(world, "now")["cursor"]
    rows = world.documents["shipments"]
    with watch(world, CHANGES) as stream:
        rows.update_one({"_id": ObjectId(made["id"])}, {"$set": {"notes": 9_000_000 * "a"}})
        wait_until(lambda: len(stream.data) == 1)
        rows.update_one({"_id": ObjectId(made["id"])}, {"$set": {"notes": 9_000_000 * "b"}})
        stream.expect_end()
    rows.update_one({"_id": ObjectId(made["id"])}, {"$set": {"notes": "c"}})
    answer = world.ask(f"GET {CHANGES}", params={"since": since})
    assert (answer.status_code, answer.json()["code"]) == (410, "feed.expired")
    since = page(world, "now")["cursor"]
    with watch(world, CHANGES) as stream:
        last = world.make("Shipment")
        assert await_changes(stream, 1) == [("created", last["id"])]
        assert list(pages(world, since)) == changes(stream)


def test_large_records_of_another_database_end_no_stream(world: World) -> None:
    """The collections have the same name, and keep images, there as here."""
    client = world.documents.client
    elsewhere = client[f"{world.realm}-elsewhere"]
    rows = elsewhere.create_collection("shipments", changeStreamPreAndPostImages={"enabled": True})
    with watch(world, CHANGES) as stream:
        rows.insert_one({"_id": 1, "notes": 9_000_000 * "a"})
        rows.update_one({"_id": 1}, {"$set": {"notes": 9_000_000 * "b"}})
        made = world.make("Shipment")
        assert await_changes(stream, 1) == [("created", made["id"])]
        last = world.make("Shipment")
        assert await_changes(stream, 2)[1:] == [("created", last["id"])]
    client.drop_database(elsewhere.name)


def test_a_gap_of_the_log_behind_what_was_read_already(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is 410 for whoever comes to it, be it only in a later batch, and nobody comes to it again and again."""
    monkeypatch.setattr("runtime.storage.store.feed._BATCH", 2)
    since = page(world, "now")["cursor"]
    made = world.make("Shipment")
    rows = world.documents["shipments"]
    for notes in ("1", "2", "3", 9_000_000 * "a", 9_000_000 * "b"):
        rows.update_one({"_id": ObjectId(made["id"])}, {"$set": {"notes": notes}})
    told = [change["record"].get("notes") for change in follow_to_the_gap(world, CHANGES, since)]
    assert told[1:4] == ["1", "2", "3"]
    assert len(told) == len(set(told))
    assert follow_to_the_gap(world, f"{CHANGES}?filter=notes:none", since) == []
    while (answer := world.ask(f"GET {CHANGES}?filter=notes:none", params={"since": since})).is_success:
        since = answer.json()["cursor"]
    assert (answer.status_code, answer.json()["code"]) == (410, "feed.expired")
    rows.update_one({"_id": ObjectId(made["id"])}, {"$set": {"notes": "c"}})


@pytest.mark.parametrize("shown", ["none", "1", "2"])
def test_a_gap_of_the_log_inside_of_a_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch, shown: str
) -> None:
    """All writes of one have the same time, so that a place of that time is in front of all of them.

    What is shown of it comes, or the client lists the records anyway, since it learns of the gap.
    """
    monkeypatch.setattr("runtime.storage.store.feed._BATCH", 1)
    since = page(world, "now")["cursor"]
    ids = [ObjectId(world.make("Shipment")["id"]) for _ in range(3)]
    rows = world.documents["shipments"]
    rows.update_one({"_id": ids[2]}, {"$set": {"notes": 9_000_000 * "a"}})
    with world.documents.client.start_session() as session, session.start_transaction():
        for record_id, notes in zip(ids, ("1", "2", 9_000_000 * "b"), strict=True):
            rows.update_one({"_id": record_id}, {"$set": {"notes": notes}}, session=session)
    hub = world.app.state.service.hub
    hub._lingering.clear()  # the feed of earlier streams meets the gap as well, and ends
    wait_until(lambda: hub._task is None or hub._task.done())
    read = [change["id"] for change in follow_to_the_gap(world, f"{CHANGES}?filter=notes:{shown}", since)]
    assert read in ([], [] if shown == "none" else [str(ids[int(shown) - 1])])
    rows.update_one({"_id": ids[2]}, {"$set": {"notes": "c"}})


def follow_to_the_gap(world: World, path: str, place: str | None) -> list[Document]:
    """Connect again behind what was read last, as a client does, until the answer is 410."""
    told = list[Document]()
    while True:
        with watch(world, path, after=place) as stream:
            stream.expect_end()
        if stream.status == 410:
            return told
        assert stream.last_id not in (None, place), "it would come back for ever"
        told, place = told + changes(stream), stream.last_id


def test_archived_records_are_gone_unless_the_filter_names_them(world: World) -> None:
    path = "/logistics/orders"
    made = world.make("Order")
    with watch(world, f"{path}/changes") as stream:
        changed = world.ask(f"PATCH {path}/id/{made['id']}", json={"currency": "USD"}, headers=PATCH)
        assert changed.status_code == 200, changed.text
        assert world.ask(f"DELETE {path}/id/{made['id']}").status_code == 204
        assert await_changes(stream, 2)[0] == ("updated", made["id"])
        assert await_changes(stream, 2)[1][0] in ("gone", "deleted")


def test_it_ends_when_the_right_does(world: World) -> None:
    world.sign_in("reader", NewUser("changes@acme.example", PASSWORD, "acme", frozenset({"user"})))
    with watch(world, CHANGES, "reader") as stream:
        world.documents["credentials"].update_one(
            {"userId": "changes@acme.example"}, {"$set": {"disabled": True}}
        )
        began = time.monotonic()
        stream.expect_end(3)
        assert time.monotonic() - began < 1.5


def test_a_slow_reader_goes_on_where_it_was(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.events.watch.MOST_WAITING", 5000)
    made = world.make("Shipment")
    with watch(world, CHANGES) as slow, watch(world, CHANGES) as fast:
        slow.pause()
        for number in range(20):
            patch(world, made["id"], notes=f"number {number}")
            await_changes(fast, number + 1)
        slow.resume()
        slow.expect_end()
        assert 0 < len(slow.data) < 20
    with watch(world, CHANGES, after=slow.last_id) as again:
        wait_until(lambda: len(slow.data) + len(again.data) == 20)
        assert changes(slow) + changes(again) == changes(fast)


def test_a_place_that_the_log_no_longer_reaches(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    since = page(world, "now")["cursor"]
    lose_history(monkeypatch, world.app.state.service.store)
    for answer in (
        world.ask(f"GET {CHANGES}", params={"since": since}),
        world.ask(f"GET {CHANGES}", headers={"Last-Event-ID": since}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (410, "feed.expired")


@pytest.mark.parametrize(
    ("query", "headers", "status", "code"),
    [
        ({"since": "no-place"}, {}, 400, "request.invalid_parameter"),
        ({"limit": "5"}, {}, 400, "request.invalid_parameter"),
        ({"since": "now", "limit": "0"}, {}, 400, "request.invalid_parameter"),
        ({"since": "now"}, {"Last-Event-ID": "x"}, 400, "request.invalid_parameter"),
        ({}, {"Last-Event-ID": "x"}, 400, "request.invalid_parameter"),
        ({"filter": "nmae:x"}, {}, 400, "field.unknown"),
        ({"filter": "customer{name:x}"}, {}, 400, "filter.syntax"),
        ({"sort": "x"}, {}, 400, "request.unknown_parameter"),
    ],
)  # fmt: skip
def test_wrong_requests(world: World, query: Any, headers: Any, status: int, code: str) -> None:
    answer = world.ask(f"GET {CHANGES}", params=query, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("customer{name:x}", "change streams take no relation blocks"),
        (f"hasEdge(partOf, {NOWHERE})", "filters that are decided on one record take no edges"),
    ],
)
def test_what_a_stream_cannot_ask_is_said(world: World, query: str, message: str) -> None:
    answer = world.ask(f"GET {CHANGES}", params={"filter": query})
    assert message in answer.json()["detail"]


def test_a_place_is_of_one_feed(world: World) -> None:
    since = page(world, "now")["cursor"]
    answer = world.ask("GET /logistics/orders/changes", params={"since": since})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("since must be now, a cursor or the id of an event")


@pytest.mark.parametrize(("user", "status"), [("acme-nobody", 403), (None, 401)], ids=str)
def test_they_are_not_for_everybody(world: World, user: str | None, status: int) -> None:
    for query in ({}, {"since": "now"}):
        assert world.ask(f"GET {CHANGES}", user, params=query).status_code == status


def test_types_without_changes_have_none(world: World) -> None:
    assert world.ask("GET /logistics/carriers/changes").status_code in (404, 405)


def test_places_name_no_write_of_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Resume tokens of MongoDB hold the id of a record: those of other tenants do not leave."""
    monkeypatch.setattr("runtime.events.sending.KEEP_ALIVE_SECONDS", 0.02)
    with watch(world, CHANGES, "globex") as stream, watch(world, CHANGES) as ours:
        made = [world.make("Shipment")["id"] for _ in range(10)]
        assert len(await_changes(ours, 10)) == 10
        blocks = len(stream.blocks)
        wait_until(lambda: len(stream.blocks) > blocks + 2)
    places = [line[4:] for line in stream.body.decode().split("\n") if line.startswith("id: ")]
    places += [page(world, since, "globex")["cursor"] for since in ("now", places[0])]
    assert len(set(places)) > 3
    for place in places:
        octets = urlsafe_b64decode(place + "=" * (-len(place) % 4))
        assert not any(bytes.fromhex(one) in octets for one in made)
        assert len(octets) - 12 in (10, 15), "a signature, and a time as it is written here or by MongoDB"


@pytest.mark.parametrize("seed", range(4))
def test_one_that_comes_and_goes_misses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """While others write, a watcher is cut off at random and goes on: each change once, in order."""
    monkeypatch.setattr("runtime.events.sending.KEEP_ALIVE_SECONDS", 0.05)
    random = Random(seed)
    since = page(world, "now")["cursor"]
    got: list[str] = []
    ids: list[str | None] = [since]
    is_over = threading.Event()

    def come_and_go() -> None:
        while not is_over.is_set():
            with watch(world, CHANGES, after=ids[-1]) as stream:
                time.sleep(random.random() * 0.15)
            got.extend(stream.data)
            ids.append(stream.last_id or ids[-1])

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(come_and_go)
        _write_at_random(world, random)
        is_over.set()
        watching.result(60)
    with watch(world, CHANGES, after=ids[-1]) as rest:
        expected = list(pages(world, since))
        wait_until(lambda: len(got) + len(rest.data) >= len(expected))
        found = [json.loads(data) for data in (*got, *rest.data)]
        assert [name_of(one) for one in found] == [name_of(one) for one in expected]
        assert found == expected
    assert len(expected) > 20
    for place in random.sample(ids, min(5, len(ids))):
        assert place is not None
        tail = list(pages(world, place, limit=random.randint(1, 9)))
        assert tail == expected[len(expected) - len(tail) :]


def name_of(change: Document) -> tuple[str, str, int | None]:
    return change["op"], change["id"], change.get("version")


def _write_at_random(world: World, random: Random) -> None:
    made = [world.make("Shipment")["id"] for _ in range(3)]
    for _ in range(40):
        match random.randrange(6):
            case 0:
                made.append(world.make("Shipment")["id"])
            case 1 if len(made) > 2:
                remove(world, made.pop(random.randrange(len(made))))
            case 2:
                operations = [{"op": "save", "record": world.sample("Shipment")} for _ in range(3)]
                body = {"operations": operations, "atomic": True}
                assert world.ask(f"POST {SHIPMENTS}/bulk", json=body).status_code == 200
            case _:
                patch(world, random.choice(made), notes=f"{random.random()}")


def test_what_waits_for_a_slow_reader_is_not_told_once_it_may_not_be(
    world: World, hide_notes: Callable[[], None]
) -> None:
    """A reader that takes nothing for a while gets nothing of what it may no longer see."""
    made = world.make("Shipment")
    with watch(world, CHANGES, "acme-user") as stream, watch(world, CHANGES) as ours:
        stream.pause()
        patch(world, made["id"], notes="open")
        await_changes(ours, 1)
        hide_notes()
        time.sleep(1)
        patch(world, made["id"], notes="a secret")
        await_changes(ours, 2)
        stream.resume()
        stream.expect_end()
    assert "secret" not in stream.body.decode()
    with watch(world, CHANGES, "acme-user", after=stream.last_id) as again:
        wait_until(lambda: "data: " in again.body.decode() or len(stream.data) == 2)
    assert "secret" not in again.body.decode()


def test_what_was_missed_is_not_told_once_it_may_not_be(
    world: World, hide_notes: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule comes while the log is read, which takes longer than a look at rights is good for."""
    store = world.app.state.service.store
    read, may_read = type(store).read_past, threading.Event()

    async def read_slowly(*arguments: Any) -> AsyncGenerator[Any, None]:
        async with aclosing(read(*arguments)) as found:
            async for one in found:
                yield one
                if isinstance(one, Written):  # the stream begins with the first
                    await asyncio.to_thread(may_read.wait, 20)

    since = page(world, "now")["cursor"]
    with watch(world, CHANGES) as ours:  # the log is read up to the place of the hub, which may be behind
        made = world.make("Shipment")
        patch(world, made["id"], notes="a secret")
        await_changes(ours, 2)
    monkeypatch.setattr(type(store), "read_past", read_slowly)
    with watch(world, CHANGES, "acme-user", after=since) as stream:
        hide_notes()
        own = f"GET {SHIPMENTS}/id/{made['id']}"
        wait_until(lambda: "notes" not in world.ask(own, "acme-user").json())  # the change of rules is known
        time.sleep(1)
        may_read.set()
        stream.expect_end()
    assert "secret" not in stream.body.decode()


def test_a_fault_of_one_watcher_is_its_own(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    describe = _ChangesWatch.describe

    def fail(self: _ChangesWatch, written: Any) -> Any:
        if self.call.principal.domain.tenant_id == "globex":
            raise ValueError("a fault")
        return describe(self, written)

    with watch(world, CHANGES, "globex") as theirs, watch(world, CHANGES) as ours:
        monkeypatch.setattr(_ChangesWatch, "describe", fail)
        made = [world.make("Shipment")["id"] for _ in range(3)]
        theirs.expect_end()
        assert await_changes(ours, 3) == [("created", one) for one in made]
        assert ours.is_open


@pytest.mark.parametrize(
    "text", ["text(red)", "text(sho*)", "!!(text(sho*))", "name:x || text(sho*)", "name:x || text(red)"]
)
def test_what_only_mongodb_can_decide_is_refused(text: str) -> None:
    kind = replace(CARRIER, text=("name",))
    with pytest.raises(InvalidParameter, match=r"text\(…\): compare fields"):
        _require_decidable(compile_filter(text, kind, searches=_refuse_search))


def test_a_cursor_names_no_write_of_others_that_came_in_between(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = page(world, "now", "globex")["cursor"]
    began = Place(octets_of(since)[12:].hex().upper()).time

    async def read_time(_store: Any) -> Any:
        return began

    made = [world.make("Shipment")["id"] for _ in range(3)]
    monkeypatch.setattr(type(world.app.state.service.store), "read_time", read_time)
    read = page(world, since, "globex")
    assert read["changes"] == []
    octets = octets_of(read["cursor"])
    assert not any(bytes.fromhex(one) in octets for one in made)
    assert len(octets) == 12 + 10


def octets_of(place: str) -> bytes:
    return urlsafe_b64decode(place + "=" * (-len(place) % 4))


def test_a_page_ends_where_it_finds_nothing_for_long(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    since = page(world, "now")["cursor"]
    made = [world.make("Shipment", notes="no") for _ in range(5)]
    found = world.make("Shipment", notes="yes")
    monkeypatch.setattr("runtime.events.changes.PAGE_SECONDS", -1.0)
    read = page(world, since, filter="notes:yes")
    assert (read["changes"], read["hasMore"]) == ([], True)
    assert read["cursor"] != since
    assert not any(bytes.fromhex(one["id"]) in octets_of(read["cursor"]) for one in made)
    assert [one["id"] for one in pages(world, since, filter="notes:yes")] == [found["id"]]
    assert len(list(pages(world, since))) == 6


def test_a_write_that_cannot_be_shown_is_not_passed_over(world: World) -> None:
    """Nor does a client come back to it for ever: it is told that the log has a gap."""
    since = page(world, "now")["cursor"]
    made = world.make("Shipment")
    for is_kept in (False, True):
        option = {"changeStreamPreAndPostImages": {"enabled": is_kept}}
        world.documents.command({"collMod": "shipments", **option})
        patch(world, made["id"], notes=f"images are kept: {is_kept}")
    with watch(world, CHANGES, after=since) as stream:
        stream.expect_end()
        assert [change["op"] for change in changes(stream)] == ["created"]
    again = {"Last-Event-ID": str(stream.last_id)}
    wait_until(lambda: world.ask(f"GET {CHANGES}", headers=again).status_code == 410)
