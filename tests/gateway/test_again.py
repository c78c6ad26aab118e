"""Queries that come again, byte for byte: each caller gets what is theirs, by the rules of this moment."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.test_permission_rules import OF_CARRIERS, rule, ruled
from tests.http.test_withheld import withholding
from tests.http.world import Document, World

FIND = "POST /api/query/find"
QUERY = {"rootType": "Carrier", "query": "name:Line*", "sort": [{"field": "name", "dir": "DESC"}]}


@pytest.fixture(scope="module")
def carriers(world: World) -> list[Document]:
    """Three carriers of acme, and one of globex."""
    world.make("Carrier", "globex", name="Line of globex", refName="secret")
    return [world.make("Carrier", refName=name, name=f"Line {name}") for name in "abc"]


def ask(world: World, caller: str = "acme", **other: Any) -> Any:
    """What a query finds, or the code of its refusal: the same each time that it is sent."""
    answers = [world.ask(FIND, caller, json=QUERY | other).json() for _time in range(3)]
    said = [[row["refName"] for row in one["rows"]] if "rows" in one else one["code"] for one in answers]
    assert said[1:] == said[:-1]
    return said[0]


@pytest.mark.usefixtures("carriers")
def test_no_caller_gets_what_another_one_was_given(world: World) -> None:
    for _time in range(2):
        assert ask(world) == ["c", "b", "a"]
        assert ask(world, "globex") == ["secret"]
        assert ask(world, "acme-user") == ["c", "b", "a"]
        assert ask(world, "acme-nobody") == "access.denied"
        assert world.ask(FIND, None, json=QUERY).status_code == 401


@pytest.mark.usefixtures("carriers")
def test_a_rule_holds_for_the_next_request(world: World) -> None:
    """A field that is withheld is unknown in queries, orders and lists of fields."""
    by_name = {"query": "name:Line*", "sort": None}
    in_order = {"query": None, "sort": [{"field": "name", "dir": "ASC"}]}
    shown = {"query": "refName:^[a,b,c] && fields:[+refName,+name]", "sort": None}
    for _time in range(2):
        for one in (by_name, in_order, shown):
            assert isinstance(ask(world, "acme-user", **one), list)
        with ruled(world, withholding("carrier", "name")):
            for one in (by_name, in_order, shown):
                assert ask(world, "acme-user", **one) == "field.unknown"
                assert isinstance(ask(world, "acme", **one), list), "the rule is about users"
        with ruled(world, rule(OF_CARRIERS)):
            assert ask(world, "acme-user") == "access.denied"
            assert ask(world) == ["c", "b", "a"]


@pytest.mark.usefixtures("carriers")
def test_what_follows_from_the_caller_or_the_time_is_not_remembered(world: World) -> None:
    own = {"query": "dataDomain.tenantId:${pTenantId} && name:Line*"}
    assert ask(world, **own) == ["c", "b", "a"]
    assert ask(world, "globex", **own) == ["secret"]
    assert ask(world, query="auditInfo.createdDate:>now-1d && name:Line*") == ["c", "b", "a"]


def test_what_is_stored_now_is_found(world: World, carriers: list[Document]) -> None:
    query = {"query": "name:Lane*"}
    assert ask(world, **query) == []
    path = f"/logistics/carriers/id/{carriers[0]['id']}"
    for name, found in (("Lane a", ["a"]), ("Line a", [])):
        headers = {"Content-Type": "application/merge-patch+json"}
        assert world.ask(f"PATCH {path}", json={"name": name}, headers=headers).status_code == 200
        assert ask(world, **query) == found


@pytest.mark.usefixtures("carriers")
def test_a_wrong_body_is_refused_each_time(world: World) -> None:
    for _time in range(3):
        for text, code in (
            (b'{"rootType":"Carrier","rootType":"Order"}', "request.repeated_member"),
            (b'{"rootType":"Carrier","qurey":"a"}', "request.unknown_member"),
            (b'{"rootType":"Carrier"', "request.malformed"),
        ):
            headers = {"Content-Type": "application/json"}
            answer = world.ask(FIND, content=text, headers=headers)
            assert answer.json()["code"] == code
        answer = world.ask(FIND, content=b'{"rootType":"Carrier"}', headers={"Content-Type": "text/plain"})
        assert answer.status_code == 415
