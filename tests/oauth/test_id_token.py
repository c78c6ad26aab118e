"""ID tokens of the token endpoint: what a client learns of a sign-in, at the first exchange and at refreshes."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import jwt
import pytest

from runtime.tokens import read_id_token_hint
from tests.http.world import Document, World
from tests.oauth.applications import basic, register, send
from tests.oauth.sign_ins import REDIRECT, claims_of, refresh_form, tokens_of

HERE = "http://127.0.0.1:8080"
WEB: Document = {
    "allowedGrantTypes": ["authorization_code", "refresh_token", "client_credentials"],
    "redirectUris": [REDIRECT],
}
SECRETS: dict[str, str] = {}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    SECRETS["shop"] = register(world, "shop", **WEB)
    world.documents["credentials"].update_one(
        {"userId": "user@acme.example"}, {"$set": {"emailOfResponsibleParty": "ada@acme.example"}}
    )
    return world


def begin(world: World, **changes: Any) -> Document:
    return tokens_of(world, "shop", SECRETS["shop"], **changes)


def refresh(world: World, issued: Document, **changes: str) -> Document:
    headers = basic("shop", SECRETS["shop"])
    return dict(send(world, refresh_form(issued["refresh_token"], **changes), headers).json())


def verified(world: World, token: str) -> Document:
    """The claims as a client reads them: by the key set, for itself, from this issuer, in time."""
    keys = jwt.PyJWKSet.from_dict(world.ask("GET /oauth/jwks", None).json())
    key = next(one for one in keys.keys if one.key_id == jwt.get_unverified_header(token)["kid"])
    required = {"require": ["iss", "sub", "aud", "exp", "iat"]}
    return dict(jwt.decode(token, key, ["RS256"], options=required, audience="shop", issuer=HERE))


def test_every_claim_of_a_plain_sign_in(world: World) -> None:
    issued = begin(world, nonce=None)
    said = verified(world, issued["id_token"])
    access = claims_of(issued["access_token"])
    half = hashlib.sha256(issued["access_token"].encode("ascii")).digest()[:16]
    assert said == {
        "iss": HERE,
        "sub": access["sub"],
        "aud": "shop",
        "iat": said["iat"],
        "exp": said["iat"] + 3600,
        "at_hash": base64.urlsafe_b64encode(half).rstrip(b"=").decode(),
        "sid": access["sid"],
        "realm": world.realm,
    }
    assert said["iat"] - access["iat"] in (0, 1), "a second may begin between the two"
    assert jwt.get_unverified_header(issued["id_token"])["typ"] == "JWT"


@pytest.mark.parametrize("nonce", ["n", "n-0S6_WzA2Mj", "ünïcode", 'with "quotes"', " "])
def test_the_nonce_comes_back_as_it_was_sent(world: World, nonce: str) -> None:
    assert verified(world, begin(world, nonce=nonce)["id_token"])["nonce"] == nonce


@pytest.mark.parametrize("shows", [True, False])
def test_auth_time_is_there_when_it_was_requested_and_stays_the_same(
    world: World, shows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = world.app.state.service.tokens
    now = tokens.clock()
    issued = begin(world, auth_time=now - 1000, shows_auth_time=shows, nonce="n")
    first = claims_of(issued["id_token"])
    monkeypatch.setattr(tokens, "clock", lambda: now + 60)
    second = claims_of(refresh(world, issued)["id_token"])
    for said in (first, second):
        assert said.get("auth_time") == (int(now - 1000) if shows else None)
    assert "nonce" in first
    assert "nonce" not in second
    assert second["iat"] - first["iat"] in (59, 60, 61)
    assert {name: first[name] for name in ("iss", "sub", "aud", "sid")} == {
        name: second[name] for name in ("iss", "sub", "aud", "sid")
    }
    assert first["at_hash"] != second["at_hash"]


@pytest.mark.parametrize(
    ("scope", "claims"),
    [
        ("openid", {}),
        ("openid profile", {"preferred_username": "user@acme.example"}),
        ("openid email", {"email": "ada@acme.example"}),
        ("openid email profile", {"preferred_username": "user@acme.example", "email": "ada@acme.example"}),
        ("openid records:read", {}),
    ],
)
def test_claims_about_the_user_follow_the_scopes(world: World, scope: str, claims: Document) -> None:
    issued = begin(world, scope=scope)
    for one in (issued, refresh(world, issued)):
        said = claims_of(one["id_token"])
        assert {name: said[name] for name in ("preferred_username", "email") if name in said} == claims
        assert not {"groups", "upn", "tenantId", "scope", "client_id", "tokenEpoch"} & said.keys()


def test_a_refresh_without_openid_has_no_id_token(world: World) -> None:
    issued = begin(world, scope="openid profile")
    assert "id_token" not in refresh(world, issued, scope="profile")


def test_client_credentials_have_no_id_token(world: World) -> None:
    form = {"grant_type": "client_credentials", "scope": "openid profile"}
    answer = send(world, form, basic("shop", SECRETS["shop"])).json()
    assert answer.keys() == {"access_token", "token_type", "expires_in", "scope"}
    assert answer["scope"] == claims_of(answer["access_token"])["scope"] == "openid profile"


def test_an_id_token_opens_no_door(world: World) -> None:
    issued = begin(world)
    headers = {"Authorization": f"Bearer {issued['id_token']}"}
    for request in ("GET /security/me", "GET /logistics/airports/list", "POST /security/logout"):
        assert world.ask(request, None, headers=headers).status_code == 401
    assert read_id_token_hint(world.app.state.service.tokens, world.log_in()["accessToken"]) is None


def test_it_is_a_hint_for_its_client_and_session(world: World) -> None:
    issued = begin(world)
    hint = read_id_token_hint(world.app.state.service.tokens, issued["id_token"])
    assert hint is not None
    access = claims_of(issued["access_token"])
    assert (hint.client_id, hint.subject, hint.session, hint.realm) == (
        "shop", access["sub"], access["sid"], world.realm,
    )  # fmt: skip
