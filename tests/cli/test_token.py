"""``recordsmith token``: what it makes, shows and ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jwt
import pytest
from pymongo import MongoClient

from runtime.cli.lock import hold_data_folder
from runtime.cli.token import seconds_of, token
from runtime.settings import Settings

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
    assert made.keys() == {"id", "userId", "description", "expiresAt", "revoked", "issuer", "token"}
    assert (made["userId"], made["description"], made["revoked"]) == (ann, "nightly import", False)
    assert made["token"].count(".") == 2
    listed = command("token", "list", "--json").stdout
    assert json.loads(listed) == [
        {name: value for name, value in made.items() if name not in ("issuer", "token")}
    ]
    assert made["token"] not in str(mongo_client[realm]["serviceTokens"].find_one())


def test_text_has_the_token_on_a_line_of_its_own(command: Any, ann: str) -> None:
    lines = command("token", "create", "--user", ann, "--ttl", "12h").stdout.splitlines()
    assert lines[0].startswith("created token ")
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
    assert done.stdout == f"revoked token {made['id']} of user {ann}\n"
    assert json.loads(command("token", "list", "--json").stdout)[0]["revoked"] is True
    assert "revoked" in command("token", "list").stdout
    assert json.loads(command("token", "revoke", made["id"], "--json").stdout)["revoked"] is True


def test_an_id_may_begin_with_a_dash(command: Any, ann: str) -> None:
    done = command("token", "revoke", "-xS_a0-bcdefghijklmnopq", "--json")
    assert (done.exit_code, json.loads(done.stdout)["error"]["code"]) == (1, "record.not_found")


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        pytest.param(("create", "--user", "nobody", "--ttl", "1d"), 1, "record.not_found", id="user"),
        pytest.param(("create", "--user", "ann@acme", "--ttl", "400d"), 1, "record.invalid", id="too long"),
        pytest.param(("create", "--user", "ann@acme", "--ttl", "soon"), 2, "token.ttl", id="no time"),
        pytest.param(("list", "--user", "nobody"), 1, "record.not_found", id="tokens of nobody"),
        pytest.param(("revoke", "nothing"), 1, "record.not_found", id="token"),
        pytest.param(("list", "--realm", "nowhere"), 2, "realm.unknown", id="realm"),
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


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[None]:
    """A service that holds the data folder of the commands, as far as they can see."""
    with hold_data_folder(Settings.read({}, data_folder=folder, **settings), "http://127.0.0.1:9090"):
        yield


def names(token: str) -> tuple[str, str]:
    claims = jwt.decode(token, options={"verify_signature": False})
    return claims["iss"], claims["aud"][0] if isinstance(claims["aud"], list) else claims["aud"]


def test_token_names_what_the_running_service_accepts(command: Any, ann: str, key_folder: Path) -> None:
    with running(key_folder, base_url="http://127.0.0.1:9090"):
        done = command("token", "create", "--user", ann, "--ttl", "1h", "--json")
    made = json.loads(done.stdout)
    assert made["issuer"] == "http://127.0.0.1:9090"
    assert names(made["token"]) == ("http://127.0.0.1:9090", "http://127.0.0.1:9090")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("settings", "env", "advice"),
    [
        pytest.param(
            {"base_url": "https://api.example"},
            {"SERVICE_BASE_URL": "https://old.example"},
            "the service at http://127.0.0.1:9090 refuses this token: it accepts the issuer https://api.example",
            id="another address is set",
        ),
        pytest.param(
            {"issuer": "https://login.example"},
            {"MP_JWT_VERIFY_ISSUER": "https://other.example"},
            "accepts the issuer https://login.example",
            id="another issuer is set",
        ),
    ],
)
def test_token_that_the_running_service_refuses_says_so(
    command: Any, ann: str, key_folder: Path, settings: dict[str, str], env: dict[str, str], advice: str
) -> None:
    with running(key_folder, **settings):
        done = command("token", "create", "--user", ann, "--ttl", "1h", env=env)
    assert done.exit_code == 0
    assert advice in done.stderr


def test_token_that_cannot_be_signed_is_not_stored(command: Any, ann: str, tmp_path: Path) -> None:
    without_keys = {"SERVICE_ENVIRONMENT": "production"}
    words = ("token", "create", "--user", ann, "--ttl", "1h", "--data", str(tmp_path / "none"))
    done = command(*words, env=without_keys)
    assert done.exit_code == 1
    assert "no private key at" in done.stderr
    assert json.loads(command("token", "list", "--json").stdout) == []


def test_issuer_that_nobody_set_is_pointed_out(command: Any, ann: str) -> None:
    done = command("token", "create", "--user", ann, "--ttl", "1h")
    assert "the issuer is http://127.0.0.1:8080; set service.base-url" in done.stderr
    named = command(
        "token", "create", "--user", ann, "--ttl", "1h", env={"SERVICE_BASE_URL": "https://a.example"}
    )
    assert named.stderr == ""


def test_note_of_a_killed_service_is_not_believed(command: Any, ann: str, key_folder: Path) -> None:
    with running(key_folder, base_url="http://127.0.0.1:9090"):
        left = (key_folder / "service.json").read_text()
    (key_folder / "service.json").write_text(left)
    assert create(command, ann)["issuer"] == "http://127.0.0.1:8080"
    (key_folder / "service.json").unlink()
