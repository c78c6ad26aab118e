"""Ids may be written in capitals wherever one is sent, and are stored and returned in lower case."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import Document, Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"
MERGE = {"Content-Type": "application/merge-patch+json"}
SAVED = {"name": "New", "mode": "SEA"}


def loud(reference: Document) -> Document:
    return {"entityId": reference["entityId"].upper()}


@pytest.mark.parametrize(
    ("request_line", "body"),
    [
        pytest.param(f"POST {CARRIERS}", lambda id_: SAVED | {"id": id_}, id="replace"),
        pytest.param(
            f"POST {CARRIERS}/bulk",
            lambda id_: {"operations": [{"op": "save", "record": SAVED | {"id": id_}}]},
            id="bulk save",
        ),
        pytest.param(
            f"PUT {CARRIERS}/bulk/set", lambda id_: {"ids": [id_], "values": {"name": "New"}}, id="bulk set"
        ),
        pytest.param(
            "POST /api/query/save",
            lambda id_: {"rootType": "Carrier", "entity": SAVED | {"id": id_}},
            id="gateway",
        ),
    ],
)
def test_of_the_record(world: World, play: Play, request_line: str, body: Any) -> None:
    made = world.make("Carrier")
    play(Scenario("write", request_line, body=body(made["id"].upper()), changed=1))
    read = world.read("Carrier", made)
    assert (read["id"], read["name"], read["version"]) == (made["id"], "New", 2)


@pytest.mark.parametrize(
    ("request_line", "body"),
    [
        pytest.param(
            f"POST {CARRIERS}/bulk", lambda id_: {"operations": [{"op": "delete", "id": id_}]}, id="bulk"
        ),
        pytest.param("POST /api/query/delete", lambda id_: {"rootType": "Carrier", "id": id_}, id="gateway"),
    ],
)
def test_of_a_record_to_delete(world: World, play: Play, request_line: str, body: Any) -> None:
    play(Scenario("go", request_line, body=body(world.make("Carrier")["id"].upper()), removed=1))


@pytest.mark.parametrize("route", ["save", "patch", "dotted"])
def test_of_a_reference(world: World, play: Play, route: str) -> None:
    made, home = world.make("Carrier"), world.ref("Airport")
    if route == "save":
        body: Document = {**SAVED, "id": made["id"], "home": loud(home)}
        play(Scenario("save", f"POST {CARRIERS}", body=body, changed=1))
    elif route == "patch":
        request = f"PATCH {CARRIERS}/id/{made['id']}"
        play(Scenario("patch", request, body={"home": loud(home)}, headers=MERGE, changed=1))
    else:
        body = {"ids": [made["id"]], "values": {"home.entityId": home["entityId"].upper()}}
        play(Scenario("set", f"PUT {CARRIERS}/bulk/set", body=body, changed=1, has={"failed": 0}))
    assert world.read("Carrier", made)["home"]["entityId"] == home["entityId"]


def test_two_spellings_are_one_id(world: World, play: Play) -> None:
    id_ = world.make("Carrier")["id"]
    body = {"ids": [id_, id_.upper()], "values": {"name": "New"}}
    says = ("ids: an item comes twice",)
    play(Scenario("twice", f"PUT {CARRIERS}/bulk/set", body=body, status=422, says=says))
