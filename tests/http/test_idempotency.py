"""Idempotency-Key: the same request has its effect once, and the first answer is given again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import httpx2
import pytest
from fastapi import FastAPI, Header

from runtime.http import Calling, Json, RecordRouter
from runtime.http.dispatch import Dispatch, RouteTable
from runtime.http.problem_response import handle_problems
from runtime.http.terms import KeyTerms
from runtime.records.effects.receipts import Held
from runtime.storage.store import AnyStore, Transaction
from runtime.storage.wire import to_json
from tests.http.world import NOWHERE, Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"
SAVE = f"POST {CARRIERS}"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
REPLAYED = "idempotency-replayed"


def key(name: str, **headers: str) -> dict[str, str]:
    return {"Idempotency-Key": name} | headers


def test_a_save_again(world: World, play: Play) -> None:
    scenario = Scenario(
        "save", SAVE, body=LINE, headers=key("a"), status=201, stored=1, answers={REPLAYED: None}
    )
    first = play(scenario)
    again = world.ask(SAVE, json=LINE, headers=key("a"))
    assert (again.status_code, again.json(), again.headers[REPLAYED]) == (201, first, "true")
    assert again.headers["location"] == f"{CARRIERS}/id/{first['id']}"
    assert again.headers["etag"] == '"1"'
    assert world.documents["carriers"].count_documents({"name": LINE["name"]}) >= 1
    play(Scenario("again", SAVE, body=LINE, headers=key("a"), status=201, answers={REPLAYED: "true"}))


def test_a_replace_again_is_no_second_version(world: World) -> None:
    made = world.make("Carrier")
    body = LINE | {"id": made["id"], "name": "Renamed"}
    answers = [world.ask(SAVE, json=body, headers=key("replace")) for _ in range(3)]
    assert [answer.json()["version"] for answer in answers] == [2, 2, 2]
    assert world.read("Carrier", made)["version"] == 2


def test_a_version_conflict_leaves_the_key_free(world: World) -> None:
    """The caller is advised to try again; what it sent had no effect."""
    made = world.make("Carrier")
    body = LINE | {"id": made["id"], "version": 2}
    conflict = world.ask(SAVE, json=body, headers=key("conflict"))
    assert (conflict.status_code, conflict.json()["code"]) == (409, "record.version_conflict")
    assert world.ask(SAVE, json=LINE | {"id": made["id"]}).json()["version"] == 2
    answers = [world.ask(SAVE, json=body, headers=key("conflict")) for _ in range(2)]
    assert [(answer.status_code, answer.json()["version"]) for answer in answers] == [(200, 3)] * 2
    assert [answer.headers.get(REPLAYED) for answer in answers] == [None, "true"]


def test_a_delete_again(world: World) -> None:
    made = world.make("Carrier")
    path = f"DELETE {CARRIERS}/id/{made['id']}"
    answers = [world.ask(path, headers=key("delete")) for _ in range(2)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(204, b""), (204, b"")]
    assert [answer.headers.get(REPLAYED) for answer in answers] == [None, "true"]
    assert world.ask(path).status_code == 404


@pytest.mark.parametrize("atomic", [True, False])
def test_a_bulk_again(world: World, atomic: bool) -> None:
    body = {"operations": [{"op": "save", "record": LINE} for _ in range(3)], "atomic": atomic}
    before = world.documents["carriers"].count_documents({})
    answers = [world.ask(f"{SAVE}/bulk", json=body, headers=key(f"bulk-{atomic}")) for _ in range(2)]
    assert answers[0].json()["saved"] == 3
    assert answers[0].content == answers[1].content
    assert world.documents["carriers"].count_documents({}) == before + 3


@pytest.mark.parametrize(
    ("request_line", "body"),
    [
        pytest.param(SAVE, LINE, id="a save"),
        pytest.param(f"{SAVE}/bulk", {"operations": [{"op": "save", "record": LINE}], "atomic": True}, id="a bulk"),
        pytest.param(f"PUT {CARRIERS}/set?id={{id}}&pairs=mode:SEA", None, id="a field"),
        pytest.param(f"DELETE {CARRIERS}/id/{{id}}", None, id="a deletion"),
    ],
)  # fmt: skip
def test_an_answer_is_stored_in_the_transaction_of_its_effect(
    world: World, monkeypatch: pytest.MonkeyPatch, request_line: str, body: dict[str, Any] | None
) -> None:
    """Else a process that dies between the two leaves an effect that the next request has again."""
    stores: list[AnyStore] = []
    sign = Held.sign

    async def note_and_sign(held: Held, store: AnyStore, answer: Json[Any], /) -> None:
        stores.append(store)
        await sign(held, store, answer)

    monkeypatch.setattr(Held, "sign", note_and_sign)
    request = request_line.format(**world.make("Carrier"))
    answer = world.ask(
        request, headers=key(f"signed {request_line[:25]}"), **({"json": body} if body else {})
    )
    assert answer.status_code < 300, answer.text
    assert [type(store) for store in stores] == [Transaction]


def test_a_refusal_again(world: World) -> None:
    """It is the same to the last byte, and tells the id of the first request."""
    body = LINE | {"refName": "refused-again"}
    world.make("Carrier", refName="refused-again")
    first, again = [world.ask(SAVE, json=body, headers=key("refusal")) for _ in range(2)]
    assert (first.status_code, first.json()["code"]) == (409, "record.duplicate")
    assert (again.status_code, again.content) == (409, first.content)
    assert again.headers["content-type"] == "application/problem+json"
    assert again.headers["cache-control"] == "no-store"
    assert again.headers[REPLAYED] == "true"


OTHERS: dict[str, dict[str, Any]] = {
    "another body": {"json": LINE | {"name": "Other"}},
    "another query": {"request": f"{SAVE}?dryRun=false"},
    "another route": {"request": f"{SAVE}/bulk", "json": {"operations": [{"op": "delete", "id": NOWHERE}]}},
    "another method": {"request": f"DELETE {CARRIERS}/id/{NOWHERE}", "json": None},
    "another version": {"headers": {"If-Match": '"1"'}},
    "another condition": {"headers": {"If-None-Match": "*"}},
    "another wish": {"headers": {"Prefer": "return=minimal"}},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_another_request_with_the_key(world: World, other: dict[str, Any]) -> None:
    assert world.ask(SAVE, json=LINE, headers=key("taken")).status_code == 201
    before = world.snapshot()
    options = {"json": LINE} | {name: value for name, value in other.items() if name == "json"}
    answer = world.ask(
        other.get("request", SAVE), headers=key("taken", **other.get("headers", {})), **options
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency.mismatch")
    assert world.snapshot() == before


def test_who_has_the_key_too(world: World) -> None:
    answers = [
        world.ask(SAVE, caller, json=LINE, headers=key("shared"))
        for caller in ("acme", "acme-user", "globex")
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert len({answer.json()["id"] for answer in answers}) == 3


KEYS: dict[str, str] = {"empty": "", "too long": "x" * 256, "a line break": "a\tb", "not ASCII": "sch\u00f6n"}


@pytest.mark.parametrize("name", KEYS.values(), ids=KEYS.keys())
def test_keys_that_are_none(play: Play, name: str) -> None:
    headers: Any = {"Idempotency-Key": name.encode("latin-1")}
    play(Scenario("key", SAVE, body=LINE, headers=headers, status=400, code="request.invalid_parameter"))


@pytest.mark.parametrize(
    ("content", "status"), [(b"{", 400), (b'{"nmae": "x"}', 400), (b'{"name": 5, "mode": "AIR"}', 422)]
)
def test_what_cannot_be_read_leaves_the_key_free(world: World, content: bytes, status: int) -> None:
    headers = key(f"unread-{content!r}", **{"Content-Type": "application/json"})
    assert world.ask(SAVE, content=content, headers=headers).status_code == status
    assert world.ask(SAVE, json=LINE, headers=headers).status_code == 201


def test_a_dry_run_leaves_the_key_free(world: World, play: Play) -> None:
    play(Scenario("dry", f"{SAVE}?dryRun=true", body=LINE, headers=key("dry"), status=201))
    play(
        Scenario("real", SAVE, body=LINE, headers=key("dry"), status=201, stored=1, answers={REPLAYED: None})
    )


def test_reads_take_no_key(world: World, play: Play) -> None:
    made = world.make("Carrier")
    for _each in range(2):
        play(Scenario("get", f"GET {CARRIERS}/id/{made['id']}", headers=key("a"), answers={REPLAYED: None}))


# Endpoints of an application ----------------------------------------------------------------------

bells = RecordRouter(area="house")


@bells.post("/bells", terms="terms")
async def ring_bell(
    call: Calling, terms: KeyTerms, x_tone: Annotated[str | None, Header(alias="X-Tone")] = None
) -> Json[str]:
    """Answer with the tone that was asked for."""
    return Json(to_json(x_tone))


def test_a_header_that_an_endpoint_reads_is_part_of_the_request(world: World) -> None:
    application = FastAPI(redirect_slashes=False)
    application.state.service = world.app.state.service
    handle_problems(application)
    application.add_middleware(Dispatch, outer=application, table=RouteTable([bells]))

    async def ring(headers: Mapping[str, str]) -> httpx2.Response:
        transport = httpx2.ASGITransport(application)
        async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as client:
            return await client.post("/bells", headers=world.headers("acme") | key("bell") | headers)

    portal = world.client.portal
    assert portal is not None
    sent: tuple[Mapping[str, str], ...] = (
        {"X-Tone": "low"},
        {"X-Tone": "low", "X-Else": "1"},
        {"X-Tone": "high"},
        {},
    )
    answers = [portal.call(ring, headers) for headers in sent]
    assert [answer.status_code for answer in answers] == [200, 200, 422, 422]
    assert [answer.headers.get(REPLAYED) for answer in answers] == [None, "true", None, None]
    assert answers[1].json() == "low"
    assert answers[2].json()["code"] == "idempotency.mismatch"
