"""Dates relative to now on every route with a filter: whose clock, whose zone, and where there are none."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest

from tests.http.test_permission_rules import RULES, rule
from tests.http.world import NOWHERE, World

CARRIERS, SHIPMENTS = "/logistics/carriers", "/logistics/shipments"
CREATED = "auditInfo.createdDate"
AHEAD, BEHIND = "Pacific/Kiritimati", "Pacific/Pago_Pago"  # 25 hours apart: never on the same day


@pytest.fixture(scope="module")
def world(world: World) -> World:
    carrier = world.make("Carrier", refName="one")
    world.make("Shipment", refName="sent", carrier={"entityId": carrier["id"]})
    return world


def day(zone: str) -> str:
    return datetime.now(UTC).astimezone(ZoneInfo(zone)).date().isoformat()


def count(world: World, text: str, zone: str | None = None, path: str = CARRIERS) -> int:
    """How many records each route with a filter finds, which is the same."""
    query = f"filter={quote(text)}" + (f"&timeZone={quote(zone, safe='')}" if zone else "")
    body = {"filter": text} | ({"timeZone": zone} if zone else {})
    answers = [
        world.ask(f"GET {path}/list?{query}").json()["rowCount"],
        world.ask(f"POST {path}/find", json=body).json()["rowCount"],
        world.ask(f"GET {path}/count?{query}").json()["count"],
        len(world.ask(f"GET {path}/entityref?{query}").json()),
        len(world.ask(f"GET {path}/csv?requestedColumns=refName&{query}").text.splitlines()),
        world.ask(f"PUT {path}/bulk/set?dryRun=true", json={**body, "values": {"displayName": "x"}}).json()[
            "saved"
        ],
    ]
    assert len(set(answers)) == 1, answers
    return int(answers[0])


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", AHEAD, BEHIND])
def test_a_new_record_is_of_today_in_every_zone(world: World, zone: str | None) -> None:
    assert count(world, f"{CREATED}:today", zone) == 1
    assert count(world, f"{CREATED}:^[yesterday,tomorrow]", zone) == 0
    assert count(world, f"{CREATED}:{day(zone or 'UTC')}", zone) == 1
    assert count(world, f"{CREATED}:>now-1h && {CREATED}:<=now && {CREATED}:thisYear", zone) == 1


def test_a_day_is_that_of_the_zone(world: World) -> None:
    assert count(world, f"{CREATED}:{day(AHEAD)}", AHEAD) == 1
    assert count(world, f"{CREATED}:{day(AHEAD)}", BEHIND) == 0
    assert count(world, f"{CREATED}:<{day(BEHIND)}", AHEAD) == 0


def test_relation_blocks_have_the_same_zone(world: World) -> None:
    block = f"carrier{{{CREATED}:{day(AHEAD)} && {CREATED}:<=now}}"
    assert count(world, block, AHEAD, SHIPMENTS) == 1
    assert count(world, block, BEHIND, SHIPMENTS) == 0


def test_now_is_the_clock_of_the_service(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = world.app.state.service.tokens
    recent, clock = f"{CREATED}:>now-90s", tokens.clock
    world.make("Product", refName="new")
    path = "/logistics/products"
    assert count(world, recent, path=path) == 1
    monkeypatch.setattr(tokens, "clock", lambda: clock() + 120)
    assert count(world, recent, path=path) == 0
    assert count(world, f"{CREATED}:>now-4m", path=path) == 1


@pytest.mark.parametrize(
    ("zone", "near"),
    [
        pytest.param("Europe/Berln", "Europe/Berlin", id="misspelt"),
        pytest.param("europe/berlin", "Europe/Berlin", id="in another case"),
        pytest.param("../../etc/passwd", "is not a time zone", id="a path"),
        pytest.param("+02:00", "is not a time zone", id="an offset"),
        pytest.param("", "is not a time zone", id="nothing"),
        pytest.param("localtime", "is not a time zone", id="the zone of the machine"),
    ],
)
def test_an_unknown_zone_is_refused(world: World, zone: str, near: str) -> None:
    asked = quote(zone, safe="")
    for request in (f"GET {CARRIERS}/list", f"GET {CARRIERS}/count", f"GET {CARRIERS}/csv"):
        answer = world.ask(f"{request}?timeZone={asked}")
        assert answer.status_code == 400
        assert near in answer.text
    found = world.ask(f"POST {CARRIERS}/find", json={"timeZone": zone})
    body = {"timeZone": zone, "ids": [NOWHERE], "values": {"displayName": "x"}}
    for answer in (found, world.ask(f"PUT {CARRIERS}/bulk/set", json=body)):
        assert answer.status_code == 400
        problem = answer.json()
        assert (problem["code"], problem["parameter"]) == ("request.invalid_parameter", "timeZone")
        assert near in problem["detail"]


def test_a_cursor_belongs_to_its_zone(world: World) -> None:
    for name in ("two", "three"):
        world.make("Country", refName=name)
    path, text = "/logistics/countries/list", quote(f"{CREATED}:today")
    query = f"GET {path}?limit=1&filter={text}&timeZone="
    cursor = world.ask(query + quote(AHEAD)).json()["nextCursor"]
    assert world.ask(f"{query}{quote(AHEAD)}&cursor={cursor}").status_code == 200
    assert world.ask(f"{query}{quote(BEHIND)}&cursor={cursor}").status_code == 400


def test_rules_take_no_relative_dates(world: World) -> None:
    body = rule({"area": "logistics", "functionalDomain": "carrier"}, filter=f"{CREATED}:>now-7d")
    answer = world.ask(f"POST {RULES}", json=body)
    assert answer.status_code == 422
    assert "is relative to the moment of a request" in answer.text


@pytest.mark.parametrize(("zone", "expected"), [(AHEAD, 1), (BEHIND, 0), ("UTC", None), (None, None)])
def test_the_gateway_takes_the_zone_too(world: World, zone: str | None, expected: int | None) -> None:
    text = f"{CREATED}:{day(AHEAD)}" if expected is not None else f"{CREATED}:today"
    expected = 1 if expected is None else expected
    body = {"rootType": "Carrier", "query": text} | ({"timeZone": zone} if zone else {})
    assert world.ask("POST /api/query/find", json=body).json()["rowCount"] == expected
    assert world.ask("POST /api/query/count", json=body).json()["count"] == expected
    deleted = world.ask("POST /api/query/deleteMany", json={**body, "dryRun": True}).json()
    assert deleted["matched"] == expected
    exported = world.ask("POST /api/query/export", json={**body, "columns": ["refName"]}).text.split()
    assert len(exported) == 1 + expected


def test_the_gateway_refuses_an_unknown_zone(world: World) -> None:
    for route in ("plan", "find", "count", "deleteMany", "export", "aggregate"):
        body = {"rootType": "Carrier", "query": "id:~", "timeZone": "Europe/Berln"}
        answer = world.ask(f"POST /api/query/{route}", json=body)
        assert answer.status_code == 400, route
        assert "Europe/Berlin" in answer.text
