"""``POST /oauth/introspect``: what a client learns of a token, and everything of which it learns nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.identity.users.users import NewUser
from runtime.oauth.management import create_client, set_active
from runtime.realm_setup import create_realm
from tests.http.world import PASSWORD, Document, World
from tests.oauth.applications import basic, check_refused, manage, send
from tests.oauth.presenting import (
    ELSEWHERE,
    GRANTS,
    INTROSPECT,
    REVOKE,
    WRONG_NAMES,
    Clients,
    send_wrong,
    signed,
)
from tests.oauth.sign_ins import claims_of, is_accepted, refresh_form, sign_in
from tests.oauth.signing import ISSUER

INACTIVE = {"active": False}
DESCRIBED = {
    "active", "scope", "client_id", "username", "token_type", "exp", "iat", "sub", "aud", "iss", "jti",
}  # fmt: skip


@pytest.fixture(scope="module")
def clients(world: World) -> Clients:
    return Clients(world)


def describe(clients: Clients, token: str, client_id: str = "shop", **more: str) -> Document:
    answer = clients.present(INTROSPECT, token, client_id, **more)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert "no-store" in answer.headers["cache-control"]
    return dict(answer.json())


def test_an_access_token_of_a_user(clients: Clients) -> None:
    token = clients.sign_in(scope="openid records:read")["access_token"]
    says = claims_of(token)
    found = describe(clients, token)
    assert found.keys() == DESCRIBED
    assert found == {
        "active": True, "scope": "openid records:read", "client_id": "shop", "username": "user@acme.example",
        "token_type": "Bearer", "exp": says["exp"], "iat": says["iat"], "sub": says["sub"],
        "aud": [ISSUER, f"{ISSUER}/mcp"], "iss": ISSUER, "jti": says["jti"],
    }  # fmt: skip


def test_an_access_token_of_the_client_itself_without_scopes(clients: Clients) -> None:
    found = describe(clients, clients.own_token())
    assert found.keys() == DESCRIBED - {"scope"}
    assert (found["username"], found["client_id"]) == ("shop", "shop")


def test_scopes_that_the_client_may_not_request_any_more_are_left_out(clients: Clients) -> None:
    tokens, stored = clients.sign_in(scope="openid records:read"), clients.world.documents["oauth_clients"]
    before = stored.find_one_and_update({"clientId": "shop"}, {"$set": {"allowedScopes": ["openid"]}})
    try:
        for kind in ("access_token", "refresh_token"):
            assert describe(clients, tokens[kind])["scope"] == "openid"
    finally:
        stored.replace_one({"clientId": "shop"}, before)


def test_a_refresh_token_is_described_and_not_used_up(clients: Clients) -> None:
    tokens = clients.sign_in(scope="openid records:read")
    for _ in range(3):
        found = describe(clients, tokens["refresh_token"])
        assert found.keys() == DESCRIBED - {"token_type"}
        assert (found["scope"], found["client_id"]) == ("openid records:read", "shop")
        assert found["aud"] == [f"{ISSUER}/oauth/refresh"]
        assert found["exp"] == claims_of(tokens["refresh_token"])["exp"]
    refreshed = send(clients.world, refresh_form(tokens["refresh_token"]), clients.headers("shop"))
    assert refreshed.status_code == 200
    assert describe(clients, tokens["refresh_token"]) == INACTIVE  # it was used
    assert describe(clients, refreshed.json()["refresh_token"])["active"] is True


def test_a_resource_server_learns_of_the_tokens_for_it(clients: Clients) -> None:
    token = clients.own_token(resource=ELSEWHERE)
    found = describe(clients, token, "stock")
    assert (found["aud"], found["client_id"], found["username"]) == ([ELSEWHERE], "shop", "shop")
    assert describe(clients, token, "gateway") == INACTIVE
    assert describe(clients, token, "other") == INACTIVE
    assert describe(clients, clients.own_token(), "stock") == INACTIVE
    both = clients.sign_in(resources=(ELSEWHERE, "https://b.example"))["access_token"]
    assert describe(clients, both, "stock")["active"] is True


def test_a_gateway_in_front_of_this_service_learns_of_logins(clients: Clients) -> None:
    login = clients.log_in()
    found = describe(clients, login["accessToken"], "gateway")
    assert found.keys() == DESCRIBED - {"scope", "client_id"}
    assert found["username"] == "user@acme.example"
    assert describe(clients, login["accessToken"]) == INACTIVE
    assert describe(clients, login["refreshToken"], "gateway") == INACTIVE


@pytest.mark.parametrize("hint", ["access_token", "refresh_token", "made up", ""])
def test_a_hint_changes_nothing(clients: Clients, hint: str) -> None:
    tokens = clients.sign_in()
    for name in ("access_token", "refresh_token"):
        assert describe(clients, tokens[name], token_type_hint=hint) == describe(clients, tokens[name])


NOTHING: dict[str, Callable[[Clients], str]] = {
    "no token": lambda _: "made up",
    "a blank": lambda _: " ",
    "three parts": lambda _: "a.b.c",
    "an unsigned token": lambda c: "eyJhbGciOiJub25lIn0." + c.own_token().split(".")[1] + ".AA",
    "a cut token": lambda c: c.own_token()[:-5],
    "a long text": lambda _: "a" * 50_000,
    "an operator": lambda _: '{"$ne":""}',
    "an authorization code": lambda c: sign_in(c.world, "shop").code,
    "an ID token": lambda c: str(c.sign_in()["id_token"]),
    "a one-purpose token": lambda c: str(
        c.world.app.state.service.tokens.mint_purpose("password-change", "anybody", 60)
    ),
    "an access token of another client": lambda c: c.own_token("other"),
    "an access token of another client's user": lambda c: str(c.sign_in("other")["access_token"]),
    "a refresh token of another client": lambda c: str(c.sign_in("other")["refresh_token"]),
    "an access token of a login": lambda c: str(c.log_in()["accessToken"]),
    "a refresh token of a login": lambda c: str(c.log_in()["refreshToken"]),
}


@pytest.mark.parametrize("name", NOTHING)
def test_of_anything_else_a_client_learns_nothing(clients: Clients, name: str) -> None:
    token = NOTHING[name](clients)
    assert clients.present(INTROSPECT, token).content == b'{"active":false}'


def revoke_access(clients: Clients, tokens: Document) -> None:
    clients.present(REVOKE, tokens["access_token"])


def revoke_refresh(clients: Clients, tokens: Document) -> None:
    clients.present(REVOKE, tokens["refresh_token"])


def log_out_everywhere(clients: Clients, tokens: Document) -> None:
    headers = {"Authorization": f"Bearer {clients.log_in()['accessToken']}"}
    done = clients.world.ask("POST /security/logout", None, json={"everywhere": True}, headers=headers)
    assert done.status_code == 204, done.text


def change_password(clients: Clients, tokens: Document) -> None:
    headers = {"Authorization": f"Bearer {clients.log_in()['accessToken']}"}
    for old, new in ((PASSWORD, f"new {PASSWORD}"), (f"new {PASSWORD}", PASSWORD)):
        body = {"oldPassword": old, "newPassword": new}
        answer = clients.world.ask("POST /security/password", None, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        headers = {"Authorization": f"Bearer {answer.json()['accessToken']}"}


def set_disabled(clients: Clients, disabled: bool) -> None:
    path = "PUT /security/users/userId/user@acme.example/disabled"
    assert clients.world.ask(path, json={"disabled": disabled}).status_code == 204


def take_roles(clients: Clients, tokens: Document) -> None:
    path = "/security/users/userId/user@acme.example/roles"
    for method, options in (
        ("PUT", {"json": {"roles": ["admin"]}}),
        ("DELETE", {"params": {"roles": "admin"}}),
    ):
        answer = clients.world.ask(f"{method} {path}", **options)
        assert answer.status_code == 200, answer.text


ENDS: dict[str, tuple[Callable[[Clients, Document], None], bool, bool]] = {
    "its revocation": (revoke_access, False, True),
    "the revocation of its session": (revoke_refresh, False, False),
    "a logout everywhere": (log_out_everywhere, False, False),
    "another password": (change_password, False, False),
    "other roles": (take_roles, False, False),
}
"""Name → what happens, and whether access and refresh token are active afterwards."""


@pytest.mark.parametrize("name", ENDS)
def test_what_ends_a_token_is_seen_at_once(clients: Clients, name: str) -> None:
    happen, access, refresh = ENDS[name]
    tokens = clients.sign_in()
    assert [describe(clients, tokens[one])["active"] for one in ("access_token", "refresh_token")] == [
        True,
        True,
    ]
    happen(clients, tokens)
    found = [describe(clients, tokens[one]) for one in ("access_token", "refresh_token")]
    assert [one["active"] for one in found] == [access, refresh]
    assert all(one == INACTIVE or one["active"] for one in found)


def test_a_second_use_of_its_code_is_seen_at_once(clients: Clients) -> None:
    form = sign_in(clients.world, "shop").form()
    tokens = send(clients.world, form, clients.headers("shop")).json()
    check_refused(send(clients.world, form, clients.headers("shop")), 400, "invalid_grant")
    for name in ("access_token", "refresh_token"):
        assert describe(clients, tokens[name]) == INACTIVE


def test_tokens_of_a_disabled_user_are_not_active(clients: Clients) -> None:
    tokens = clients.sign_in()
    set_disabled(clients, True)
    for name in ("access_token", "refresh_token"):
        assert describe(clients, tokens[name]) == INACTIVE
    set_disabled(clients, False)


def test_tokens_of_a_disabled_client_are_not_active_for_a_resource_server(clients: Clients) -> None:
    own, of_user = (
        clients.own_token(resource=ELSEWHERE),
        clients.sign_in(resources=(ELSEWHERE,))["access_token"],
    )
    manage(clients.world, set_active, clients.world.realm, "shop", False)
    assert [describe(clients, token, "stock") for token in (own, of_user)] == [INACTIVE, INACTIVE]
    manage(clients.world, set_active, clients.world.realm, "shop", True)


@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
@pytest.mark.parametrize(("late", "is_active"), [(-1, True), (0, False), (1, False)])
def test_a_token_that_has_expired_is_not_active(
    clients: Clients, monkeypatch: pytest.MonkeyPatch, name: str, late: int, is_active: bool
) -> None:
    """Also within the leeway, for which this service itself takes it as it did."""
    tokens = clients.sign_in()
    expires = claims_of(tokens[name])["exp"]
    monkeypatch.setattr(clients.world.app.state.service.tokens, "clock", lambda: float(expires + late))
    assert describe(clients, tokens[name])["active"] is is_active
    if name == "access_token":
        assert is_accepted(clients.world, tokens[name])


def test_a_refresh_token_is_not_active_without_the_grant(clients: Clients) -> None:
    tokens, stored = clients.sign_in(), clients.world.documents["oauth_clients"]
    stored.update_one({"clientId": "shop"}, {"$set": {"allowedGrantTypes": ["authorization_code"]}})
    assert describe(clients, tokens["refresh_token"]) == INACTIVE
    stored.update_one({"clientId": "shop"}, {"$set": {"allowedGrantTypes": GRANTS}})
    assert describe(clients, tokens["refresh_token"])["active"] is True


@pytest.fixture(scope="module")
def elsewhere(world: World, mongo_client: MongoClient[Document]) -> Iterator[Callable[..., Any]]:
    """Asks as a client of another realm, whose clients have the same names and resources."""
    realm = "elsewhere"
    database = f"{world.realm}_elsewhere"
    manage(world, create_realm, realm, database)
    secrets = {}
    for name in ("shop", "stock"):
        new = NewUser(name, "", "acme", frozenset({"user"}), realm=realm)
        secrets[name] = manage(world, create_client, new, fields={"allowedResources": [ELSEWHERE]}).secret
    yield lambda path, client_id, token: send(
        world, {"token": token, "realm": realm}, basic(client_id, secrets[client_id]), path
    )
    mongo_client.drop_database(database)


@pytest.mark.parametrize("client_id", ["shop", "stock"])
def test_a_client_of_the_same_name_in_another_realm(
    clients: Clients, elsewhere: Callable[..., Any], client_id: str
) -> None:
    """Client ids are unique in a realm: the token belongs to the client of its own, as do its resources."""
    tokens, own = clients.sign_in(resources=(ELSEWHERE,)), clients.own_token(resource=ELSEWHERE)
    for token in (tokens["access_token"], tokens["refresh_token"], own):
        assert elsewhere(INTROSPECT, client_id, token).json() == INACTIVE
        assert elsewhere(REVOKE, client_id, token).status_code == 200
        assert describe(clients, token)["active"] is True


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_wrong_requests(clients: Clients, name: str) -> None:
    token = clients.own_token()
    answer, wrong = send_wrong(clients, INTROSPECT, name, token)
    check_refused(answer, wrong.status, wrong.error)
    assert is_accepted(clients.world, token)


def test_a_public_client_may_not_ask(clients: Clients) -> None:
    ours = send(clients.world, sign_in(clients.world, "app").form(client_id="app")).json()
    for name in ("access_token", "refresh_token"):
        check_refused(clients.present(INTROSPECT, ours[name], "app"), 401, "invalid_client")
        assert describe(clients, ours[name]) == INACTIVE


@pytest.mark.parametrize("path", [INTROSPECT, REVOKE])
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_other_methods(clients: Clients, method: str, path: str) -> None:
    answer = clients.world.ask(f"{method} {path}", None)
    check_refused(answer, 405, "invalid_request")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(("path", "other"), [(INTROSPECT, REVOKE), (REVOKE, INTROSPECT)])
def test_a_client_with_a_key_signs_for_this_endpoint(clients: Clients, path: str, other: str) -> None:
    good = (ISSUER, f"{ISSUER}/oauth/token", f"{ISSUER}{path}")
    for audience in (*good, f"{ISSUER}{other}", f"{ISSUER}/oauth/par"):
        answer = send(clients.world, signed(audience)("made up"), path=path)
        assert answer.status_code == (200 if audience in good else 401), (audience, answer.text)
