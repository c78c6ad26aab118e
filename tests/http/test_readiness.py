"""``/ready``: who sees the state of a service and why it is not ready, and that a worker that shall end says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest

from runtime.errors import InternalFault, Misconfigured, StoreUnavailable
from runtime.migrations import Keeper
from tests.http.world import World
from tests.log_lines import capture_logs
from tests.scenario import check_problem

TOKEN = "a token of sixteen or more"
REASON = {"code": "service.not_ready", "message": "this worker is about to end"}

pytestmark = pytest.mark.settings(metrics_token=TOKEN, drain_seconds=7)


@pytest.fixture
def ending(world: World) -> Iterator[World]:
    """A service that is about to end, and still serves."""
    draining = world.app.state.service.draining
    assert draining.begin() == 7
    yield world
    draining.is_on = False


@pytest.fixture
def unseen(world: World) -> Iterator[World]:
    """A service that nobody has looked at, so that nothing found before is shared."""
    service = world.app.state.service
    world.app.state.service = copy(service)
    yield world
    world.app.state.service = service


@pytest.fixture(params=[0, 3])
def due(request: pytest.FixtureRequest, world: World, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many record types have records in an earlier shape."""
    number: int = request.param
    monkeypatch.setattr(Keeper, "due", property(lambda _keeper: number))
    return number


STRANGERS: list[dict[str, str]] = [
    {},
    {"Authorization": "Bearer made-up"},
    {"Authorization": "Basic x"},
    {"Authorization": f"Bearer {TOKEN}x"},
    {"Authorization": "Bearer "},
]


@pytest.mark.parametrize("headers", STRANGERS, ids=str)
def test_strangers_learn_the_status_alone(world: World, due: int, headers: dict[str, str]) -> None:
    answer = world.ask("GET /ready", None, headers=headers)
    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


@pytest.mark.parametrize("caller", ["acme-user", "acme-nobody", "acme-north"])
def test_users_learn_the_status_alone(world: World, due: int, caller: str) -> None:
    answer = world.ask("GET /ready", caller)
    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


@pytest.mark.parametrize("caller", ["acme", "globex", "system", TOKEN])
def test_insiders_learn_what_is_unusual(world: World, due: int, caller: str) -> None:
    token = world.tokens.get(caller, caller)
    answer = world.ask("GET /ready", None, headers={"Authorization": f"Bearer {token}"})
    is_followed = world.app.state.service.watcher.is_alive
    expected = {"status": "ready", "changeStream": is_followed} | ({"migrationsDue": due} if due else {})
    assert (answer.status_code, answer.json()) == (200, expected)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("headers", STRANGERS, ids=str)
def test_strangers_learn_no_reason(ending: World, headers: dict[str, str]) -> None:
    with capture_logs() as lines:
        check_silent(ending.ask("GET /ready", None, headers=headers))
    assert [line for line in lines if line["event"] == "fault"] == []


def test_a_planned_end_is_logged_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    draining, planned = world.app.state.service.draining, list[bool]()
    monkeypatch.setattr("runtime.logs.access", lambda *_arguments, is_planned: planned.append(is_planned))
    with capture_logs() as lines:
        draining.begin()
        try:
            answers = [world.ask(f"{method} /ready", "acme") for method in ("GET", "HEAD", "GET")]
        finally:
            draining.is_on = False
    assert [answer.status_code for answer in answers] == [503] * 3
    assert lines == [{"event": "worker.draining", "seconds": 7, "log_level": "info"}]
    world.ask("GET /ready", None)
    assert planned == [True, True, True, False]


def test_a_fault_while_it_ends_is_logged(
    ending: World, unseen: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse() -> None:
        raise Misconfigured("MONGODB_URI names a lone server")

    monkeypatch.setattr(unseen.app.state.service.store, "ping", refuse)
    with capture_logs() as lines:
        answer = unseen.ask("GET /ready", "acme")
    assert (answer.status_code, len(answer.json()["reasons"])) == (503, 2)
    (fault,) = [line for line in lines if line["event"] == "fault"]
    assert "a lone server" in fault["cause"]


@pytest.mark.parametrize("caller", ["acme-user", "acme-nobody"])
def test_users_learn_no_reason(ending: World, caller: str) -> None:
    check_silent(ending.ask("GET /ready", caller))


def check_silent(answer: Any) -> None:
    check_problem(503, answer.headers, answer.json())
    assert (answer.json()["code"], answer.json()["detail"]) == (
        "service.not_ready",
        "the service is not ready",
    )
    assert answer.headers["retry-after"] == "1"
    assert "reasons" not in answer.json()
    assert REASON["message"] not in answer.text


@pytest.mark.parametrize("caller", ["acme", "system"])
def test_admins_learn_the_reasons(ending: World, caller: str) -> None:
    answer = ending.ask("GET /ready", caller)
    check_problem(503, answer.headers, answer.json())
    assert answer.json()["reasons"] == [REASON]


def test_the_token_of_metrics_opens_the_reasons(ending: World) -> None:
    answer = ending.ask("GET /ready", None, headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer.json()["reasons"]) == (503, [REASON])


def test_what_would_be_500_elsewhere_is_503_for_those_who_see_it(
    unseen: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse() -> None:
        raise Misconfigured("MONGODB_URI names a lone server")

    monkeypatch.setattr(unseen.app.state.service.store, "ping", refuse)
    answer = unseen.ask("GET /ready", "acme")
    check_problem(503, answer.headers, answer.json())
    assert (answer.json()["code"], answer.headers["retry-after"]) == ("service.not_ready", "1")
    reason = {"code": "service.misconfigured", "message": "MONGODB_URI names a lone server"}
    assert answer.json()["reasons"] == [reason]


def test_a_store_that_refuses_the_lookup_of_the_caller_too(
    unseen: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_arguments: object) -> None:
        raise InternalFault

    monkeypatch.setattr(unseen.app.state.service.store, "ping", refuse)
    monkeypatch.setattr("runtime.http.readiness.require_caller", refuse)
    check_silent(unseen.ask("GET /ready", "acme"))


def test_everything_else_is_served_meanwhile(ending: World) -> None:
    assert ending.ask("GET /live", None).status_code == 200
    assert ending.ask("GET /logistics/carriers/list").status_code == 200


def test_a_silent_store_is_waited_for_once(unseen: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look at the store and at the caller begin before either has ended."""
    both = asyncio.Barrier(2)

    async def wait_in_vain(*_arguments: object) -> None:
        async with asyncio.timeout(2):
            await both.wait()
        raise StoreUnavailable("the store did not answer; try again")

    monkeypatch.setattr(unseen.app.state.service.store, "ping", wait_in_vain)
    monkeypatch.setattr("runtime.http.readiness.require_caller", wait_in_vain)
    answer = unseen.ask("GET /ready", "acme")
    assert (answer.status_code, answer.json()["code"]) == (503, "store.unavailable")
