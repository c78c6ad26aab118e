"""Relation blocks in the filters of callers: what they find, under whose rights, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.records import relations
from tests.http.commands import Commands
from tests.http.test_permission_rules import rule, ruled
from tests.http.test_withheld import withholding
from tests.http.world import Document, World, open_world
from tests.scenario import Scenario

ORDERS, SHIPMENTS = "/logistics/orders", "/logistics/shipments"


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands()


@pytest.fixture(scope="module")
def world(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path, commands: Commands
) -> Iterator[World]:
    """Two countries, an airport in each, a carrier at each and one without a home; four shipments."""
    with (
        commands.listening(),
        open_world(mongo_uri, mongo_client, data_folder=key_folder, rule_cache_seconds=0) as opened,
    ):
        plant(opened)
        yield opened


def to(record: Document) -> Document:
    return {"entityId": record["id"]}


def plant(world: World) -> None:
    make = world.make
    countries = {code: make("Country", code=code, refName=code, name=code) for code in ("NL", "PT")}
    airports = {
        code: make("Airport", icao=f"EH{code}", refName=code, name=f"Field {code}", country=to(country))
        for code, country in countries.items()
    }
    homes = {"dutch": airports["NL"], "lusitanian": airports["PT"]}
    carriers = {
        name: make("Carrier", refName=name, name=name, mode="AIR", home=to(home))
        for name, home in homes.items()
    }
    carriers["nomad"] = make("Carrier", refName="nomad", name="nomad", mode="SEA", active=False)
    rows = (("a", "dutch", "NL"), ("b", "lusitanian", "PT"), ("c", "nomad", "NL"), ("d", None, "PT"))
    shipments = {}
    for name, carrier, place in rows:
        carried = {"carrier": to(carriers[carrier])} if carrier else {}
        ways = {"origin": to(airports[place]), "destination": to(airports["PT"])}
        shipments[name] = make("Shipment", refName=name, **carried, **ways)
    products = {
        name: make("Product", refName=name, sku=f"SKU-{name}".upper(), name=name, price=price)
        for name, price in (("rose", "2.00"), ("tulip", "1.00"), ("relic", "9.00"))
    }
    lines = {"p": (("rose", 1), ("tulip", 9)), "q": (("rose", 9),), "r": (("relic", 9),)}
    sent = {"p": ("a", "b"), "q": ("c",), "r": ()}
    for name, items in lines.items():
        made = [{"product": to(products[one]), "quantity": number, "price": "1.00"} for one, number in items]
        make("Order", refName=name, items=made, shipments=[to(shipments[one]) for one in sent[name]])
    assert world.ask(f"DELETE /logistics/products/id/{products['relic']['id']}").status_code == 204
    world.make("Carrier", "globex", refName="foreign", name="dutch", mode="AIR")


def found(world: World, path: str, text: str, caller: str = "acme") -> str:
    answer = world.ask(f"GET {path}/list?sort=refName&filter={quote(text)}", caller)
    assert answer.status_code == 200, answer.text
    return "".join(row["refName"] for row in answer.json()["rows"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("carrier{mode:AIR}", "ab", id="a single reference"),
        pytest.param("carrier{mode:ROAD}", "", id="that matches nothing"),
        pytest.param("!!carrier{mode:AIR}", "cd", id="the complement, rows without the reference included"),
        pytest.param("carrier:~ && !!carrier{mode:AIR}", "c", id="of rows that have one"),
        pytest.param("carrier{active:false} || refName:d", "cd", id="in an or"),
        pytest.param("carrier{home{country.entityRefName:NL}}", "a", id="two deep"),
        pytest.param("carrier{home{country{code:PT}}}", "b", id="three deep"),
        pytest.param("carrier{!!home{country{code:PT}}}", "ac", id="negated inside"),
        pytest.param("carrier{mode:AIR && !!home{country{code:PT}}}", "a", id="with another condition"),
        pytest.param("origin{country{code:NL}} && carrier{active:true}", "a", id="two blocks"),
        pytest.param("origin{refName:NL} && destination{refName:NL}", "", id="of one type, different fields"),
        pytest.param("carrier{name:dutch || name:nomad}", "ac", id="an or inside"),
        pytest.param("carrier{refName:foreign}", "", id="a record of another tenant"),
        pytest.param("!!carrier{refName:foreign}", "abcd", id="and its complement"),
        pytest.param("carrier{dataDomain.ownerId:${principalId}}", "abc", id="a variable"),
        pytest.param("carrier{id:${resourceId}}", "abc", id="the id of the target itself"),
    ],
)
def test_rows(world: World, text: str, expected: str) -> None:
    assert found(world, SHIPMENTS, text) == expected
    count = world.ask(f"GET {SHIPMENTS}/count?filter={quote(text)}").json()
    assert count == {"count": len(expected)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("shipments{carrier{mode:AIR}}", "p", id="a list of references: any"),
        pytest.param("shipments[*]{carrier{mode:AIR}}", "p", id="the list marked"),
        pytest.param("shipments{refName:^[a,c]}", "pq", id="one of several"),
        pytest.param("!!shipments{refName:a}", "qr", id="none of them"),
        pytest.param("items.product{price:>=2}", "pq", id="inside a list of objects"),
        pytest.param("items[*].product{price:>=2}", "pq", id="that list marked"),
        pytest.param("items.product{price:>=2} && items.quantity:>5", "pq", id="two elements may match"),
        pytest.param("items:{product{price:>=2} && quantity:>5}", "q", id="one element matches all of it"),
        pytest.param("items:{!!product{price:>=2}}", "pr", id="an element that does not"),
        pytest.param("!!items:{product{price:>=2}}", "r", id="no element that does"),
        pytest.param("items.product{name:relic}", "", id="archived targets are left out"),
        pytest.param("!!items.product{name:relic}", "pqr", id="and from the complement"),
        pytest.param("items.product{name:relic && activeStatus:~}", "r", id="unless the block names them"),
        pytest.param(
            "items.product{name:relic} && activeStatus:~", "", id="the root naming them does not do"
        ),
    ],
)
def test_rows_through_lists(world: World, text: str, expected: str) -> None:
    assert found(world, ORDERS, text) == expected


def test_a_block_in_every_filter_of_a_caller(world: World) -> None:
    text = "carrier{home{country{code:NL}}}"
    page = world.ask(f"POST {SHIPMENTS}/find", json={"filter": text, "count": "exact"}).json()
    assert ([row["refName"] for row in page["rows"]], page["totalCount"]) == (["a"], 1)
    references = world.ask(f"GET {SHIPMENTS}/entityref?filter={quote(text)}").json()
    assert [one["entityRefName"] for one in references] == ["a"]
    rows = world.ask(f"GET {SHIPMENTS}/csv?requestedColumns=refName&filter={quote(text)}").text
    assert rows.split() == ["a"]
    for atomic in (True, False):
        body = {"filter": text, "values": {"notes": f"atomic {atomic}"}, "atomic": atomic}
        answer = world.ask(f"PUT {SHIPMENTS}/bulk/set", json=body).json()
        assert [one["status"] for one in answer["results"]] == [200]
    assert found(world, SHIPMENTS, "notes:~") == "a"


def test_a_cursor_leads_on_through_a_block(world: World) -> None:
    base = f"GET {SHIPMENTS}/list?sort=-refName&limit=1&filter={quote('!!carrier{mode:SEA}')}"
    assert [row["refName"] for page in world.pages(base) for row in page["rows"]] == ["d", "b", "a"]


REFUSED = [
    Scenario(
        "an unknown field of the target", "carrier{colour:red}", code="field.unknown", says=("Carrier",)
    ),
    Scenario("a field of the root in a block", "carrier{notes:x}", code="field.unknown", says=("Carrier",)),
    Scenario("a type error in a block", "carrier{active:maybe}", code="filter.type", says=("boolean",)),
    Scenario("a hidden field", "shipments{customsToken:~}", code="field.unknown", silent_on=("hush",)),
    Scenario("no reference", "notes{a:1}", code="filter.type", says=("notes is not a reference",)),
    Scenario("too deep", "a{b{c{d{e:1}}}}", code="filter.syntax", says=("3 deep",)),
    Scenario("too many", " && ".join(["carrier{a:1}"] * 9), code="filter.syntax", says=("at most 8",)),
    Scenario("a directive inside", "carrier{expand(home)}", code="filter.syntax", says=("outermost",)),
    Scenario(
        "text search without an index", 'carrier{text("x")}', code="filter.syntax", says=("Carrier has no",)
    ),
    Scenario("an unknown variable", "carrier{name:${nix}}", code="filter.syntax", says=("no variable",)),
]


@pytest.mark.parametrize("scenario", REFUSED, ids=str)
def test_refusals_come_before_any_command(world: World, commands: Commands, scenario: Scenario) -> None:
    path = ORDERS if scenario.request.startswith("shipments") else SHIPMENTS
    commands.clear()
    answer = world.ask(f"GET {path}/list?filter={quote(scenario.request)}")
    assert (answer.status_code, answer.json()["code"]) == (400, scenario.code), answer.text
    for text in scenario.says:
        assert text in answer.json()["detail"]
    assert [one for one in commands.sent if one.collection in ("shipments", "orders", "carriers")] == []


def test_the_place_of_an_error_is_in_the_whole_text(world: World) -> None:
    text = "refName:a && carrier{home{colour:x}}"
    problem = world.ask(f"GET {SHIPMENTS}/list?filter={quote(text)}").json()
    assert (problem["column"], problem["field"]) == (text.index("colour") + 1, "colour")


def test_one_command_a_block_that_returns_ids(world: World, commands: Commands) -> None:
    commands.clear()
    text = "carrier{home{country{code:NL}}} || !!carrier{home{country{code:NL}}} || origin{refName:NL}"
    found(world, SHIPMENTS, text)
    sent = [one.collection for one in commands.sent if one.name in ("find", "aggregate")]
    expected = ["countries", "airports", "carriers", "airports", "shipments"]
    assert [name for name in sent if name in {*expected}] == expected
    assert all(one.is_bound_to("acme") for one in commands.sent if one.collection in {*expected})


def test_targets_that_may_not_be_viewed_are_denied(world: World) -> None:
    header = {"identity": "user", "area": "logistics", "functionalDomain": "carrier", "action": "VIEW"}
    with ruled(world, rule(header)):
        for text in ("carrier{mode:AIR}", "refName:a || !!carrier{mode:AIR}", "carrier{home{name:~}}"):
            answer = world.ask(f"GET {SHIPMENTS}/list?filter={quote(text)}", "acme-user")
            assert (answer.status_code, answer.json()["code"]) == (403, "access.denied"), text
            assert answer.json()["decisionId"]
        assert found(world, SHIPMENTS, "origin{refName:NL}", "acme-user") == "ac"


def test_targets_that_rules_leave_out_are_as_absent(world: World) -> None:
    header = {"identity": "user", "area": "logistics", "functionalDomain": "carrier"}
    with ruled(world, rule(header, filter="refName:dutch")):
        assert found(world, SHIPMENTS, "carrier{mode:AIR}", "acme-user") == "b"
        assert found(world, SHIPMENTS, "!!carrier{mode:AIR}", "acme-user") == "acd"
        assert found(world, SHIPMENTS, "carrier{mode:AIR}") == "ab"  # of another caller, the same text
    assert found(world, SHIPMENTS, "carrier{mode:AIR}", "acme-user") == "ab"


def test_the_organisation_of_the_caller_holds_for_targets(world: World) -> None:
    north = world.make("Carrier", "acme-north", refName="northern", name="northern", mode="RAIL")
    ways = {"origin": world.ref("Airport", "acme-north"), "destination": world.ref("Airport", "acme-north")}
    made = world.make("Shipment", "acme-north", refName="n", carrier=to(north), **ways)
    try:
        assert found(world, SHIPMENTS, "carrier{mode:RAIL}", "acme-north") == "n"
        assert found(world, SHIPMENTS, "carrier{mode:RAIL}") == "n"
        assert found(world, SHIPMENTS, "carrier{mode:AIR}", "acme-north") == ""
        assert found(world, SHIPMENTS, "carrier{mode:RAIL}", "acme-south") == ""
        assert found(world, SHIPMENTS, "carrier{mode:AIR}", "globex") == ""
    finally:
        world.ask(f"DELETE {SHIPMENTS}/id/{made['id']}")
        world.ask(f"DELETE /logistics/carriers/id/{north['id']}")


def test_a_withheld_field_of_the_target_is_unknown(world: World) -> None:
    with ruled(world, withholding("carrier", "mode")):
        for text in ("carrier{mode:AIR}", "!!carrier{mode:~}", "carrier{mode:!AIR && active:true}"):
            answer = world.ask(f"GET {SHIPMENTS}/list?filter={quote(text)}", "acme-user")
            assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown"), text
        assert found(world, SHIPMENTS, "carrier{active:true}", "acme-user") == "ab"
        assert found(world, SHIPMENTS, "carrier{mode:AIR}") == "ab"


def test_a_withheld_reference_is_unknown(world: World) -> None:
    with ruled(world, withholding("shipment", "carrier")):
        answer = world.ask(f"GET {SHIPMENTS}/list?filter={quote('carrier{mode:AIR}')}", "acme-user")
        assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown")


def test_too_many_targets_are_refused_with_advice(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "MOST_TARGETS", 2)
    assert found(world, SHIPMENTS, "carrier{mode:AIR}") == "ab"
    for text in ("carrier{active:~}", "!!carrier{active:~}", "refName:zzz && carrier{active:~}"):
        for door in (
            "list?filter=",
            "count?filter=",
            "entityref?filter=",
            "csv?requestedColumns=refName&filter=",
        ):
            answer = world.ask(f"GET {SHIPMENTS}/{door}{quote(text)}")
            assert answer.status_code == 422, answer.text
        problem = world.ask(f"GET {SHIPMENTS}/list?filter={quote(text)}").json()
        assert (problem["code"], problem["field"]) == ("query.too_wide", "carrier")
        assert "add a condition to the block" in problem["detail"]
    body = {"filter": "carrier{active:~}", "values": {"notes": "x"}, "atomic": False}
    assert world.ask(f"PUT {SHIPMENTS}/bulk/set", json=body).status_code == 422
    assert found(world, SHIPMENTS, "notes:x") == ""


def test_ten_thousand_targets_are_not_too_many(world: World) -> None:
    carriers = world.documents["carriers"]
    template = carriers.find_one({"refName": "nomad"})
    assert template is not None
    many = [template | {"_id": ObjectId(), "refName": f"m{at}", "mode": "RAIL"} for at in range(10_000)]
    carriers.insert_many(many)
    try:
        assert found(world, SHIPMENTS, "carrier{mode:RAIL}") == ""
        assert found(world, SHIPMENTS, "!!carrier{mode:RAIL}") == "abcd"
        carriers.insert_one(template | {"_id": ObjectId(), "refName": "straw", "mode": "RAIL"})
        answer = world.ask(f"GET {SHIPMENTS}/list?filter={quote('carrier{mode:RAIL}')}")
        assert answer.json()["code"] == "query.too_wide"
    finally:
        carriers.delete_many({"mode": "RAIL"})


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            rule({"area": "logistics", "functionalDomain": "shipment"}, filter="carrier{mode:AIR}"), id="rule"
        ),
    ],
)
def test_rules_refuse_blocks(world: World, body: Document) -> None:
    answer = world.ask("POST /security/permission/rules", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "record.invalid")
    assert "is a relation block" in answer.json()["detail"]
