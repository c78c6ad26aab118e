"""``recordsmith indexes``: what it finds, what it makes and drops, what it leaves alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from runtime.storage.indexes import plan_index_models
from tests.cli.stand_in import CATALOG

WANTED = {kind.collection: [model.document["name"] for model in plan_index_models(kind)] for kind in CATALOG}
"""Collection → the indexes that the record types of the stand-in application ask for."""


def read_realm_report(command: Any, *words: str) -> dict[str, Any]:
    """The JSON report of a command that succeeds, about one realm."""
    found = read_report(command, *words)
    (realm,) = found.pop("realms")
    return found | realm


def read_report(command: Any, *words: str) -> dict[str, Any]:
    done = command("indexes", *words, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def part(report: dict[str, Any], word: str) -> dict[str, list[str]]:
    return {one["collection"]: one[word] for one in report["collections"] if one[word]}


def names(documents: Database[dict[str, Any]], collection: str) -> set[str]:
    return set(documents[collection].index_information()) - {"_id_"}


def test_plan_tells_what_a_fresh_realm_lacks_and_makes_nothing(
    command: Any, documents: Database[dict[str, Any]], realm: str
) -> None:
    report = read_realm_report(command, "plan")
    assert (report["realm"], report["applied"], report["dropped"]) == (realm, False, False)
    assert part(report, "make") == WANTED
    assert part(report, "keep") == part(report, "unknown") == {}
    assert documents.list_collection_names() == []


def test_apply_makes_it_and_then_there_is_nothing_to_do(
    command: Any, documents: Database[dict[str, Any]]
) -> None:
    assert part(read_realm_report(command, "apply"), "make") == WANTED
    assert {collection: names(documents, collection) for collection in WANTED} == {
        collection: set(wanted) for collection, wanted in WANTED.items()
    }
    for words in ("plan", "apply"):
        report = read_realm_report(command, words)
        assert part(report, "keep") == WANTED
        assert part(report, "make") == part(report, "unknown") == {}


def test_every_active_realm_gets_them_and_one_alone_when_asked(
    command: Any, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    databases = {name: f"{realm}-{name}" for name in ("emea", "apac")}
    try:
        for name, database in databases.items():
            assert command("realms", "create", name, "--database", database).exit_code == 0
        assert command("realms", "disable", "apac").exit_code == 0
        for database in databases.values():
            mongo_client[database]["credentials"].drop_indexes()

        assert [one["realm"] for one in read_report(command, "plan")["realms"]] == [realm, "emea"]
        report = read_realm_report(command, "apply", "--realm", "apac")
        assert (report["realm"], report["database"]) == ("apac", databases["apac"])
        assert part(report, "make") == {"credentials": WANTED["credentials"]}
        assert names(mongo_client[databases["apac"]], "credentials") == set(WANTED["credentials"])
        assert names(mongo_client[databases["emea"]], "credentials") == set()

        read_report(command, "apply")
        assert names(mongo_client[databases["emea"]], "credentials") == set(WANTED["credentials"])
    finally:
        for database in databases.values():
            mongo_client.drop_database(database)


def test_what_nobody_asks_for_is_told_and_left_unless_it_is_to_be_dropped(
    command: Any, documents: Database[dict[str, Any]]
) -> None:
    documents["credentials"].create_index("email", name="by-hand")
    assert part(read_realm_report(command, "plan"), "unknown") == {"credentials": ["by-hand"]}
    read_realm_report(command, "apply")
    assert names(documents, "credentials") == {*WANTED["credentials"], "by-hand"}
    assert part(read_realm_report(command, "apply", "--drop-unknown"), "unknown") == {
        "credentials": ["by-hand"]
    }
    assert names(documents, "credentials") == set(WANTED["credentials"])


@pytest.mark.parametrize(
    ("keys", "options"),
    [
        pytest.param({"loginName": 1}, {"name": "loginName"}, id="the name, not unique"),
        pytest.param({"email": 1}, {"name": "loginName"}, id="the name over other keys"),
        pytest.param({"subject": 1, "refName": 1}, {"name": "mine"}, id="the keys under another name"),
        pytest.param({"expiresAt": 1}, {"name": "expiresAt", "expireAfterSeconds": 9}, id="another expiry"),
    ],
)
def test_one_that_stands_in_the_way_is_replaced_only_when_asked(
    command: Any, documents: Database[dict[str, Any]], keys: dict[str, int], options: dict[str, Any]
) -> None:
    collection = "credentials" if "loginName" in keys or "email" in keys else "refreshFamilies"
    documents[collection].create_index(list(keys.items()), **options)
    assert part(read_realm_report(command, "plan"), "unknown") == {collection: [options["name"]]}

    refused = command("indexes", "apply", "--json")
    assert refused.exit_code == 1
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "service.misconfigured"
    assert collection in error["message"]

    read_realm_report(command, "apply", "--drop-unknown")
    assert part(read_realm_report(command, "plan"), "keep") == WANTED


def test_for_people_each_index_has_a_line(
    command: Any, documents: Database[dict[str, Any]], realm: str
) -> None:
    documents["credentials"].create_index("email", name="by-hand")
    total = sum(map(len, WANTED.values()))
    lines = command("indexes", "plan").stdout.splitlines()
    assert "credentials.tenant_refName: to create" in lines
    assert "credentials.by-hand: unknown" in lines
    assert lines[-1] == f"realm {realm}: {total} to create, 0 existing, 1 unknown"
    lines = command("indexes", "apply", "--drop-unknown").stdout.splitlines()
    assert "credentials.by-hand: dropped" in lines
    assert lines[-1] == f"realm {realm}: {total} created, 0 existing, 1 dropped"


@pytest.mark.parametrize("realm_name", ["a.b", "", "a/b", "admin", "x" * 70, "nowhere"])
def test_a_realm_that_is_not_there_is_refused(
    command: Any, realm_name: str, mongo_client: MongoClient[dict[str, Any]]
) -> None:
    before = set(mongo_client.list_database_names())
    done = command("indexes", "apply", "--realm", realm_name)
    assert done.exit_code == 2
    assert done.stderr.startswith("error[realm.unknown]: ")
    assert realm_name not in set(mongo_client.list_database_names()) - before


def test_plan_explains_what_apply_would_refuse(command: Any, documents: Database[dict[str, Any]]) -> None:
    twice = [{"dataDomain": {"tenantId": "acme"}, "refName": "A", "loginName": f"u{at}"} for at in range(2)]
    documents["credentials"].insert_many(twice)

    (conflict,) = [
        one for found in read_realm_report(command, "plan")["collections"] for one in found["conflicts"]
    ]
    assert (conflict["index"], conflict["values"], conflict["records"]) == ("tenant_refName", 1, 2)

    shown = command("indexes", "plan").stdout
    refusal = "cannot be created: 1 value is stored more than once, in 2 records"
    assert f"credentials.tenant_refName: {refusal}" in shown
    refused = command("indexes", "apply")
    assert refused.exit_code != 0
    assert 'refName "A" in 2' in refused.output
