"""``recordsmith token``: what it makes, shows and ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.cli.token import seconds_of, token

PASSWORD = "correct horse battery"


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


@pytest.fixture
def ann(command: Any) -> str:
    """A user of the realm."""
    options = ("--user", "ann@acme", "--tenant", "acme", "--roles", "user", "--password-stdin")
    assert command("users", "create", *options, stdin=PASSWORD).exit_code == 0
    return "ann@acme"


def create(command: Any, user: str, *more: str) -> Any:
    done = command("token", "create", "--user", user, "--ttl", "30d", *more, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_token_is_shown_once(
    command: Any, ann: str, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    made = create(command, ann, "--description", "nightly import")
    assert made.keys() == {"id", "userId", "description", "expiresAt", "revoked", "token"}
    assert (made["userId"], made["description"], made["revoked"]) == (ann, "nightly import", False)
    assert made["token"].count(".") == 2
    listed = command("token", "list", "--json").stdout
    assert json.loads(listed) == [{name: value for name, value in made.items() if name != "token"}]
    assert made["token"] not in str(mongo_client[realm]["serviceTokens"].find_one())


def test_text_has_the_token_on_a_line_of_its_own(command: Any, ann: str) -> None:
    lines = command("token", "create", "--user", ann, "--ttl", "12h").stdout.splitlines()
    assert lines[0].startswith("token ")
    assert lines[0].endswith("; shown this once:")
    assert lines[1].count(".") == 2
    assert len(lines) == 2


def test_list_of_a_user(command: Any, ann: str) -> None:
    made = create(command, ann)
    assert [one["id"] for one in json.loads(command("token", "list", "--user", ann, "--json").stdout)] == [
        made["id"]
    ]
    assert made["id"] in command("token", "list").stdout


def test_revoked_token_says_so(command: Any, ann: str) -> None:
    made = create(command, ann)
    done = command("token", "revoke", made["id"])
    assert done.stdout == f"token {made['id']} of {ann} is revoked\n"
    assert json.loads(command("token", "list", "--json").stdout)[0]["revoked"] is True
    assert "revoked" in command("token", "list").stdout
    assert json.loads(command("token", "revoke", made["id"], "--json").stdout)["revoked"] is True


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        pytest.param(("create", "--user", "nobody", "--ttl", "1d"), 1, "record.not_found", id="user"),
        pytest.param(("create", "--user", "ann@acme", "--ttl", "400d"), 1, "record.invalid", id="too long"),
        pytest.param(("create", "--user", "ann@acme", "--ttl", "soon"), 2, "token.ttl", id="no time"),
        pytest.param(("list", "--user", "nobody"), 1, "record.not_found", id="tokens of nobody"),
        pytest.param(("revoke", "nothing"), 1, "record.not_found", id="token"),
        pytest.param(("list", "--realm", "nowhere"), 1, "record.not_found", id="realm"),
    ],
)
def test_failures(command: Any, ann: str, words: tuple[str, ...], exit_code: int, code: str) -> None:
    done = command("token", *words, "--json")
    assert (done.exit_code, json.loads(done.stdout)["error"]["code"]) == (exit_code, code)


@pytest.mark.parametrize(("ttl", "seconds"), [("30d", 2_592_000), ("12h", 43_200), (" 45m ", 2_700)])
def test_lifetimes(ttl: str, seconds: int) -> None:
    assert seconds_of(ttl) == seconds


def test_every_subcommand_has_help() -> None:
    assert {each.name for each in token.registered_commands} == {"create", "list", "revoke"}
    assert all(each.callback and each.callback.__doc__ for each in token.registered_commands)
