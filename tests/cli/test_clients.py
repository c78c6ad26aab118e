"""``recordsmith clients``: what it makes, shows and ends."""

from __future__ import annotations

import json
from typing import Any

import bcrypt
import pytest
from pymongo import MongoClient


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


def create(command: Any, *more: str) -> Any:
    options = ("--client", "nightly", "--tenant", "acme", "--roles", "user")
    done = command("clients", "create", *options, *more, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def stored(mongo_client: MongoClient[dict[str, Any]], realm: str) -> dict[str, Any]:
    found = mongo_client[realm]["oauth_clients"].find_one({"clientId": "nightly"})
    assert found is not None
    return found


def test_secret_is_shown_once(command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    made = create(command, "--name", "Nightly import", "--resource", "https://stock.example")
    secret = made.pop("clientSecret")
    assert made == {
        "clientId": "nightly",
        "clientName": "Nightly import",
        "tenantId": "acme",
        "active": True,
        "allowedGrantTypes": ["client_credentials"],
        "allowedResources": ["https://stock.example"],
        "secrets": 1,
    }
    assert json.loads(command("clients", "list", "--json").stdout) == [made]
    kept = stored(mongo_client, realm)
    assert secret not in str(kept)
    assert bcrypt.checkpw(secret.encode(), kept["clientSecretHash"].encode())
    credential = mongo_client[realm]["credentials"].find_one({"userId": "nightly"})
    assert credential is not None
    assert (credential["subject"], credential["credentialType"]) == (kept["subject"], "OAUTH")
    assert not {"passwordHash", "hashingAlgorithm"} & credential.keys()


def test_text_has_the_secret_on_a_line_of_its_own(command: Any, realm: str) -> None:
    options = ("--client", "nightly", "--tenant", "acme", "--roles", "user")
    lines = command("clients", "create", *options).stdout.splitlines()
    assert lines[0] == "created client nightly; its secret, shown this once:"
    assert len(lines[1]) == 43
    assert len(lines) == 2
    assert "nightly" in command("clients", "list").stdout


def test_rotation_keeps_one_secret_more(
    command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]]
) -> None:
    create(command)
    first = stored(mongo_client, realm)["clientSecretHash"]
    command("clients", "rotate-secret", "--client", "nightly")
    assert stored(mongo_client, realm)["previousSecretHash"] == first
    rotated = command("clients", "rotate-secret", "--client", "nightly", "--end-previous", "--json")
    assert json.loads(rotated.stdout)["secrets"] == 1
    assert "previousSecretHash" not in stored(mongo_client, realm)


def test_disable_enable_remove(command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    create(command)
    assert command("clients", "disable", "--client", "nightly").stdout == "disabled client nightly\n"
    assert stored(mongo_client, realm)["active"] is False
    assert command("clients", "enable", "--client", "nightly").stdout == "enabled client nightly\n"
    assert stored(mongo_client, realm)["active"] is True
    assert command("clients", "remove", "--client", "nightly").stdout == "removed client nightly\n"
    for collection in ("oauth_clients", "credentials"):
        assert mongo_client[realm][collection].count_documents({}) == 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("create", "--client", "a b", "--tenant", "acme", "--roles", "user"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--roles", "usr"), "record.invalid"),
        (("create", "--client", "admin", "--tenant", "acme", "--roles", "user"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--roles", "user", "--resource", "api"), "record.invalid"),
        (("create", "--client", "nightly", "--tenant", "globex", "--roles", "user"), "record.duplicate"),
        (("create", "--client", "a", "--tenant", "acme", "--roles", "user", "--realm", "gone"), "record.not_found"),
        (("rotate-secret", "--client", "nobody"), "record.not_found"),
        (("disable", "--client", "nobody"), "record.not_found"),
        (("remove", "--client", "nobody"), "record.not_found"),
        (("list", "--realm", "gone"), "record.not_found"),
    ],
)  # fmt: skip
def test_refused(
    command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]], options: tuple[str, ...], error: str
) -> None:
    create(command)
    before = [list(mongo_client[realm][name].find()) for name in ("oauth_clients", "credentials")]
    done = command("clients", *options, "--json")
    assert (done.exit_code, json.loads(done.stdout)["error"]["code"]) == (1, error)
    assert [list(mongo_client[realm][name].find()) for name in ("oauth_clients", "credentials")] == before
