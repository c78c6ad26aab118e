"""``recordsmith keys``: what it shows, what it changes, and what it refuses. No store is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runtime.cli.commands import app
from runtime.settings import Settings
from runtime.tokens import Keys

Keyring = Callable[..., Result]


@pytest.fixture
def keys(tmp_path: Path) -> Keyring:
    """Runs ``recordsmith keys …`` in this process, on a folder of its own."""
    environment = {
        "SERVICE_ENVIRONMENT": "production",
        "SERVICE_DATA_FOLDER": str(tmp_path),
        "AUTH_JWT_PUBLISH_SECONDS": "600",
        "MONGODB_URI": "mongodb://127.0.0.1:1/?replicaSet=none",
    }

    def run(*words: str, env: dict[str, str] | None = None) -> Result:
        return CliRunner().invoke(app, ["keys", *words], env=environment | (env or {}))

    return run


def read_answer(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def failed(done: Result) -> dict[str, str]:
    assert done.exit_code == 1, done.output
    error: dict[str, str] = json.loads(done.stdout)["error"]
    return error


def test_from_the_first_key_to_a_removed_one(keys: Keyring, tmp_path: Path) -> None:
    (first,) = read_answer(keys("rotate", "--json"))
    assert first.keys() == {"kid", "state", "bits", "created", "signsFrom"}
    assert (first["state"], first["bits"]) == ("signing", 2048)

    old, new = read_answer(keys("rotate", "--json"))
    assert (old["kid"], old["state"], new["state"]) == (first["kid"], "signing", "next")
    assert old["verifiesUntil"] > new["signsFrom"] > new["created"]
    assert read_answer(keys("list", "--json")) == [old, new]

    assert [row["kid"] for row in read_answer(keys("remove", new["kid"], "--json"))] == [old["kid"]]
    found = Keys.from_settings(Settings.read({}, data_folder=tmp_path, jwt_secret="0123456789" * 4))
    assert list(found.public) == [first["kid"]]


def test_a_compromised_key_is_replaced_at_once(keys: Keyring) -> None:
    (old,) = read_answer(keys("rotate", "--json"))
    signing, verifying = read_answer(keys("rotate", "--now", "--json"))
    assert (signing["state"], verifying["kid"], verifying["state"]) == ("signing", old["kid"], "verifying")
    (left,) = read_answer(keys("remove", old["kid"][:8], "--json"))
    assert left["kid"] == signing["kid"]


def test_for_people_each_key_has_a_line(keys: Keyring) -> None:
    keys("rotate")
    head, *lines = keys("rotate").stdout.splitlines()
    assert head.split("  ")[0] == "kid"
    assert [line.split()[1] for line in lines] == ["signing", "next"]
    assert keys("list").stdout.splitlines() == [head, *lines]


@pytest.mark.parametrize("words", [("list",), ("remove", "something")])
def test_where_there_are_no_keys(keys: Keyring, tmp_path: Path, words: tuple[str, ...]) -> None:
    error = failed(keys(*words, "--json"))
    assert error["code"] == "service.misconfigured"
    assert "private.pem" in error["message"]
    assert not list(tmp_path.rglob("*.pem")), "showing makes nothing"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(("rotate",), "wait for it", id="a second rotation"),
        pytest.param(("remove", "SIGNING"), "rotate --now", id="the signing key"),
        pytest.param(("remove", "unknown"), "no keys are called unknown", id="an unknown key"),
    ],
)
def test_refusals_say_what_to_do(keys: Keyring, words: tuple[str, ...], says: str) -> None:
    keys("rotate")
    signing = read_answer(keys("rotate", "--json"))[0]["kid"]
    error = failed(keys(*(word.replace("SIGNING", signing) for word in words), "--json"))
    assert error["code"] == "keys.refused"
    assert says in error["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="/proc is of Linux")
def test_a_location_that_cannot_be_written(keys: Keyring) -> None:
    where = {"AUTH_JWT_PRIVATEKEY_LOCATION": "/proc/keys.d/private.pem"}
    error = failed(keys("rotate", "--json", env=where))
    assert error["code"] == "keys.files"
    assert "mounted secret" in error["message"]
