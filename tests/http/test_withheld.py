"""Fields that rules withhold: no door tells them, nor what is derived from them.

Rules are read for every request here (``auth.rule-cache-seconds`` 0); each test takes its rules away again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.http.test_permission_rules import ruled
from tests.http.world import Document, World

pytestmark = pytest.mark.settings(rule_cache_seconds=0)

PRODUCTS = "/logistics/products"


def withholding(domain: str, *fields: str, **members: Any) -> Document:
    """A rule that hides fields of a record type from users."""
    header = {"identity": "user", "area": "logistics", "functionalDomain": domain}
    return {
        "name": f"withhold {domain}", "effect": "ALLOW", "priority": 50, "hiddenFields": list(fields),
        "securityURI": {"header": header},
    } | members  # fmt: skip


NO_VIEW = {"effect": "DENY", "hiddenFields": [], "priority": 60}
MERGE = {"Content-Type": "application/merge-patch+json"}
CUSTOMERS, SHIPMENTS, ORDERS = "/logistics/customers", "/logistics/shipments", "/logistics/orders"


class TestCopiedNames:
    """A rule hides ``Customer.name``, of which the display name of customers is made."""

    @pytest.fixture
    def order(self, world: World) -> Document:
        customer = world.make("Customer", name="Secret name")
        return world.make("Order", customer={"entityId": customer["id"]})

    @pytest.mark.parametrize(
        ("rules", "unseen"),
        [
            ([withholding("customer", "name")], ("entityDisplayName",)),
            ([withholding("customer") | NO_VIEW], ("entityDisplayName", "entityRefName")),
        ],
        ids=["a field of the name is withheld", "the type may not be viewed"],
    )
    def test_are_withheld_in_every_answer(
        self, world: World, order: Document, rules: list[Document], unseen: tuple[str, ...]
    ) -> None:
        customer, own = order["customer"], f"{ORDERS}/id/{order['id']}"
        with ruled(world, *rules):
            for request in (
                f"GET {own}",
                f"GET {own}/history",
                f"GET {ORDERS}/refName/{order['refName']}",
                f"GET {ORDERS}/list?filter=refName:{order['refName']}",
                f"GET {ORDERS}/list?filter=refName:{order['refName']}&projection=%2Bcustomer",
                f"GET {ORDERS}/entityref?filter=refName:{order['refName']}",
                f"GET {ORDERS}/csv?requestedColumns=refName,customer&filter=refName:{order['refName']}",
                f"PUT {ORDERS}/set?id={order['id']}&pairs=currency:EUR",
            ):
                answer = world.ask(request, "acme-user")
                assert answer.status_code == 200, answer.text
                assert "Secret name" not in answer.text, request
                if (
                    len(unseen) > 1
                ):  # the refName of the customer, which the display name of orders is made of
                    assert customer["entityRefName"] not in answer.text.replace(customer["entityId"], ""), (
                        request
                    )
            kept = world.ask(f"GET {own}", "acme-user").json()["customer"]
            assert kept == {name: value for name, value in customer.items() if name not in unseen}
            for name in unseen:
                path = f"customer.{name}"
                for query in (
                    f"list?filter={path}:x", f"list?sort={path}", f"list?projection=%2B{path}",
                    f"count?filter={path}:~", f"csv?requestedColumns={path}",
                ):  # fmt: skip
                    refused = world.ask(f"GET {ORDERS}/{query}", "acme-user")
                    assert (refused.status_code, path in refused.text) == (400, True), query
        assert world.read("Order", order) == world.read("Order", order) | {"customer": customer}

    def test_display_names_are_withheld_with_their_sources(self, world: World) -> None:
        customer = world.make("Customer", name="Secret name")
        product = world.make("Product", name="Secret tulips")
        with ruled(world, withholding("customer", "name"), withholding("product", "name")):
            shown = world.ask(f"GET {CUSTOMERS}/id/{customer['id']}", "acme-user").json()
            assert shown.keys().isdisjoint({"name", "displayName"})
            shown = world.ask(f"GET {PRODUCTS}/id/{product['id']}", "acme-user").json()
            assert shown.keys().isdisjoint({"name", "displayName", "label"})
            named = world.ask(f"GET {CUSTOMERS}/entityref?filter=id:{customer['id']}", "acme-user").json()
            assert named == [
                {"entityId": customer["id"], "entityType": "Customer", "entityRefName": customer["refName"]}
            ]
            for query in ("filter=displayName:S*", "sort=displayName", "projection=displayName"):
                refused = world.ask(f"GET {CUSTOMERS}/list?{query}", "acme-user")
                assert (refused.status_code, refused.json()["code"]) == (400, "field.unknown"), query

    def test_a_write_leaves_what_is_withheld_as_it_is(self, world: World, order: Document) -> None:
        chosen = world.make("Customer", name="Secret name", displayName="Chosen by somebody")
        with ruled(world, withholding("customer", "name")):
            shown = world.ask(f"GET {CUSTOMERS}/id/{chosen['id']}", "acme-user").json()
            saved = world.ask(f"POST {CUSTOMERS}", "acme-user", json=shown | {"name": "Not theirs to set"})
            assert saved.status_code == 200, saved.text
            moved = world.ask(f"GET {ORDERS}/id/{order['id']}", "acme-user").json()
            moved["customer"] = {"entityId": chosen["id"]}
            answer = world.ask(f"POST {ORDERS}", "acme-user", json=moved)
            assert answer.status_code == 200, answer.text
            assert "entityDisplayName" not in answer.json()["customer"]
            made = world.ask(f"POST {CUSTOMERS}", "acme-user", json={"name": "New", "displayName": "Mine"})
            assert made.json().keys().isdisjoint({"name", "displayName"})
        now = world.read("Customer", chosen)
        assert (now["name"], now["displayName"]) == ("Secret name", "Chosen by somebody")
        assert world.read("Order", order)["customer"]["entityDisplayName"] == "Chosen by somebody"
        assert world.read("Customer", made.json())["displayName"] == "New"


class TestReferrers:
    @pytest.mark.parametrize(
        "hiding",
        [withholding("shipment", "customer"), withholding("shipment") | NO_VIEW],
        ids=["the reference is withheld", "the type may not be viewed"],
    )
    def test_that_rules_withhold_are_not_named(self, world: World, hiding: Document) -> None:
        customer = world.make("Customer")
        to = {"entityId": customer["id"]}
        shipment = world.make("Shipment", customer=to, refName=f"unseen-{customer['id']}")
        own = f"{CUSTOMERS}/id/{customer['id']}"
        with ruled(world, hiding):
            assert "references" not in world.ask(f"GET {own}", "acme-user").json()
            refused = world.ask(f"DELETE {own}", "acme-user")
            assert (refused.status_code, refused.json()["referrers"]) == (409, [])
            assert "hipment" not in refused.text
            order = world.make("Order", customer=to)
            refused = world.ask(f"DELETE {own}", "acme-user").json()
            assert refused["referrers"] == [
                {"type": "logistics.Order", "count": 1, "refNames": [order["refName"]]}
            ]
            assert "1 logistics.Order and records that you may not see refer to" in refused["detail"]
        assert [one["referencedId"] for one in world.read("Customer", customer)["references"]] == [
            order["id"], shipment["id"]
        ]  # fmt: skip


class TestTextSearch:
    TEXT = 'text("tulips")'

    @pytest.mark.parametrize(
        "request_line",
        [
            f"GET {PRODUCTS}/list?filter=" + quote(TEXT),
            f"GET {PRODUCTS}/count?filter=" + quote(TEXT),
            f"GET {PRODUCTS}/entityref?filter=" + quote(TEXT),
            f"GET {PRODUCTS}/csv?requestedColumns=refName&filter=" + quote(TEXT),
            f"GET {PRODUCTS}/list?filter=" + quote(f"refName:~ && {TEXT}"),
        ],
    )
    def test_does_not_look_into_what_is_withheld(self, world: World, request_line: str) -> None:
        assert world.ask(request_line, "acme-user").status_code == 200
        with ruled(world, withholding("product", "details")):
            answer = world.ask(request_line, "acme-user")
            assert answer.status_code == 400
            assert "details" not in answer.text
            assert world.ask(request_line, "acme").status_code == 200, "others may search"

    def test_nor_does_a_body(self, world: World) -> None:
        with ruled(world, withholding("product", "details")):
            for request, body in (
                (f"POST {PRODUCTS}/find", {"filter": self.TEXT}),
                (f"PUT {PRODUCTS}/bulk/set", {"filter": self.TEXT, "values": {"name": "x"}}),
            ):
                answer = world.ask(request, "acme-user", json=body)
                assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown")
                assert "details" not in answer.text


class TestSchema:
    def test_does_not_name_what_is_withheld(self, world: World) -> None:
        def schema(path: str) -> Document:
            answer = world.ask(f"GET {path}/schema", "acme-user")
            assert answer.status_code == 200
            found: Document = answer.json()
            return found

        whole = schema(ORDERS)
        rules = (
            withholding("customer", "name", "billing.street"),
            withholding("product", "name"),
            withholding("order", "status"),
        )
        with ruled(world, *rules):
            order, customer = schema(ORDERS), schema(CUSTOMERS)
            assert order["properties"].keys() == whole["properties"].keys() - {"status"}
            item = order["properties"]["items"]["items"]
            assert "entityDisplayName" not in item["properties"]["product"]["properties"]
            assert "entityDisplayName" not in order["properties"]["customer"]["properties"]
            shipment = order["properties"]["shipments"]["items"]["$ref"].rpartition("/")[2]
            assert "entityDisplayName" in order["$defs"][shipment]["properties"], "of another type"
            assert {"name", "displayName"}.isdisjoint(customer["properties"])
            assert {"name", "displayName"}.isdisjoint(customer["required"])
            assert "street" not in customer["properties"]["billing"]["properties"]
            assert world.ask(f"GET {ORDERS}/states", "acme-user").json() == {}
        assert schema(ORDERS) == whole

    @pytest.mark.parametrize(
        ("request_line", "body"),
        [
            (f"GET {CUSTOMERS}/list?filter=credi:1", None),
            (f"GET {CUSTOMERS}/list?sort=credi", None),
            (f"GET {CUSTOMERS}/list?projection=credi", None),
            (f"GET {CUSTOMERS}/csv?requestedColumns=credi", None),
            (f"POST {CUSTOMERS}", {"name": "x", "credi": "1"}),
            (f"PUT {CUSTOMERS}/set?id={'0' * 24}&pairs=credi:1", None),
            (f"PUT {CUSTOMERS}/set?id={'0' * 24}&pairs=credit:1", None),
            (f"PUT {CUSTOMERS}/bulk/set", {"ids": ["0" * 24], "values": {"credi": "1"}}),
            (f"PUT {PRODUCTS}/set?id={'0' * 24}&pairs=label:1", None),
            (
                f"POST {CUSTOMERS}/bulk",
                {"operations": [{"op": "save", "record": {"name": "x", "credi": "1"}}]},
            ),
        ],
    )
    def test_nor_do_suggestions(self, world: World, request_line: str, body: Document | None) -> None:
        with ruled(world, withholding("customer", "credit"), withholding("product", "name")):
            answer = world.ask(request_line, "acme-user", **({"json": body} if body else {}))
            assert answer.status_code in (200, 400, 404), answer.text
            assert "mean credit" not in answer.text
            assert '"nearest":["credit"' not in answer.text
            assert "written by the server" not in answer.text


class TestChecks:
    """What is checked together with a withheld field is no oracle for it."""

    def test_a_unique_field_cannot_be_guessed(self, world: World) -> None:
        there = world.make("Product")
        body = {"name": "Guess", "price": "1.00"}
        with ruled(world, withholding("product", "sku")):
            answers = [
                world.ask(f"POST {PRODUCTS}", "acme-user", json=body | {"sku": sku}).json()
                for sku in (there["sku"], "FREE-1")
            ]
            assert [answer["code"] for answer in answers] == ["access.denied"] * 2
            assert answers[0]["detail"] == answers[1]["detail"]
            kept = world.ask(
                f"PATCH {PRODUCTS}/id/{there['id']}", "acme-user", json={"price": "2.00"}, headers=MERGE
            )
            assert kept.status_code == 200, kept.text

    @pytest.mark.parametrize("stored", ["1.000", None])
    def test_a_constraint_over_a_withheld_field_is_not_asked(self, world: World, stored: str | None) -> None:
        """``weightKg:null || weightKg:>##0`` of shipments looks at the withheld field alone."""
        shipment = world.make("Shipment", weightKg=stored)
        with ruled(world, withholding("shipment", "weightKg")):
            own = f"PATCH {SHIPMENTS}/id/{shipment['id']}"
            answer = world.ask(own, "acme-user", json={"notes": "x"}, headers=MERGE)
            assert answer.status_code == 200, answer.text
            assert "weightKg" not in answer.text


class TestFullSaves:
    """A record that was read without its withheld fields can be sent back: they keep their stored value."""

    @pytest.fixture
    def customer(self, world: World) -> Document:
        billing = {"street": "1 Road", "city": "Lisbon", "country": "PT"}
        return world.make("Customer", name="Secret name", email="a@b.example", credit="7.00", billing=billing)

    @pytest.fixture(params=["save", "bulk"])
    def send(self, world: World, request: pytest.FixtureRequest) -> Callable[[Document], Document]:
        """Save a customer as a user, alone or in bulk; return status and problem members."""

        def save(body: Document) -> Document:
            if request.param == "save":
                answer = world.ask(f"POST {CUSTOMERS}", "acme-user", json=body)
                return {"status": answer.status_code} | (answer.json() if answer.content else {})
            operations = [{"op": "save", "record": body}]
            answer = world.ask(f"POST {CUSTOMERS}/bulk", "acme-user", json={"operations": operations})
            result: Document = answer.json()["results"][0]
            return result | result.get("error", {})

        return save

    @pytest.mark.parametrize("action", ["*", "VIEW"])
    def test_keep_what_is_withheld(
        self, world: World, send: Callable[[Document], Document], customer: Document, action: str
    ) -> None:
        rule = withholding("customer", "name", "credit", "billing.city")
        rule["securityURI"]["header"]["action"] = action
        with ruled(world, rule):
            shown = world.ask(f"GET {CUSTOMERS}/id/{customer['id']}", "acme-user").json()
            assert shown.keys().isdisjoint({"name", "credit", "displayName"})
            assert "city" not in shown["billing"]
            saved = send(shown | {"email": "new@b.example"})
            assert saved["status"] == 200, saved
        now = world.read("Customer", customer)
        kept = ("name", "credit", "billing", "displayName")
        assert {name: now[name] for name in kept} == {name: customer[name] for name in kept}
        assert now["email"] == "new@b.example"

    def test_need_a_required_field_for_a_new_record(
        self, world: World, send: Callable[[Document], Document]
    ) -> None:
        with ruled(world, withholding("customer", "name")):
            refused = send({"email": "new@b.example"})
            assert (refused["status"], refused["code"]) == (422, "record.invalid")
            assert refused["violations"] == [{"path": "name", "message": "Field required"}]

    def test_keep_a_required_reference(self, world: World) -> None:
        order = world.make("Order")
        with ruled(world, withholding("order", "customer", "items")):
            shown = world.ask(f"GET {ORDERS}/id/{order['id']}", "acme-user").json()
            assert shown.keys().isdisjoint({"customer", "items"})
            saved = world.ask(f"POST {ORDERS}", "acme-user", json=shown | {"currency": "USD"})
            assert saved.status_code == 200, saved.text
        now = world.read("Order", order)
        assert (now["customer"], now["items"], now["currency"]) == (order["customer"], order["items"], "USD")


def test_rows_of_an_import_show_what_their_reader_may_see_by_then(world: World) -> None:
    """Their records are not those of the moment at which the file was analysed."""
    world.make("Product", refName="by-then", name="Secret name")
    file = {"file": ("r.csv", b"refName,displayName\r\nby-then,Shown", "text/csv")}
    asked = {"requestedColumns": "refName,displayName"}
    found = world.ask(f"POST {PRODUCTS}/csv/session", "acme-user", params=asked, files=file).json()
    assert found["rows"][0]["record"]["name"] == "Secret name"
    rows = f"GET {PRODUCTS}/csv/session/{found['sessionId']}/rows"
    with ruled(world, withholding("product", "name")):
        answer = world.ask(rows, "acme-user")
    assert answer.status_code == 200
    assert "Secret name" not in answer.text
    assert world.ask(rows, "acme-user").json()["rows"][0]["record"]["name"] == "Secret name"


def test_a_task_is_completed_where_its_result_is_withheld(world: World) -> None:
    tasks = "/integration/completionTask"
    header = {"identity": "user", "area": "integration", "functionalDomain": "completionTask"}
    rules = {
        name: withholding("completionTask", name, securityURI={"header": header})
        for name in ("result", "status")
    }
    task = world.ask(f"POST {tasks}/create/none", json={}).json()["id"]
    world.ask(f"PUT {tasks}/complete/{task}?status=RUNNING&result=old")
    with ruled(world, rules["result"]):
        done = world.ask(f"PUT {tasks}/complete/{task}?status=FAILED", "acme-user")
        assert (done.status_code, done.json()["status"]) == (200, "FAILED"), done.text
    for name, rule in rules.items():
        with ruled(world, rule):
            refused = world.ask(f"PUT {tasks}/complete/{task}?status=SUCCESS&result=new", "acme-user")
            assert (refused.status_code, refused.json()["code"]) == (400, "field.unknown")
            assert f"has no field {name}" in refused.json()["detail"]
    stored = world.ask(f"GET {tasks}/id/{task}").json()
    assert (stored["status"], stored["result"]) == ("FAILED", "old")
