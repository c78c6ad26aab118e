"""``recordsmith shard plan``: which key each record type can have, and the commands for it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient

from generated.record_types import CATALOG, CREDENTIAL, ORDER
from runtime.storage.index_definitions import TENANT
from runtime.storage.indexes import plan_index_models
from runtime.storage.sharding import BY_ID, BY_NAME, plan_shards

KINDS = {kind.name: kind for kind in CATALOG}
EXAMPLE = {"SERVICE_APP": "generated.app:create"}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Order", (TENANT,)), ("Airport", (TENANT,)), ("Revision", (TENANT,)), ("Decision", (TENANT,)),
        ("Credential", ()), ("Realm", ()), ("LoginAttempt", ()), ("RequestTally", ()), ("IdempotencyKey", ()),
    ],
)  # fmt: skip
def test_keys(name: str, key: tuple[str, ...]) -> None:
    assert plan_shards(KINDS[name]).key == key


@given(st.sampled_from(sorted(KINDS)))
def test_with_the_planned_key_every_unique_index_is_unique(name: str) -> None:
    """The rule of MongoDB: a unique index of a sharded collection begins with the whole shard key."""
    plan = plan_shards(KINDS[name])
    planned = [model.document for model in plan_index_models(KINDS[name]) if model.document.get("unique")]
    assert {index.name for index in plan.unique} == {document["name"] for document in planned}
    for document in planned:
        assert tuple(document["key"])[: len(plan.key)] == plan.key
    assert all(index.fits for index in plan.unique)
    assert plan.advice


def test_by_id_no_record_type_could_be_sharded() -> None:
    plan = plan_shards(ORDER, BY_ID)
    assert [(index.name, index.fits) for index in plan.unique] == [("tenant_refName", False)]
    assert plan.advice == f"do not take this key: tenant_refName could not be unique; take {TENANT}"
    assert plan_shards(CREDENTIAL, BY_ID).key == (), "what is unique in the realm stays on one shard"


def test_tenants_are_split_by_refname_where_nothing_else_is_unique() -> None:
    plan = plan_shards(ORDER, BY_NAME)
    assert (plan.key, [index.fits for index in plan.unique]) == (BY_NAME, [True])
    assert "large tenants are split" in plan.advice
    refused = plan_shards(KINDS["Airport"], BY_NAME)
    assert "tenant_icao could not be unique" in refused.advice


def test_a_renamed_record_type_has_the_name_of_its_specification() -> None:
    plan = plan_shards(replace(ORDER, title="Purchase"))
    assert plan.type == "Purchase"
    assert "--split Purchase" in plan.advice


def planned(command: Any, *words: str) -> Any:
    said = command("shard", "plan", "--json", *words, env=EXAMPLE)
    assert said.exit_code == 0, said.output
    return json.loads(said.output)


def test_the_commands_shard_each_collection_and_keep_tenants_in_their_region(
    command: Any, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    zones = ("--zone", 'eu=acme,o"brien', "--zone", "us=globex", "--split", "Order")
    assert command("realms", "create", "emea", "--database", f"{realm}-emea").exit_code == 0
    mongo_client.drop_database(f"{realm}-emea")
    facts = planned(command, "--realm", "emea", *zones)
    assert facts["database"] == f"{realm}-emea"
    commands = [one.replace(f"{realm}-emea", "main") for one in facts["commands"]]
    assert commands[0] == 'sh.enableSharding("main")'
    assert 'sh.shardCollection("main.airports", {"dataDomain.tenantId": 1})' in commands
    assert 'sh.shardCollection("main.orders", {"dataDomain.tenantId": 1, "refName": 1})' in commands
    assert (
        'sh.updateZoneKeyRange("main.airports", {"dataDomain.tenantId": "acme"}, '
        '{"dataDomain.tenantId": "acme\\u0000"}, "eu")'
    ) in commands
    assert (
        'sh.updateZoneKeyRange("main.orders", {"dataDomain.tenantId": "o\\"brien", "refName": MinKey()}, '
        '{"dataDomain.tenantId": "o\\"brien", "refName": MaxKey()}, "eu")'
    ) in commands
    assert not any("credentials" in one or "loginAttempts" in one for one in commands)
    sharded = [one for one in facts["collections"] if one["key"]]
    assert sum(one.startswith("sh.shardCollection") for one in commands) == len(sharded) > 5
    assert sum(one.startswith("sh.updateZoneKeyRange") for one in commands) == 3 * len(sharded)


def test_the_plan_is_about_what_the_store_has(
    command: Any, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    """Its collections are those of a realm, and what it says of each unique index is the rule of MongoDB.

    The rule is applied to the indexes that MongoDB lists: the whole shard key comes first in the index, in the
    same order, and none of it is hashed.
    """
    assert command("indexes", "apply", env=EXAMPLE).exit_code == 0
    database, types = mongo_client[realm], {kind.collection: name for name, kind in KINDS.items()}
    assert len(types) == len(KINDS), "no two record types share a collection"
    present = {name for name in database.list_collection_names() if not name.startswith("system.")}
    indexes = {
        name: {
            index: [key for key, _direction in facts["key"]]
            for index, facts in database[name].index_information().items()
            if facts.get("unique")
        }
        for name in present
    }
    misfits = 0
    for words, wanted in (
        ([], [TENANT]), ([word for name in KINDS for word in ("--split", name)], list(BY_NAME)), (["--by-id"], list(BY_ID)),
    ):  # fmt: skip
        listed = planned(command, *words)["collections"]
        assert sorted(one["collection"] for one in listed) == sorted(present)
        for one in listed:
            assert one["type"] == types[one["collection"]]
            assert one["key"] in ([], wanted)
            found = indexes[one["collection"]]
            assert {index["name"]: index["keys"] for index in one["unique"]} == found
            for index in one["unique"]:
                fits = found[index["name"]][: len(one["key"])] == one["key"]
                assert index["fits"] is fits, (one["type"], index)
                assert fits or index["name"] in one["advice"], "one that does not fit is named"
                misfits += not fits
    assert misfits > len(KINDS) // 2
    assert all(
        any(keys[:1] != [TENANT] for keys in indexes[one["collection"]].values())
        or KINDS[one["type"]].roles == {"system"}
        for one in planned(command)["collections"]
        if not one["key"]
    ), "what is not sharded has a reason"


def test_a_key_that_fits_nothing_has_no_commands(command: Any) -> None:
    facts = planned(command, "--by-id")
    assert facts["commands"] == []
    orders = next(one for one in facts["collections"] if one["type"] == "Order")
    assert [index["fits"] for index in orders["unique"]] == [False]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--zone", "acme"), "is not a zone"), (("--zone", "eu="), "is not a zone"), (("--zone", "=acme"), "is not a zone"),
        (("--zone", "eu=acme", "--zone", "us=acme"), "acme is in the zones eu and us"),
        (("--split", "Oder"), "did you mean Order"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(command: Any, words: tuple[str, ...], said: str) -> None:
    answer = command("shard", "plan", *words, env=EXAMPLE)
    assert answer.exit_code == 2
    assert said in answer.output


def test_people_see_keys_indexes_and_commands(command: Any) -> None:
    said = command("shard", "plan", env=EXAMPLE).output
    assert "Order: dataDomain.tenantId\n  unique tenant_refName: fits\n" in said
    assert "Credential: not sharded\n" in said
    assert 'sh.enableSharding("' in said
