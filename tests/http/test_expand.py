"""``expand=`` on list, find, id and refName: records in place of references, as far as their reader may see."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario, at

ORDERS = "/logistics/orders"


@pytest.fixture(scope="module")
def order(world: World) -> Document:
    """An order of three products, of which one is archived; with two shipments, from and to one airport."""
    airport = world.make(
        "Airport", refName="X-LIS", icao="X-LIS", name="Lisbon", country=world.ref("Country")
    )
    customer = world.make("Customer", refName="X-CASA", name="Casa das Flores")
    ends = {"origin": {"entityId": airport["id"]}, "destination": {"entityId": airport["id"]}}
    shipments = [
        world.make(
            "Shipment", refName=f"X-S{number}", customer={"entityId": customer["id"]},
            customsToken="hush-hush", **ends,
        )
        for number in (1, 2)
    ]  # fmt: skip
    products = [world.make("Product", refName=f"X-P{number}", sku=f"X-P{number}") for number in (1, 2, 3)]
    items = [
        {"product": {"entityId": products[number]["id"]}, "quantity": 1 + at_, "price": "1.00"}
        for at_, number in enumerate((2, 0, 1, 2))
    ]
    made = world.make(
        "Order", refName="X-O1", customer={"entityId": customer["id"]}, items=items,
        shipments=[{"entityId": one["id"]} for one in reversed(shipments)],
    )  # fmt: skip
    assert world.ask(f"DELETE /logistics/products/id/{products[1]['id']}").status_code == 204
    return made


def routes(order: Document, expand: str) -> list[tuple[str, Any, str]]:
    """Request, body and the path of the record in the answer, for each route that expands."""
    return [
        (f"GET {ORDERS}/id/{order['id']}?expand={expand}", None, ""),
        (f"GET {ORDERS}/refName/X-O1?expand={expand}", None, ""),
        (f"GET {ORDERS}/list?filter=refName:X-O1&expand={expand}", None, "rows[0]."),
        (f"POST {ORDERS}/find", {"filter": "refName:X-O1", "expand": expand}, "rows[0]."),
    ]


@pytest.mark.parametrize("route", range(4), ids=["id", "refName", "list", "find"])
@pytest.mark.parametrize(
    ("expand", "has", "lacks"),
    [
        pytest.param(
            "customer",
            {"customer.name": "Casa das Flores", "customer.refName": "X-CASA", "customer.version": 1},
            ("customer.entityId", "customer._id", "customer.actionList"),
            id="one reference",
        ),
        pytest.param(
            "shipments",
            {"shipments[0].refName": "X-S2", "shipments[1].refName": "X-S1"},
            ("shipments[0].customsToken", "shipments[2]"),
            id="a list of references, in its order, hidden fields left out",
        ),
        pytest.param("shipments[*]", {"shipments[0].refName": "X-S2"}, (), id="a marked list"),
        pytest.param(
            "items[*].product",
            {
                "items[0].product.refName": "X-P3",
                "items[1].product.refName": "X-P1",
                "items[2].product": None,
                "items[3].product.refName": "X-P3",
                "items[3].quantity": 4,
            },
            (),
            id="references in a list of objects, in their order, an archived one is null",
        ),
        pytest.param(
            "shipments[*].origin.country",
            {"shipments[1].origin.country.code": "AA", "shipments[0].origin.name": "Lisbon"},
            ("shipments[0].destination.name", "shipments[0].customer.name"),
            id="through expanded records",
        ),
        pytest.param(
            "customer,shipments.origin,shipments[*].destination.country,shipments.customer",
            {
                "customer.name": "Casa das Flores",
                "shipments[0].origin.name": "Lisbon",
                "shipments[0].destination.country.code": "AA",
                "shipments[0].customer.name": "Casa das Flores",
            },
            ("shipments[0].origin.country.code",),
            id="several paths",
        ),
    ],
)
def test_records_take_the_place_of_references(
    play: Play, order: Document, route: int, expand: str, has: dict[str, Any], lacks: tuple[str, ...]
) -> None:
    request, body, prefix = routes(order, expand)[route]
    play(
        Scenario(
            "expand", request, body=body,
            has={prefix + path: value for path, value in has.items()},
            lacks=tuple(prefix + path for path in lacks), silent_on=("hush-hush", "_id"),
        )
    )  # fmt: skip


def test_an_embedded_record_is_what_its_reader_reads(world: World, order: Document) -> None:
    answer = world.ask(f"GET {ORDERS}/id/{order['id']}?expand=customer").json()
    whole = world.read("Customer", {"id": order["customer"]["entityId"]})
    del whole["actionList"], whole["references"]
    assert answer["customer"] == whole
    assert answer == world.read("Order", order) | {"customer": whole}


@pytest.mark.parametrize("expand", ["", " ", "%20"])
def test_blank_text_expands_nothing(play: Play, order: Document, expand: str) -> None:
    request = f"GET {ORDERS}/id/{order['id']}?expand={expand}"
    play(Scenario("blank", request, has={"customer": order["customer"]}, answers={"ETag": '"1"'}))


def test_an_expanded_record_has_no_entity_tag(play: Play, order: Document) -> None:
    tag = {"If-None-Match": '"1"'}
    request = f"GET {ORDERS}/id/{order['id']}"
    play(Scenario("as it is", request, headers=tag, status=304, answers={"ETag": '"1"'}))
    play(Scenario("expanded", f"{request}?expand=customer", headers=tag, answers={"ETag": None}))
    play(
        Scenario("any", f"{request}?expand=customer", headers={"If-None-Match": "*"}, answers={"ETag": None})
    )


@pytest.mark.parametrize(
    ("expand", "code", "says"),
    [
        pytest.param("custommer", "field.unknown", "did you mean", id="unknown"),
        pytest.param("customer.nam", "field.unknown", "Customer has no field", id="unknown behind a reference"),
        pytest.param(
            "status", "request.invalid_parameter", "expand customer, shipments[*], items[*].product",
            id="not a reference",
        ),
        pytest.param("customer.name", "request.invalid_parameter", "is not a reference", id="a field behind one"),
        pytest.param("customer.entityId", "field.unknown", "Customer has no field", id="the id of a reference"),
        pytest.param("customer[*]", "request.invalid_parameter", "is not a list", id="a mark without a list"),
        pytest.param("shipments[*][*]", "request.invalid_parameter", "is not a list", id="a mark too many"),
        pytest.param("items[*]", "request.invalid_parameter", "is not a reference", id="a list of objects"),
        pytest.param("customer,customer", "request.invalid_parameter", "twice", id="twice"),
        pytest.param("shipments,shipments[*]", "request.invalid_parameter", "twice", id="twice, spelled apart"),
        pytest.param("customer,", "request.invalid_parameter", "commas between", id="a comma too many"),
        pytest.param("customer;items", "field.unknown", "Order has no field", id="another separator"),
        pytest.param("nope", "field.unknown", "no field nope: expand customer, shipments[*], ", id="nothing near"),
        pytest.param("$where", "request.invalid_parameter", "commas between", id="an operator"),
        pytest.param("customer.$id", "request.invalid_parameter", "commas between", id="an operator inside"),
        pytest.param("a[0].b", "request.invalid_parameter", "commas between", id="a position"),
        pytest.param("[*]", "request.invalid_parameter", "is not a field", id="a mark alone"),
        pytest.param("customer..name", "request.invalid_parameter", "is not a field", id="an empty step"),
        pytest.param("expand(customer)", "request.invalid_parameter", "commas between", id="a directive"),
        pytest.param("references", "field.unknown", "added to a record", id="back-references"),
        pytest.param("x" * 2049, "request.invalid_parameter", "2048", id="too long"),
    ],
)  # fmt: skip
def test_wrong_paths_are_refused(play: Play, expand: str, code: str, says: str) -> None:
    play(Scenario("wrong", f"GET {ORDERS}/list?expand={expand}", status=400, code=code, says=(says,)))


@pytest.mark.parametrize(
    ("expand", "says"),
    [
        pytest.param("shipments.origin.country", None, id="three references"),
        pytest.param(
            "shipments.carrier.home.country.x", "Country has no field", id="unknown behind four references"
        ),
        pytest.param(",".join(["customer"] * 21), "at most 20 paths", id="too many paths"),
    ],
)
def test_what_a_path_may_cost_is_limited(play: Play, expand: str, says: str | None) -> None:
    request = f"GET {ORDERS}/list?filter=refName:none&expand={expand}"
    if says is None:
        play(Scenario("as allowed", request))
    elif says.startswith("Country"):
        play(Scenario("wrong", request, status=400, says=(says,)))
    else:
        play(Scenario("too wide", request, status=422, code="query.too_wide", says=(says,)))


@pytest.mark.parametrize("route", [f"GET {ORDERS}/count", f"GET {ORDERS}/entityref", f"GET {ORDERS}/csv"])
def test_other_routes_do_not_expand(world: World, route: str) -> None:
    answer = world.ask(f"{route}?expand=customer")
    assert answer.status_code == 400


def test_projections_keep_what_is_expanded(play: Play, order: Document) -> None:
    request = f"GET {ORDERS}/list?filter=refName:X-O1&sort=-customer.entityRefName"
    page = play(Scenario("included", f"{request}&projection=%2BrefName&expand=customer,items.product"))
    (row,) = page["rows"]
    assert row.keys() == {"id", "refName", "customer", "items"}
    assert row["items"][0].keys() == {"product"}
    assert row["customer"]["name"] == "Casa das Flores"
    page = play(Scenario("excluded", f"{request}&projection=-items.price&expand=items.product"))
    assert page["rows"][0]["items"][0].keys() == {"product", "quantity"}
    for excluded in ("items", "items.product", "items.product.entityId"):
        play(
            Scenario(
                "both", f"{request}&projection=-{excluded}&expand=items.product", status=400,
                code="request.invalid_parameter", says=("expanded and left out",),
            )
        )  # fmt: skip


def test_pages_count_actions_and_cursors_stay(world: World, order: Document) -> None:
    for number in range(3):
        world.make("Order", refName=f"X-N{number}", customer=order["customer"])
    request = f"GET {ORDERS}/list?filter=refName:X-N*&sort=-customer.entityRefName,refName&limit=2"
    plain = world.ask(f"{request}&count=exact&actions=true").json()
    page = world.ask(f"{request}&count=exact&actions=true&expand=customer").json()
    assert page["nextCursor"] == plain["nextCursor"]
    assert page["totalCount"] == 3
    customer = page["rows"][0]["customer"]
    assert customer["name"] == "Casa das Flores"
    assert page["rows"] == [row | {"customer": customer} for row in plain["rows"]]
    rest = world.ask(f"{request}&expand=customer&cursor={page['nextCursor']}").json()
    assert [row["customer"] for row in rest["rows"]] == [customer]
    assert "nextCursor" not in rest


def test_what_is_missing_foreign_or_not_a_reference_is_null(world: World, order: Document) -> None:
    """They cannot be told apart: nothing says whether the record of another tenant exists."""
    foreign = world.make("Customer", "globex", name="Secret customer")
    made = world.make("Order", refName="X-NULLS")
    orders = world.documents["orders"]
    answers = []
    for value in (
        {"entityId": ObjectId(foreign["id"])},
        {"entityId": ObjectId(NOWHERE)},
        {"entityId": {"$ne": None}},
        {"entityId": "x"},
        "text",
        [],
    ):
        orders.update_one({"refName": "X-NULLS"}, {"$set": {"customer": value}})
        answer = world.ask(f"GET {ORDERS}/id/{made['id']}?expand=customer")
        assert answer.status_code == 200
        assert "Secret" not in answer.text
        assert foreign["id"] not in answer.text
        answers.append(answer.json())
    assert all(answer["customer"] is None for answer in answers)
    orders.update_one({"refName": "X-NULLS"}, {"$unset": {"customer": 1}})
    assert "customer" not in world.ask(f"GET {ORDERS}/id/{made['id']}?expand=customer").json()
    assert at(answers[0], "refName") == "X-NULLS"
