"""A progress stream ends when its caller may no longer see it: every way to lose that, and none that is not one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from runtime.contract.imports import ImportProgress
from runtime.identity.users.users import NewUser
from runtime.transfer.sessions import session_routes
from tests.http.world import PASSWORD, World
from tests.patience import wait_until

# Rights are read for every request, and for every look of a stream.
pytestmark = pytest.mark.settings(rule_cache_seconds=0)

SESSIONS = "/logistics/carriers/csv/session"
RULES = "/security/permission/rules"
READER = "reader@acme.example"


@pytest.fixture
def reader(world: World) -> Iterator[str]:
    """A user of acme, made for one test."""
    world.sign_in("reader", NewUser(READER, PASSWORD, "acme", frozenset({"user"})))
    yield "reader"
    world.documents["credentials"].delete_one({"userId": READER})


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions that were looked at, one entry each time; often, since these tests wait for looks."""
    seen: list[str] = []
    look = session_routes.read_own_session

    async def counted(call: Any, kind: Any, session_id: str, **options: Any) -> Any:
        seen.append(session_id)
        return await look(call, kind, session_id, **options)

    monkeypatch.setattr(session_routes, "read_own_session", counted)
    monkeypatch.setattr(session_routes, "_POLL_SECONDS", 0.02)
    return seen


def opened_by(world: World, caller: str, **headers: str) -> str:
    """The id of a session that is never committed."""
    content = b"refName,name,mode\r\np-1,One,AIR\r\n"
    answer = world.ask(
        f"POST {SESSIONS}", caller, params={"requestedColumns": "refName,name,mode"},
        files={"file": ("rows.csv", content, "text/csv")}, headers=headers,
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    return str(answer.json()["sessionId"])


def test_an_event_is_what_the_document_describes(world: World) -> None:
    session = opened_by(world, "acme")
    assert world.ask(f"POST {SESSIONS}/{session}/commit").status_code == 200
    event = world.ask(f"GET {SESSIONS}/{session}/progress").text
    progress = ImportProgress.model_validate_json(event.removeprefix("data: "))
    assert (progress.status, progress.inserted, progress.done_rows) == ("COMMITTED", 1, 1)


def disable(world: World) -> None:
    world.documents["credentials"].update_one({"userId": READER}, {"$set": {"disabled": True}})


def take_roles(world: World) -> None:
    world.documents["credentials"].update_one({"userId": READER}, {"$set": {"roles": ["auditor"]}})


def log_out(world: World) -> None:
    assert world.ask("POST /security/logout", "reader", json={"everywhere": True}).status_code == 204


def deny(world: World) -> None:
    header = {"identity": "user", "area": "logistics", "functionalDomain": "carrier", "action": "VIEW"}
    rule = {"name": "no carriers", "effect": "DENY", "priority": 50, "securityURI": {"header": header}}
    assert world.ask(f"POST {RULES}", json=rule).status_code == 201


def allow_again(world: World) -> None:
    world.documents["permissionRules"].delete_many({"name": "no carriers"})


@pytest.mark.parametrize("take_away", [disable, take_roles, log_out, deny], ids=lambda way: way.__name__)
def test_it_ends_when_its_caller_may_no_longer_see_it(
    world: World, reader: str, looks: list[str], take_away: Callable[[World], None]
) -> None:
    session_id = opened_by(world, reader)
    with ThreadPoolExecutor(1) as pool:
        stream = pool.submit(world.ask, f"GET {SESSIONS}/{session_id}/progress", reader)
        wait_until(lambda: looks.count(session_id) >= 2)
        try:
            take_away(world)
            answer: httpx2.Response = stream.result(timeout=30)
        finally:
            allow_again(world)
            world.documents["importSessions"].update_one(
                {"refName": session_id}, {"$set": {"state": "DISCARDED"}}
            )
    assert answer.status_code == 200
    assert events(answer) == [b'"status":"ANALYZED"']


def test_it_goes_on_for_whoever_may_see_it(world: World, reader: str, looks: list[str]) -> None:
    """Rights are looked at again many times, and another user's loss is not this one's."""
    world.sign_in("other", NewUser("other@acme.example", PASSWORD, "acme", frozenset({"user"})))
    session_id = opened_by(world, reader)
    with ThreadPoolExecutor(1) as pool:
        stream = pool.submit(world.ask, f"GET {SESSIONS}/{session_id}/progress", reader)
        world.documents["credentials"].delete_one({"userId": "other@acme.example"})
        wait_until(lambda: looks.count(session_id) >= 10)
        assert not stream.done()
        assert world.ask(f"DELETE {SESSIONS}/{session_id}", reader).status_code == 204
        answer = stream.result(timeout=30)
    assert events(answer) == [b'"status":"ANALYZED"', b'"status":"DISCARDED"']


def events(answer: httpx2.Response) -> list[bytes]:
    """The status of each."""
    lines = [line for line in answer.content.split(b"\n") if line.startswith(b"data: ")]
    return [line[len(b"data: {") :].split(b",")[0].rstrip(b"}") for line in lines]
