"""``recordsmith realms``: what it makes, what it says, how it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

Client = MongoClient[dict[str, Any]]


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


@pytest.fixture
def emea(realm: str, mongo_client: Client) -> Iterator[str]:
    """A database for another realm, dropped after the test."""
    yield f"{realm}-emea"
    mongo_client.drop_database(f"{realm}-emea")


def run_realms(command: Any, *words: str) -> Any:
    """The JSON report of a command that succeeds."""
    done = command("realms", *words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_at_first_there_is_the_default_realm(command: Any, realm: str) -> None:
    assert run_realms(command, "list") == [{"name": realm, "database": realm, "active": True}]


def test_made_realm_has_indexes_and_is_listed(
    command: Any, emea: str, realm: str, mongo_client: Client
) -> None:
    made = run_realms(command, "create", "emea", "--database", emea, "--description", "Europe")
    assert made == {"name": "emea", "database": emea, "active": True, "description": "Europe"}
    assert run_realms(command, "list")[1:] == [made]
    assert set(mongo_client[emea]["credentials"].index_information()) == set(
        mongo_client[realm]["credentials"].index_information()
    )
    assert run_realms(command, "create", "emea") == made


def test_switching_off_and_on(command: Any, emea: str, mongo_client: Client) -> None:
    run_realms(command, "create", "emea", "--database", emea)
    mongo_client[emea]["credentials"].insert_one({"kept": True})
    for words, active in (("disable", False), ("disable", False), ("create", False), ("enable", True)):
        assert run_realms(command, words, "emea") == {"name": "emea", "database": emea, "active": active}
    assert mongo_client[emea]["credentials"].count_documents({"kept": True}) == 1


def test_for_people(command: Any, emea: str, realm: str) -> None:
    made = command("realms", "create", "emea", "--database", emea, "--description", "Europe")
    assert made.stdout == f"realm emea (database {emea}) is active\n"
    assert command("realms", "disable", "emea").stdout == f"realm emea (database {emea}) is disabled\n"
    head, *rows = (line.split() for line in command("realms", "list").stdout.splitlines())
    assert head == ["realm", "database", "state", "description"]
    assert rows == [[realm, realm, "active"], ["emea", emea, "disabled", "Europe"]]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("create", "admin"), "record.invalid", id="MongoDB's own"),
        pytest.param(("create", "No Name"), "record.invalid", id="no name"),
        pytest.param(("create", "emea", "--database", "a.b"), "record.invalid", id="no database"),
    ],
)
def test_what_cannot_be_is_refused(command: Any, words: tuple[str, ...], code: str) -> None:
    done = command("realms", *words, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["code"] == code
    assert len(run_realms(command, "list")) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("realms", "enable"),
        ("realms", "disable"),
        ("users", "list", "--realm"),
        ("users", "disable", "--user", "ann@acme", "--realm"),
        (
            "users",
            "create",
            "--user",
            "ann@acme",
            "--tenant",
            "acme",
            "--roles",
            "user",
            "--password-stdin",
            "--realm",
        ),
        ("clients", "create", "--client", "app", "--tenant", "acme", "--roles", "user", "--realm"),
        ("token", "list", "--realm"),
        ("webhooks", "list", "--realm"),
        ("explain", "--decision", "0" * 24, "--realm"),
        ("seeds", "plan", "--all", "--realm"),
        ("indexes", "plan", "--realm"),
        ("shard", "plan", "--realm"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_an_unknown_realm_is_a_usage_error_in_every_command(command: Any, emea: str, words: Any) -> None:
    command("realms", "create", "emea", "--database", emea)
    done = command(*words, "emae", stdin="correct horse battery\n")
    message = "the realm 'emae' does not exist; did you mean emea?"
    assert (done.exit_code, done.stderr) == (2, f"error[realm.unknown]: {message}\n"), done.output


@pytest.mark.parametrize(
    "words",
    [
        ("users", "list"),
        ("users", "disable", "--user", "ann@acme"),
        ("users", "create", "--user", "ann@acme", "--tenant", "acme", "--roles", "user", "--password-stdin"),
        ("users", "release", "--user", "ann@acme"),
        ("clients", "list"),
        ("clients", "create", "--client", "app", "--tenant", "acme", "--roles", "user"),
        ("token", "list"),
        ("token", "create", "--user", "ann@acme", "--ttl", "1d"),
        ("webhooks", "list"),
        ("explain", "--decision", "0" * 24),
        ("seeds", "plan", "--all"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_disabled_realm_is_reported_as_one(command: Any, emea: str, words: Any) -> None:
    run_realms(command, "create", "emea", "--database", emea)
    run_realms(command, "disable", "emea")
    done = command(*words, "--realm", "emea", stdin="correct horse battery\n")
    message = "the realm emea is disabled; enable it with `recordsmith realms enable emea`"
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"error[realm.disabled]: {message}\n")


@pytest.mark.parametrize(
    "words",
    [("references", "check", "--tenant", "acne"), ("tenants", "erase", "acne", "--dry-run")],
    ids=lambda words: words[0],
)
def test_an_unknown_tenant_of_a_disabled_realm_is_reported_as_one(
    command: Any, emea: str, words: Any
) -> None:
    run_realms(command, "create", "emea", "--database", emea)
    run_realms(command, "disable", "emea")
    done = command(*words, "--realm", "emea")
    message = "nothing is stored of tenant 'acne' in the realm emea"
    assert (done.exit_code, done.stderr) == (2, f"error[tenant.unknown]: {message}\n")


def test_the_default_realm_stays(command: Any, realm: str) -> None:
    for words in (("create", realm), ("disable", realm)):
        assert command("realms", *words).stderr.startswith("error[record.invalid]: ")
    done = command("realms", "create", "shadow", "--database", realm)
    assert done.stderr.startswith("error[record.duplicate]: ")
    assert len(run_realms(command, "list")) == 1


def test_users_live_in_the_database_of_their_realm(
    command: Any, emea: str, realm: str, mongo_client: Client
) -> None:
    new = ("--user", "ann@acme", "--tenant", "acme", "--roles", "user", "--password-stdin", "--realm", "emea")
    before = command("users", "create", *new, stdin="correct horse battery")
    assert before.exit_code == 2
    assert "emea" not in mongo_client.list_database_names()

    run_realms(command, "create", "emea", "--database", emea)
    assert command("users", "create", *new, stdin="correct horse battery").exit_code == 0
    assert mongo_client[emea]["credentials"].count_documents({"userId": "ann@acme"}) == 1
    assert mongo_client[realm]["credentials"].count_documents({}) == 0
    listed = command("users", "list", "--realm", "emea", "--json")
    assert [user["userId"] for user in json.loads(listed.stdout)] == ["ann@acme"]
