"""PUT {basePath}/set and PATCH {basePath}/id/{id}: some fields of one record, checked as a whole record is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from tests.http.world import CALLERS, NOWHERE, PATHS, Document, Play, World
from tests.scenario import Scenario

PATCH_TYPE = {"Content-Type": "application/merge-patch+json"}

Ask = Callable[..., Scenario]


def set_of(kind: str, record: Document, pairs: str, **expected: Any) -> Scenario:
    request = f"PUT {PATHS[kind]}/set?id={record['id']}&pairs={quote(pairs)}"
    return Scenario(f"set {pairs}", request, **expected)


def patch_of(kind: str, record: Document, body: Any, **expected: Any) -> Scenario:
    headers = PATCH_TYPE | dict(expected.pop("headers", {}))
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = f"PATCH {PATHS[kind]}/id/{record['id']}"
    return Scenario(f"patch {body}", request, content=content, headers=headers, **expected)


ROUTES: dict[str, Callable[[str, Document, str, Any], Scenario]] = {
    "set": lambda kind, record, pairs, _body, **expected: set_of(kind, record, pairs, **expected),
    "patch": lambda kind, record, _pairs, body, **expected: patch_of(kind, record, body, **expected),
}


@pytest.fixture(params=ROUTES)
def route(request: pytest.FixtureRequest) -> Ask:
    """Either route, asked ``(kind, record, pairs, body, **expected)``."""
    found: Ask = ROUTES[request.param]
    return found


def test_what_is_named_changes_and_the_rest_stays(world: World, play: Play, route: Ask) -> None:
    made = world.make("Shipment", notes="fragile", weightKg="1.500", lines=[{"sku": "A", "quantity": 2}])
    answers = {"ETag": '"2"', "content-type": "application/json"}
    asked = route(
        "Shipment", made, "weightKg:2.25,notes:null", {"weightKg": "2.25", "notes": None},
        changed=1, has={"weightKg": "2.25", "version": 2}, lacks=("notes",), answers=answers,
    )  # fmt: skip
    answer = play(asked)
    same = made.keys() - {"weightKg", "notes", "version", "auditInfo"}
    assert {name: answer[name] for name in same} == {name: made[name] for name in same}
    assert answer == world.read("Shipment", made)


CHANGES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "a text with a comma": ('name:"Heath, Sons"', {"name": "Heath, Sons"}, {"name": "Heath, Sons"}),
    "a nested field": ("billing.city:Oslo", {"billing": {"city": "Oslo"}}, {"billing.street": "1 Road"}),
    "a decimal": ("credit:12.50", {"credit": 12.5}, {"credit": "12.50"}),
    "a date": ("since:2026-01-31", {"since": "2026-01-31"}, {"since": "2026-01-31"}),
    "its display name": ("displayName:Shown", {"displayName": "Shown"}, {"displayName": "Shown"}),
    "an attribute": (
        "dynamicAttributes.s.rank:5",
        {"dynamicAttributes": {"s": {"rank": {"type": "Integer", "value": 5}}}},
        {"dynamicAttributes.s.rank": {"type": "Integer", "value": 5}},
    ),
    "out of use": ("activeStatus:INACTIVE", {"activeStatus": "INACTIVE"}, {"activeStatus": "INACTIVE"}),
}


@pytest.mark.parametrize(("pairs", "body", "has"), CHANGES.values(), ids=CHANGES)
def test_values(world: World, play: Play, route: Ask, pairs: str, body: Any, has: dict[str, Any]) -> None:
    made = world.make("Customer", billing={"street": "1 Road", "city": "Rome", "country": "IT"})
    if "credit" in has:
        has = {"credit": has["credit"] if route is ROUTES["set"] else "12.5"}
    play(route("Customer", made, pairs, body, changed=1, has=has))


def test_a_reference_takes_the_names_of_its_new_target(world: World, play: Play, route: Ask) -> None:
    made = world.make("Carrier")
    airport = world.make("Airport")
    body = {"home": {"entityId": airport["id"]}}
    has = {"home.entityRefName": airport["refName"], "home.entityType": "Airport"}
    play(route("Carrier", made, f"home:@@{airport['id']}", body, changed=1, has=has))


@pytest.mark.parametrize("reference", [{"entityRefName": "other"}, {"realm": "main"}, {}], ids=str)
def test_a_reference_is_changed_by_its_id_only(world: World, play: Play, reference: Any) -> None:
    """Its names are copies: a patch of them alone would be answered like a change, and change nothing."""
    made = world.make("Carrier", home={"entityId": world.make("Airport")["id"]})
    says = ('home.entityId: Field required, as in {"entityId": "<the id>"}',)
    play(patch_of("Carrier", made, {"home": reference}, status=422, code="record.invalid", says=says))


def test_a_reference_that_is_not_named_is_not_looked_up(world: World, play: Play, route: Ask) -> None:
    """Its record may be gone meanwhile: that is no fault of who writes something else."""
    airport = world.make("Airport")
    made = world.make("Carrier", home={"entityId": airport["id"]})
    assert world.ask(f"DELETE {PATHS['Airport']}/id/{airport['id']}").status_code == 204
    has = {"name": "Renamed", "home": made["home"]}
    play(route("Carrier", made, "name:Renamed", {"name": "Renamed"}, changed=1, has=has))


def test_a_calculated_field_follows(world: World, play: Play, route: Ask) -> None:
    made = world.make("Product")
    assert made["label"] == f"Ten red tulips ({made['sku']})"
    has = {"label": f"Roses ({made['sku']})", "displayName": "Roses"}
    play(route("Product", made, "name:Roses", {"name": "Roses"}, changed=1, has=has))


def test_a_state_moves_along_its_graph(world: World, play: Play, route: Ask) -> None:
    made = world.make("Shipment")
    play(route("Shipment", made, "status:IN_TRANSIT", {"status": "IN_TRANSIT"}, changed=1))
    play(route("Shipment", made, "status:IN_TRANSIT", {"status": "IN_TRANSIT"}, changed=1))


def test_a_hidden_field_is_written_and_never_shown(world: World, play: Play, route: Ask) -> None:
    made = world.make("Shipment")
    for value, stored in (("hush", "hush"), (None, None)):
        body = {"customsToken": value}
        pairs = f"customsToken:{value or 'null'}"
        play(route("Shipment", made, pairs, body, changed=1, lacks=("customsToken",), silent_on=("hush",)))
        kept = world.documents["shipments"].find_one({"refName": made["refName"]}) or {}
        assert kept.get("customsToken") == stored
    play(route("Shipment", made, "notes:x", {"notes": "x"}, changed=1))


def test_a_hidden_field_that_is_not_named_stays(world: World, play: Play, route: Ask) -> None:
    made = world.make("Shipment", customsToken="hush")
    play(route("Shipment", made, "notes:x", {"notes": "x"}, changed=1))
    kept = world.documents["shipments"].find_one({"refName": made["refName"]}) or {}
    assert kept["customsToken"] == "hush"


REFUSED: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "unknown field": ("ntoes:x", {"ntoes": "x"}, {"status": 400, "says": ("notes",)}),
    "another type": ("departsAt:soon", {"departsAt": "soon"}, {}),
    "broken constraint": (
        "weightKg:0", {"weightKg": 0},
        {"status": 422, "code": "record.invalid", "says": ("what has been weighed",)},
    ),
    "a required field cleared": (
        "origin:null", {"origin": None}, {"status": 422, "code": "record.invalid", "says": ("origin",)},
    ),
    "an illegal move": (
        "status:DELIVERED", {"status": "DELIVERED"},
        {"status": 422, "code": "state.transition", "has": {"allowed": ["IN_TRANSIT", "CANCELLED"]}},
    ),
    "a state cleared": ("status:null", {"status": None}, {"status": 422, "code": "state.transition"}),
    "a reference to nothing": (
        f"carrier:@@{NOWHERE}", {"carrier": {"entityId": NOWHERE}},
        {"status": 422, "code": "reference.missing"},
    ),
    "a text in place of a required reference": ("origin:x", {"origin": "x"}, {}),
    "a number in place of a required reference": ("customer:5", {"customer": 5}, {}),
    "a text in place of one that is optional": ("carrier:x", {"carrier": "x"}, {}),
    "another tenant": (
        "dataDomain.tenantId:globex", {"dataDomain": {"tenantId": "globex"}},
        {"status": 403, "code": "access.denied"},
    ),
    "another version": ("notes:x,version:7", {"notes": "x", "version": 7}, {"status": 409}),
}  # fmt: skip


@pytest.mark.parametrize(("pairs", "body", "said"), REFUSED.values(), ids=REFUSED)
def test_refused_and_nothing_stored(
    world: World, play: Play, route: Ask, pairs: str, body: Any, said: dict[str, Any]
) -> None:
    made = world.make("Shipment")
    said = said or {"status": 400 if route is ROUTES["set"] else 422}
    play(route("Shipment", made, pairs, body, **said))
    assert world.read("Shipment", made) == made


WHOLE = {"orgRefName": "north", "accountId": "a1", "dataSegment": 3}
OUT = {
    "all members": (
        ",".join(f"dataDomain.{name}:null" for name in (*WHOLE, "tenantId", "ownerId")),
        dict.fromkeys((*WHOLE, "tenantId", "ownerId")),
    ),
    "as a whole": ("dataDomain:null", None),
    "as a whole, with another field": ("name:Renamed,dataDomain:null", None),
}


@pytest.mark.parametrize(("pairs", "domain"), OUT.values(), ids=OUT)
def test_null_takes_a_record_out_of_its_organisation(
    world: World, play: Play, route: Ask, pairs: str, domain: Document | None
) -> None:
    """A tenant and an owner it always has, and null is as good as absent."""
    made = world.make("Carrier", dataDomain=WHOLE)
    body = {"dataDomain": domain} | ({"name": "Renamed"} if "Renamed" in pairs else {})
    kept = {name: made["dataDomain"][name] for name in ("tenantId", "ownerId")}
    moved = play(route("Carrier", made, pairs, body, changed=1))
    assert moved["dataDomain"] == kept | {"dataSegment": 0} == world.read("Carrier", made)["dataDomain"]


def test_null_is_the_organisation_to_which_the_caller_is_bound(world: World, play: Play, route: Ask) -> None:
    made = world.make("Carrier", "acme-north")
    asked = ("Carrier", made, "dataDomain.orgRefName:null", {"dataDomain": {"orgRefName": None}})
    moved = play(route(*asked, user="acme-north", changed=1))
    assert moved["dataDomain"] == made["dataDomain"]


def test_a_caller_bound_to_nothing_moves_no_record_into_its_own_organisation(
    world: World, play: Play, route: Ask
) -> None:
    """The domain of ``system`` is only that of what it creates."""
    if (caller := "system-in-hq") not in world.tokens:
        own = replace(CALLERS["system"], user_id="hq@service.example", org_ref_name="hq", data_segment=7)
        world.sign_in(caller, replace(own, account_id="a7"))
    made = world.make("Carrier", dataDomain={"orgRefName": "north", "dataSegment": 3})
    pairs = "dataDomain.orgRefName:null,dataDomain.dataSegment:null"
    body = {"dataDomain": {"orgRefName": None, "dataSegment": None}}
    moved = play(route("Carrier", made, pairs, body, user=caller, changed=1))
    assert moved["dataDomain"] == {"tenantId": "acme", "ownerId": "admin@acme.example", "dataSegment": 0}
    asked = ("Carrier", made, "dataDomain.ownerId:ann", {"dataDomain": {"ownerId": "ann"}})
    moved = play(route(*asked, user=caller, changed=1))
    assert moved["dataDomain"] == {"tenantId": "acme", "ownerId": "ann", "dataSegment": 0}


def test_the_version_that_the_caller_knows(world: World, play: Play, route: Ask) -> None:
    made = world.make("Carrier")
    asked = ("Carrier", made, "name:x,version:1", {"name": "x", "version": 1})
    play(route(*asked, headers={"If-None-Match": "*"}, status=412))
    for name in ("If-Match", "If-None-Match"):
        detail = {"detail": f'{name} must be *, or entity tags in quotes, such as "3"', "parameter": name}
        play(route(*asked, headers={name: ""}, status=400, has=detail))
    play(route(*asked, headers={"If-None-Match": '"1"'}, status=412))
    play(route(*asked, headers={"If-Match": '"1"', "If-None-Match": '"2"'}, changed=1))
    play(route(*asked, headers={"If-Match": '"1"'}, status=412))
    play(route(*asked, status=409, code="record.version_conflict"))


def test_terms_of_a_write(world: World, play: Play, route: Ask) -> None:
    made = world.make("Carrier")
    asked = ("Carrier", made, "name:Once", {"name": "Once"})
    answers = {"preference-applied": "return=minimal", "ETag": '"2"'}
    key = {"Idempotency-Key": f"partial-{made['id']}"}
    play(route(*asked, headers={"Prefer": "return=minimal"} | key, status=204, changed=1, answers=answers))
    replayed = {"idempotency-replayed": "true"}
    play(route(*asked, headers={"Prefer": "return=minimal"} | key, status=204, answers=answers | replayed))


def test_a_dry_run_checks_and_stores_nothing(world: World, play: Play) -> None:
    made = world.make("Carrier")
    base = f"{PATHS['Carrier']}/"
    has = {"name": "Other", "version": 2}
    play(Scenario("set", f"PUT {base}set?id={made['id']}&pairs=name:Other&dryRun=true", has=has))
    request = f"PATCH {base}id/{made['id']}?dryRun=true"
    play(Scenario("patch", request, content=b'{"name": "Other"}', headers=PATCH_TYPE, has=has))
    assert world.read("Carrier", made) == made


def test_an_id_in_capitals_is_the_same_id(world: World, play: Play, route: Ask) -> None:
    made = world.make("Carrier")
    capitals = {**made, "id": made["id"].upper()}
    play(route("Carrier", capitals, "name:Capitals", {"name": "Capitals"}, changed=1))
    assert world.read("Carrier", made)["name"] == "Capitals"


@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_a_foreign_record_is_as_good_as_absent(world: World, play: Play, route: Ask, user: str) -> None:
    made = world.make("Carrier")
    play(route("Carrier", made, "name:x", {"name": "x"}, user=user, status=404, code="record.not_found"))
    play(route("Carrier", {"id": NOWHERE}, "name:x", {"name": "x"}, status=404, code="record.not_found"))


@pytest.mark.parametrize(
    ("query", "code", "says"),
    [
        pytest.param("pairs=name:x", "request.invalid_parameter", "id", id="no id"),
        pytest.param("id=xyz&pairs=name:x", "request.invalid_parameter", "id", id="malformed id"),
        pytest.param(f"id={NOWHERE}", "request.invalid_parameter", "pairs", id="no pairs"),
        pytest.param(f"id={NOWHERE}&pairs=", "request.invalid_parameter", "pairs", id="empty pairs"),
        pytest.param(f"id={NOWHERE}&pairs=name", "request.invalid_parameter", "pairs", id="no value"),
        pytest.param(
            f"id={NOWHERE}&pair=name:x", "request.unknown_parameter", "pairs", id="unknown parameter"
        ),
    ],
)
def test_a_set_that_cannot_be_read(play: Play, query: str, code: str, says: str) -> None:
    play(Scenario("set", f"PUT {PATHS['Carrier']}/set?{query}", status=400, code=code, says=(says,)))


@pytest.mark.parametrize(
    "media_type", ["application/json", "application/json-patch+json", "text/plain", ""], ids=str
)
def test_a_patch_is_a_merge_patch(world: World, play: Play, media_type: str) -> None:
    made = world.make("Carrier")
    said: dict[str, Any] = {
        "status": 415,
        "code": "request.media_type",
        "says": ("send application/merge-patch+json",),
        "answers": {"Accept-Patch": "application/merge-patch+json"},
    }
    headers = {"Content-Type": media_type}
    play(patch_of("Carrier", made, {"name": "x"}, headers=headers, **said))


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"null", b"1", b"{", b"", b'{"a":' * 200], ids=repr)
def test_a_patch_that_is_no_object(world: World, play: Play, body: bytes) -> None:
    play(patch_of("Carrier", world.make("Carrier"), body, status=400, code="request.malformed"))


def test_objects_merge_and_lists_are_replaced(world: World, play: Play) -> None:
    home = {"street": "1 Road", "postalCode": "1", "city": "Rome", "country": "IT"}
    made = world.make("Customer", billing=home, shipTo=[home, home])
    body = {"billing": {"postalCode": None, "city": "Oslo"}, "shipTo": [home]}
    answer = play(patch_of("Customer", made, body, changed=1))
    assert answer["billing"] == {"street": "1 Road", "city": "Oslo", "country": "IT"}
    assert answer["shipTo"] == [home]


@pytest.mark.parametrize(
    "pairs", ["shipTo.0.city:x", "id:65f0c0ffee00c0ffee00c0de", "auditInfo.createdBy:me"]
)
def test_what_cannot_be_set(world: World, play: Play, pairs: str) -> None:
    play(set_of("Customer", world.make("Customer"), pairs, status=400))
