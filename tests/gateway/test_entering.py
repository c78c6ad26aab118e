"""The realm of the arguments, narrowed tokens, and the switch that keeps the gateway from embedding."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.access.guard import open_anonymous_call
from runtime.access.reopening import open_in_realm
from runtime.admission import Turn
from runtime.call import Call
from runtime.identity.users.users import NewUser
from runtime.realm_setup import create_realm
from tests.http.world import NOWHERE, PASSWORD, Document, Play, World, open_world
from tests.log_lines import capture_logs
from tests.narrowing import narrow_token
from tests.scenario import Scenario

BODIES: dict[str, Document] = {
    "find": {}, "count": {}, "export": {}, "save": {"entity": {"name": "A", "mode": "AIR"}}, "delete": {"id": NOWHERE},
    "deleteMany": {"query": "id:~"}, "import/analyze": {"csv": "name,mode\nA,AIR\n"},
    "import/rows": {"sessionId": NOWHERE}, "import/commit": {"sessionId": NOWHERE}, "import/cancel": {"sessionId": NOWHERE},
}  # fmt: skip
"""A request of each operation."""

WRONG: dict[str, Document] = {
    "find": {"query": "nmae:x"}, "count": {"query": "("}, "export": {"query": "nmae:x"}, "save": {"entity": {"nmae": 1}},
    "deleteMany": {"query": "nmae:x"},
}  # fmt: skip


@pytest.fixture(scope="module")
def off(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    """A service as it is without the setting."""
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, gateway_executes=False) as opened:
        yield opened


def ask(word: str, caller: str | None, body: Document, **said: Any) -> Scenario:
    return Scenario(word, f"POST /api/query/{word}", caller, body={"rootType": "Carrier", **body}, **said)


EMBEDDING = {"query": "id:~ && expand(country)"}


def find_airports(caller: str | None, body: Document, **said: Any) -> Scenario:
    return ask("find", caller, {"rootType": "Airport", **body}, **said)


def test_records_are_embedded_only_where_that_is_switched_on(off: World, world: World) -> None:
    off.play(find_airports("acme", EMBEDDING, status=501, code="query.execution_disabled"))
    off.play(find_airports("acme", {"query": "id:~"}, has={"offset": 0}))
    off.play(find_airports("acme", {"query": "expand(contry)"}, status=400, says=("country",)))
    off.play(find_airports("acme-nobody", EMBEDDING, status=403, code="access.denied"))
    off.play(find_airports(None, EMBEDDING, status=401))
    world.play(find_airports("acme", EMBEDDING, has={"offset": 0}))


def test_a_query_that_is_not_executed_is_not_logged_as_a_fault(off: World) -> None:
    with capture_logs() as lines:
        assert off.ask("POST /api/query/find", json={"rootType": "Airport", **EMBEDDING}).status_code == 501
    assert not [line for line in lines if line["event"] == "fault"]


@pytest.mark.parametrize("word", BODIES)
def test_all_else_runs(off: World, word: str) -> None:
    answer = off.ask(f"POST /api/query/{word}", json={"rootType": "Carrier", **BODIES[word]})
    assert answer.status_code in (200, 404), answer.text
    off.play(ask(word, "acme", BODIES[word] | {"rootType": "Carier"}, status=404, says=("Carrier",)))


@pytest.mark.parametrize("word", WRONG)
def test_what_is_wrong_is_reported_first(off: World, word: str) -> None:
    off.play(ask(word, "acme", WRONG[word], status=400))


def test_planning_and_listing_types_are_no_execution(off: World) -> None:
    off.play(ask("plan", "acme", {"query": "name:A*"}, has={"mode": "FILTER", "expandPaths": []}))
    assert off.ask("GET /api/query/rootTypes").json()["rootTypes"]


@pytest.mark.parametrize("word", BODIES)
def test_the_permission_of_the_record_type_decides(world: World, word: str) -> None:
    """A token for an area serves for its types, and for no other; one for reading does not write."""
    reads = word in ("find", "count", "export")
    for scopes, may_read, may_write in (
        ("logistics:read", True, False),
        ("logistics:write logistics:read", True, True),
        ("integration:write integration:read", False, False),
        ("gateway:read gateway:write", False, False),
    ):
        world.tokens["narrowed"] = narrow_token(world, "acme", scopes)
        body = BODIES[word] | ({"dryRun": True} if word in ("save", "deleteMany") else {})
        answer = world.ask(f"POST /api/query/{word}", "narrowed", json={"rootType": "Carrier", **body})
        allowed = may_read if reads else may_write
        assert (answer.status_code != 403) is allowed, (scopes, answer.text)
        if not allowed:
            assert answer.json()["detail"].startswith("the token lacks the scope logistics:")


def test_root_types_are_those_that_the_token_reads(world: World) -> None:
    world.tokens["narrowed"] = narrow_token(world, "acme", "integration:read")
    rows = world.ask("GET /api/query/rootTypes", "narrowed").json()["rootTypes"]
    names = ("CompletionTask", "CompletionTaskGroup", "ImportProfile", "Webhook")
    assert [row["className"] for row in rows] == [f"integration.{name}" for name in names]


@pytest.fixture(scope="module")
def abroad(world: World, mongo_client: MongoClient[Document]) -> Iterator[str]:
    """Another realm, open to the traveller, who has the role user there."""
    name = f"{world.realm}-abroad"
    assert world.client.portal is not None
    world.client.portal.call(create_realm, world.app.state.service, "abroad", name)
    user = NewUser("traveller@acme.example", PASSWORD, "acme", frozenset({"admin"}))
    world.sign_in("traveller", user)
    rights = {"realms": ["abroad"], "realmRoles": {"abroad": ["user"]}}
    world.documents["credentials"].update_one({"userId": user.user_id}, {"$set": rights})
    token = world.client.post("/security/login", json={"userId": user.user_id, "password": PASSWORD})
    world.tokens["traveller"] = token.json()["accessToken"]
    yield name
    mongo_client.drop_database(name)


def test_a_realm_in_the_body_is_checked_like_the_header(world: World, abroad: str, play: Play) -> None:
    there = {"realm": "abroad"}
    for word, body in BODIES.items():
        for caller in ("acme", "acme-user", "system"):
            refused = ask(word, caller, body | there, status=403, code="access.denied")
            play(refused)
            header = {"headers": {"X-Realm": "abroad"}}
            play(ask(word, caller, body, status=403, code="access.denied", **header))
        play(ask(word, "traveller", body | {"realm": "nowhere"}, status=403, code="access.denied"))
    saved = world.ask(
        "POST /api/query/save", "traveller", json={"rootType": "Carrier", **BODIES["save"], **there}
    )
    assert saved.status_code == 200, saved.text
    found = {"rootType": "Carrier", "query": f"id:{saved.json()['id']}"}
    assert world.ask("POST /api/query/count", "traveller", json=found | there).json() == {"count": 1}
    assert world.ask("POST /api/query/count", "traveller", json=found).json() == {"count": 0}


def test_the_roles_are_those_of_that_realm(world: World, abroad: str) -> None:
    body = {"rootType": "PermissionRule", "query": "id:~"}
    assert world.ask("POST /api/query/count", "traveller", json=body).status_code == 200
    assert world.ask("POST /api/query/count", "traveller", json=body | {"realm": "abroad"}).status_code == 403
    rows = world.ask("GET /api/query/rootTypes?realm=abroad", "traveller").json()["rootTypes"]
    assert "security.PermissionRule" not in [row["className"] for row in rows]
    assert world.ask("GET /api/query/rootTypes?realm=abroad").status_code == 403


def test_an_import_abroad_stays_there(world: World, abroad: str, mongo_client: MongoClient[Document]) -> None:
    there = {"rootType": "Carrier", "realm": "abroad"}
    opened = world.ask(
        "POST /api/query/import/analyze", "traveller", json={**there, **BODIES["import/analyze"]}
    )
    assert opened.status_code == 200, opened.text
    session = {"sessionId": opened.json()["sessionId"]}
    before = world.documents["carriers"].count_documents({})
    home = world.ask("POST /api/query/import/commit", "traveller", json={"rootType": "Carrier", **session})
    assert home.status_code == 404
    done = world.ask("POST /api/query/import/commit", "traveller", json={**there, **session})
    assert done.json()["inserted"] == 1, done.text
    assert world.documents["carriers"].count_documents({}) == before
    assert mongo_client[abroad]["carriers"].count_documents({"name": "A"}) >= 1


def test_the_turn_of_the_request_goes_along(world: World) -> None:
    """With another one, what takes turns of its own in that realm would pass the queue."""
    call = open_anonymous_call(world.app.state.service, "r-1", "192.0.2.1")

    async def open_again(_realm: str | None = None, /, *, is_late: bool = False) -> Call:
        return replace(call, realm="abroad", turn=Turn())

    begun = replace(call, open_again=open_again, agent="helper", turn=Turn())
    opened = asyncio.run(open_in_realm(begun, "abroad"))
    assert (opened.realm, opened.agent) == ("abroad", "helper")
    assert opened.turn is begun.turn
