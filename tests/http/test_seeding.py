"""Seeds are planted once for a tenant, again when their version says so, and for new tenants where asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from generated.record_types import AIRPORT, CARRIER, COUNTRY, REGION
from runtime import seed_references
from runtime.call import Call, Service
from runtime.errors import Misconfigured
from runtime.identity.users.users import NewUser, create_user
from runtime.model.seed import Seed
from runtime.principal import DomainContext
from runtime.seeding import (
    SeedPlan,
    find_due,
    open_planting_call,
    plan,
    plant,
    plant_new_tenant,
    tenant_seeding,
)
from runtime.system.record_types import OAUTH_CLIENT
from tests.log_lines import capture_logs
from tests.profiling import profiled

from .world import Document, World

TENANT = "seedlings"
CARRIERS = "carriers"


def row(name: str, mode: str = "AIR") -> dict[str, Any]:
    return {"refName": name, "name": name.upper(), "mode": mode}


def seed(version: int, *rows: dict[str, Any]) -> Seed:
    return Seed(CARRIER, version, rows)


class Garden:
    """The service with some seeds, for one tenant that is empty before and after."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.service: Service = world.app.state.service

    def run(self, work: Callable[[Call], Awaitable[Any]], *seeds: Seed, org: str | None = None) -> Any:
        async def opened() -> Any:
            service = replace(self.service, seeds=seeds)
            realm = service.settings.default_realm
            return await work(
                await open_planting_call(service, realm, realm, DomainContext(TENANT, realm, org))
            )

        return self.call(opened)

    def call(self, work: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        assert self.world.client.portal is not None
        return self.world.client.portal.call(work, *arguments)

    def due(self, *seeds: Seed) -> list[tuple[tuple[str, ...], ...]]:
        plans: list[SeedPlan] = self.run(plan, *seeds)
        return [(one.insert, one.update, one.known) for one in plans]

    def stored(self) -> dict[str, dict[str, Any]]:
        found = self.world.documents[CARRIERS].find({"dataDomain.tenantId": TENANT})
        return {one["refName"]: one for one in found}


@pytest.fixture
def garden(world: World) -> Iterator[Garden]:
    yield Garden(world)
    for name in (
        CARRIERS,
        "airports",
        "countries",
        "regions",
        "plantedSeeds",
        "credentials",
        "oauth_clients",
    ):
        world.documents[name].delete_many({"dataDomain.tenantId": TENANT})


def test_a_seed_is_planted_once(garden: Garden) -> None:
    seeds = seed(1, row("a"), row("b"))
    assert garden.due(seeds) == [(("a", "b"), (), ())]
    assert garden.stored() == {}, "a plan changes nothing"

    assert garden.run(plant, seeds) == {"Carrier": 2}
    assert garden.due(seeds) == [((), (), ())]
    assert garden.run(plant, seeds) == {"Carrier": 0}
    assert set(garden.stored()) == {"a", "b"}


def test_what_users_changed_or_removed_stays_so(garden: Garden) -> None:
    garden.run(plant, seed(1, row("a"), row("b")))
    carriers = garden.world.documents[CARRIERS]
    carriers.update_one({"dataDomain.tenantId": TENANT, "refName": "a"}, {"$set": {"name": "Ours"}})
    carriers.delete_one({"dataDomain.tenantId": TENANT, "refName": "b"})

    assert garden.run(plant, seed(1, row("a"), row("b"), row("c"))) == {"Carrier": 1}

    assert {name: one["name"] for name, one in garden.stored().items()} == {"a": "Ours", "c": "C"}


def test_a_greater_version_is_planted_again(garden: Garden) -> None:
    garden.run(plant, seed(1, row("a"), row("b")), seed(1, row("other")))
    before = garden.stored()
    garden.world.documents[CARRIERS].delete_one({"dataDomain.tenantId": TENANT, "refName": "b"})

    newer = (seed(2, row("a", "SEA"), row("b", "SEA")), seed(1, row("other", "SEA")))
    assert garden.due(*newer) == [(("b",), ("a",), ()), ((), (), ())]
    assert garden.run(plant, *newer) == {"Carrier": 2}

    stored = garden.stored()
    assert {name: one["mode"] for name, one in stored.items()} == {"a": "SEA", "b": "SEA", "other": "AIR"}
    assert stored["a"]["_id"] == before["a"]["_id"]
    assert garden.run(plant, *newer) == {"Carrier": 0}


@pytest.mark.parametrize(
    ("home", "message"),
    [
        ("nowhere", "no Airport nowhere is stored, and no seed has it"),
        ("liss", "no Airport liss is stored, and no seed has it; did you mean lis?"),
        ("lis", "Airport lis is not stored: it is planted later"),
    ],
)
def test_a_reference_to_nothing_is_named(garden: Garden, home: str, message: str) -> None:
    later = Seed(AIRPORT, 1, ({"refName": "lis", "icao": "LPPT"},))
    with pytest.raises(Misconfigured) as refused:
        garden.run(plant, seed(1, row("a") | {"home": home}), later)
    assert refused.value.message == f"seed of Carrier, row a, home: {message}"
    assert garden.stored() == {}


def test_records_that_were_there_before_are_left_alone(garden: Garden) -> None:
    """A crash between planting and recording, or records of before seeds were recorded."""
    garden.run(plant, seed(1, row("a")))
    garden.world.documents["plantedSeeds"].delete_many({"dataDomain.tenantId": TENANT})

    assert garden.due(seed(1, row("a", "SEA"))) == [((), (), ("a",))]
    assert garden.run(plant, seed(1, row("a", "SEA"))) == {"Carrier": 0}

    assert garden.stored()["a"]["mode"] == "AIR"
    assert garden.due(seed(1, row("a", "SEA"))) == [((), (), ())]
    assert garden.due(seed(2, row("a", "SEA"))) == [((), ("a",), ())]


def test_a_value_that_another_tenant_has_in_the_realm_is_skipped(garden: Garden) -> None:
    """Client ids are unique in a realm, so a seed that names one is for the first tenant."""
    other = garden.world.ask("POST /security/oauth/clients", json={"clientId": "portal"})
    assert other.status_code == 201, other.text
    clients = Seed(OAUTH_CLIENT, 1, tuple({"refName": name, "clientId": name} for name in ("portal", "own")))

    with capture_logs(logging.WARNING) as lines:
        assert garden.run(plant, clients, seed(1, row("a"))) == {"OauthClient": 1, "Carrier": 1}

    reason = "seed of OauthClient, row portal: another OauthClient has the clientId portal"
    assert [(one["event"], one["tenant"], one["reason"]) for one in lines] == [
        ("seeds.skipped", TENANT, reason)
    ]
    stored = garden.world.documents["oauth_clients"]
    assert {one["clientId"] for one in stored.find({"dataDomain.tenantId": TENANT})} == {"own"}
    assert stored.count_documents({"clientId": "portal", "dataDomain.tenantId": "acme"}) == 1
    assert garden.due(clients, seed(1, row("a"))) == [((), (), ()), ((), (), ())]


def test_rows_that_refer_to_a_skipped_row_are_skipped_as_well(garden: Garden) -> None:
    def region(name: str, around: str | None = None) -> Document:
        return {"refName": name, "name": name} | ({} if around is None else {"partOf": around})

    world = Seed(REGION, 1, (region("iberia"), region("gaul")))
    garden.run(plant, world)
    garden.world.documents["regions"].delete_one({"dataDomain.tenantId": TENANT, "refName": "iberia"})
    states = Seed(REGION, 1, (region("portugal", "iberia"), region("france", "gaul")))
    cities = Seed(REGION, 1, (region("porto", "portugal"), region("lyon", "france")))

    with capture_logs(logging.WARNING) as lines:
        assert garden.run(plant, world, states) == {"Region": 1}
        assert garden.run(plant, world, states, cities) == {"Region": 1}

    said = "is not stored: it was skipped, or users removed it"
    assert [(one["event"], one["tenant"], one["reason"]) for one in lines] == [
        ("seeds.skipped", TENANT, f"seed of Region, row portugal, partOf: Region iberia {said}"),
        ("seeds.skipped", TENANT, f"seed of Region, row porto, partOf: Region portugal {said}"),
    ]
    stored = garden.world.documents["regions"].find({"dataDomain.tenantId": TENANT})
    assert {one["refName"] for one in stored} == {"gaul", "france", "lyon"}
    assert garden.due(world, states, cities) == [((), (), ())] * 3


def test_a_missing_target_is_looked_up_once(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    world = Seed(REGION, 1, ({"refName": "iberia", "name": "Iberia"},))
    garden.run(plant, world)
    garden.world.documents["regions"].delete_one({"dataDomain.tenantId": TENANT, "refName": "iberia"})
    names = [f"region-{number}" for number in range(20)]
    rows = tuple({"refName": name, "name": name, "partOf": "iberia"} for name in names)
    read, reads = seed_references.read_planted, list[str]()

    async def read_noted(call: Any, kind: Any) -> dict[str, int]:
        reads.append(kind.name)
        return await read(call, kind)

    monkeypatch.setattr(seed_references, "read_planted", read_noted)
    with capture_logs(logging.WARNING) as lines:
        assert garden.run(plant, Seed(REGION, 1, rows)) == {"Region": 0}
    assert (len(lines), reads) == (20, ["Region"])


def test_rows_that_refer_to_a_row_of_another_organisation_are_due_until_they_can_be_planted(
    garden: Garden,
) -> None:
    around = Seed(REGION, 1, ({"refName": "iberia", "name": "Iberia"},))
    inside = Seed(REGION, 1, ({"refName": "portugal", "name": "Portugal", "partOf": "iberia"},))
    garden.run(plant, around, org="north")
    with pytest.raises(Misconfigured, match="partOf: Region iberia belongs to another organisation"):
        garden.run(plant, around, inside, org="south")
    assert garden.due(around, inside) == [((), (), ()), (("portugal",), (), ())]
    assert garden.run(plant, around, inside, org="north") == {"Region": 1}


def test_a_value_that_the_tenant_has_already_is_an_error(garden: Garden) -> None:
    rows = tuple({"refName": name, "code": "QQ", "name": "Seedland"} for name in ("first", "second"))
    with pytest.raises(Misconfigured, match="row second: another Country has the code QQ"):
        garden.run(plant, Seed(COUNTRY, 1, rows))


def test_references_are_resolved_by_the_same_commands_however_many(garden: Garden) -> None:
    numbers = set[int]()
    for number in (1, 20):
        names = [f"home-{number}-{at}" for at in range(number)]
        domain = {"tenantId": TENANT, "ownerId": "nobody", "dataSegment": 0}
        homes = [{"refName": name, "displayName": name, "icao": name, "dataDomain": domain} for name in names]
        rows = [row(f"carrier-{name}") | {"home": name} for name in names]
        garden.world.documents["airports"].insert_many(homes)
        with profiled(garden.world.documents, "airports") as commands:
            garden.run(plant, seed(1, *rows))
        numbers.add(len(commands))
        assert [garden.stored()[one["refName"]]["home"]["entityRefName"] for one in rows] == names
    assert len(numbers) == 1


def test_what_is_planted_already_is_not_looked_for(garden: Garden) -> None:
    garden.run(plant, seed(1, row("a")))
    with profiled(garden.world.documents, CARRIERS) as commands:
        assert garden.due(seed(1, row("a"))) == [((), (), ())]
    assert commands == []


def test_tenants_with_due_seeds_are_found_by_the_same_commands_however_many(garden: Garden) -> None:
    carriers, airports = seed(1, row("a")), Seed(AIRPORT, 1, ({"refName": "lis", "icao": "LPPT"},))
    garden.run(plant, carriers)
    numbers = set[int]()
    for tenants in ([TENANT], [TENANT, *(f"new-{number}" for number in range(20))]):
        service = replace(garden.service, seeds=(carriers, airports))
        with profiled(garden.world.documents, "plantedSeeds", CARRIERS, "airports") as commands:
            due = garden.call(find_due, service, garden.world.realm, tenants)
        numbers.add(len(commands))
        assert due == {TENANT: ["Airport"]} | {one: ["Airport", "Carrier"] for one in tenants[1:]}
    assert len(numbers) == 1
    planted = replace(garden.service, seeds=(carriers,))
    assert garden.call(find_due, planted, garden.world.realm, [TENANT]) == {}
    newer = replace(garden.service, seeds=(seed(2, row("a")),))
    assert garden.call(find_due, newer, garden.world.realm, [TENANT]) == {TENANT: ["Carrier"]}


def test_records_go_to_the_organisation_that_is_named(garden: Garden) -> None:
    garden.run(plant, seed(1, row("a")), org="north")
    assert garden.stored()["a"]["dataDomain"]["orgRefName"] == "north"


def new_user(name: str) -> NewUser:
    password = "correct horse battery staple"
    return NewUser(f"{name}@{TENANT}.example", password, TENANT, frozenset({"admin"}), org_ref_name="north")


def test_a_new_tenant_gets_its_seeds_with_its_first_user(garden: Garden) -> None:
    service = replace(garden.service, seeds=(seed(1, row("a")),), plant_new_tenant=plant_new_tenant)
    garden.call(create_user, service, new_user("ann"))
    assert garden.stored()["a"]["dataDomain"]["orgRefName"] == "north"

    newer = replace(service, seeds=(seed(1, row("a"), row("b")),))
    garden.call(create_user, newer, new_user("bob"))
    assert set(garden.stored()) == {"a"}, "only a new tenant is planted for"


def test_a_seed_that_cannot_be_planted_hinders_no_user(garden: Garden) -> None:
    service = replace(garden.service, seeds=(seed(1, row("a", "SHIP")),), plant_new_tenant=plant_new_tenant)
    assert garden.call(create_user, service, new_user("ann"))["userId"] == f"ann@{TENANT}.example"
    assert garden.stored() == {}


def test_users_of_a_new_tenant_that_are_created_at_once_plant_without_errors(
    garden: Garden,
) -> None:
    seeds = (seed(1, *(row(f"c{number}") for number in range(20))), seed(1, row("d")))
    service = replace(garden.service, seeds=seeds, plant_new_tenant=plant_new_tenant)

    async def create_all() -> None:
        await asyncio.gather(*(create_user(service, new_user(f"u{number}")) for number in range(6)))

    with capture_logs(logging.ERROR) as lines:
        garden.call(create_all)
    assert lines == []
    assert len(garden.stored()) == 21
    assert garden.due(*seeds) == [((), (), ()), ((), (), ())]


def test_without_the_setting_nothing_is_planted(garden: Garden) -> None:
    assert garden.service.plant_new_tenant is None
    assert tenant_seeding(garden.service.settings) is None
    wanted = garden.service.settings.model_copy(update={"seed_new_tenants": True})
    assert tenant_seeding(wanted) is plant_new_tenant
    garden.call(create_user, replace(garden.service, seeds=(seed(1, row("a")),)), new_user("ann"))
    assert garden.stored() == {}


def test_users_made_through_the_api_count_too(garden: Garden) -> None:
    seen: list[DomainContext] = []

    async def note(_service: Service, _realm: str, domain: DomainContext) -> None:
        seen.append(domain)

    name, state = "seeded@acme.example", garden.world.app.state
    body = {"userId": name, "password": "correct horse battery staple", "roles": ["user"]}
    state.service = replace(garden.service, plant_new_tenant=note)
    try:
        assert garden.world.ask("POST /security/users", json=body).status_code == 201
    finally:
        state.service = garden.service
    garden.world.ask(f"DELETE /security/users/{name}")
    assert [domain.tenant_id for domain in seen] == ["acme"]
