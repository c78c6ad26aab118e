"""POST {basePath}: insert or replace, versions and preconditions, duplicates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.documented import PUBLISHED
from tests.http.world import NOWHERE, PASSWORD, Document, Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"
SAVE = f"POST {CARRIERS}"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}


def by_id(record: Document) -> str:
    return f"GET {CARRIERS}/id/{record['id']}"


def test_insert_answers_201_with_a_location_that_works(world: World, play: Play) -> None:
    answer = world.ask(SAVE, json=LINE)
    assert answer.status_code == 201
    assert answer.headers["ETag"] == '"1"'
    assert answer.headers["cache-control"] == "private, no-cache"
    location = answer.headers["Location"]
    assert location == f"{CARRIERS}/id/{answer.json()['id']}"
    assert play(Scenario("follow", f"GET {location}")) == answer.json()


CREATING: dict[str, Any] = {
    "/integration/webhooks/create": {"recordTypes": ["Carrier"], "address": "https://hooks.example/"},
    "/integration/completionTaskGroup/create": {"refName": "located"},
    f"/integration/completionTask/create/{NOWHERE}": {"refName": "located"},
    "/security/users": {"userId": "located@acme.example", "password": PASSWORD, "roles": ["user"]},
    "/security/oauth/clients/located/credential": {"roles": ["user"]},
}


@pytest.mark.parametrize("path", CREATING)
def test_whatever_else_is_created_has_a_location_that_works(world: World, path: str) -> None:
    if "located" in path:
        client = {"clientId": "located", "allowedGrantTypes": ["client_credentials"]}
        assert world.ask("POST /security/oauth/clients", json=client).status_code == 201
    answer = world.ask(f"POST {path}", json=CREATING[path])
    assert answer.status_code == 201, answer.text
    found = world.ask(f"GET {answer.headers['Location']}").json()
    name = next(one for one in ("id", "subject") if one in found)
    assert found[name] == answer.json()[name]
    template = path.replace(NOWHERE, "{groupId}").replace("located", "{clientId}")
    assert "Location" in PUBLISHED["paths"][template]["post"]["responses"]["201"]["headers"]


def test_insert_stores_one_document(play: Play) -> None:
    play(Scenario("insert", SAVE, body=LINE, status=201, stored=1))


def test_the_common_fields_of_a_new_record(world: World) -> None:
    made = world.make("Carrier", "acme-user")
    assert made["refName"] == made["id"]
    assert made["activeStatus"] == "ACTIVE"
    assert made["version"] == 1
    assert made["dataDomain"] == {"tenantId": "acme", "ownerId": "user@acme.example", "dataSegment": 0}
    audit = made["auditInfo"]
    assert (audit["createdBy"], audit["lastUpdatedBy"]) == ("user@acme.example", "user@acme.example")
    assert audit["createdDate"] == audit["lastUpdatedDate"]
    assert made["active"] is True  # a default of the specification


def test_replace_answers_200_without_a_location(play: Play, world: World) -> None:
    made = world.make("Carrier", "acme-user", refName="replace-me")
    body = {"id": made["id"], "refName": "replace-me", "name": "Renamed", "mode": "SEA"}
    answers = {"ETag": '"2"', "Location": None}
    now = play(Scenario("replace", SAVE, body=body, changed=1, answers=answers))
    assert (now["id"], now["version"], now["name"], now["mode"]) == (made["id"], 2, "Renamed", "SEA")
    assert now["dataDomain"] == made["dataDomain"]  # the owner stays, whoever replaces it
    assert now["auditInfo"]["createdBy"] == "user@acme.example"
    assert now["auditInfo"]["createdDate"] == made["auditInfo"]["createdDate"]
    assert now["auditInfo"]["lastUpdatedBy"] == "admin@acme.example"
    assert play(Scenario("get", by_id(made))) == now


def test_replace_is_full(world: World, play: Play) -> None:
    made = world.make("Carrier", refName="full", home=world.ref("Airport"), activeStatus="INACTIVE")
    body = {"id": made["id"], **LINE}
    now = play(Scenario("replace", SAVE, body=body, changed=1, lacks=("home",)))
    assert (now["refName"], now["activeStatus"]) == (
        "full",
        "INACTIVE",
    )  # common fields that were left out stay


def test_what_was_read_can_be_sent_back(world: World, play: Play) -> None:
    for kind, path in (("Shipment", "/logistics/shipments"), ("Order", "/logistics/orders")):
        made = world.make(kind)
        now = play(Scenario("send back", f"POST {path}", body=made, changed=1, has={"version": 2}))
        changing = {"version", "auditInfo", "persistentEvents"}
        assert {k: v for k, v in now.items() if k not in changing} == {
            k: v for k, v in made.items() if k not in changing
        }


def test_an_id_nobody_has_gets_an_id_of_the_server(play: Play) -> None:
    made = play(Scenario("insert", SAVE, body=LINE | {"id": NOWHERE}, status=201, stored=1))
    assert made["id"] != NOWHERE
    assert made["refName"] == made["id"]


@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_a_foreign_id_is_as_good_as_none(world: World, play: Play, user: str) -> None:
    """The record it names stays as it is, and the answer is that for an id nobody has."""
    made = world.make("Carrier", name="Mine")
    body = LINE | {"id": made["id"]}
    stranger = play(Scenario("insert", SAVE, user=user, body=body, status=201, stored=1, silent_on=("Mine",)))
    assert stranger["id"] != made["id"]
    assert world.read("Carrier", made) == made


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"If-Match": '"1"'}, 412, id="If-Match"),
        pytest.param({"If-Match": "*"}, 412, id="If-Match *"),
    ],
)
@pytest.mark.parametrize("with_id", ["no id", "absent id", "foreign id"])
def test_a_precondition_makes_no_new_record(
    world: World, play: Play, headers: dict[str, str], status: int, with_id: str
) -> None:
    ids = {
        "no id": {},
        "absent id": {"id": NOWHERE},
        "foreign id": {"id": world.make("Carrier", "globex")["id"]},
    }
    body = LINE | ids[with_id]
    code = "record.precondition_failed"
    play(Scenario("insert", SAVE, body=body, headers=headers, status=status, code=code))


@pytest.mark.parametrize(
    ("version", "status", "code"),
    [
        pytest.param(1, 409, "record.version_conflict", id="older"),
        pytest.param(3, 409, "record.version_conflict", id="newer"),
        pytest.param(2**31 - 1, 409, "record.version_conflict", id="largest"),
        pytest.param(0, 422, "record.invalid", id="zero"),
        pytest.param(-1, 422, "record.invalid", id="negative"),
        pytest.param(2**31, 422, "record.invalid", id="too large"),
        pytest.param("2", 422, "record.invalid", id="text"),
        pytest.param(2.5, 422, "record.invalid", id="fraction"),
        pytest.param(True, 422, "record.invalid", id="boolean"),
    ],
)
def test_another_version_is_a_conflict(
    world: World, play: Play, version: Any, status: int, code: str
) -> None:
    made = world.make("Carrier")
    world.ask(SAVE, json=LINE | {"id": made["id"]})
    body = LINE | {"id": made["id"], "version": version}
    play(Scenario("replace", SAVE, body=body, status=status, code=code))


def test_the_stored_version_may_be_named(world: World, play: Play) -> None:
    body = LINE | {"id": world.make("Carrier")["id"], "version": 1}
    play(Scenario("replace", SAVE, body=body, changed=1, has={"version": 2}))
    says = ("the stored version is 2, not 1",)
    play(Scenario("again", SAVE, body=body, status=409, code="record.version_conflict", says=says))


def test_a_version_without_a_record_is_a_conflict(play: Play) -> None:
    for ids in ({}, {"id": NOWHERE}):
        body = LINE | ids | {"version": 1}
        play(Scenario("insert", SAVE, body=body, status=409, code="record.version_conflict"))


@pytest.mark.parametrize(
    ("tag", "status"),
    [
        pytest.param('"1"', 200, id="the version"),
        pytest.param("*", 200, id="any"),
        pytest.param('"7", "1"', 200, id="one of several"),
        pytest.param('"2"', 412, id="another version"),
        pytest.param('W/"1"', 412, id="weak: If-Match compares strongly"),
        pytest.param("1", 412, id="no quotes"),
        pytest.param("", 400, id="empty"),
        pytest.param("x" * 4000, 412, id="long"),
    ],
)
def test_if_match(world: World, play: Play, tag: str, status: int) -> None:
    made = world.make("Carrier")
    code = {412: "record.precondition_failed", 400: "request.invalid_parameter"}.get(status)
    refused = status != 200
    play(
        Scenario(
            "replace", SAVE, body=LINE | {"id": made["id"]}, headers={"If-Match": tag}, status=status,
            code=code, changed=0 if refused else 1,
            answers={"ETag": None if refused else '"2"'},
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("unless", "status"),
    [
        pytest.param("*", 412, id="any"),
        pytest.param('"1"', 412, id="the version"),
        pytest.param('"7", W/"1"', 412, id="weak: If-None-Match compares weakly"),
        pytest.param('"2"', 200, id="another version"),
    ],
)
def test_if_none_match(world: World, play: Play, unless: str, status: int) -> None:
    made = world.make("Carrier")
    refused = status == 412
    play(
        Scenario(
            "replace", SAVE, body=LINE | {"id": made["id"]}, headers={"If-None-Match": unless}, status=status,
            code="record.precondition_failed" if refused else None, changed=0 if refused else 1,
            says=("leave If-None-Match out to change it",) if refused else (),
        )
    )  # fmt: skip


@pytest.mark.parametrize("unless", ["", "1", '"1', '"1" "2"', '"1",', "*, *", 'w/"1"', "any"])
def test_if_none_match_that_is_not_understood(world: World, play: Play, unless: str) -> None:
    body, headers = LINE | {"id": world.make("Carrier")["id"]}, {"If-None-Match": unless}
    play(
        Scenario(
            "replace", SAVE, body=body, headers=headers, status=400, code="request.invalid_parameter",
            says=("entity tags in quotes",),
        )
    )  # fmt: skip


@pytest.mark.parametrize("with_id", ["no id", "absent id", "foreign id"])
def test_what_is_not_there_is_created_on_condition(world: World, play: Play, with_id: str) -> None:
    ids = {
        "no id": {}, "absent id": {"id": NOWHERE}, "foreign id": {"id": world.make("Carrier", "globex")["id"]},
    }  # fmt: skip
    body, headers = LINE | ids[with_id], {"If-None-Match": "*"}
    play(Scenario("insert", SAVE, body=body, headers=headers, status=201, stored=1))


def test_if_match_came_twice(world: World) -> None:
    headers = [("If-Match", '"1"'), ("If-Match", "*"), *world.headers("acme").items()]
    before = world.snapshot()
    answer = world.client.post(CARRIERS, json=LINE, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid_parameter")
    assert world.snapshot() == before


class TestDuplicates:
    """refName: unique for tenant and type. ``unique`` fields of the specification: for the tenant."""

    def test_ref_name(self, world: World, play: Play) -> None:
        made = world.make("Carrier", refName="twice")
        said: dict[str, Any] = {
            "code": "record.duplicate",
            "has": {"fields": ["refName"]},
            "says": ("refName twice",),
        }
        play(Scenario("insert", SAVE, body=LINE | {"refName": "twice"}, status=409, **said))
        other = world.make("Carrier", refName="once")
        body = LINE | {"id": other["id"], "refName": "twice"}
        play(Scenario("replace", SAVE, body=body, status=409, **said))
        assert world.read("Carrier", made) == made

    def test_unique_field(self, world: World, play: Play) -> None:
        made = world.make("Country")
        body = {"code": made["code"], "name": "Again"}
        said: dict[str, Any] = {"code": "record.duplicate", "has": {"fields": ["code"]}}
        play(Scenario("insert", "POST /logistics/countries", body=body, status=409, **said))

    def test_spelled_otherwise_is_another_name(self, world: World, play: Play) -> None:
        world.make("Carrier", refName="Case")
        for name in ("case", "Case ", "Cas\u00e9"):
            play(Scenario("insert", SAVE, body=LINE | {"refName": name}, status=201, stored=1))

    @pytest.mark.parametrize("user", ["globex", "acme"])
    def test_another_tenant_or_type_does_not_collide(self, world: World, play: Play, user: str) -> None:
        world.make("Carrier", "acme", refName=f"shared-{user}")
        request, body = (SAVE, LINE) if user == "globex" else ("POST /logistics/customers", {"name": "x"})
        body = body | {"refName": f"shared-{user}"}
        play(Scenario("insert", request, user=user, body=body, status=201, stored=1))

    def test_an_org_cannot_see_whose_ref_name_it_hit(self, world: World, play: Play) -> None:
        """refNames are unique in the tenant: that one is taken is told, and nothing else."""
        world.make("Carrier", "acme-north", refName="northern", name="Polar Line")
        body = LINE | {"refName": "northern"}
        said: dict[str, Any] = {"code": "record.duplicate", "silent_on": ("Polar", "north@")}
        play(Scenario("insert", SAVE, user="acme-south", body=body, status=409, **said))


def test_who_may_not_save(world: World, play: Play) -> None:
    made = world.make("Carrier")
    for body in (LINE, LINE | {"id": made["id"]}):
        play(Scenario("nobody", SAVE, user=None, body=body, status=401, code="access.unauthenticated"))
        play(Scenario("wrong role", SAVE, user="acme-nobody", body=body, status=403, code="access.denied"))
        play(
            Scenario(
                "parameter", f"{SAVE}?force=true", body=body, status=400, code="request.unknown_parameter"
            )
        )


def test_system_saves_in_every_tenant(world: World, play: Play) -> None:
    made = world.make("Carrier", "globex", name="Theirs")
    body = LINE | {"id": made["id"]}
    now = play(Scenario("replace", SAVE, user="system", body=body, changed=1))
    assert now["dataDomain"] == made["dataDomain"]
    domain = {"dataDomain": {"tenantId": "initech"}}
    made = play(Scenario("insert", SAVE, user="system", body=LINE | domain, status=201, stored=1))
    assert made["dataDomain"]["tenantId"] == "initech"
