"""GET {basePath}/id/{id}/history: the writes of an audited record."""

from __future__ import annotations

import pytest

from generated.record_types import CATALOG
from tests.http.world import NOWHERE, Play, World
from tests.scenario import Scenario

ORDERS = "/logistics/orders"


def test_the_life_of_an_order(world: World, play: Play) -> None:
    order = world.make("Order")
    path = f"{ORDERS}/id/{order['id']}"
    body = {key: order[key] for key in ("id", "customer", "items")} | {"currency": "USD"}
    world.ask(f"POST {ORDERS}", json=body)
    page = play(
        Scenario(
            "history", f"GET {path}/history?count=exact",
            has={
                "rowCount": 2, "totalCount": 2, "rows[0].version": 2, "rows[0].action": "UPDATE",
                "rows[0].userId": "admin@acme.example", "rows[1].action": "CREATE", "rows[1].version": 1,
            },
            lacks=("rows[0].omitted", "rows[0].impersonatorUserId"),
            answers={"cache-control": "private, no-cache"},
        )
    )  # fmt: skip
    told = {one["path"]: one for one in page["rows"][0]["changes"]}
    assert told["currency"] == {"path": "currency", "before": "EUR", "after": "USD"}
    assert not told.keys() & {"version", "auditInfo", "persistentEvents"}
    first = {one["path"]: one["after"] for one in page["rows"][1]["changes"]}
    assert first["items"] == order["items"]
    assert first["customer.entityId"] == order["customer"]["entityId"]
    assert world.read("Order", order)["persistentEvents"][1]["version"] == 2


SCENARIOS = [
    Scenario("another tenant", "GET {path}/history", user="globex", status=404, code="record.not_found"),
    Scenario("nobody", "GET {path}/history", user=None, status=401),
    Scenario("without a role", "GET {path}/history", user="acme-nobody", status=403),
    Scenario("a user of the tenant", "GET {path}/history", user="acme-user", has={"rowCount": 1}),
    Scenario("behind the last", "GET {path}/history?skip=5", has={"rowCount": 0, "offset": 5}),
    Scenario("one row", "GET {path}/history?limit=1", has={"limit": 1}, lacks=("totalCount",)),
    Scenario("too many rows", "GET {path}/history?limit=1001", status=400, code="request.invalid_parameter"),
    Scenario("less than none", "GET {path}/history?skip=-1", status=400, code="request.invalid_parameter"),
    Scenario("unknown count", "GET {path}/history?count=some", status=400, code="request.invalid_parameter"),
    Scenario(
        "unknown parameter", "GET {path}/history?filter=a:1", status=400, code="request.unknown_parameter"
    ),
    Scenario("no such order", f"GET {ORDERS}/id/{NOWHERE}/history", status=404, code="record.not_found"),
    Scenario("no id", f"GET {ORDERS}/id/x/history", status=404, code="record.not_found"),
    Scenario("not to be written", "DELETE {path}/history", status=405),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_who_asks_what(world: World, play: Play, scenario: Scenario) -> None:
    path = f"{ORDERS}/id/{world.make('Order')['id']}"
    play(Scenario(**{**vars(scenario), "request": scenario.request.replace("{path}", path)}))


def test_the_digits_of_an_id_have_no_case(world: World) -> None:
    order = world.make("Order")
    shown = [world.ask(f"GET {ORDERS}/id/{one}/history") for one in (order["id"].upper(), order["id"])]
    assert [(one.status_code, one.json()["rowCount"]) for one in shown] == [(200, 1)] * 2


def test_of_a_removed_order_administrators(world: World) -> None:
    order = world.make("Order")
    path = f"{ORDERS}/id/{order['id']}"
    assert world.ask(f"DELETE {path}").status_code == 204
    answer = world.ask(f"GET {path}/history")
    assert [row["action"] for row in answer.json()["rows"]] == ["DELETE", "CREATE"]
    assert world.ask(f"GET {path}/history", "acme-user").status_code == 404
    assert world.ask(f"GET {path}/history", "globex").status_code == 404


def test_types_that_are_not_audited_have_none(world: World) -> None:
    made = world.make("Carrier")
    answer = world.ask(f"GET /logistics/carriers/id/{made['id']}/history")
    assert (answer.status_code, answer.json()["detail"]) == (404, "there is nothing at this path")
    assert [kind.name for kind in CATALOG if kind.audited and kind.area == "logistics"] == ["Order"]
