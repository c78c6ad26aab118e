"""``recordsmith users``: what it stores, what it says, how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from typer.testing import Result

from runtime.cli.users import users

PASSWORD = "correct horse battery"
ANN = ("--user", "ann@acme", "--tenant", "acme", "--roles", "user, admin", "--password-stdin")


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


def _create(command: Any, *more: str, stdin: str = f"{PASSWORD}\n") -> Result:
    made: Result = command("users", "create", *ANN, *more, stdin=stdin)
    return made


def test_created_user_is_stored_and_shown_without_secrets(
    command: Any, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    done = _create(command, "--org", "headquarters", "--account", "a-1", "--force-change", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {
        "userId": "ann@acme",
        "realm": realm,
        "tenantId": "acme",
        "orgRefName": "headquarters",
        "accountId": "a-1",
        "roles": ["admin", "user"],
        "disabled": False,
        "forceChangePassword": True,
    }
    stored = mongo_client[realm]["credentials"].find_one({"userId": "ann@acme"})
    assert stored is not None
    assert stored["passwordHash"].startswith("$2b$04$")
    assert PASSWORD not in done.output + str(stored)


def test_text_says_what_was_made(command: Any, realm: str) -> None:
    assert _create(command).stdout == f"created user ann@acme (tenant acme, realm {realm})\n"


def test_list_shows_the_users_of_a_tenant(command: Any) -> None:
    _create(command)
    command(
        "users",
        "create",
        "--user",
        "bob",
        "--tenant",
        "globex",
        "--roles",
        "user",
        "--password-stdin",
        stdin=PASSWORD,
    )
    names = [user["userId"] for user in json.loads(command("users", "list", "--json").stdout)]
    assert names == ["ann@acme", "bob"]
    only = json.loads(command("users", "list", "--tenant", "globex", "--json").stdout)
    assert [user["userId"] for user in only] == ["bob"]
    error = command("users", "list", "--tenant", "globx")
    assert (error.exit_code, error.stdout) == (2, "")
    assert "nothing is stored of tenant 'globx'" in error.stderr
    assert error.stderr.endswith("; did you mean globex?\n")
    assert "ann@acme" in command("users", "list").stdout


def test_what_only_reads_creates_no_data_folder(command: Any, tmp_path: Path) -> None:
    folder = tmp_path / "typo"
    for words in (("users", "list"), ("realms", "list"), ("token", "list"), ("seeds", "plan", "--all")):
        assert command(*words, "--data", str(folder)).exit_code == 0
        assert not folder.exists(), words


def test_users_of_another_realm_are_apart(command: Any, realm: str, mongo_client: MongoClient[Any]) -> None:
    other = f"{realm}-b"
    try:
        assert command("realms", "create", other).exit_code == 0
        assert _create(command, "--realm", other).exit_code == 0
        assert json.loads(command("users", "list", "--json").stdout) == []
        assert len(json.loads(command("users", "list", "--realm", other, "--json").stdout)) == 1
    finally:
        mongo_client.drop_database(other)


def test_disable_and_enable(command: Any) -> None:
    _create(command)
    assert command("users", "disable", "--user", "ann@acme").stdout == "disabled user ann@acme\n"
    assert json.loads(command("users", "list", "--json").stdout)[0]["disabled"] is True
    assert json.loads(command("users", "enable", "--user", "ann@acme", "--json").stdout) == {
        "userId": "ann@acme",
        "disabled": False,
    }
    assert json.loads(command("users", "list", "--json").stdout)[0]["disabled"] is False


def test_new_password_replaces_the_old(
    command: Any, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    _create(command)
    before = mongo_client[realm]["credentials"].find_one() or {}
    done = command(
        "users",
        "set-password",
        "--user",
        "ann@acme",
        "--force-change",
        "--password-stdin",
        stdin="another password\r\n",
    )
    assert done.stdout == "changed the password of user ann@acme\n"
    after = mongo_client[realm]["credentials"].find_one() or {}
    assert after["passwordHash"] != before["passwordHash"]
    assert after["forceChangePassword"] is True


@pytest.mark.parametrize(
    ("words", "stdin", "code", "message"),
    [
        pytest.param(ANN, "\n", "password.missing", "standard input is empty", id="empty password"),
        pytest.param(ANN[:-1], PASSWORD, "password.missing", "add --password-stdin", id="nobody to ask"),
        pytest.param(ANN, "short\n", "record.invalid", "at least 12 characters", id="short password"),
        pytest.param(
            ("--user", "ann", "--tenant", "acme", "--roles", "amdin", "--password-stdin"),
            PASSWORD,
            "record.invalid",
            "did you mean admin",
            id="unknown role",
        ),
        pytest.param(
            ("--user", "a b", "--tenant", "acme", "--roles", ",", "--password-stdin"),
            PASSWORD,
            "record.invalid",
            "at least one role",
            id="no role",
        ),
    ],
)
def test_faulty_user_is_refused(
    command: Any, words: tuple[str, ...], stdin: str, code: str, message: str
) -> None:
    done = command("users", "create", *words, stdin=stdin)
    assert (done.exit_code, done.stdout) == (2 if code == "password.missing" else 1, "")
    assert done.stderr.startswith(f"error[{code}]: ")
    assert message in done.stderr
    assert json.loads(command("users", "list", "--json").stdout) == []


def test_second_user_of_the_same_name_is_refused(command: Any) -> None:
    _create(command)
    done = _create(command, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["code"] == "record.duplicate"


def test_roles_are_given_and_taken(command: Any) -> None:
    _create(command)
    done = command("users", "assign-roles", "--user", "ann@acme", "--roles", "driver")
    assert done.stdout == "ann@acme has the roles admin, driver, user\n"
    done = command("users", "remove-roles", "--user", "ann@acme", "--roles", "admin,driver", "--json")
    assert json.loads(done.stdout) == {"userId": "ann@acme", "roles": ["user"]}
    done = command("users", "assign-roles", "--user", "ann@acme", "--roles", "drivr")
    assert done.exit_code == 1
    assert "did you mean driver?" in done.stderr


def test_removed_user_is_gone(command: Any) -> None:
    _create(command)
    assert command("users", "remove", "--user", "ann@acme").stdout == "removed user ann@acme\n"
    assert json.loads(command("users", "list", "--json").stdout) == []


def test_id_of_a_removed_user_is_given_out_again_once_released(command: Any) -> None:
    _create(command)
    command("users", "remove", "--user", "ann@acme")
    again = _create(command)
    assert (again.exit_code, "is or was in use" in again.stderr) == (1, True)
    said = "released user id ANN@acme: a new user with it owns the records of the removed one\n"
    assert command("users", "release", "--user", "ANN@acme").stdout == said
    assert _create(command).exit_code == 0


@pytest.mark.parametrize("user", ["nobody", "ann@acme"], ids=["nobody", "a user who is there"])
def test_only_ids_of_removed_users_are_released(command: Any, user: str) -> None:
    _create(command)
    done = command("users", "release", "--user", user)
    assert (done.exit_code, f"no removed user {user} in the realm" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "fields", "said"),
    [
        pytest.param(
            ("impersonation", "--filter", "roles:user"),
            {
                "impersonationEnabled": True,
                "impersonateFilterScript": "roles:user",
                "impersonationGranter": {"operator": True},
            },
            "enabled impersonation for user ann@acme",
            id="impersonation",
        ),
        pytest.param(
            ("realm-override", "--pattern", "emea-.*"),
            {"realmRegEx": "emea-.*"},
            "enabled realm override for user ann@acme",
            id="realm override",
        ),
    ],
)
def test_what_is_switched_on_and_off(
    command: Any,
    mongo_client: MongoClient[dict[str, Any]],
    realm: str,
    words: tuple[str, ...],
    fields: dict[str, Any],
    said: str,
) -> None:
    _create(command)
    assert command("users", *words, "--user", "ann@acme").stdout == f"{said}\n"
    stored = mongo_client[realm]["credentials"].find_one() or {}
    assert {name: stored.get(name) for name in fields} == fields
    assert command("users", words[0], "--user", "ann@acme", "--off").exit_code == 0
    stored = mongo_client[realm]["credentials"].find_one() or {}
    assert not any(stored.get(name) for name in fields)
    for both in ((), (*words[1:], "--off")):
        assert command("users", words[0], "--user", "ann@acme", *both).exit_code == 2


@pytest.mark.parametrize("verb", ["disable", "enable", "set-password", "remove"])
def test_unknown_user_is_named(command: Any, verb: str) -> None:
    more = ["--password-stdin"] if verb == "set-password" else []
    done = command("users", verb, "--user", "nobody", *more, stdin=f"{PASSWORD}\n")
    assert done.exit_code == 1
    assert "error[record.not_found]: no user nobody" in done.stderr


def test_a_data_folder_that_cannot_be_looked_into_is_explained(command: Any) -> None:
    """A name that is too long fails for any user, as a folder of somebody else does for most."""
    folder = "x" * 300
    for env in ({}, {"MONGODB_URI": ""}):
        done = command("users", "list", "--data", folder, env=env)
        says = f"error[service.misconfigured]: the data folder {folder} cannot be read (File name too long)"
        assert (done.exit_code, done.stderr) == (1, f"{says}; choose another with --data\n"), done.output


def test_store_that_cannot_be_reached_ends_with_4(command: Any) -> None:
    env = {"MONGODB_URI": "mongodb://127.0.0.1:1/?replicaSet=rs0", "MONGODB_TIMEOUT_MS": "200"}
    done = command("users", "list", "--json", env=env)
    assert done.exit_code == 4
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "store.unavailable"
    assert error["message"].startswith("the store did not answer; try again (127.0.0.1:1: ")


@pytest.mark.parametrize(
    ("env", "message"),
    [
        pytest.param(
            {"SERVICE_APP": "no_such_module:create"}, "the module no_such_module does not exist", id="module"
        ),
        pytest.param(
            {"SERVICE_APP": "json:create"}, "module 'json' has no attribute 'CATALOG'", id="no catalogue"
        ),
        pytest.param({"MONGODB_TIMEOUT_MS": "soon"}, "settings: mongodb.timeout-ms", id="setting"),
    ],
)
def test_wrong_setup_is_explained(command: Any, env: dict[str, str], message: str) -> None:
    done = command("users", "list", env=env)
    assert done.exit_code == 1
    assert message in done.stderr


def test_every_subcommand_has_help_and_json() -> None:
    assert {each.name for each in users.registered_commands} == {
        "create",
        "list",
        "disable",
        "enable",
        "set-password",
        "assign-roles",
        "remove-roles",
        "impersonation",
        "realm-override",
        "remove",
        "release",
    }
    assert all(each.callback and each.callback.__doc__ for each in users.registered_commands)
