"""Import profiles as records: checked when they are saved, kept by tenant, planted as seeds; their look-ups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from generated.record_types import CATALOG, IMPORT_PROFILE
from runtime.access.guard import open_call
from runtime.call import Call
from runtime.errors import Misconfigured, UnknownField
from runtime.model.seed import Seed
from runtime.seeding import plant
from runtime.transfer.profiles.lookup import Lookup, Result, StoreLookups, Unclear
from runtime.transfer.profiles.profile import prepare
from tests.http.profiles import PROFILES, column
from tests.http.world import Document, Play, World
from tests.scenario import Scenario


def profile(*columns: Document, **members: Any) -> Document:
    mappings = list(columns) or [column("NAME", "name")]
    return {"targetType": "logistics.Airport", "columnMappings": mappings, **members}


def as_caller(world: World, work: Callable[[Call], Awaitable[Any]], caller: str = "acme") -> Any:
    """What a function of the runtime answers to a caller."""

    async def run() -> Any:
        call = await open_call(world.app.state.service, world.tokens[caller], None, "r-1", "integration")
        return await work(call)

    assert world.client.portal is not None
    return world.client.portal.call(run)


# Saving -------------------------------------------------------------------------------------------


def test_a_profile_is_a_record_like_any_other(play: Play, world: World) -> None:
    whole = profile(
        column("ICAO#", "icao", transformations={"trim": True, "case": "UPPER"}),
        column("NAME*", "name", valueMappings={"N/A": "", "5 $": "five"}, unmappedValueBehavior="NULL"),
        column("LAND", "country", lookup={"lookupCollection": "countries", "lookupMatchField": "code", "onNotFound": "NULL"}),
        refName="whole", intentColumn="DO", headerModifiers=True, unmappedColumns="IGNORE",
    )  # fmt: skip
    made = play(Scenario("saved", f"POST {PROFILES}", body=whole, status=201, stored=1))
    found = play(Scenario("read", f"GET {PROFILES}/refName/whole"))
    assert found["columnMappings"] == whole["columnMappings"]
    assert {name: found[name] for name in ("defaultIntent", "dynamicAttributeMergeStrategy", "dynamicAttributePrefix")} == {
        "defaultIntent": "UPSERT", "dynamicAttributeMergeStrategy": "MERGE", "dynamicAttributePrefix": "dyn.",
    }  # fmt: skip
    assert found["enableDynamicAttributeDiscovery"] is True
    patch = Scenario(
        "changed", f"PATCH {PROFILES}/id/{made['id']}", body={"defaultIntent": "INSERT"}, changed=1,
        headers={"Content-Type": "application/merge-patch+json"}, has={"version": 2, "defaultIntent": "INSERT"},
    )  # fmt: skip
    play(patch)


def test_what_is_stored_is_a_plan(world: World) -> None:
    """The routes take what ``prepare`` reads: the stored document, defaults and all."""
    body = profile(refName="plain", dynamicAttributePrefix="x.", defaultIntent="UPDATE")
    assert world.ask(f"POST {PROFILES}", json=body).status_code == 201
    stored = world.documents["importProfiles"].find_one({"refName": "plain"})
    assert stored is not None
    made = prepare(stored, CATALOG["Airport"], CATALOG, {})
    assert (made.ref_name, made.prefix, made.default_intent, made.discovers) == (
        "plain",
        "x.",
        "UPDATE",
        True,
    )


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        pytest.param({"targetType": "logistics.Airprt"}, "targetType", "did you mean Airport?", id="an unknown type"),
        pytest.param({"columnMappings": [column("A", "nmae")]}, "columnMappings[0].targetField", "did you mean name?", id="an unknown field"),
        pytest.param({"columnMappings": [column("A", "auditInfo.createdBy")]}, "columnMappings[0].targetField", "written by the server", id="a field of the server"),
        pytest.param({"columnMappings": [column("A", "country")]}, "columnMappings[0].targetField", "country.entityRefName", id="a reference"),
        pytest.param({"columnMappings": [column("A", "name", lookup={"lookupCollection": "contries"})]}, "columnMappings[0].lookup.lookupCollection", "did you mean countries?", id="an unknown collection"),
        pytest.param({"columnMappings": [column("A", "name", lookup={"lookupCollection": "credentials", "lookupMatchField": "passwordHash"})]}, "columnMappings[0].lookup.lookupMatchField", "no field passwordHash", id="a hidden field"),
        pytest.param({"columnMappings": [column("A", "name", rowValueResolverName="geo")]}, "columnMappings[0].rowValueResolverName", "no resolver geo", id="an unknown resolver"),
        pytest.param({"columnMappings": [column("A", "name", transformations={"regex": {"pattern": "(?=x)"}})]}, "columnMappings[0].transformations.regex.pattern", "look-around", id="a pattern that is not linear"),
        pytest.param({"dynamicAttributeStrategy": "HYBRID"}, "dynamicAttributeStrategy", "no dynamic attributes", id="a type without attributes"),
    ],
)  # fmt: skip
def test_a_profile_that_cannot_be_applied_is_not_saved(
    play: Play, body: Document, path: str, message: str
) -> None:
    scenario = Scenario(
        "refused", f"POST {PROFILES}", body=profile() | body, status=422, code="record.invalid",
        has={"violations[0].path": path}, lacks=("violations[1]",), says=(path, message),
    )  # fmt: skip
    play(scenario)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"columnMappings": []}, id="no columns"),
        pytest.param({"defaultIntent": "DELETE"}, id="an intent that is not supported"),
        pytest.param({"dynamicAttributeMergeStrategy": "KEEP"}, id="an unknown merge"),
        pytest.param({"columnMappings": [column("A", "name", unmappedValueBehavior="SKIP")]}, id="an unknown behaviour"),
    ],
)  # fmt: skip
def test_a_profile_of_another_shape_is_not_saved(play: Play, body: Document) -> None:
    play(Scenario("refused", f"POST {PROFILES}", body=profile() | body, status=422, code="record.invalid"))


def test_a_partial_update_is_checked_as_a_whole(play: Play, world: World) -> None:
    made = world.ask(f"POST {PROFILES}", json=profile(refName="partial")).json()
    scenario = Scenario(
        "refused", f"PUT {PROFILES}/set?id={made['id']}&pairs=targetType:logistics.Country", body=None, status=200,
        changed=1,
    )  # fmt: skip
    play(scenario)
    scenario = Scenario(
        "refused", f"PUT {PROFILES}/set?id={made['id']}&pairs=targetType:logistics.Shipment", status=422,
        code="record.invalid", says=("no field name",),
    )  # fmt: skip
    play(scenario)


@pytest.mark.parametrize(("caller", "status"), [("globex", 404), ("acme-nobody", 403), (None, 401)])
def test_profiles_are_of_their_tenant(play: Play, world: World, caller: str | None, status: int) -> None:
    name = f"mine-{status}"
    assert world.ask(f"POST {PROFILES}", json=profile(refName=name)).status_code == 201
    play(
        Scenario(
            "not theirs", f"GET {PROFILES}/refName/{name}", user=caller, status=status, silent_on=("NAME",)
        )
    )


# Seeds --------------------------------------------------------------------------------------------


def planted(world: World, *rows: Document) -> Any:
    async def work(call: Call) -> Any:
        service = replace(call.service, seeds=(Seed(IMPORT_PROFILE, 1, rows),))
        return await plant(replace(call, service=service))

    return as_caller(world, work)


def test_profiles_of_the_specifications_are_planted_once(world: World) -> None:
    row = profile(refName="seeded")
    assert planted(world, row) == {"ImportProfile": 1}
    assert planted(world, row) == {"ImportProfile": 0}
    assert world.ask(f"GET {PROFILES}/refName/seeded").json()["columnMappings"] == row["columnMappings"]


def test_a_seed_is_checked_like_any_profile(world: World) -> None:
    with pytest.raises(Misconfigured, match=r"seed of ImportProfile, row bad: .*no resolver geo"):
        planted(world, profile(column("A", "name", rowValueResolverName="geo"), refName="bad"))


# Look-ups -----------------------------------------------------------------------------------------


def looked_up(world: World, lookup: Lookup, *values: str, caller: str = "acme") -> dict[str, Result]:
    async def work(call: Call) -> Any:
        return await StoreLookups(call).find(lookup, values)

    return dict(as_caller(world, work, caller))


def test_a_look_up_finds_what_its_caller_may_see(world: World) -> None:
    carrier = world.make("Carrier", refName="L-AIR", mode="AIR", name="air line")
    by_name = Lookup("carriers", "refName", "id")
    assert looked_up(world, by_name, "L-AIR", "L-SEA") == {"L-AIR": carrier["id"]}
    assert looked_up(world, by_name, "L-AIR", caller="globex") == {}
    assert looked_up(world, by_name, "L-AIR", caller="acme-nobody") == {}
    assert looked_up(world, Lookup("carriers", "id", "name"), carrier["id"], "L-AIR") == {
        carrier["id"]: "air line"
    }
    assert looked_up(world, Lookup("nowhere", "refName", "id"), "L-AIR") == {}


def test_several_records_with_one_value(world: World) -> None:
    for name in ("S-1", "S-2"):
        world.make("Carrier", refName=name, mode="ROAD", name="road line")
    assert looked_up(world, Lookup("carriers", "name", "refName"), "road line") == {
        "road line": Unclear.SEVERAL
    }
    assert looked_up(world, Lookup("carriers", "name", "mode"), "road line") == {"road line": "ROAD"}


def test_values_are_compared_as_the_field_keeps_them(world: World) -> None:
    world.make("Carrier", refName="V-1", name="version line")
    found = looked_up(world, Lookup("carriers", "version", "activeStatus"), "1", "01", "one")
    assert found == {"1": "ACTIVE", "01": "ACTIVE"}


def test_a_wildcard_is_a_value_like_any_other(world: World) -> None:
    world.make("Carrier", refName="W-1", name="wild line")
    assert looked_up(world, Lookup("carriers", "refName", "name"), "W-*", "W-?", "null", "${tenantId}") == {}


def test_more_values_than_one_command_takes(world: World) -> None:
    world.make("Carrier", refName="Z-9", name="last line")
    values = [f"N-{number}" for number in range(1500)]
    assert looked_up(world, Lookup("carriers", "refName", "name"), *values, "Z-9") == {"Z-9": "last line"}


def test_a_field_that_is_hidden_cannot_be_looked_at(world: World) -> None:
    with pytest.raises(UnknownField):
        looked_up(world, Lookup("credentials", "passwordHash", "userId"), "x")


SPLICED = 'dynamicAttributes.s:null||email:>"m"||dynamicAttributes.n.type'


@pytest.mark.parametrize("member", ["lookupMatchField", "lookupReturnField"])
@pytest.mark.parametrize(
    "field", [SPLICED, "dynamicAttributes.a b.n.type", "dynamicAttributes.s.*.type", "refName:1||email"]
)
def test_a_look_up_takes_plain_paths_only(play: Play, member: str, field: str) -> None:
    body = profile(column("A", "name", lookup={"lookupCollection": "customers", member: field}))
    scenario = Scenario(
        "refused", f"POST {PROFILES}", body=body, status=422, code="record.invalid",
        has={"violations[0].path": f"columnMappings[0].lookup.{member}"}, says=("plain path",),
    )  # fmt: skip
    play(scenario)


@pytest.mark.parametrize("member", ["lookupMatchField", "lookupReturnField"])
def test_a_stored_profile_is_checked_again_when_it_is_used(world: World, member: str) -> None:
    """Whatever a store holds, and whoever wrote it there."""
    lookup = {"lookupCollection": "customers", "lookupMatchField": "name"}
    body = profile(column("NAME", "name", lookup=lookup), refName=f"planted-{member}")
    assert world.ask(f"POST {PROFILES}", json=body).status_code == 201
    spliced = {f"columnMappings.0.lookup.{member}": SPLICED}
    world.documents["importProfiles"].update_one({"refName": body["refName"]}, {"$set": spliced})
    answer = world.ask(
        "POST /logistics/airports/csv/session/profile", params={"profileRefName": body["refName"]},
        files={"file": ("rows.csv", b"NAME\r\nNone\r\n", "text/csv")},
    )  # fmt: skip
    assert (answer.status_code, "plain path" in answer.text) == (400, True), answer.text
