"""``actionList``: what a row offers is what the same caller may do, and nothing else is offered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId

from runtime.filter import EVERYTHING, compile_filter
from runtime.identity.users.users import NewUser
from runtime.principal import DomainScope
from runtime.records.operations.actions import Actions
from runtime.storage.access import Access, Action
from tests.http.test_permission_rules import CARRIERS, rule, ruled
from tests.http.world import PASSWORD, Document, World

pytestmark = pytest.mark.settings(rule_cache_seconds=0)

CALLERS = ("acme", "acme-user", "acme-north", "acme-segment", "globex", "system")
OWNERS = ("acme", "acme-north", "acme-south", "acme-segment", "globex")
PROJECTIONS = ("", "&projection=refName", "&projection=-dataDomain", "&projection=dataDomain.ownerId,name")
MERGE = {"Content-Type": "application/merge-patch+json"}
OF_CARRIERS = {"area": "logistics", "functionalDomain": "carrier"}
RULES = {
    "no further rules": (),
    "only one's own": (
        rule({"action": "UPDATE", **OF_CARRIERS}, filter="dataDomain.ownerId:!${principalId}"),
        rule({"action": "DELETE", **OF_CARRIERS}, filter="mode:SEA || !!(name:A*)"),
    ),
    "those named by their id": (rule({"action": "UPDATE", **OF_CARRIERS}, filter="refName:!${resourceId}"),),
}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    """Carriers of several owners, some of which are named by their id."""
    segment = NewUser("seven@acme.example", PASSWORD, "acme", frozenset({"admin"}), data_segment=7)
    world.sign_in("acme-segment", segment)
    for owner in OWNERS:
        world.make("Carrier", owner)
        world.make("Carrier", owner, refName=f"R-{owner}", mode="SEA")
    return world


def can(world: World, caller: str, action: str, row: Document) -> bool:
    """Whether the action would be done, without doing it."""
    path = f"{CARRIERS}/id/{row['id']}"
    if action == "VIEW":
        answer = world.ask(f"GET {path}", caller)
    elif action == "UPDATE":
        answer = world.ask(f"PATCH {path}?dryRun=true", caller, content='{"name": "Another"}', headers=MERGE)
    else:
        answer = world.ask(f"DELETE {path}?dryRun=true", caller)
    assert answer.status_code in (200, 204, 403, 404), answer.text
    return answer.is_success


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("caller", CALLERS)
def test_a_row_offers_what_its_caller_may_do(world: World, caller: str, rules: tuple[Document, ...]) -> None:
    with ruled(world, *rules):
        rows = world.ask(f"GET {CARRIERS}/list?actions=true", caller).json()["rows"]
        assert rows
        for row in rows:
            expected = [action for action in ("VIEW", "UPDATE", "DELETE") if can(world, caller, action, row)]
            assert row["actionList"] == expected, row
            assert world.read("Carrier", row, caller)["actionList"] == expected, row


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("caller", CALLERS)
def test_what_a_page_shows_changes_no_offer(world: World, caller: str, rules: tuple[Document, ...]) -> None:
    with ruled(world, *rules):
        pages = [
            world.ask(f"GET {CARRIERS}/list?actions=true{projection}", caller).json()["rows"]
            for projection in PROJECTIONS
        ]
    offers = [{row["id"]: row["actionList"] for row in rows} for rows in pages]
    assert offers == [offers[0]] * len(PROJECTIONS)
    assert {*pages[1][0]} == {"id", "refName", "actionList"}
    assert "dataDomain" not in pages[2][0]
    assert {*pages[3][0]["dataDomain"]} == {"ownerId"}


# States ---------------------------------------------------------------------------------------------

SHIPMENTS = "/logistics/shipments"
OF_SHIPMENTS = {"area": "logistics", "functionalDomain": "shipment", "action": "UPDATE"}
STATE_RULES = {
    "no further rules": ((), ["IN_TRANSIT", "CANCELLED"]),
    "one state is closed": ((rule(OF_SHIPMENTS, filter="status:CANCELLED"),), ["IN_TRANSIT"]),
    "all of them are": ((rule(OF_SHIPMENTS, filter="status:!BOOKED"),), []),
    "its own is": ((rule(OF_SHIPMENTS, filter="status:BOOKED"),), []),
}


@pytest.mark.parametrize(("rules", "expected"), STATE_RULES.values(), ids=STATE_RULES)
def test_a_record_offers_the_states_in_which_its_caller_may_put_it(
    world: World, rules: tuple[Document, ...], expected: list[str]
) -> None:
    row = world.make("Shipment", "acme")
    with ruled(world, *rules):
        path = f"{SHIPMENTS}/id/{row['id']}"
        shown = world.ask(f"GET {path}/transitions", "acme-user").json()
        assert shown["status"] == {"current": "BOOKED", "next": expected}
        offers = world.read("Shipment", row, "acme-user")["actionList"]
        assert [offer for offer in offers if ":" in offer] == [f"transition:{state}" for state in expected]
        for state in ("IN_TRANSIT", "CANCELLED"):
            body = f'{{"status": "{state}"}}'
            answer = world.ask(f"PATCH {path}?dryRun=true", "acme-user", content=body, headers=MERGE)
            assert answer.status_code == (200 if state in expected else 403), answer.text


@pytest.mark.parametrize("stored", ["LOST", 7, ["BOOKED"], {"is": "BOOKED"}], ids=str)
def test_a_record_in_no_known_state_can_be_read_and_offers_none(world: World, stored: Any) -> None:
    row = world.make("Shipment", "acme")
    world.documents["shipments"].update_one({"_id": ObjectId(row["id"])}, {"$set": {"status": stored}})
    transitions = world.ask(f"GET {SHIPMENTS}/id/{row['id']}/transitions").json()
    assert transitions["status"] == {"current": stored, "next": []}
    assert world.read("Shipment", row)["actionList"] == ["VIEW", "UPDATE", "DELETE"]
    page = world.ask(f"GET {SHIPMENTS}/list?actions=true&filter=refName:{row['refName']}").json()
    assert [one["actionList"] for one in page["rows"]] == [["VIEW", "UPDATE", "DELETE"]]


# One record -----------------------------------------------------------------------------------------

ROW = {"dataDomain": {"tenantId": "acme", "orgRefName": "north"}, "mode": "AIR"}


def offered(monkeypatch: pytest.MonkeyPatch, kind: Any, row: Document, domain: DomainScope, text: str) -> Any:
    """The actions on a row that was read somehow, for who may write inside a domain what a rule admits."""
    rules = compile_filter(text, kind) if text else EVERYTHING

    def find_access(_call: None, kind: Any, action: Action) -> Access:
        return Access(kind, action, "main", domain, rules)

    monkeypatch.setattr("runtime.records.operations.actions.find_access", find_access)
    nobody: Any = None
    return Actions(nobody, kind).on(row)


@pytest.mark.parametrize(
    ("domain", "text", "is_offered"),
    [
        pytest.param(DomainScope(), "", True, id="no scope"),
        pytest.param(DomainScope("acme"), "", True, id="its tenant"),
        pytest.param(DomainScope("acme", "north"), "mode:AIR", True, id="its organisation, and a rule"),
        pytest.param(DomainScope("acme"), "mode:SEA", False, id="a rule that speaks of others"),
        pytest.param(DomainScope("globex"), "", False, id="another tenant"),
        pytest.param(DomainScope("globex"), "mode:AIR", False, id="another tenant, and a rule"),
        pytest.param(DomainScope("acme", "south"), "", False, id="another organisation"),
        pytest.param(DomainScope("acme", data_segment=7), "", False, id="a segment it does not name"),
    ],
)
def test_nothing_is_offered_outside_the_scope_of_the_write(
    monkeypatch: pytest.MonkeyPatch, world: World, domain: DomainScope, text: str, is_offered: bool
) -> None:
    kind = world.app.state.service.catalog["Carrier"]
    expected = ["VIEW", "UPDATE", "DELETE"] if is_offered else []
    assert offered(monkeypatch, kind, ROW, domain, text) == expected
    assert offered(monkeypatch, kind, {"mode": "AIR"}, domain, text) == (
        expected if domain == DomainScope() else []
    )


def test_a_state_that_two_fields_may_go_to_is_offered_once(
    monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    shipment = world.app.state.service.catalog["Shipment"]
    kind = replace(shipment, states={**shipment.states, "notes": shipment.states["status"]})
    row = {**ROW, "status": "BOOKED", "notes": "BOOKED"}
    offers = offered(monkeypatch, kind, row, DomainScope(), "")
    assert offers == ["VIEW", "UPDATE", "DELETE", "transition:IN_TRANSIT", "transition:CANCELLED"]
