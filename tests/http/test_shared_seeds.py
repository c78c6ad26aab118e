"""Shared seeds: every user of the tenant reads them, whatever the organisation; nobody of another tenant does."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from generated.record_types import AIRPORT, COUNTRY, IMPORT_PROFILE
from runtime.errors import ValidationFailed
from runtime.identity.users.users import NewUser, create_user
from runtime.model.seed import Seed
from runtime.principal import SHARED, DomainContext
from runtime.seeding import open_planting_call, plan, plant
from tests.http.world import PASSWORD, PATHS, Document, World

COUNTRIES, AIRPORTS = PATHS["Country"], PATHS["Airport"]
MERGE = {"Content-Type": "application/merge-patch+json"}
ROW = {"refName": "shared-PT", "code": "QP", "name": "Portugal"}
OWN = {"refName": "own-ES", "code": "QE", "name": "Spain"}
PLACE: Document = {"icao": "SHARED1", "name": "Field", "country": "shared-PT"}
PROFILE: Document = {
    "refName": "shared-profile", "targetType": "logistics.Country",
    "columnMappings": [{"sourceColumn": "CODE", "targetField": "code"}],
}  # fmt: skip
INSIDE = ["acme", "acme-user", "acme-north", "acme-south", "deep"]
BOUND = ["acme-north", "acme-south", "deep"]


@pytest.fixture(scope="module")
def seeded(world: World) -> World:
    """Planted for organisation north, as for its first user; ``deep`` is bound to an account and a segment too."""
    deep = NewUser(
        "deep@acme.example", PASSWORD, "acme", frozenset({"user"}),
        org_ref_name="south", account_id="A-1", data_segment=3,
    )  # fmt: skip
    world.sign_in("deep", deep)
    seeds = (
        Seed(COUNTRY, 1, (ROW,), shared=True), Seed(COUNTRY, 1, (OWN,)),
        Seed(AIRPORT, 1, ({"refName": "shared-airport", **PLACE},), shared=True),
        Seed(IMPORT_PROFILE, 1, (PROFILE,), shared=True),
    )  # fmt: skip

    async def planted() -> Any:
        service = replace(world.app.state.service, seeds=seeds)
        realm = service.settings.default_realm
        call = await open_planting_call(service, realm, realm, DomainContext("acme", realm, "north"))
        saved = await plant(call)
        return saved, await plant(call), [one.is_due for one in await plan(call)]

    assert world.client.portal is not None
    once, again, due = world.client.portal.call(planted)
    assert (once["Country"], once["Airport"], sum(again.values()), any(due)) == (2, 1, 0, False)
    return world


def by_name(world: World, name: str, caller: str) -> Any:
    return world.ask(f"GET {COUNTRIES}/refName/{name}", caller)


def test_it_is_marked_in_its_data_domain_alone(seeded: World) -> None:
    shared, own = (by_name(seeded, name, "acme").json()["dataDomain"] for name in ("shared-PT", "own-ES"))
    assert shared == own | {"orgRefName": SHARED}
    assert own["orgRefName"] == "north"


@pytest.mark.parametrize("caller", INSIDE)
def test_every_user_of_the_tenant_reads_it_at_every_door(seeded: World, caller: str) -> None:
    record = by_name(seeded, "shared-PT", caller)
    assert record.status_code == 200, record.text
    found = record.json()
    for request in (
        f"GET {COUNTRIES}/id/{found['id']}",
        f"GET {COUNTRIES}/list?filter=refName:shared-PT",
        f"GET {COUNTRIES}/list?filter=refName:shared-*&actions=true&projection=name",
        f"GET {COUNTRIES}/list?filter=refName:shared-*&sort=name&limit=1",
        f"GET {COUNTRIES}/csv?requestedColumns=refName,name&filter=refName:shared-PT",
    ):
        answer = seeded.ask(request, caller)
        assert (answer.status_code, "Portugal" in answer.text) == (200, True), request
    count = seeded.ask(f"GET {COUNTRIES}/count?filter=refName:shared-PT", caller)
    assert count.json() == {"count": 1}
    assert "shared-PT" in seeded.ask(f"GET {COUNTRIES}/entityref?filter=refName:shared-PT", caller).text
    assert (
        seeded.ask(f"GET {AIRPORTS}/refName/shared-airport", caller).json()["country"]["entityId"]
        == found["id"]
    )
    own = by_name(seeded, "own-ES", caller).status_code
    assert own == (404 if caller in ("acme-south", "deep") else 200)


@pytest.mark.parametrize("caller", ["globex", "acme-nobody", None])
def test_nobody_else_does(seeded: World, caller: str | None) -> None:
    found = by_name(seeded, "shared-PT", "acme").json()
    for request in (f"id/{found['id']}", "refName/shared-PT"):
        answer = seeded.ask(f"GET {COUNTRIES}/{request}", caller)
        assert answer.status_code == {"globex": 404, "acme-nobody": 403, None: 401}[caller]
    listed = seeded.ask(f"GET {COUNTRIES}/list?filter=refName:shared-*", caller)
    assert "Portugal" not in listed.text
    assert listed.status_code != 200 or listed.json()["rows"] == []


@pytest.mark.parametrize("caller", BOUND)
def test_users_of_an_organisation_cannot_write_it(seeded: World, caller: str) -> None:
    found = by_name(seeded, "shared-PT", caller).json()
    path, body = f"{COUNTRIES}/id/{found['id']}", {"name": "Changed"}
    own = DomainContext("acme", "", "south" if caller != "acme-north" else "north").org_ref_name
    writes = [
        seeded.ask(f"PATCH {path}", caller, json=body, headers=MERGE),
        seeded.ask(f"PATCH {path}", caller, json={"dataDomain": {"orgRefName": own}}, headers=MERGE),
        seeded.ask(f"POST {COUNTRIES}", caller, json={**ROW, **body, "id": found["id"]}),
        seeded.ask(f"PUT {COUNTRIES}/set?id={found['id']}&pairs=name:Changed", caller),
        seeded.ask(f"DELETE {path}", caller),
    ]
    assert [answer.status_code for answer in writes] == [403] * len(writes)
    assert all("this Country is shared: only users bound to no organisation" in one.text for one in writes)
    bulk = seeded.ask(f"PUT {COUNTRIES}/bulk/set", caller, json={"ids": [found["id"]], "values": body})
    operation = {"op": "delete", "id": found["id"]}
    removal = seeded.ask(f"POST {COUNTRIES}/bulk", caller, json={"operations": [operation]})
    for answer in (bulk, removal):
        assert [one["status"] for one in answer.json()["results"]] == [403], answer.text
    columns = "refName,code,name"
    imported = seeded.ask(
        f"POST {COUNTRIES}/csv", caller, params={"requestedColumns": columns},
        files={"file": ("rows.csv", f"{columns}\r\nshared-PT,QP,Changed\r\n".encode(), "text/csv")},
    )  # fmt: skip
    assert imported.status_code in (200, 403), imported.text
    assert imported.json().get("failedCount", 1) == 1, imported.text
    assert by_name(seeded, "shared-PT", "acme").json() == found | {
        "actionList": by_name(seeded, "shared-PT", "acme").json()["actionList"]
    }
    assert found["actionList"] == ["VIEW"], "what is not possible is not offered"


@pytest.mark.parametrize("caller", BOUND)
def test_users_of_an_organisation_cannot_share(seeded: World, caller: str) -> None:
    domain = {"dataDomain": {"orgRefName": SHARED}}
    body = {"code": "QX", "name": "Mine"}
    assert seeded.ask(f"POST {COUNTRIES}", caller, json=body | domain).status_code == 403
    made = seeded.ask(f"POST {COUNTRIES}", caller, json=body).json()
    moved = seeded.ask(f"PATCH {COUNTRIES}/id/{made['id']}", caller, json=domain, headers=MERGE)
    assert moved.status_code == 403
    assert seeded.ask(f"DELETE {COUNTRIES}/id/{made['id']}", caller).status_code == 204


@pytest.mark.parametrize("caller", BOUND)
def test_they_may_refer_to_it(seeded: World, caller: str) -> None:
    country = by_name(seeded, "shared-PT", caller).json()
    body = {"icao": f"X{BOUND.index(caller)}", "name": "Field", "country": {"entityId": country["id"]}}
    answer = seeded.ask(f"POST {AIRPORTS}", caller, json=body)
    assert (answer.status_code, answer.json()["country"]["entityRefName"]) == (201, "shared-PT")


def test_a_profile_that_is_shared_is_used_by_all(seeded: World) -> None:
    for caller in ("acme-north", "acme-south"):
        answer = seeded.ask(
            f"POST {COUNTRIES}/csv/session/profile", caller, params={"profileRefName": "shared-profile"},
            files={"file": ("rows.csv", b"CODE\r\n", "text/csv")},
        )  # fmt: skip
        assert answer.status_code == 200, answer.text


def test_who_is_bound_to_no_organisation_writes_it(seeded: World) -> None:
    found = by_name(seeded, "shared-PT", "acme-user").json()
    body = {"name": "Portugal, too"}
    answer = seeded.ask(f"PATCH {COUNTRIES}/id/{found['id']}", "acme-user", json=body, headers=MERGE)
    assert (answer.status_code, answer.json()["dataDomain"]["orgRefName"]) == (200, SHARED)
    assert by_name(seeded, "shared-PT", "acme-south").json()["name"] == "Portugal, too"


def test_no_user_belongs_to_the_organisation_of_shared_records(world: World) -> None:
    body = {
        "userId": "star@acme.example", "password": PASSWORD, "tenantId": "acme", "orgRefName": SHARED,
        "roles": ["user"],
    }  # fmt: skip
    answer = world.ask("POST /security/users", "acme", json=body)
    assert (answer.status_code, "marks records that all organisations share" in answer.text) == (422, True)
    new = NewUser("star@acme.example", PASSWORD, "acme", frozenset({"user"}), org_ref_name=SHARED)
    assert world.client.portal is not None
    with pytest.raises(ValidationFailed, match="all organisations share"):
        world.client.portal.call(partial(create_user, world.app.state.service, new))
