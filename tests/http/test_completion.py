"""Completion tasks and their groups: created, completed, counted, and seen by nobody else."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId

from tests.http.world import NOWHERE, Play, World
from tests.scenario import Scenario

GROUPS, TASKS = "/integration/completionTaskGroup", "/integration/completionTask"

Document = dict[str, Any]


def make_group(world: World, user: str = "acme", **fields: Any) -> str:
    answer = world.ask(f"POST {GROUPS}/create", user, json=fields)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def make_task(world: World, group: str, user: str = "acme", **fields: Any) -> Document:
    answer = world.ask(f"POST {TASKS}/create/{group}", user, json=fields)
    assert answer.status_code == 201, answer.text
    made: Document = answer.json()
    return made


def test_a_group_begins_as_new_whatever_is_sent(world: World, play: Play) -> None:
    sent = {"refName": "nightly", "displayName": "Nightly", "description": "All files", "status": "COMPLETE"}
    body = sent | {"createdDate": "1999-01-01T00:00:00Z"}
    has = sent | {"status": "NEW"}
    made = play(
        Scenario(
            "create",
            f"POST {GROUPS}/create",
            body=body,
            status=201,
            has=has,
            lacks=("completedDate",),
            stored=1,
        )
    )
    assert set(made) == {"id", "refName", "displayName", "description", "status", "createdDate"}
    assert made["createdDate"] > "2026"
    for path in (f"id/{made['id']}", "refName/nightly"):
        read = play(Scenario("read", f"GET {GROUPS}/{path}", has=has))
        assert read["createdDate"] == made["createdDate"]


def test_a_task_begins_as_pending_in_its_group(world: World, play: Play) -> None:
    group = make_group(world)
    body = {"refName": "orders", "displayName": "Orders", "details": "orders.csv", "status": "SUCCESS"}
    has = body | {"status": "PENDING", "group": {"id": group}}
    request = f"POST {TASKS}/create/{group}"
    made = play(Scenario("create", request, body=body, status=201, has=has, stored=1))
    assert set(made) == {"id", "refName", "displayName", "details", "status", "createdDate", "group"}
    read = play(Scenario("read", f"GET {TASKS}/refName/orders", has={"group.entityId": group}))
    assert read["createdDate"] == made["createdDate"]


def test_a_task_finds_its_group_by_an_id_in_capitals(world: World) -> None:
    group = make_group(world)
    assert make_task(world, group.upper())["group"]["id"] == group


@pytest.mark.parametrize("group", [NOWHERE, "no-id", "A" * 24, "globex"])
def test_a_task_without_a_group_that_can_be_seen_has_none(world: World, play: Play, group: str) -> None:
    named = make_group(world, "globex") if group == "globex" else group
    request = f"POST {TASKS}/create/{named}"
    made = play(Scenario("create", request, body={}, status=201, lacks=("group",), stored=1))
    play(Scenario("read", f"GET {TASKS}/id/{made['id']}", lacks=("group",)))


@pytest.mark.parametrize("status", ["SUCCESS", "FAILED", "RUNNING", "PENDING"])
def test_any_status_completes_a_task_again_and_again(world: World, play: Play, status: str) -> None:
    group = make_group(world)
    task = make_task(world, group)["id"]
    before = world.ask(f"GET {GROUPS}/id/{group}").json()
    request = f"PUT {TASKS}/complete/{task}?status={status}"
    first = play(Scenario("complete", f"{request}&result=done", has={"result": "done"}, changed=1))
    assert set(first) == {"id", "status", "completedDate", "result"}
    second = play(
        Scenario("again", request, has={"id": task, "status": status}, lacks=("result",), changed=1)
    )
    assert second["completedDate"] > first["completedDate"]
    assert world.ask(f"GET {GROUPS}/id/{group}").json() == before


@pytest.mark.parametrize(
    ("versions", "status"),
    [('"1"', 200), ('"7", "1"', 200), ("*", 200), ('"2"', 412), ('W/"1"', 412), ("1", 412), ("", 400)],
    ids=["the stored one", "one of two", "any", "another", "a weak one", "one without quotes", "none"],
)
def test_a_task_is_completed_at_the_version_that_the_caller_knows(
    world: World, play: Play, versions: str, status: int
) -> None:
    task = make_task(world, make_group(world))["id"]
    request, headers = f"PUT {TASKS}/complete/{task}?status=SUCCESS", {"If-Match": versions}
    code = {412: "record.precondition_failed", 400: "request.invalid_parameter"}.get(status)
    play(Scenario("complete", request, headers=headers, status=status, code=code, changed=int(status == 200)))
    left = {"status": "SUCCESS", "version": 2} if status == 200 else {"status": "PENDING", "version": 1}
    play(Scenario("read", f"GET {TASKS}/id/{task}", has=left))


def test_only_completing_sets_the_time_of_it(world: World, play: Play) -> None:
    task = make_task(world, make_group(world))["id"]
    body = {
        "status": "SUCCESS",
        "completedDate": "1999-01-01T00:00:00Z",
        "createdDate": "1999-01-01T00:00:00Z",
    }
    request = f"PATCH {TASKS}/id/{task}"
    headers = {"Content-Type": "application/merge-patch+json"}
    has = {"status": "SUCCESS"}
    said = play(
        Scenario("patch", request, body=body, headers=headers, has=has, lacks=("completedDate",), changed=1)
    )
    assert said["createdDate"] > "2026"
    done = world.ask(f"PUT {TASKS}/complete/{task}?status=FAILED").json()
    body = {"status": "RUNNING", "completedDate": None}
    has = {"status": "RUNNING", "completedDate": done["completedDate"]}
    play(Scenario("patch", request, body=body, headers=headers, has=has, changed=1))


def test_an_application_runs_and_completes_a_group(world: World, play: Play) -> None:
    request = f"PATCH {GROUPS}/id/{make_group(world)}"
    headers = {"Content-Type": "application/merge-patch+json"}
    at = "2026-03-27T04:12:14Z"
    for body in ({"status": "RUNNING"}, {"status": "COMPLETE", "completedDate": at}):
        play(
            Scenario("patch", request, body=body, headers=headers, has={"status": body["status"]}, changed=1)
        )


def test_a_worker_and_an_application_set_the_status(world: World, play: Play) -> None:
    group = make_group(world)
    task = make_task(world, group)["id"]
    written = (
        (f"{TASKS}/set?id={task}&pairs=status:RUNNING", "RUNNING"),
        (f"{GROUPS}/set?id={group}&pairs=status:RUNNING", "RUNNING"),
        (f"{GROUPS}/set?id={group}&pairs=status:COMPLETE,completedDate:2026-03-27T04:12:14Z", "COMPLETE"),
    )
    for path, status in written:
        play(Scenario("set", f"PUT {path}", has={"status": status}, changed=1))
    for pairs in ("completedDate:null", "createdDate:2026-03-27T04:12:14Z"):
        request = f"PUT {TASKS}/set?id={task}&pairs={pairs}"
        play(Scenario("kept by the server", request, status=400, code="request.invalid_parameter"))


@pytest.mark.parametrize("path", [TASKS, GROUPS])
def test_a_status_cannot_be_cleared(world: World, play: Play, path: str) -> None:
    group = make_group(world)
    record = group if path == GROUPS else make_task(world, group)["id"]
    headers = {"Content-Type": "application/merge-patch+json"}
    refused = {"status": 422, "code": "record.invalid", "has": {"violations[0].path": "status"}}
    for request, body in (
        (f"PATCH {path}/id/{record}", {"status": None}),
        (f"PUT {path}/set?id={record}&pairs=status:null", None),
    ):
        play(Scenario("clear", request, body=body, headers=headers if body else {}, **refused))
    body = {"displayName": "Nightly", "refName": None}
    play(Scenario("rename", f"PATCH {path}/id/{record}", body=body, headers=headers, changed=1))
    collection = world.documents[path.rpartition("/")[2]]
    collection.update_one({"_id": ObjectId(record)}, {"$unset": {"status": ""}})
    body = {"displayName": "Daily"}
    answer = play(Scenario("rename", f"PATCH {path}/id/{record}", body=body, headers=headers, **refused))
    assert answer["violations"][0]["message"].startswith("status cannot be empty: a ")
    body |= {"status": "RUNNING"}
    play(Scenario("rename", f"PATCH {path}/id/{record}", body=body, headers=headers, changed=1))


def test_progress_counts_the_tasks_of_the_group_alone(world: World, play: Play) -> None:
    group, other = make_group(world), make_group(world)
    request = f"GET {GROUPS}/id/{group}/progress"
    nothing = {"total": 0, "pending": 0, "running": 0, "success": 0, "failed": 0}
    assert play(Scenario("progress", request)) == {"id": group, "status": "NEW", **nothing}
    for status in ("SUCCESS", "SUCCESS", "FAILED", "RUNNING", None):
        task = make_task(world, group)["id"]
        if status is not None:
            assert world.ask(f"PUT {TASKS}/complete/{task}?status={status}").status_code == 200
    make_task(world, other)
    counts = {"total": 5, "pending": 1, "running": 1, "success": 2, "failed": 1}
    assert play(Scenario("progress", request)) == {"id": group, "status": "NEW", **counts}


def test_lists_and_counts_by_group(world: World, play: Play) -> None:
    group = make_group(world)
    made = {make_task(world, group)["id"] for _task in range(3)}
    listed = play(Scenario("list", f"GET {TASKS}/list?filter=group:@@{group}&expand=group"))
    assert {row["id"] for row in listed["rows"]} == made
    assert {row["group"]["id"] for row in listed["rows"]} == {group}
    play(Scenario("count", f"GET {TASKS}/count?filter=group:@@{group}", has={"count": 3}))


@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_nothing_outside_of_the_scope_is_found(world: World, play: Play, user: str) -> None:
    group = make_group(world)
    task = make_task(world, group)["id"]
    for request in (
        f"GET {GROUPS}/id/{group}", f"GET {GROUPS}/id/{group}/progress", f"GET {TASKS}/id/{task}",
        f"PUT {TASKS}/complete/{task}?status=SUCCESS",
    ):  # fmt: skip
        play(Scenario("outside", request, user=user, status=404, code="record.not_found"))


@pytest.mark.parametrize(("user", "status"), [(None, 401), ("acme-nobody", 403)], ids=str)
def test_they_are_not_for_everybody(world: World, play: Play, user: str | None, status: int) -> None:
    group = make_group(world)
    task = make_task(world, group)["id"]
    for request, body in (
        (f"POST {GROUPS}/create", {}), (f"POST {TASKS}/create/{group}", {}),
        (f"GET {GROUPS}/id/{group}/progress", None), (f"PUT {TASKS}/complete/{task}?status=SUCCESS", None),
    ):  # fmt: skip
        play(Scenario("not for all", request, user=user, body=body, status=status))


@pytest.mark.parametrize(
    ("request_", "body", "status", "code"),
    [
        (f"POST {GROUPS}/create", {"nmae": "x"}, 400, "request.unknown_member"),
        (f"POST {GROUPS}/create", {"refName": ""}, 422, "record.invalid"),
        (f"PUT {TASKS}/complete/{{task}}", None, 400, "request.invalid_parameter"),
        (f"PUT {TASKS}/complete/{{task}}?status=DONE", None, 400, "request.invalid_parameter"),
        (f"PUT {TASKS}/complete/{{task}}?status=SUCCESS&resutl=1", None, 400, "request.unknown_parameter"),
        (f"PUT {TASKS}/complete/{NOWHERE}?status=SUCCESS", None, 404, "record.not_found"),
        (f"PUT {TASKS}/complete/xyz?status=SUCCESS", None, 404, "record.not_found"),
        (f"GET {GROUPS}/id/{NOWHERE}/progress", None, 404, "record.not_found"),
        (f"GET {GROUPS}/id/xyz/progress", None, 404, "record.not_found"),
    ],
)
def test_wrong_requests(world: World, play: Play, request_: str, body: Any, status: int, code: str) -> None:
    request = request_.format(task=make_task(world, make_group(world))["id"])
    play(Scenario("wrong", request, body=body, status=status, code=code))


def test_a_name_is_unique_in_the_tenant(world: World, play: Play) -> None:
    group = make_group(world, refName="only-once")
    for path, user, status in (("Group/create", "acme", 409), ("Group/create", "globex", 201)):
        request = f"POST {TASKS}{path}"
        stored = int(status == 201)
        play(
            Scenario("twice", request, user=user, body={"refName": "only-once"}, status=status, stored=stored)
        )
    make_task(world, group, refName="only-once")


def test_a_repeated_key_creates_one(world: World, play: Play) -> None:
    headers = {"Idempotency-Key": "group-1"}
    request = f"POST {GROUPS}/create"
    first = play(Scenario("first", request, body={}, headers=headers, status=201, stored=1))
    again = {"Idempotency-Replayed": "true"}
    assert play(Scenario("again", request, body={}, headers=headers, status=201, answers=again)) == first


def test_a_repeated_key_completes_once(world: World, play: Play) -> None:
    """So a worker that got no answer asks again, and nobody who waits is notified twice."""
    task = make_task(world, make_group(world))["id"]
    headers, path = {"Idempotency-Key": "completion-1"}, f"PUT {TASKS}/complete/{task}"
    request = f"{path}?status=SUCCESS&result=once"
    first = play(Scenario("first", request, headers=headers, changed=1))
    again = {"Idempotency-Replayed": "true"}
    assert play(Scenario("again", request, headers=headers, answers=again)) == first
    play(Scenario("other", f"{path}?status=FAILED", headers=headers, status=422, code="idempotency.mismatch"))
    stored = world.ask(f"GET {TASKS}/id/{task}").json()
    assert (stored["version"], stored["status"], stored["result"]) == (2, "SUCCESS", "once")
    assert world.ask(f"{path}?status=SUCCESS&result=once").json()["completedDate"] > first["completedDate"]
