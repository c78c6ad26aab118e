"""Which status and code a wrong body gets: malformed ids, absent references, states, parameters in bodies."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

SHIPMENTS, ORDERS, CUSTOMERS = "/logistics/shipments", "/logistics/orders", "/logistics/customers"
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture(params=["save", "bulk", "patch"])
def refuse(request: pytest.FixtureRequest, world: World) -> Any:
    """Write to a shipment by one route: ``refuse(shipment, members)`` → the problem."""

    def send(shipment: Document, members: Document) -> Document:
        kept = {name: shipment[name] for name in ("id", "customer", "origin", "destination")}
        if request.param == "save":
            answer = world.ask(f"POST {SHIPMENTS}", json=kept | members)
        elif request.param == "patch":
            path = f"PATCH {SHIPMENTS}/id/{shipment['id']}"
            answer = world.ask(path, json=members, headers=MERGE)
        else:
            operations = [{"op": "save", "record": kept | members}]
            answer = world.ask(f"POST {SHIPMENTS}/bulk", json={"operations": operations, "atomic": True})
        problem: Document = answer.json()
        return problem

    return send


class TestMalformedIds:
    @pytest.mark.parametrize("value", ["xyz", "ABCDEG" * 4, f"{NOWHERE}\n", "", 5])
    def test_in_a_reference(self, world: World, refuse: Any, value: Any) -> None:
        problem = refuse(world.make("Shipment"), {"carrier": {"entityId": value}, "notes": 5})
        assert (problem["status"], problem["code"]) == (400, "request.malformed")
        assert problem["detail"] == "carrier.entityId: should be an id of 24 hexadecimal digits"
        assert [one["path"] for one in problem["violations"]] == ["carrier.entityId", "notes"]

    @pytest.mark.parametrize(
        ("request_line", "body"),
        [
            (f"POST {CUSTOMERS}", {"name": "x", "id": "xyz"}),
            (f"POST {CUSTOMERS}/bulk", {"operations": [{"op": "delete", "id": "xyz"}]}),
            (f"PUT {CUSTOMERS}/bulk/set", {"ids": ["xyz"], "values": {"name": "x"}}),
        ],
    )
    def test_elsewhere(self, play: Play, request_line: str, body: Document) -> None:
        play(Scenario("id", request_line, body=body, status=400, code="request.malformed", says=("id",)))

    def test_an_unknown_member_is_named_first(self, play: Play) -> None:
        body = {"name": "x", "id": "xyz", "nmae": 1}
        play(Scenario("both", f"POST {CUSTOMERS}", body=body, status=400, code="request.unknown_member"))


@pytest.mark.parametrize("path", ["/mcp/", "/oauth/token/", f"{CUSTOMERS}/list/"])
def test_a_slash_at_the_end_of_a_path_is_pointed_out(play: Play, path: str) -> None:
    says = ("there is nothing at this path; no path here has a slash at its end",)
    play(Scenario("slash", f"POST {path}", status=404, code="record.not_found", says=says))


class TestAbsentReferences:
    def test_a_required_tracked_one(self, world: World, play: Play) -> None:
        body = world.sample("Shipment")
        del body["customer"]
        problem = play(
            Scenario("absent", f"POST {SHIPMENTS}", body=body, status=422, code="reference.missing",
                     says=("customer: Field required",))
        )  # fmt: skip
        assert problem["violations"] == [{"path": "customer", "message": "Field required"}]

    def test_a_required_tracked_one_that_is_null(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"customer": None}
        says = ("customer: Input should be a reference",)
        play(Scenario("x", f"POST {SHIPMENTS}", body=body, status=422, code="reference.missing", says=says))

    def test_a_required_tracked_one_that_is_something_else(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"customer": "casa-das-flores"}
        play(Scenario("x", f"POST {SHIPMENTS}", body=body, status=422, code="record.invalid"))

    def test_with_other_violations_all_are_listed(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"notes": 5}
        del body["customer"]
        scenario = Scenario("x", f"POST {SHIPMENTS}", body=body, status=422, code="reference.missing")
        assert [one["path"] for one in play(scenario)["violations"]] == ["customer", "notes"]

    def test_one_that_is_not_tracked_is_a_missing_field(self, world: World, play: Play) -> None:
        body = world.sample("Shipment")
        del body["origin"]
        play(Scenario("absent", f"POST {SHIPMENTS}", body=body, status=422, code="record.invalid"))


class TestStates:
    def test_an_unknown_one_of_a_new_record(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"status": "FLYING"}
        has = {"field": "status", "allowed": ["BOOKED"], "to": "FLYING"}
        play(Scenario("x", f"POST {SHIPMENTS}", body=body, status=422, code="state.transition", has=has))

    def test_an_unknown_one_of_a_stored_record(self, world: World, refuse: Any) -> None:
        shipment = world.make("Shipment")
        problem = refuse(shipment, {"status": "FLYING"})
        assert (problem["status"], problem["code"]) == (422, "state.transition")
        assert problem["allowed"] == ["IN_TRANSIT", "CANCELLED"]
        assert world.read("Shipment", shipment) == shipment

    @pytest.mark.parametrize(
        "request_line", [f"PUT {SHIPMENTS}/set?id={{id}}&pairs=status:FLYING", f"PUT {SHIPMENTS}/bulk/set"]
    )
    def test_an_unknown_one_by_set(self, world: World, request_line: str) -> None:
        shipment = world.make("Shipment")
        body = {"ids": [shipment["id"]], "values": {"status": "FLYING"}, "atomic": True}
        options = {"json": body} if "bulk" in request_line else {}
        problem = world.ask(request_line.format(id=shipment["id"]), **options).json()
        assert (problem["status"], problem["code"]) == (422, "state.transition")
        assert problem["allowed"] == ["IN_TRANSIT", "CANCELLED"]

    def test_null_is_a_move(self, world: World, refuse: Any) -> None:
        shipment = world.make("Shipment")
        problem = refuse(shipment, {"status": None})
        assert (problem["status"], problem["code"]) == (422, "state.transition")
        assert problem["detail"] == "status cannot go from BOOKED to null; allowed: IN_TRANSIT, CANCELLED"
        assert world.read("Shipment", shipment) == shipment

    def test_null_of_a_new_record_is_no_value(self, world: World) -> None:
        assert world.make("Shipment", status=None)["status"] == "BOOKED"

    def test_another_violation_is_reported_with_it(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"status": "FLYING", "notes": 5}
        problem = play(Scenario("x", f"POST {SHIPMENTS}", body=body, status=422, code="record.invalid"))
        assert [one["path"] for one in problem["violations"]] == ["status", "notes"]

    def test_a_number_is_not_a_state(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"status": 1}
        play(Scenario("x", f"POST {SHIPMENTS}", body=body, status=422, code="record.invalid"))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("filter", "x" * 20_000), ("limit", 1001), ("limit", 0), ("limit", "5"), ("skip", -1), ("sort", 5),
        ("projection", "x" * 5000), ("count", "all"),
    ],
)  # fmt: skip
def test_parameters_in_the_body_of_find(play: Play, parameter: str, value: Any) -> None:
    play(
        Scenario("find", f"POST {CUSTOMERS}/find", body={parameter: value}, status=400,
                 code="request.invalid_parameter", has={"parameter": parameter}, says=(parameter,))
    )  # fmt: skip


def test_a_filter_too_long_for_a_bulk_set(play: Play) -> None:
    body = {"filter": "x" * 20_000, "values": {"name": "x"}}
    play(
        Scenario("set", f"PUT {CUSTOMERS}/bulk/set", body=body, status=400, code="request.invalid_parameter",
                 has={"parameter": "filter"})
    )  # fmt: skip


@pytest.mark.parametrize("name", [" ", "\t\u00a0", "a\0b", "\0", "\u2003"])
def test_a_reference_name_without_a_character_or_with_nul(world: World, play: Play, name: str) -> None:
    body = world.sample("Customer") | {"refName": name}
    problem = play(Scenario("x", f"POST {CUSTOMERS}", body=body, status=422, code="record.invalid"))
    assert [one["path"] for one in problem["violations"]] == ["refName"]


def test_a_negative_data_segment(world: World, play: Play) -> None:
    body = world.sample("Customer") | {"dataDomain": {"dataSegment": -1}}
    problem = play(Scenario("x", f"POST {CUSTOMERS}", body=body, status=422, code="record.invalid"))
    assert [one["path"] for one in problem["violations"]] == ["dataDomain.dataSegment"]


@pytest.mark.parametrize("name", ["references", "references.refName", "actionList"])
@pytest.mark.parametrize(
    "query", ["list?filter={}:~", "list?sort={}", "list?projection={}", "csv?requestedColumns=refName,{}"]
)
def test_members_that_are_added_on_reading_are_unknown_fields(world: World, query: str, name: str) -> None:
    answer = world.ask(f"GET {CUSTOMERS}/{query.format(name)}")
    assert answer.status_code == 400
    assert f"{name} is added to a record that is read" in answer.text
