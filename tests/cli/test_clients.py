"""``recordsmith clients``: what it makes, shows and ends."""

from __future__ import annotations

import json
from pathlib import Path
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
    assert lines[2:4] == ["", "Get a token with it (curl asks for the secret):"]
    assert lines[4].startswith("  curl --user nightly http")
    assert lines[4].endswith("/oauth/token -d grant_type=client_credentials")
    assert len(lines) == 5
    assert lines[1] not in "".join(lines[2:])
    assert "nightly" in command("clients", "list").stdout


def test_an_application_in_which_users_sign_in(
    command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]]
) -> None:
    options = (
        *("--client", "web", "--tenant", "acme", "--org", "north", "--name", "Web", "--pkce", "--consent"),
        *("--redirect-uri", "https://app.example/a", "--redirect-uri", "https://app.example/b"),
        *("--logout-uri", "https://app.example/", "--scope", "openid profile", "--scope", "security:read"),
        *("--auth-method", "client_secret_post", "--resource", "https://stock.example"),
    )
    made = json.loads(command("clients", "create", *options, "--json").stdout)
    assert len(made.pop("clientSecret")) == 43
    assert made == {
        "clientId": "web",
        "clientName": "Web",
        "tenantId": "acme",
        "active": True,
        "allowedGrantTypes": ["authorization_code", "refresh_token"],
        "redirectUris": ["https://app.example/a", "https://app.example/b"],
        "postLogoutRedirectUris": ["https://app.example/"],
        "allowedScopes": ["openid", "profile", "security:read"],
        "allowedResources": ["https://stock.example"],
        "tokenEndpointAuthMethod": "client_secret_post",
        "requirePkce": True,
        "requireConsent": True,
        "secrets": 1,
    }
    kept = mongo_client[realm]["oauth_clients"].find_one({"clientId": "web"})
    assert kept is not None
    assert (kept["dataDomain"]["tenantId"], kept["dataDomain"]["orgRefName"]) == ("acme", "north")
    assert "subject" not in kept
    assert mongo_client[realm]["credentials"].count_documents({}) == 0


def test_a_public_client_has_no_secret(
    command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]]
) -> None:
    options = (
        "--client",
        "app",
        "--tenant",
        "acme",
        "--public",
        "--native",
        "--redirect-uri",
        "com.example.app:/",
    )
    done = command("clients", "create", *options)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "created client app"
    for said in ("issuer ", "client id      app", "redirect URI   com.example.app:/", "by PKCE"):
        assert said in done.stdout
    kept = mongo_client[realm]["oauth_clients"].find_one({"clientId": "app"})
    assert kept is not None
    assert (kept["publicClient"], kept["applicationType"]) == (True, "native")
    assert not {"clientSecretHash", "subject"} & kept.keys()
    rotated = command("clients", "rotate-secret", "--client", "app", "--json")
    assert json.loads(rotated.stdout)["error"]["code"] == "record.invalid"
    assert "public" in command("clients", "list").stdout


def test_a_client_with_a_key(
    command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "jwks.json"
    keys = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "A" * 43}]}
    file.write_text(json.dumps(keys))
    options = ("--client", "job", "--tenant", "acme", "--roles", "user", "--jwks", str(file))
    done = command("clients", "create", *options)
    assert done.stdout == "created client job\n", done.output
    kept = mongo_client[realm]["oauth_clients"].find_one({"clientId": "job"})
    assert kept is not None
    assert (kept["tokenEndpointAuthMethod"], kept["jwks"]) == ("private_key_jwt", keys)
    assert mongo_client[realm]["credentials"].count_documents({"userId": "job"}) == 1
    file.write_text("{")
    wrong = command("clients", "create", "--client", "b", "--tenant", "acme", "--jwks", str(file), "--json")
    assert (wrong.exit_code, json.loads(wrong.stdout)["error"]["code"]) == (2, "jwks.unreadable")


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
        (("create", "--client", "a", "--tenant", "acme", "--roles", "user", "--realm", "gone"), "realm.unknown"),
        (("create", "--client", "a", "--tenant", "acme"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "", "--redirect-uri", "https://a.example"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--redirect-uri", "http://a.example"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--grant", "authorization_code"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--public"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--roles", "user", "--grant", "password"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--roles", "user", "--scope", "logistic:read"), "record.invalid"),
        (("create", "--client", "a", "--tenant", "acme", "--roles", "user", "--auth-method", "none"), "record.invalid"),
        (("create", "--client", "nightly", "--tenant", "acme", "--redirect-uri", "https://a.example"), "record.duplicate"),
        (("rotate-secret", "--client", "nobody"), "record.not_found"),
        (("disable", "--client", "nobody"), "record.not_found"),
        (("remove", "--client", "nobody"), "record.not_found"),
        (("list", "--realm", "gone"), "realm.unknown"),
    ],
)  # fmt: skip
def test_refused(
    command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]], options: tuple[str, ...], error: str
) -> None:
    create(command)
    before = [list(mongo_client[realm][name].find()) for name in ("oauth_clients", "credentials")]
    done = command("clients", *options, "--json")
    assert (done.exit_code, json.loads(done.stdout)["error"]["code"]) == (
        2 if error == "realm.unknown" else 1,
        error,
    )
    assert [list(mongo_client[realm][name].find()) for name in ("oauth_clients", "credentials")] == before
