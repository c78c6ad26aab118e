"""Finished groups expire with their tasks, by the time of their last write, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.completion import expiry
from runtime.completion.expiry import remove_finished
from runtime.model.clock import now
from tests.http.test_completion import GROUPS, TASKS, make_group, make_task
from tests.http.world import Document, World, open_world
from tests.patience import wait_until

KEEP = 3600
PATCH = {"Content-Type": "application/merge-patch+json"}


def complete(world: World, group: str, user: str = "acme", **fields: str) -> None:
    body = {"status": "COMPLETE"} | fields
    assert world.ask(f"PATCH {GROUPS}/id/{group}", user, json=body, headers=PATCH).status_code == 200


def age(world: World, group: str, seconds: float) -> None:
    """Let the last write of a group be so long ago."""
    written = {"auditInfo.lastUpdatedDate": now() - timedelta(seconds=seconds)}
    world.documents["completionTaskGroup"].update_one({"_id": ObjectId(group)}, {"$set": written})


def remove(world: World) -> int:
    assert world.client.portal is not None
    service = world.app.state.service
    removed: int = world.client.portal.call(remove_finished, service.store, world.realm, KEEP)
    return removed


def kept(world: World) -> tuple[set[str], set[str]]:
    groups, tasks = (world.documents[name].find() for name in ("completionTaskGroup", "completionTask"))
    return {str(group["_id"]) for group in groups}, {str(task["_id"]) for task in tasks}


@pytest.mark.parametrize("most", [2, 3, 1000])
def test_a_group_goes_with_all_its_tasks(world: World, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(expiry, "_TASKS_AT_ONCE", most)
    before = kept(world)
    for user in ("acme", "globex"):
        group = make_group(world, user)
        for _ in range(3):
            make_task(world, group, user)
        complete(world, group, user)
        age(world, group, KEEP + 1)
    assert remove(world) == 2
    assert kept(world) == before
    assert remove(world) == 0


def test_what_is_not_finished_or_not_old_stays(world: World) -> None:
    running, young, dated, other = (make_group(world) for _ in range(4))
    for group in (running, young, dated, other):
        make_task(world, group)
    alone = make_task(world, "none")["id"]
    age(world, running, 10 * KEEP)
    complete(world, young)
    age(world, young, KEEP - 60)
    complete(world, dated, completedDate="1999-01-01T00:00:00Z")  # what an application says does not count
    before = kept(world)
    assert remove(world) == 0
    assert kept(world) == before
    assert alone in before[1]


def test_a_group_that_is_written_in_the_meantime_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    group = make_group(world)
    make_task(world, group)
    complete(world, group)
    age(world, group, KEEP + 1)
    before = kept(world)
    run = expiry._remove_some

    async def reopen_first(*arguments: Any, **named: Any) -> bool | None:
        world.documents["completionTaskGroup"].update_one({"_id": ObjectId(group)}, {"$inc": {"version": 1}})
        return await run(*arguments, **named)

    monkeypatch.setattr(expiry, "_remove_some", reopen_first)
    assert remove(world) == 0
    assert kept(world) == before


@pytest.fixture(scope="module")
def hasty(mongo_uri: str, mongo_client: MongoClient[Document]) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, keep_groups_seconds=1) as world:
        yield world


def test_a_service_removes_them_where_the_setting_says_so(hasty: World) -> None:
    group, running = make_group(hasty), make_group(hasty)
    make_task(hasty, group)
    complete(hasty, group)
    wait_until(lambda: hasty.ask(f"GET {GROUPS}/id/{group}").status_code == 404, 20)
    assert hasty.ask(f"GET {GROUPS}/id/{running}").status_code == 200
    assert hasty.ask(f"GET {TASKS}/count").json()["count"] == 0
