"""Whose record it may be, which states it may take, what it may refer to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

CARRIERS = "POST /logistics/carriers"
SHIPMENTS = "POST /logistics/shipments"
ORDERS = "POST /logistics/orders"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}


class TestDataDomain:
    @pytest.mark.parametrize(
        ("user", "sent", "kept"),
        [
            pytest.param("acme", {}, {"tenantId": "acme", "dataSegment": 0}, id="empty"),
            pytest.param("acme", {"tenantId": "acme"}, {"tenantId": "acme"}, id="own tenant"),
            pytest.param(
                "acme", {"orgRefName": "north"}, {"orgRefName": "north"}, id="any org of the tenant"
            ),
            pytest.param(
                "acme", {"dataSegment": 7, "accountId": "a"}, {"dataSegment": 7, "accountId": "a"}, id="more"
            ),
            pytest.param("acme", {"ownerId": "someone"}, {"ownerId": "someone"}, id="another owner"),
            pytest.param("acme", {"tenantId": None}, {"tenantId": "acme"}, id="null is as good as absent"),
            pytest.param("acme-north", {}, {"tenantId": "acme", "orgRefName": "north"}, id="bound to an org"),
            pytest.param("acme-north", {"orgRefName": "north"}, {"orgRefName": "north"}, id="own org"),
        ],
    )
    def test_inside_the_scope(self, play: Play, user: str, sent: Document, kept: Document) -> None:
        body = LINE | {"dataDomain": sent}
        made = play(Scenario("insert", CARRIERS, user=user, body=body, status=201, stored=1))
        assert kept.items() <= made["dataDomain"].items()

    OUTSIDE: tuple[tuple[str, Document], ...] = (
        ("acme", {"tenantId": "globex"}),
        ("acme", {"tenantId": "ACME"}),
        ("acme", {"tenantId": ""}),
        ("acme", {"tenantId": "acme ", "orgRefName": "north"}),
        ("acme-north", {"orgRefName": "south"}),
        ("acme-north", {"orgRefName": ""}),
        ("acme-north", {"tenantId": "globex", "orgRefName": "north"}),
    )

    @pytest.mark.parametrize(("user", "sent"), OUTSIDE, ids=str)
    def test_outside_the_scope_on_insert(self, play: Play, user: str, sent: Document) -> None:
        body = LINE | {"dataDomain": sent}
        play(Scenario("insert", CARRIERS, user=user, body=body, status=403, code="access.denied"))

    @pytest.mark.parametrize(("user", "sent"), OUTSIDE, ids=str)
    def test_outside_the_scope_on_replace(self, world: World, play: Play, user: str, sent: Document) -> None:
        body = LINE | {"id": world.make("Carrier", user)["id"], "dataDomain": sent}
        play(Scenario("replace", CARRIERS, user=user, body=body, status=403, code="access.denied"))

    def test_a_record_moves_inside_the_scope_only(self, world: World, play: Play) -> None:
        made = world.make("Carrier", "acme-north")
        body = LINE | {"id": made["id"], "dataDomain": {"orgRefName": "south"}}
        now = play(Scenario("move", CARRIERS, body=body, changed=1))
        assert now["dataDomain"] == made["dataDomain"] | {"orgRefName": "south"}
        get = f"GET /logistics/carriers/id/{made['id']}"
        play(Scenario("gone for the north", get, user="acme-north", status=404))
        play(Scenario("there for the south", get, user="acme-south"))

    def test_an_org_sees_its_own_only(self, world: World, play: Play) -> None:
        north, south = world.make("Carrier", "acme-north"), world.make("Carrier", "acme-south")
        for user, own in (("acme-north", north), ("acme-south", south)):
            page = play(Scenario("list", "GET /logistics/carriers/list?sort=-id&limit=1000", user=user))
            assert {row["dataDomain"]["orgRefName"] for row in page["rows"]} == {
                own["dataDomain"]["orgRefName"]
            }
            assert own["id"] in [row["id"] for row in page["rows"]]


class TestStates:
    @pytest.mark.parametrize("state", ["BOOKED", None])
    def test_start(self, world: World, play: Play, state: str | None) -> None:
        body = world.sample("Shipment") | {"status": state}
        play(Scenario("insert", SHIPMENTS, body=body, status=201, stored=1, has={"status": "BOOKED"}))

    @pytest.mark.parametrize("state", ["IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"])
    def test_no_start(self, world: World, play: Play, state: str) -> None:
        body = world.sample("Shipment") | {"status": state}
        has = {"allowed": ["BOOKED"], "field": "status", "to": state}
        play(Scenario("insert", SHIPMENTS, body=body, status=422, code="state.transition", has=has))

    @pytest.mark.parametrize(
        ("path", "target", "allowed"),
        [
            pytest.param([], "BOOKED", None, id="unchanged"),
            pytest.param([], "IN_TRANSIT", None, id="BOOKED to IN_TRANSIT"),
            pytest.param([], "CANCELLED", None, id="BOOKED to CANCELLED"),
            pytest.param([], "DELIVERED", ["IN_TRANSIT", "CANCELLED"], id="BOOKED to DELIVERED"),
            pytest.param(["IN_TRANSIT"], "LOST", None, id="IN_TRANSIT to LOST"),
            pytest.param(["IN_TRANSIT"], "BOOKED", ["DELIVERED", "LOST"], id="back to BOOKED"),
            pytest.param(["IN_TRANSIT", "DELIVERED"], "DELIVERED", None, id="final, unchanged"),
            pytest.param(["IN_TRANSIT", "DELIVERED"], "BOOKED", [], id="out of a final state"),
        ],
    )
    def test_moves(self, world: World, play: Play, path: list[str], target: str, allowed: Any) -> None:
        body = world.sample("Shipment") | {"id": world.make("Shipment")["id"]}
        for state in path:
            assert world.ask(SHIPMENTS, json=body | {"status": state}).status_code == 200
        body["status"] = target
        if allowed is None:
            play(Scenario("move", SHIPMENTS, body=body, changed=1, has={"status": target}))
            return
        has = {"allowed": allowed, "from": (["BOOKED", *path])[-1], "to": target}
        play(Scenario("move", SHIPMENTS, body=body, status=422, code="state.transition", has=has))

    def test_a_state_left_out_stays(self, world: World, play: Play) -> None:
        body = world.sample("Shipment") | {"id": world.make("Shipment")["id"]}
        world.ask(SHIPMENTS, json=body | {"status": "IN_TRANSIT"})
        play(Scenario("replace", SHIPMENTS, body=body, changed=1, has={"status": "IN_TRANSIT"}))


class TestReferences:
    def test_names_are_filled_in_whatever_is_sent(self, world: World, play: Play) -> None:
        customer = world.make("Customer", refName="casa", name="Casa")
        sent = {
            "entityId": customer["id"],
            "entityType": "Airport",
            "entityRefName": "forged",
            "entityDisplayName": "forged",
        }
        body = world.sample("Shipment") | {"customer": sent}
        made = play(Scenario("insert", SHIPMENTS, body=body, status=201, stored=1, silent_on=("forged",)))
        assert made["customer"] == {
            "entityId": customer["id"],
            "entityType": "Customer",
            "entityRefName": "casa",
            "entityDisplayName": "Casa",
        }

    def test_a_replace_takes_the_names_of_now(self, world: World, play: Play) -> None:
        customer = world.make("Customer", refName="before")
        made = world.make("Shipment", customer={"entityId": customer["id"]})
        world.ask("POST /logistics/customers", json=customer | {"refName": "after"})
        body = {name: made[name] for name in ("id", "customer", "origin", "destination")}
        now = play(Scenario("replace", SHIPMENTS, body=body, changed=1, silent_on=("before",)))
        assert now["customer"]["entityRefName"] == "after"

    MISSING = ("an id nobody has", "a record of another type", "a record of another tenant")

    def target(self, world: World, which: str) -> str:
        if which == "an id nobody has":
            return NOWHERE
        caller, kind = ("globex", "Customer") if "tenant" in which else ("acme", "Airport")
        return str(world.make(kind, caller)["id"])

    @pytest.mark.parametrize("which", MISSING)
    @pytest.mark.parametrize("how", ["insert", "replace"])
    def test_missing(self, world: World, play: Play, which: str, how: str) -> None:
        """The same answer for all three: nobody learns what others have."""
        target = self.target(world, which)
        body = world.sample("Shipment") | {"customer": {"entityId": target}}
        if how == "replace":
            body["id"] = world.make("Shipment")["id"]
        says = f"customer: no Customer has the id {target}"
        has = {
            "violations": [{"path": "customer", "message": f"no Customer has the id {target}"}],
            "detail": says,
        }
        play(Scenario(how, SHIPMENTS, body=body, status=422, code="reference.missing", has=has))

    def test_a_record_of_another_org_is_missing(self, world: World, play: Play) -> None:
        body = world.sample("Shipment", "acme-north") | {"customer": world.ref("Customer", "acme-south")}
        said: dict[str, Any] = {"code": "reference.missing", "silent_on": ("Casa",)}
        play(Scenario("insert", SHIPMENTS, user="acme-north", body=body, status=422, **said))

    @pytest.mark.parametrize("request_", ["insert", "bulk", "replace", "patch", "move"])
    def test_an_operator_refers_to_records_of_the_tenant_alone(
        self, world: World, play: Play, request_: str
    ) -> None:
        """The name of another tenant's record would be copied to where its users read it."""
        own, foreign = world.make("Airport", "globex"), world.make("Airport", refName=f"far-{request_}")
        domain = {"tenantId": "globex"}
        body = world.sample("Carrier", "globex") | {"dataDomain": domain}
        made = world.make("Carrier", "acme" if request_ == "move" else "globex")
        request, headers = "POST /logistics/carriers", {}
        if request_ == "bulk":
            request = "POST /logistics/carriers/bulk"
        elif request_ == "replace":
            body |= {"id": made["id"], "refName": made["refName"]}
        elif request_ in ("patch", "move"):
            request = f"PATCH /logistics/carriers/id/{made['id']}"
            body = {"dataDomain": domain} if request_ == "move" else {}
            headers = {"Content-Type": "application/merge-patch+json"}

        def ask(home: str, **expected: Any) -> Any:
            sent: Any = body | {"home": {"entityId": home}}
            if request_ == "bulk":
                sent = {"operations": [{"op": "save", "record": sent}], "atomic": True}
            scenario = Scenario("refer", request, user="system", body=sent, headers=headers, **expected)
            return play(scenario)

        refused = ask(foreign["id"], status=422, code="reference.missing", silent_on=(foreign["refName"],))
        assert f"tenant globex has no Airport with the id {foreign['id']}" in refused["detail"]
        is_new = request_ in ("insert", "bulk")
        ask(
            own["id"],
            status=201 if request_ == "insert" else 200,
            stored=int(is_new),
            changed=int(not is_new),
        )

    def test_in_lists_each_missing_one_is_named(self, world: World, play: Play) -> None:
        item = world.sample("Order")["items"][0]
        absent = item | {"product": {"entityId": NOWHERE}}
        extra = {"items": [item, absent, item, absent], "shipments": [{"entityId": NOWHERE}]}
        answer = play(
            Scenario(
                "insert", ORDERS, body=world.sample("Order") | extra, status=422, code="reference.missing"
            )
        )
        paths = {violation["path"] for violation in answer["violations"]}
        assert paths == {"items[1].product", "items[3].product", "shipments[0]"}

    def test_required_and_left_out(self, world: World, play: Play) -> None:
        body = world.sample("Shipment")
        del body["customer"]
        answer = play(Scenario("insert", SHIPMENTS, body=body, status=422, code="reference.missing"))
        assert [violation["path"] for violation in answer["violations"]] == ["customer"]
