"""``recordsmith seeds``: what it plans and plants, for which tenants, and what doctor says of it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

import pytest
from pymongo import MongoClient

from generated.seeds import SEEDS

APP = {"SERVICE_APP": "generated.app:create"}


def report(command: Any, *words: str) -> list[dict[str, Any]]:
    done = command("seeds", *words, "--json", env=APP)
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def seed_rows() -> dict[str, set[str]]:
    """The refNames of the seeds by record type; those that a service has added included."""
    found = defaultdict[str, set[str]](set)
    for seed in SEEDS:
        found[seed.kind.name] |= {str(row["refName"]) for row in seed.rows}
    return found


def test_seeds_are_planned_and_planted_for_tenants(
    command: Any, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    assert report(command, "plan", "--all") == []
    words = ("--tenant", "acme", "--roles", "admin", "--password-stdin")
    created = command(
        "users", "create", "--user", "ann@acme.example", *words, stdin="correct horse battery", env=APP
    )
    assert created.exit_code == 0, created.output

    (planned,) = report(command, "plan", "--all")
    assert (planned["realm"], planned["tenant"]) == (realm, "acme")
    wanted = Counter[str]()
    for one in planned["seeds"]:
        wanted[one["record"]] += one["insert"]
    assert wanted["Country"] >= 4
    assert wanted == {kind: len(rows) for kind, rows in seed_rows().items()}

    (planted,) = report(command, "apply", "--tenant", "acme", "--org", "north")
    assert planted["saved"] == sum(one["insert"] for one in planned["seeds"])
    profiles = mongo_client[realm]["importProfiles"].find({"dataDomain.orgRefName": "north"})
    assert {one["refName"] for one in profiles} == seed_rows()["ImportProfile"] >= {"legacyShipments"}
    shown = command("seeds", "apply", "--all", env=APP)
    assert shown.stdout == f"realm {realm}, tenant acme: 0 records saved\n"


def test_the_command_that_doctor_advises_quotes_the_tenant(command: Any) -> None:
    words = ("--tenant", "Acme Air", "--roles", "admin", "--password-stdin")
    stdin = "correct horse battery"
    assert command("users", "create", "--user", "ann", *words, stdin=stdin, env=APP).exit_code == 0
    checks = json.loads(command("doctor", "--json", env=APP).stdout)["checks"]
    (advice,) = [one["advice"] for one in checks if one["name"] == "seeds"]
    assert advice == "`recordsmith seeds apply --tenant 'Acme Air'` plants them"


def test_a_tenant_of_one_realm_gets_its_seeds_there_alone(
    command: Any, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    other = f"{realm}-other"
    try:
        assert command("realms", "create", other, env=APP).exit_code == 0
        user = ("--user", "ann@acme.example", "--tenant", "acme", "--roles", "admin", "--password-stdin")
        done = command("users", "create", *user, "--realm", other, stdin="correct horse battery", env=APP)
        assert done.exit_code == 0, done.output
        (planned,) = report(command, "plan", "--tenant", "acme")
        assert (planned["realm"], planned["tenant"]) == (other, "acme")
        refused = command("seeds", "plan", "--tenant", "amce", env=APP)
        says = "no user of any active realm belongs to a tenant 'amce'; did you mean acme?"
        assert (refused.exit_code, refused.stderr) == (2, f"error[tenant.unknown]: {says}\n")
    finally:
        mongo_client.drop_database(other)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name tenants with --tenant, or take --all"),
        (("--all", "--tenant", "acme"), "name tenants with --tenant, or take --all"),
        (("--tenant", "amce"), "belongs to a tenant 'amce'"),
        (("--all", "--realm", "nowhere"), "the realm 'nowhere' does not exist"),
    ],
)
def test_wrong_usage_is_named(command: Any, words: tuple[str, ...], message: str) -> None:
    done = command("seeds", "plan", *words, env=APP)
    assert done.exit_code == 2
    assert message in done.output.replace("\n│", "").replace("  ", " ")
