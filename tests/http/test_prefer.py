"""Prefer: return=minimal (RFC 7240): the write is done and answered without the record."""

from __future__ import annotations

import pytest

from tests.http.world import Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"
SAVE = f"POST {CARRIERS}"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
APPLIED = {"preference-applied": "return=minimal"}


def test_an_insert_says_where_it_is(world: World) -> None:
    answer = world.ask(SAVE, json=LINE, headers={"Prefer": "return=minimal"})
    assert (answer.status_code, answer.content) == (201, b"")
    assert answer.headers.items() >= ({"etag": '"1"'} | APPLIED).items()
    assert "content-type" not in answer.headers
    assert world.ask(f"GET {answer.headers['location']}").json()["name"] == LINE["name"]


def test_a_replace_says_its_version(world: World, play: Play) -> None:
    made = world.make("Carrier")
    body = LINE | {"id": made["id"], "name": "Renamed"}
    answers = APPLIED | {"etag": '"2"', "location": None}
    play(
        Scenario(
            "save",
            SAVE,
            body=body,
            headers={"Prefer": "return=minimal"},
            status=204,
            changed=1,
            answers=answers,
        )
    )
    assert world.read("Carrier", made)["name"] == "Renamed"


@pytest.mark.parametrize(
    "wish",
    [
        "return=minimal",
        "Return=Minimal",
        'return="minimal"',
        "return = minimal",
        "respond-async, return=minimal",
        "return=minimal; foo=bar, wait=10",
    ],
)
def test_ways_to_say_it(play: Play, wish: str) -> None:
    headers = {"Prefer": wish}
    play(Scenario(wish, SAVE, body=LINE, headers=headers, status=201, stored=1, answers=APPLIED))


@pytest.mark.parametrize(
    "wish", ["return=representation", "minimal", "handling=strict", "", ",;=", 'return="']
)
def test_other_wishes_are_passed_over(play: Play, wish: str) -> None:
    scenario = Scenario(
        wish, SAVE, body=LINE, headers={"Prefer": wish}, status=201, stored=1,
        has={"name": LINE["name"]}, answers={"preference-applied": None},
    )  # fmt: skip
    play(scenario)


def test_a_refusal_is_told_in_full(play: Play) -> None:
    play(
        Scenario(
            "save", SAVE, body=LINE | {"mode": "BOAT"}, headers={"Prefer": "return=minimal"}, status=422,
            code="record.invalid", answers={"preference-applied": None},
        )
    )  # fmt: skip


def test_a_delete_has_nothing_to_leave_out(world: World, play: Play) -> None:
    path = f"DELETE {CARRIERS}/id/{world.make('Carrier')['id']}"
    headers = {"Prefer": "return=minimal"}
    play(
        Scenario("delete", path, headers=headers, status=204, removed=1, answers={"preference-applied": None})
    )
