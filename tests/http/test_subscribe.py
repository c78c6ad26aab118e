"""Live completions of a group: told to those who may see them, once each, until the group is complete."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId

from runtime.identity.users.users import NewUser
from runtime.storage.store import HistoryLost
from runtime.tokens.claims import LEEWAY_SECONDS
from tests.http.test_completion import GROUPS, TASKS, make_group, make_task
from tests.http.test_csv_revoked import deny
from tests.http.test_progress import READER, disable, log_out, take_roles
from tests.http.watching_events import watch
from tests.http.world import NOWHERE, PASSWORD, World, open_world
from tests.patience import wait_until

PATCH = {"Content-Type": "application/merge-patch+json"}


def complete(world: World, task: str, status: str = "SUCCESS", user: str = "acme") -> str:
    answer = world.ask(f"PUT {TASKS}/complete/{task}?status={status}", user)
    assert answer.status_code == 200, answer.text
    return f"task:{task}:{status}"


def finish(world: World, group: str, status: str = "COMPLETE") -> str:
    answer = world.ask(f"PATCH {GROUPS}/id/{group}", json={"status": status}, headers=PATCH)
    assert answer.status_code == 200, answer.text
    return f"group:{group}:{status}"


def test_each_completion_is_told_until_the_group_is_complete(world: World) -> None:
    group, other = make_group(world), make_group(world)
    tasks = [make_task(world, group)["id"] for _ in range(3)]
    foreign = make_task(world, other)["id"]
    with watch(world, f"{GROUPS}/subscribe/{group.upper()}") as stream:
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.headers["cache-control"] == "no-store"
        assert stream.last_id is not None
        told = [complete(world, tasks[0]), complete(world, tasks[1], "FAILED")]
        complete(world, foreign)
        world.ask(f"PATCH {TASKS}/id/{tasks[2]}", json={"status": "RUNNING"}, headers=PATCH)
        world.ask(f"PATCH {TASKS}/id/{tasks[0]}", json={"displayName": "Renamed"}, headers=PATCH)
        make_task(world, group)
        told += [complete(world, tasks[0]), complete(world, tasks[0])]
        finish(world, group, "RUNNING")
        finish(world, other)
        stream.expect(*told)
        told.append(finish(world, group))
        stream.expect(*told)
        stream.expect_end()
        assert len({event.last_id for event in stream.events}) == len(told)


def test_one_that_is_complete_says_so_and_ends(world: World) -> None:
    group = make_group(world)
    complete(world, make_task(world, group)["id"])
    last = finish(world, group)
    with watch(world, f"{GROUPS}/subscribe/{group}") as stream:
        stream.expect_end()
        stream.expect(last)
        assert stream.body.count(b"id: ") == 1, "no id comes before the end that it leads past"
    assert follow_to_the_end(world, f"{GROUPS}/subscribe/{group}", stream.last_id) == 204
    world.ask(f"PATCH {GROUPS}/id/{group}", json={"displayName": "Renamed"}, headers=PATCH)
    assert follow_to_the_end(world, f"{GROUPS}/subscribe/{group}", stream.last_id) == 204


def test_it_goes_on_behind_each_event(world: World) -> None:
    group = make_group(world)
    tasks = [make_task(world, group)["id"] for _ in range(4)]
    path = f"{GROUPS}/subscribe/{group}"
    with watch(world, path) as first:
        begun = first.last_id
        told = [complete(world, tasks[0]), complete(world, tasks[1])]
        first.expect(*told)
        ids = [begun, *(event.last_id for event in first.events)]
    told += [complete(world, tasks[2], "FAILED"), complete(world, tasks[0])]
    for number, after in enumerate(ids):
        with watch(world, path, after=after) as stream:
            stream.expect(*told[number:])
    with watch(world, path, after=ids[1]) as stream:
        stream.expect(*told[1:])
        told.append(complete(world, tasks[3]))
        stream.expect(*told[1:])
    told.append(finish(world, group))
    for number, after in enumerate(ids):
        with watch(world, path, after=after) as stream:
            stream.expect(*told[number:])
            stream.expect_end()
    assert follow_to_the_end(world, path, stream.last_id) == 204


def follow_to_the_end(world: World, path: str, after: str | None) -> int:
    """Ask as an ``EventSource`` does, behind the last event; it stops at 204 and at nothing else."""
    headers = world.headers("acme") | {"Last-Event-ID": after or ""}
    answer = world.client.get(path, headers=headers)
    assert answer.content == b"", "nothing is told twice"
    assert "content-type" not in answer.headers
    return answer.status_code


@pytest.mark.parametrize(
    ("user", "status"), [("globex", 404), ("acme-north", 404), ("acme-nobody", 403), (None, 401)]
)
def test_it_is_not_for_everybody(world: World, user: str | None, status: int) -> None:
    answer = world.ask(f"GET {GROUPS}/subscribe/{make_group(world)}", user)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("group", "headers", "status", "code"),
    [
        (NOWHERE, {}, 404, "record.not_found"),
        ("no-id", {}, 404, "record.not_found"),
        (None, {"Last-Event-ID": "1"}, 400, "request.invalid_parameter"),
        (None, {"Last-Event-ID": "A" * 3000}, 400, "request.invalid_parameter"),
    ],
)  # fmt: skip
def test_wrong_requests(world: World, group: str | None, headers: Any, status: int, code: str) -> None:
    answer = world.ask(f"GET {GROUPS}/subscribe/{group or make_group(world)}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_an_empty_id_is_that_of_no_event(world: World) -> None:
    """Some clients send it as long as they have none."""
    group = make_group(world)
    task = make_task(world, group)["id"]
    complete(world, task, "FAILED")
    for path in (f"{GROUPS}/subscribe/{group}", "/logistics/shipments/changes"):
        with watch(world, path, after="") as stream:
            assert (stream.status, stream.blocks) == (200, [f"id: {stream.last_id}"])


def deny_groups(world: World) -> None:
    deny(world, READER, "VIEW", "completionTaskGroup", "integration")


def deny_tasks(world: World) -> None:
    deny(world, READER, "VIEW", "completionTask", "integration")


def move_away(world: World) -> None:
    """The groups, to another tenant."""
    world.documents["completionTaskGroup"].update_many({}, {"$set": {"dataDomain.tenantId": "globex"}})


def await_reading(world: World, path: str) -> None:
    """Wait until the rule of a row before this one holds no more."""
    wait_until(lambda: world.ask(f"GET {path}", "reader").status_code == 200)


@pytest.mark.parametrize(
    "take_away",
    [disable, take_roles, log_out, deny_groups, deny_tasks, move_away],
    ids=lambda way: way.__name__,
)
def test_it_ends_within_a_second_when_the_right_does(
    world: World, take_away: Callable[[World], None]
) -> None:
    world.sign_in("reader", NewUser(READER, PASSWORD, "acme", frozenset({"user"})))
    group = make_group(world)
    task = make_task(world, group)["id"]
    await_reading(world, f"{GROUPS}/id/{group}")
    await_reading(world, f"{TASKS}/id/{task}")
    try:
        with (
            watch(world, f"{GROUPS}/subscribe/{group}", "reader") as stream,
            watch(world, f"{GROUPS}/subscribe/{group}") as other,
        ):
            told = complete(world, task)
            stream.expect(told)
            take_away(world)
            began = time.monotonic()
            stream.expect_end(3)
            assert time.monotonic() - began < 1.5  # a second, on a busy machine
            stream.expect(told)
            assert other.is_open or take_away is move_away
    finally:
        world.documents["credentials"].delete_one({"userId": READER})
        world.documents["permissionRules"].delete_many({"name": f"deny {READER}"})


def test_it_ends_with_the_token(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = world.app.state.service.tokens
    clock, group = tokens.clock, make_group(world)
    with watch(world, f"{GROUPS}/subscribe/{group}") as stream:
        assert stream.status == 200
        monkeypatch.setattr(tokens, "clock", lambda: clock() + tokens.access_seconds + LEEWAY_SECONDS)
        stream.expect_end()
    assert world.ask(f"GET {GROUPS}/id/{group}").status_code == 401


def test_tasks_outside_of_the_scope_are_not_told(world: World) -> None:
    """A group of the whole tenant whose tasks belong to organisations, seen by users of each."""
    group = make_group(world)
    tasks = [make_task(world, group)["id"] for _ in range(3)]
    by_org = dict(zip(("north", "south", "acme"), tasks, strict=True))
    world.documents["completionTaskGroup"].update_one(
        {"_id": ObjectId(group)}, {"$set": {"dataDomain.orgRefName": "north"}}
    )
    for org in ("north", "south"):
        world.documents["completionTask"].update_one(
            {"_id": ObjectId(by_org[org])}, {"$set": {"dataDomain.orgRefName": org}}
        )
    with watch(world, f"{GROUPS}/subscribe/{group}", "acme-north") as stream:
        told = [complete(world, task, user="system") for task in tasks]
        told.append(complete(world, tasks[0], "FAILED", "system"))
        stream.expect(told[0], told[3])
    with watch(world, f"{GROUPS}/subscribe/{group}", "acme-north", after=stream.events[0].last_id) as again:
        again.expect(told[3])


def test_head_is_answered_at_once(world: World) -> None:
    began = time.monotonic()
    answer = world.ask(f"HEAD {GROUPS}/subscribe/{make_group(world)}")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "text/event-stream"
    assert time.monotonic() - began < 5
    assert world.app.state.service.hub.watchers.number == 0


def test_nothing_is_left_of_a_watcher_that_hangs_up(world: World) -> None:
    service = world.app.state.service
    path = f"{GROUPS}/subscribe/{make_group(world)}"
    with watch(world, path), watch(world, path):
        assert (service.hub.listeners, service.hub.watchers.number) == (2, 2)
    assert (service.hub.listeners, service.hub.watchers.number) == (0, 0)


def test_a_slow_reader_is_cut_off_and_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.events.watch.MOST_WAITING", 1000)
    group = make_group(world)
    task = make_task(world, group)["id"]
    path = f"{GROUPS}/subscribe/{group}"
    with watch(world, path) as slow, watch(world, path) as fast:
        slow.pause()
        events = list[str]()
        for _ in range(
            20
        ):  # the fast one has read each before the next: no more than it may ever waits for it
            events.append(complete(world, task))
            fast.expect(*events)
        assert slow.data == []
        slow.resume()
        slow.expect_end()
        got = len(slow.data)
        assert 0 < got < len(events)
        assert slow.blocks[-1].startswith(": too slow")
        assert fast.is_open
    with watch(world, path, after=slow.last_id) as again:
        again.expect(*events[got:])


def test_a_place_that_the_log_no_longer_reaches(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the stored tasks answer: the last completion of each."""
    group, store = make_group(world), world.app.state.service.store
    tasks = [make_task(world, group)["id"] for _ in range(3)]
    path = f"{GROUPS}/subscribe/{group}"
    with watch(world, path) as stream:
        begun = stream.last_id
    complete(world, tasks[0], "FAILED")
    told = {complete(world, task) for task in tasks[:2]}
    lose_history(monkeypatch, store)
    with watch(world, path, after=begun) as again:
        wait_until(lambda: again.last_id is not None)
        assert sorted(again.data) == sorted(told)
        last = [complete(world, tasks[2]), complete(world, tasks[0])]
        wait_until(lambda: last[1] in again.data[len(told) :])
        assert again.data[len(told) :] == last
    stored = [event for event in again.events if event.last_id is None]
    assert {event.data for event in stored} <= told, "they are read again, if it ends in between"


def test_what_is_completed_while_stored_tasks_are_read_comes_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    group, store = make_group(world), world.app.state.service.store
    tasks = [make_task(world, group)["id"] for _ in range(3)]
    path = f"{GROUPS}/subscribe/{group}"
    with watch(world, path) as stream:
        begun = stream.last_id
    told = [complete(world, tasks[0]), complete(world, tasks[1])]
    read, late = type(store).stream, list[str]()

    async def read_late(*arguments: Any, **options: Any) -> Any:
        for task, status in ((tasks[2], "FAILED"), (tasks[1], "SUCCESS"), (tasks[2], "SUCCESS")):
            late.append(await asyncio.to_thread(complete, world, task, status))
        rows = await read(*arguments, **options)
        late.append(await asyncio.to_thread(complete, world, tasks[0], "FAILED"))
        return rows

    lose_history(monkeypatch, store)
    monkeypatch.setattr(type(store), "stream", read_late)
    with watch(world, path, after=begun) as again:
        wait_until(lambda: len(late) == 4 and {late[2], late[3]} <= {*again.data})
        by_task = {task: [one for one in again.data if task in one] for task in tasks}
        assert by_task[tasks[2]] == [late[0], late[2]], "no status after the one that it has"
        assert by_task[tasks[1]] in ([late[1]], [told[1], late[1]])
        assert by_task[tasks[0]] in ([late[3]], [told[0], late[3]])


def lose_history(monkeypatch: pytest.MonkeyPatch, store: Any) -> None:
    def read_past(*_: Any) -> AsyncGenerator[Any, None]:
        return _raise_lost()

    monkeypatch.setattr(type(store), "read_past", read_past)


async def _raise_lost() -> AsyncGenerator[Any, None]:
    raise HistoryLost
    yield


def test_a_group_that_ends_while_its_past_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end waits for what was missed."""
    store = world.app.state.service.store
    group = make_group(world)
    path = f"{GROUPS}/subscribe/{group}"
    with watch(world, path) as stream:
        begun = stream.last_id
    told = [complete(world, make_task(world, group)["id"]) for _ in range(3)]
    read, may_read = type(store).read_past, threading.Event()

    async def read_late(*arguments: Any) -> AsyncGenerator[Any, None]:
        await asyncio.to_thread(may_read.wait)
        async for one in read(*arguments):
            yield one

    monkeypatch.setattr(type(store), "read_past", read_late)
    with watch(world, path, after=begun) as again, watch(world, path) as other:
        told.append(finish(world, group))
        other.expect(told[-1])
        may_read.set()
        again.expect(*told)
        again.expect_end()


def test_a_sign_of_life_carries_a_fresh_place(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.events.sending.KEEP_ALIVE_SECONDS", 0.2)
    group = make_group(world)
    task = make_task(world, group)["id"]
    path = f"{GROUPS}/subscribe/{group}"
    with watch(world, path) as stream:
        begun = stream.last_id
        make_task(world, group)
        wait_until(lambda: stream.last_id != begun)
        assert stream.blocks[-1].startswith(": keep-alive\n")
        told = complete(world, task)
        stream.expect(told)
        count = len(stream.blocks)
        wait_until(lambda: len(stream.blocks) > count + 2)
        stream.expect(told)
    with watch(world, path, after=stream.last_id) as again:
        told = complete(world, task)
        again.expect(told)


def test_watchers_are_limited(mongo_uri: str, mongo_client: Any, key_folder: Path) -> None:
    with open_world(
        mongo_uri, mongo_client, data_folder=key_folder, watchers=3, watchers_per_user=2
    ) as world:
        path = f"{GROUPS}/subscribe/{make_group(world)}"
        with watch(world, path), watch(world, path):
            answer = world.ask(f"GET {path}")
            assert (answer.status_code, answer.json()["code"]) == (503, "service.overloaded")
            assert answer.headers["retry-after"] == "1"
            assert "2 event streams open" in answer.json()["detail"]
            with watch(world, path, "acme-user") as other:
                assert other.status == 200
                assert world.ask(f"GET {path}", "system").status_code == 503
        with watch(world, path) as stream:
            assert stream.status == 200


def test_without_images_it_is_refused(world: World) -> None:
    """In production nobody but an operator changes options of collections."""
    group = make_group(world)
    option = {"collMod": "completionTask", "changeStreamPreAndPostImages": {"enabled": False}}
    world.documents.command(option)
    hub = world.app.state.service.hub
    try:
        hub._images._known.clear()
        answer = world.ask(f"GET {GROUPS}/subscribe/{group}")
        assert (answer.status_code, answer.json()["code"]) == (503, "store.index_missing")
        assert "recordsmith indexes apply" in answer.json()["detail"]
    finally:
        world.documents.command(option | {"changeStreamPreAndPostImages": {"enabled": True}})
    with watch(world, f"{GROUPS}/subscribe/{group}") as stream:
        assert stream.status == 200
