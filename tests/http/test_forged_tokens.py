"""Forged tokens at the door: each is answered with 401 and a challenge, never with a fault, never let in.

Before and after a rotation, which a running service notices by itself; and with a removed key.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.tokens import Keys, Tokens, remove_key, rotate_keys
from tests.http.world import World, open_world
from tests.oauth.applications import basic, register, send
from tests.patience import wait_until
from tests.scenario import check_problem
from tests.security.forging import BASE, FORGED, SESSIONS, STRIPPED_BY_HTTP, Case, Forge

CASES = {name: case for name, case in (FORGED | SESSIONS).items() if name not in STRIPPED_BY_HTTP}
METADATA = 'resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource"'
CHALLENGES = tuple(
    f'Bearer realm="recordsmith"{error}, {METADATA}' for error in ("", ', error="invalid_token"')
)
PATHS = ("/security/me", "/logistics/carriers/list")


@pytest.fixture(scope="module")
def world(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """With keys of its own: these tests change them."""
    with open_world(mongo_uri, mongo_client, data_folder=tmp_path_factory.mktemp("keys")) as opened:
        yield opened


@pytest.fixture(scope="module")
def first(world: World) -> Forge:
    """Forges with the first key, whether it signs or only verifies."""
    tokens: Tokens = world.app.state.service.tokens
    return Forge(tokens.ring.keys, tokens, world.tokens["acme"])


@pytest.fixture(scope="module")
def rotated(world: World, first: Forge) -> World:
    """After a rotation that the service has not been told of."""
    service = world.app.state.service
    rotate_keys(service.settings, time.time(), at_once=True)
    return world


def answer_to(world: World, token: str, path: str = "/security/me") -> tuple[int, dict[str, str], Any]:
    header = b"Bearer " + token.encode("utf-8", "surrogatepass")
    return world.ask_raw("GET", path, headers=[(b"authorization", header)])


def check_refused(world: World, token: str, path: str = "/security/me") -> None:
    status, headers, body = answer_to(world, token, path)
    assert status == 401, body
    check_problem(401, headers, body)
    assert headers["www-authenticate"] in CHALLENGES
    assert token[:40] not in str(body) or len(token) < 20


def test_the_unforged_token_is_accepted(world: World, first: Forge) -> None:
    for token in (first.good, first.with_header(), first.with_claims()):
        assert answer_to(world, token)[0] == 200


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_forged_token_is_refused(world: World, first: Forge, case: Case) -> None:
    for path in PATHS:
        check_refused(world, case(first), path)


def test_forged_tokens_refresh_nothing(world: World, first: Forge) -> None:
    """Their text may also be no JSON text, or longer than a token can be: then the body is refused."""
    for name, case in CASES.items():
        token = case(first).encode(errors="replace").decode()
        if name != "a refresh token":  # a good one, of nobody: what becomes of it is told elsewhere
            refused = world.ask("POST /security/refresh", None, json={"refreshToken": token})
            assert refused.status_code in (401, 413, 422), (name, refused.text)


def test_forged_tokens_are_not_active_and_cannot_be_revoked(world: World, first: Forge) -> None:
    """Neither for the client they name nor for one that may ask about every token for this service."""
    secret = register(world, "gateway", allowedResources=[BASE])
    assert present(world, "introspect", first.good, secret).json()["active"] is True
    for name, case in CASES.items():
        token = case(first).encode(errors="replace").decode()
        described, revoked = (present(world, route, token, secret) for route in ("introspect", "revoke"))
        if token and len(token) < 60_000:
            assert (described.status_code, described.content) == (200, b'{"active":false}'), name
            assert revoked.status_code == 200 or revoked.json()["error"] == "unsupported_token_type", name
        else:
            assert described.status_code == revoked.status_code in (400, 413), name
    assert world.documents["spentTokens"].count_documents({}) == 0
    assert present(world, "introspect", first.good, secret).json()["active"] is True


def present(world: World, route: str, token: str, secret: str) -> Any:
    return send(world, {"token": token}, basic("gateway", secret), f"/oauth/{route}")


class TestAfterARotation:
    def test_tokens_of_both_keys_are_accepted(self, rotated: World, first: Forge) -> None:
        service = rotated.app.state.service
        second = Forge(Keys.from_settings(service.settings), Tokens(service.settings), first.good)
        second.header["kid"] = second.keys.kid
        assert answer_to(rotated, first.good)[0] == 200
        # The forged tokens before may just have made the service look at its keys: it waits two seconds then.
        wait_until(lambda: answer_to(rotated, second.with_header())[0] == 200, 5)
        assert [key["kid"] for key in rotated.ask("GET /oauth/jwks", None).json()["keys"]] == [
            second.keys.kid, first.keys.kid,
        ]  # fmt: skip
        for case in CASES.values():
            check_refused(rotated, case(second))

    def test_forged_tokens_of_the_older_key_are_refused(self, rotated: World, first: Forge) -> None:
        for case in CASES.values():
            check_refused(rotated, case(first))

    def test_the_key_set_may_be_kept_for_a_while(self, rotated: World) -> None:
        answer = rotated.ask("GET /oauth/jwks", None)
        assert answer.headers["cache-control"] == "public, max-age=150"

    def test_a_removed_key_opens_nothing(self, rotated: World, first: Forge) -> None:
        service = rotated.app.state.service
        remove_key(service.settings, first.keys.kid, time.time())
        assert rotated.client.portal is not None
        rotated.client.portal.call(service.tokens.ring.refresh)
        for token in (first.good, first.with_header(), first.with_header(kid=service.tokens.ring.keys.kid)):
            check_refused(rotated, token)
