"""``POST /oauth/par``: what is stored, what is refused as JSON, and that a request is good once for its client."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from runtime.oauth.authorize.pushed import REQUEST_URI, take_pushed
from runtime.oauth.refusals import PageRefused
from tests.http.world import Document, World
from tests.oauth.applications import basic, check_refused, manage, register, send
from tests.oauth.presenting import signed
from tests.oauth.sign_ins import challenge_of, find_client
from tests.oauth.signing import EC, ISSUER, jwk

CALLBACK = "https://app.example/callback"
FIELDS: Document = {
    "redirectUris": [CALLBACK],
    "allowedGrantTypes": ["authorization_code"],
    "allowedScopes": ["openid", "profile"],
}
SECRETS: dict[str, str] = {}
VERIFIER = "v" * 43
BASE = {"response_type": "code", "redirect_uri": CALLBACK, "state": "s", "scope": "openid"}
PKCE = {"code_challenge": challenge_of(VERIFIER), "code_challenge_method": "S256"}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    for client_id in ("pusher", "other"):
        SECRETS[client_id] = register(world, client_id, **FIELDS)
    register(world, "public", **FIELDS, publicClient=True)
    SECRETS["no-code"] = register(world, "no-code", redirectUris=[CALLBACK])
    keys = {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [jwk(EC)]}}
    register(world, "signer", **FIELDS, **keys)
    return world


def push(world: World, form: Mapping[str, str] | str, client_id: str = "pusher") -> Any:
    return send(world, form, basic(client_id, SECRETS[client_id]), "/oauth/par")


def stored(world: World) -> list[Document]:
    return list(world.documents["pushedRequests"].find())


def take(world: World, request_uri: str, client_id: str = "pusher") -> Any:
    return manage(world, take_pushed, find_client(world, client_id), request_uri)


def test_a_pushed_request(world: World) -> None:
    answer = push(world, BASE | {"colour": "red", "resource": world.app.state.service.tokens.audience})
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    found = answer.json()
    assert found.keys() == {"request_uri", "expires_in"}
    assert found["expires_in"] == 90
    name = found["request_uri"].removeprefix(REQUEST_URI)
    assert len(name) == 43
    (record,) = [one for one in stored(world) if one["refName"] == hashlib.sha256(name.encode()).hexdigest()]
    assert record["clientId"] == "pusher"
    assert name not in str(record)
    assert SECRETS["pusher"] not in str(record)
    asked = take(world, found["request_uri"])
    assert dict(asked.pairs) == BASE | {
        "client_id": "pusher",
        "realm": world.realm,
        "resource": world.app.state.service.tokens.audience,
    }


def test_it_is_good_once(world: World) -> None:
    uri = push(world, BASE).json()["request_uri"]
    take(world, uri)
    with pytest.raises(PageRefused):
        take(world, uri)


def test_of_many_at_once_one_gets_it(world: World) -> None:
    uri = push(world, BASE).json()["request_uri"]

    def attempt(_number: int) -> bool:
        try:
            take(world, uri)
        except PageRefused:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(attempt, range(20))) == 1


def test_it_is_good_for_its_client_alone(world: World) -> None:
    uri = push(world, BASE).json()["request_uri"]
    with pytest.raises(PageRefused):
        take(world, uri, "other")
    assert take(world, uri).get("state") == "s"


def test_it_expires(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = push(world, BASE).json()["request_uri"]
    tokens = world.app.state.service.tokens
    now = tokens.clock()
    monkeypatch.setattr(tokens, "clock", lambda: now + 91)
    with pytest.raises(PageRefused, match="invalid_request_uri"):
        take(world, uri)


@pytest.mark.parametrize(
    "uri", ["", REQUEST_URI, REQUEST_URI + "x", "https://app.example/r", REQUEST_URI + "$ne"]
)
def test_nobody_has_pushed_these(world: World, uri: str) -> None:
    with pytest.raises(PageRefused):
        take(world, uri)


def test_a_public_client_pushes_with_pkce(world: World) -> None:
    answer = send(world, BASE | PKCE | {"client_id": "public"}, path="/oauth/par")
    assert answer.status_code == 201, answer.text
    check_refused(send(world, BASE | {"client_id": "public"}, path="/oauth/par"), 400, "invalid_request")


@pytest.fixture
def three_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three requests of an address may wait; the address of these tests has sent none."""
    throttle = world.app.state.service.clients.count_pushed.__self__._pushed
    monkeypatch.setattr(throttle, "_limit", 3)
    monkeypatch.setattr(world, "peer", ("192.0.2.7", 1))
    yield
    world.documents["loginAttempts"].delete_many({})


@pytest.mark.usefixtures("three_at_once")
def test_an_address_may_not_store_more_and_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client with a secret that somebody has registered serves many users at one address."""
    before, form = len(stored(world)), BASE | PKCE | {"client_id": "public"}
    for _time in range(3):
        assert send(world, form, path="/oauth/par").status_code == 201
    refused = send(world, form, path="/oauth/par")
    check_refused(refused, 429, "temporarily_unavailable")
    assert 0 < int(refused.headers["retry-after"]) <= 90
    assert world.ask("POST /oauth/authorize", None, data=form).status_code == 429
    assert len(stored(world)) == before + 3
    assert push(world, BASE).status_code == 201
    monkeypatch.setattr(world, "peer", ("192.0.2.8", 1))
    assert send(world, form, path="/oauth/par").status_code == 201
    now = world.app.state.service.tokens.clock() + 91
    monkeypatch.setattr(world, "peer", ("192.0.2.7", 1))
    monkeypatch.setattr(world.app.state.service.clients.count_pushed.__self__._pushed, "_clock", lambda: now)
    assert send(world, form, path="/oauth/par").status_code == 201


WRONG: list[tuple[str, Mapping[str, str | None], str]] = [
    ("request_uri", {"request_uri": REQUEST_URI + "a" * 43}, "invalid_request"),
    ("foreign request_uri", {"request_uri": "https://app.example/r"}, "invalid_request"),
    ("request object", {"request": "e30.e30."}, "request_not_supported"),
    ("no redirect_uri", {"redirect_uri": None}, "invalid_request"),
    ("unregistered", {"redirect_uri": "https://evil.example/"}, "invalid_request"),
    ("no response_type", {"response_type": None}, "invalid_request"),
    ("token", {"response_type": "token"}, "unsupported_response_type"),
    ("scope", {"scope": "email"}, "invalid_scope"),
    ("resource", {"resource": "https://evil.example/"}, "invalid_target"),
    ("plain", {"code_challenge": "a" * 43, "code_challenge_method": "plain"}, "invalid_request"),
    ("prompt", {"prompt": "none login"}, "invalid_request"),
    ("another client", {"client_id": "other"}, "invalid_request"),
    ("both secrets", {"client_secret": "x"}, "invalid_request"),
]


@pytest.mark.parametrize(("changes", "error"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_refused_at_once(
    world: World, changes: Mapping[str, str | None], error: str
) -> None:
    before = len(stored(world))
    form = {name: value for name, value in {**BASE, **changes}.items() if value is not None}
    check_refused(push(world, form), 400, error)
    assert len(stored(world)) == before


def test_a_client_without_the_grant(world: World) -> None:
    check_refused(push(world, {**BASE, "scope": ""}, "no-code"), 400, "unauthorized_client")


def test_a_repeated_parameter(world: World) -> None:
    check_refused(push(world, "response_type=code&state=a&state=b"), 400, "invalid_request")


def test_too_much(world: World) -> None:
    before = len(stored(world))
    many = BASE | dict.fromkeys(("state", "login_hint", "id_token_hint"), "x" * 6000)
    check_refused(push(world, many), 413, "invalid_request")
    check_refused(push(world, BASE | {"nonce": "x" * 9000}), 400, "invalid_request")
    assert len(stored(world)) == before


@pytest.mark.parametrize("client_id", ["pusher", "nobody"])
def test_who_is_not_the_client(world: World, client_id: str) -> None:
    answer = send(world, BASE, basic(client_id, "wrong"), "/oauth/par")
    check_refused(answer, 401, "invalid_client")


@pytest.mark.parametrize(
    ("path", "status"), [("", 201), ("/oauth/token", 201), ("/oauth/par", 201), ("/oauth/revoke", 401)]
)
def test_a_client_with_a_key_names_whom_it_signs_for(world: World, path: str, status: int) -> None:
    """RFC 9126 section 2 has three names for the audience."""
    answer = send(world, BASE | signed(ISSUER + path)(""), path="/oauth/par")
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_other_methods(world: World, method: str) -> None:
    answer = world.ask(f"{method} /oauth/par", None)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"] == "invalid_request"
