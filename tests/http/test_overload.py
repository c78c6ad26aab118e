"""More is asked than can be done: what is refused, that nothing came of it, and who is served all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import pytest

from runtime.access.guard import open_anonymous_call
from runtime.admission import Gate, key_within
from tests.http.world import PASSWORD, Play, World
from tests.scenario import Scenario

# Nobody waits here: who is not let in is refused.
pytestmark = pytest.mark.settings(
    queue_ms=0, requests_in_store=4, login_failures=100, transfers=3, transfers_per_user=2
)

CARRIERS = "/logistics/carriers"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
EXPORT = f"GET {CARRIERS}/csv?requestedColumns=refName"
REFUSED: dict[str, Any] = {
    "status": 503, "code": "service.overloaded", "answers": {"retry-after": "1", "cache-control": "no-store"},
}  # fmt: skip
CSV = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,mode\r\nOne,AIR\r\n--x--\r\n'
FORM = {"Content-Type": "multipart/form-data; boundary=x"}


@contextmanager
def all_places_taken(world: World) -> Iterator[Gate]:
    """By others, until the end of the block."""
    gate: Gate = world.app.state.service.gate
    others: list[str] = []
    while gate.try_enter(f"other {len(others)}"):
        others.append(f"other {len(others)}")
    yield gate
    for other in others:
        call(world, partial(gate.leave, other, 0.0))


def call(world: World, work: Callable[[], Any]) -> Any:
    """Do it on the loop of the service."""

    async def on_loop() -> Any:
        return work()

    assert world.client.portal is not None
    return world.client.portal.call(on_loop)


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario("a list", f"GET {CARRIERS}/list", **REFUSED),
        Scenario("a save", f"POST {CARRIERS}", body=LINE, **REFUSED),
        Scenario("a save with a key", f"POST {CARRIERS}", body=LINE, headers={"Idempotency-Key": "k"}, **REFUSED),
        Scenario("bulk", f"POST {CARRIERS}/bulk", body={"operations": [{"op": "save", "record": LINE}]}, **REFUSED),
        Scenario("an export", EXPORT, **REFUSED),
        Scenario("a refresh", "POST /security/refresh", None, body={"refreshToken": "x"}, **REFUSED),
        Scenario("without a token", f"GET {CARRIERS}/list", None, status=401, code="access.unauthenticated"),
        Scenario("what cannot be read", f"GET {CARRIERS}/list?filtr=x", status=400, code="request.unknown_parameter"),
    ],
    ids=str,
)  # fmt: skip
def test_without_a_place_nothing_is_done(world: World, play: Play, scenario: Scenario) -> None:
    with all_places_taken(world) as gate:
        taken = gate.taken
        play(scenario)
        assert gate.taken == taken
    assert gate.taken == 0


def test_a_refused_key_is_free(world: World) -> None:
    headers = {"Idempotency-Key": "again"}
    with all_places_taken(world):
        assert world.ask(f"POST {CARRIERS}", json=LINE, headers=headers).status_code == 503
    assert world.ask(f"POST {CARRIERS}", json=LINE, headers=headers).status_code == 201


def test_addresses_of_unauthenticated_callers_leave_places_to_tenants(world: World) -> None:
    """However many one caller has, as of IPv6."""
    service = world.app.state.service
    assert world.ask(f"GET {CARRIERS}/list").status_code == 200
    keys = [open_anonymous_call(service, "", f"2001:db8::{number}").turn.key for number in range(9)]
    entered = [key for key in keys if service.gate.try_enter(key)]
    answer = world.ask(f"GET {CARRIERS}/list")
    for key in entered:
        call(world, partial(service.gate.leave, key, 0.0))
    assert (len(entered), answer.status_code) == (3, 200)


@pytest.mark.parametrize("path", ["/live", "/ready", "/openapi.json", "/docs"])
def test_pages_wait_for_nobody(world: World, path: str) -> None:
    with all_places_taken(world):
        assert world.ask(f"GET {path}", None).status_code == 200


@pytest.mark.parametrize(
    ("request_", "options"),
    [
        pytest.param(f"GET {CARRIERS}/list", {}, id="a list"),
        pytest.param(f"GET {CARRIERS}/id/000000000000000000000000", {}, id="a refusal"),
        pytest.param(EXPORT, {}, id="an export"),
        pytest.param(f"GET {CARRIERS}/csv?requestedColumns=nothing", {}, id="a refused export"),
        pytest.param(f"POST {CARRIERS}/csv?requestedColumns=name,mode", {"content": CSV, "headers": FORM}, id="an import"),
        pytest.param(f"POST {CARRIERS}/csv?requestedColumns=name,mode", {"content": b"x", "headers": FORM}, id="a broken import"),
        pytest.param("POST /security/login", {"json": {"userId": "nobody", "password": PASSWORD}}, id="a login"),
    ],
)  # fmt: skip
def test_places_are_given_back(world: World, request_: str, options: dict[str, Any]) -> None:
    for _time in range(9):
        world.ask(request_, **options)
    service = world.app.state.service
    assert (service.gate.taken, service.transfers.number) == (0, 0)
    assert world.ask(request_, **options).status_code != 503


def test_transfers_have_a_cap_for_one_and_for_all(world: World, play: Play) -> None:
    transfers = world.app.state.service.transfers
    with ExitStack() as stack:
        subject = world.ask("GET /security/me").json()["subject"]
        me = key_within(f"{world.realm} acme", f"{world.realm} {subject}")
        for _transfer in range(2):
            stack.callback(transfers.begin(me))
        play(Scenario("one user", EXPORT, says=("you have 2",), **REFUSED))
        upload = f"POST {CARRIERS}/csv?requestedColumns=name,mode"
        play(Scenario("an upload", upload, content=CSV, headers=FORM, says=("you have 2",), **REFUSED))
        assert world.ask(EXPORT, "globex").status_code == 200
        stack.callback(transfers.begin("somebody"))
        play(Scenario("all", EXPORT, "globex", says=("too many",), **REFUSED))
        assert world.ask(f"GET {CARRIERS}/list").status_code == 200
    assert world.ask(EXPORT).status_code == 200


def test_logins_leave_reads_alone(world: World) -> None:
    """All places of logins are taken: they are refused, and hold nothing that a read needs."""
    queue: Gate = world.app.state.service.provider._checks.queue
    taken = 0
    while queue.try_enter(f"address {taken}"):
        taken += 1
    try:
        for user in ("nobody", "admin@acme.example"):
            answer = world.ask("POST /security/login", None, json={"userId": user, "password": PASSWORD})
            assert (answer.status_code, answer.json()["code"]) == (503, "service.overloaded")
            assert answer.headers["retry-after"] == "1"
        assert world.ask(f"GET {CARRIERS}/list").status_code == 200
    finally:
        for at in range(taken):
            call(world, partial(queue.leave, f"address {at}", 0.0))
    user = {"userId": "admin@acme.example", "password": PASSWORD}
    assert world.ask("POST /security/login", None, json=user).status_code == 200


def test_who_hangs_up_while_waiting_frees_the_queue(world: World) -> None:
    """The task of a request is cancelled with its connection."""
    gate: Gate = world.app.state.service.gate

    async def come_and_go() -> None:
        turn = gate.turn("impatient").another()

        async def visit() -> None:
            async with turn:
                raise AssertionError("there was no place")

        task = asyncio.create_task(visit())
        await asyncio.sleep(0)
        assert gate.waiting == 1
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with all_places_taken(world):
        assert world.client.portal is not None
        world.client.portal.call(come_and_go)
        assert gate.waiting == 0
