"""What may stand in a saved record, member by member: unknown, wrong, null, hidden, kept by the server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import MISSING, Scenario, at

SHIPMENTS = "POST /logistics/shipments"
ORDERS = "POST /logistics/orders"
CUSTOMERS = "POST /logistics/customers"

FORGED = {
    "auditInfo": {
        "createdBy": "mallory",
        "createdDate": "2001-01-01T00:00:00Z",
        "impersonatorUserId": "mallory",
    },
    "references": [{"referencedId": NOWHERE, "type": "Order", "refName": "forged"}],
    "persistentEvents": [
        {"type": "PERSIST", "date": "2001-01-01T00:00:00Z", "userId": "mallory", "version": 7}
    ],
    "actionList": ["transition:DELIVERED"],
}
"""Members that a caller may send and the server decides."""


def test_server_kept_members_are_replaced_on_insert(world: World, play: Play) -> None:
    body = world.sample("Order") | FORGED
    made = play(Scenario("insert", ORDERS, body=body, status=201, stored=1, silent_on=("mallory", "forged")))
    assert made["auditInfo"].keys() == {"createdBy", "createdDate", "lastUpdatedBy", "lastUpdatedDate"}
    assert made["auditInfo"]["createdBy"] == "admin@acme.example"
    assert "references" not in made
    assert [event["version"] for event in made["persistentEvents"]] == [1]
    assert "transition:DELIVERED" not in made["actionList"]


def test_server_kept_members_are_carried_over_on_replace(world: World, play: Play) -> None:
    made = world.make("Order", "acme-user")
    body = world.sample("Order") | FORGED | {"id": made["id"]}
    now = play(Scenario("replace", ORDERS, body=body, changed=1, silent_on=("mallory", "forged")))
    created = {name: now["auditInfo"][name] for name in ("createdBy", "createdDate")}
    assert created.items() <= made["auditInfo"].items()
    assert [(event["userId"], event["version"]) for event in now["persistentEvents"]] == [
        ("user@acme.example", 1),
        ("admin@acme.example", 2),
    ]


UNKNOWN: dict[str, tuple[Document, tuple[str, ...]]] = {
    "top": ({"wieghtKg": "1"}, ("unknown member wieghtKg", "did you mean weightKg")),
    "spelled as in Python": ({"weight_kg": "1"}, ("unknown member weight_kg",)),
    "nested": (
        {"customer": {"entityId": NOWHERE, "entityName": "x"}},
        ("unknown member customer.entityName",),
    ),
    "a reference by name": (
        {"customer": {"refName": "casa-das-flores"}},
        ('unknown member customer.refName; a reference is sent as {"entityId": "<the id>"}',),
    ),
    "in a list": ({"lines": [{"sku": "A", "quantity": 1, "price": 1}]}, ("unknown member lines[0].price",)),
    "in the data domain": ({"dataDomain": {"tenant": "acme"}}, ("unknown member dataDomain.tenant",)),
    "of the store": ({"_id": NOWHERE}, ("unknown member _id",)),
    "operator": ({"$set": {"status": "DELIVERED"}}, ("unknown member $set",)),
    "prototype": ({"__proto__": {}}, ("unknown member __proto__",)),
    "empty name": ({"": 1}, ("unknown member",)),
    "wrong as well": ({"wieghtKg": "1", "lines": 5}, ("unknown member wieghtKg",)),
    "very long": ({"x" * 5000: 1}, ("unknown member xxx",)),
}


@pytest.mark.parametrize(("extra", "says"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_unknown_members(world: World, play: Play, extra: Document, says: tuple[str, ...]) -> None:
    body = world.sample("Shipment") | extra
    play(Scenario("save", SHIPMENTS, body=body, status=400, code="request.unknown_member", says=says))


WRONG: dict[str, tuple[str, Any]] = {
    "text for a number": ("lines[0].quantity", "three"),
    "number in quotes": ("lines[0].quantity", "3"),
    "fraction for a whole number": ("lines[0].quantity", 1.5),
    "boolean for a whole number": ("lines[0].quantity", True),
    "below the minimum": ("lines[0].quantity", 0),
    "beyond 64 bits": ("lines[0].quantity", 2**63),
    "beyond any register": ("lines[0].quantity", 10**400),
    "number for text": ("notes", 5),
    "object for text": ("notes", {"$ne": None}),
    "list for text": ("notes", ["a"]),
    "too long": ("notes", "x" * 2001),
    "off the pattern": ("lines[0].sku", "tulip red"),
    "line break behind the pattern": ("lines[0].sku", "TULIP\n"),
    "required and null": ("lines[0].sku", None),
    "not one of the enumeration": ("activeStatus", "DELETED"),
    "number for a state": ("status", 1),
    "date for a date-time": ("departsAt", "2026-03-27"),
    "date-time without a zone": ("departsAt", "2026-03-27T04:12:14"),
    "impossible date-time": ("departsAt", "2026-02-30T00:00:00Z"),
    "seconds since 1970": ("departsAt", 1774584734),
    "before year 1 in UTC": ("departsAt", "0001-01-01T00:00:00+14:00"),
    "decimal text": ("weightKg", "heavy"),
    "decimal not a number": ("weightKg", "NaN"),
    "decimal infinite": ("weightKg", "Infinity"),
    "decimal below the minimum": ("weightKg", "-0.001"),
    "decimal of 40 digits": ("weightKg", "1." + "1" * 40),
    "boolean for a decimal": ("weightKg", True),
    "list for a decimal": ("weightKg", [1]),
    "object for a decimal": ("weightKg", {"$numberDecimal": "1"}),
    "reference as text": ("customer", NOWHERE),
    "object for a list": ("lines", {"0": {}}),
    "too many items": ("lines", [{"sku": "A", "quantity": 1}] * 501),
    "refName empty": ("refName", ""),
    "refName too long": ("refName", "x" * 201),
    "refName a number": ("refName", 5),
    "displayName empty": ("displayName", ""),
    "tenant a number": ("dataDomain.tenantId", 5),
    "segment beyond 32 bits": ("dataDomain.dataSegment", 2**31),
    "hidden field too long": ("customsToken", "x" * 201),
}


@pytest.mark.parametrize(("path", "value"), WRONG.values(), ids=WRONG.keys())
def test_wrong_values_name_their_path(world: World, play: Play, path: str, value: Any) -> None:
    body = with_value(world.sample("Shipment") | {"lines": [{"sku": "A", "quantity": 1}]}, path, value)
    answer = play(Scenario("save", SHIPMENTS, body=body, status=422, code="record.invalid"))
    violations = answer["violations"]
    assert {violation["path"] for violation in violations} == {path}
    assert all(violation["message"] for violation in violations)
    assert not any(word in str(violations) for word in ("Decimal object", "Dictionary", "after validation"))


def with_value(body: Document, path: str, value: Any) -> Document:
    """The body with another value at a path of it."""
    *steps, last = path.replace("[0]", ".0").split(".")
    here: Any = body
    for step in steps:
        here = here[int(step)] if step.isdigit() else here.setdefault(step, {})
    here[last] = value
    return body


def test_every_violation_is_named_at_once(world: World, play: Play) -> None:
    body = {"customer": world.ref("Customer"), "notes": 5, "lines": [{"quantity": 0}]}
    answer = play(Scenario("save", SHIPMENTS, body=body, status=422, code="record.invalid"))
    paths = [violation["path"] for violation in answer["violations"]]
    assert sorted(paths) == ["destination", "lines[0].quantity", "lines[0].sku", "notes", "origin"]


def test_null_clears_what_is_optional(world: World, play: Play) -> None:
    made = world.make("Shipment", notes="fragile", weightKg="1.5", carrier=world.ref("Carrier"))
    body = made | {"notes": None, "weightKg": None, "carrier": None, "lines": None, "version": None}
    lacks = ("notes", "weightKg", "carrier", "lines")
    now = play(Scenario("replace", SHIPMENTS, body=body, changed=1, lacks=lacks))
    assert (now["version"], now["status"]) == (2, "BOOKED")
    stored = world.documents["shipments"].find_one({"refName": made["refName"]})
    assert stored is not None
    assert not stored.keys() & {"notes", "weightKg", "carrier", "lines"}


def test_null_on_insert_is_as_good_as_absent(world: World, play: Play) -> None:
    nulls = dict.fromkeys(
        (
            "id",
            "refName",
            "displayName",
            "dataDomain",
            "activeStatus",
            "version",
            "auditInfo",
            "references",
            "actionList",
            "status",
            "carrier",
            "notes",
            "customsToken",
            "lines",
        )
    )
    body = world.sample("Shipment") | nulls
    made = play(Scenario("insert", SHIPMENTS, body=body, status=201, stored=1, silent_on=("null",)))
    assert made["refName"] == made["id"]
    assert made["status"] == "BOOKED"


@pytest.mark.parametrize(
    ("kind", "field", "value", "kept"),
    [
        pytest.param("Customer", "credit", "2500.00", "2500.00", id="trailing zeros stay"),
        pytest.param("Customer", "credit", "0.1", "0.1", id="no binary fraction"),
        pytest.param("Customer", "credit", 5, "5", id="whole number"),
        pytest.param("Customer", "credit", 12.9, "12.9", id="number"),
        pytest.param("Customer", "credit", 1e20, "100000000000000000000", id="exponent written out"),
        pytest.param("Customer", "credit", "0", "0", id="zero"),
        pytest.param("Customer", "credit", "9" * 34, "9" * 34, id="34 digits"),
        pytest.param("Customer", "since", "2024-02-29", "2024-02-29", id="leap day"),
        pytest.param(
            "Customer",
            "name",
            "día 日本 👩‍🚀 \u0000 \u2028",
            "día 日本 👩‍🚀 \u0000 \u2028",
            id="any character",
        ),
        pytest.param("Customer", "name", "$where", "$where", id="text like an operator"),
        pytest.param(
            "Shipment", "departsAt", "2026-03-27T04:12:14.118Z", "2026-03-27T04:12:14.118Z", id="moment"
        ),
        pytest.param(
            "Shipment", "departsAt", "2026-03-27T06:12:14+02:00", "2026-03-27T04:12:14.000Z", id="zone"
        ),
        pytest.param(
            "Shipment", "departsAt", "2026-03-27T04:12:14.118999Z", "2026-03-27T04:12:14.118Z", id="µs"
        ),
        pytest.param(
            "Shipment", "departsAt", "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z", id="before 1970"
        ),
        pytest.param(
            "Shipment", "departsAt", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z", id="year 9999"
        ),
        pytest.param(
            "Shipment", "departsAt", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z", id="year 1"
        ),
        pytest.param("Shipment", "weightKg", "12.500", "12.500", id="weight"),
        pytest.param("Airport", "latitude", 38, 38.0, id="whole number for a number"),
        pytest.param("Airport", "elevationFt", -11, -11, id="negative"),
        pytest.param("Customer", "shipTo", [], [], id="empty list"),
    ],
)
def test_values_come_back_as_they_are_kept(
    world: World, kind: str, field: str, value: Any, kept: Any
) -> None:
    made = world.make(kind, **{field: value})
    assert made[field] == kept
    assert type(made[field]) is type(kept)
    assert world.read(kind, made)[field] == kept


def test_dynamic_attributes(world: World, play: Play) -> None:
    attributes = {
        "billing": {"vat": {"type": "String", "value": "PT500"}, "limit": {"type": "Long", "value": 5}}
    }
    made = world.make("Customer", dynamicAttributes=attributes)
    assert world.read("Customer", made)["dynamicAttributes"] == attributes
    for key in ("a.b", "$where"):
        taken = {key: {"x": {"type": "String", "value": "v"}}}
        made = world.make("Customer", dynamicAttributes=taken)
        assert world.read("Customer", made)["dynamicAttributes"] == taken
    for key in ("", "nul\0"):
        wrong = {key: {"x": {"type": "String", "value": "v"}}}
        body = {"name": "x", "dynamicAttributes": wrong}
        play(Scenario("save", CUSTOMERS, body=body, status=422, code="record.invalid"))


def test_unique_items(world: World, play: Play) -> None:
    body = world.sample("Product") | {"tags": ["red", "flowers", "red"]}
    answer = play(Scenario("save", "POST /logistics/products", body=body, status=422, code="record.invalid"))
    assert [violation["path"] for violation in answer["violations"]] == ["tags"]


class TestHiddenField:
    """``customsToken`` is kept in the store, and never sent back."""

    def stored(self, world: World, record: Document) -> Any:
        document = world.documents["shipments"].find_one({"refName": record["refName"]})
        assert document is not None
        return at(document, "customsToken")

    def save(self, world: World, play: Play, record: Document, **members: Any) -> None:
        body = world.sample("Shipment") | {"id": record["id"]} | members
        silent = ("customsToken", "hush", "other")
        play(Scenario("replace", SHIPMENTS, body=body, changed=1, silent_on=silent))

    def test_insert_stores_it_and_does_not_answer_it(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"customsToken": "hush"}
        silent = ("customsToken", "hush")
        made = play(Scenario("insert", SHIPMENTS, body=body, status=201, stored=1, silent_on=silent))
        assert self.stored(world, made) == "hush"
        play(Scenario("get", f"GET /logistics/shipments/id/{made['id']}", silent_on=silent))

    def test_a_replace_without_it_keeps_it(self, world: World, play: Play) -> None:
        made = world.make("Shipment", customsToken="hush")
        self.save(world, play, made)
        assert self.stored(world, made) == "hush"

    def test_a_replace_with_another_replaces_it(self, world: World, play: Play) -> None:
        made = world.make("Shipment", customsToken="hush")
        self.save(world, play, made, customsToken="other")
        assert self.stored(world, made) == "other"

    def test_null_clears_it(self, world: World, play: Play) -> None:
        made = world.make("Shipment", customsToken="hush")
        self.save(world, play, made, customsToken=None)
        assert self.stored(world, made) is MISSING

    def test_one_that_never_was_does_not_appear(self, world: World, play: Play) -> None:
        made = world.make("Shipment")
        self.save(world, play, made)
        assert self.stored(world, made) is MISSING

    @pytest.mark.parametrize("value", ["$notes", "$$ROOT", "$literal"])
    def test_it_is_never_read_as_an_expression(self, world: World, play: Play, value: str) -> None:
        made = world.make("Shipment")
        self.save(world, play, made, customsToken=value)
        assert self.stored(world, made) == value


class TestDisplayName:
    def test_it_is_made_of_the_names_of_references(self, world: World) -> None:
        lisbon = world.make("Airport", refName="LPPT", name="Lisbon")
        london = world.make("Airport", refName="EGLL", name="Heathrow")
        ends: Document = {"origin": {"entityId": lisbon["id"]}, "destination": {"entityId": london["id"]}}
        made = world.make("Shipment", refName="S-9", **ends)
        assert made["displayName"] == "S-9: LPPT to EGLL"
        back = {
            "origin": ends["destination"],
            "destination": ends["origin"],
            "displayName": made["displayName"],
        }
        now = world.ask(SHIPMENTS, json=made | back).json()
        assert now["displayName"] == "S-9: EGLL to LPPT"  # it was not chosen: it follows

    def test_a_chosen_one_stays(self, world: World) -> None:
        made = world.make("Shipment", displayName="Urgent")
        assert world.ask(SHIPMENTS, json=made).json()["displayName"] == "Urgent"

    def test_a_long_one_can_be_referred_to_and_read_back(self, world: World, play: Play) -> None:
        customer = world.make("Customer", displayName="x" * 500)
        made = world.make("Shipment", customer={"entityId": customer["id"]})
        assert made["customer"]["entityDisplayName"] == "x" * 500
        play(Scenario("send back", SHIPMENTS, body=made, changed=1))
