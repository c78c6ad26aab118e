"""``/oauth/userinfo``: what a token tells about its user, and to whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import jwt
import pytest

from runtime.identity.users.users import NewUser
from tests.http.world import PASSWORD, World
from tests.narrowing import narrow_token

USERINFO = "/oauth/userinfo"
METADATA = 'resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource"'
MALFORMED = ', error="invalid_request"'
ISSUER = "http://127.0.0.1:8080"
ANN = "ann@acme.example"
MAIL = "ann.mail@acme.example"


@pytest.fixture(scope="module")
def world(world: World) -> World:
    world.sign_in("ann", NewUser(ANN, PASSWORD, "acme", frozenset({"user"}), email=MAIL))
    return world


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def says(token: str) -> dict[str, Any]:
    found: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return found


def minted(world: World, scope: str, **options: Any) -> str:
    """Ann's token for an application, with her email as real ones have it."""
    token = says(narrow_token(world, "ann", scope, client="userinfo-app"))
    service = world.app.state.service
    assert world.client.portal is not None
    find = service.provider.own.credentials.find_standing
    standing = world.client.portal.call(find, token["realm"], token["sub"])
    made: str = service.tokens.mint_access(
        standing.identity,
        epoch=standing.epoch, client_id="userinfo-app", scope=scope, session=token["sid"], email=MAIL, **options,
    )  # fmt: skip
    return made


PROFILE = {"preferred_username": ANN, "groups": ["user"]}
CLAIMS: Mapping[str, Mapping[str, Any]] = {
    scope: {**PROFILE, "email": MAIL}
    for scope in ("openid", "openid profile", "openid profile email", "email openid logistics:read", "")
}


@pytest.mark.parametrize("scope", CLAIMS)
@pytest.mark.parametrize("way", ["GET", "POST", "POST with an empty form", "a form"])
def test_the_claims_of_the_access_token(world: World, scope: str, way: str) -> None:
    token = minted(world, scope)
    match way:
        case "a form":
            answer = world.ask(f"POST {USERINFO}", None, data={"access_token": token, "unknown": "1"})
        case "POST with an empty form":
            headers = bearer(token) | {"Content-Type": "application/x-www-form-urlencoded"}
            answer = world.ask(f"POST {USERINFO}", None, headers=headers)
        case _:
            answer = world.ask(f"{way} {USERINFO}", None, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {"sub": says(token)["sub"], "iss": ISSUER, **CLAIMS[scope]}


def test_a_login_has_all_claims(world: World) -> None:
    token = world.tokens["ann"]
    answer = world.ask(f"GET {USERINFO}", None, headers=bearer(token))
    assert answer.json() == {"sub": says(token)["sub"], "iss": ISSUER, **PROFILE, "email": MAIL}
    without = world.ask(f"GET {USERINFO}", "acme").json()
    assert "email" not in without
    assert without["groups"] == ["admin"]


def test_the_discovery_document_lists_the_claims(world: World) -> None:
    found = world.ask("GET /.well-known/openid-configuration", None).json()
    assert found["userinfo_endpoint"] == f"{ISSUER}{USERINFO}"
    assert {"sub", "iss", "email", *PROFILE} <= set(found["claims_supported"])


def test_a_token_for_another_resource_server_will_do(world: World) -> None:
    token = minted(world, "openid", audience=["https://stock.example"])
    assert world.ask(f"GET {USERINFO}", None, headers=bearer(token)).status_code == 200
    assert world.ask("GET /security/me", None, headers=bearer(token)).status_code == 401


def check_refused(answer: httpx2.Response, status: int, error: str, challenge: str) -> None:
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert answer.json().keys() == {"error", "error_description"}
    assert answer.headers.get("www-authenticate") == f'Bearer realm="recordsmith"{challenge}, {METADATA}'
    assert answer.headers["cache-control"] == "no-store"
    assert ANN not in answer.text


@pytest.mark.parametrize("scope", ["profile email", "logistics:read", "records:read records:write"])
def test_scopes_without_openid(world: World, scope: str) -> None:
    token = minted(world, scope)
    for request in (f"GET {USERINFO}", f"POST {USERINFO}"):
        answer = world.ask(request, None, headers=bearer(token))
        check_refused(answer, 403, "insufficient_scope", ', error="insufficient_scope", scope="openid"')


@pytest.mark.parametrize("header", ["", "Basic YTpi", "Bearer", "Bearer ", "token abc"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_token(world: World, method: str, header: str) -> None:
    headers = {"Authorization": header} if header else {}
    answer = world.ask(f"{method} {USERINFO}", None, headers=headers)
    check_refused(answer, 401, "invalid_token", "")


@pytest.mark.parametrize("token", ["x", "a.b.c", "a b", "x" * 9000])
def test_a_bad_token(world: World, token: str) -> None:
    for method in ("GET", "POST"):
        answer = world.ask(f"{method} {USERINFO}", None, headers=bearer(token))
        check_refused(answer, 401, "invalid_token", ', error="invalid_token"')


def test_tokens_that_are_not_access_tokens(world: World) -> None:
    refresh = world.log_in(ANN)["refreshToken"]
    answer = world.ask(f"GET {USERINFO}", None, headers=bearer(refresh))
    check_refused(answer, 401, "invalid_token", ', error="invalid_token"')
    check_refused(
        world.ask(f"POST {USERINFO}", None, data={"access_token": refresh}),
        401, "invalid_token", ', error="invalid_token"',
    )  # fmt: skip


def test_a_token_is_sent_once(world: World) -> None:
    token = minted(world, "openid")
    form = {"access_token": token}
    both = world.ask(f"POST {USERINFO}", None, headers=bearer(token), data=form)
    check_refused(both, 400, "invalid_request", MALFORMED)
    other = world.ask(f"POST {USERINFO}", None, headers={"Authorization": "Basic YTpi"}, data=form)
    check_refused(other, 400, "invalid_request", MALFORMED)
    twice = [("Authorization", f"Bearer {token}")] * 2
    repeated = world.client.send(world.client.build_request("GET", USERINFO, headers=twice))
    check_refused(repeated, 400, "invalid_request", MALFORMED)


@pytest.mark.parametrize(
    ("content", "media_type", "status"),
    [
        ("access_token=a&access_token=b", "application/x-www-form-urlencoded", 400),
        ("access_token=%zz", "application/x-www-form-urlencoded", 400),
        ('{"access_token": "a"}', "application/json", 415),
        ("access_token=a", "", 415),
        ("access_token=" + "a" * 70_000, "application/x-www-form-urlencoded", 413),
    ],
)
def test_wrong_forms(world: World, content: str, media_type: str, status: int) -> None:
    headers = {"Content-Type": media_type} if media_type else {}
    answer = world.ask(f"POST {USERINFO}", None, content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (status, "invalid_request"), answer.text
    if status == 400:
        check_refused(answer, 400, "invalid_request", MALFORMED)
    else:
        assert "www-authenticate" not in answer.headers


def test_a_token_in_the_query_is_not_read(world: World) -> None:
    token = minted(world, "openid")
    for method in ("GET", "POST"):
        answer = world.ask(f"{method} {USERINFO}?access_token={token}", None)
        check_refused(answer, 400, "invalid_request", MALFORMED)


def test_a_token_that_has_ended(world: World) -> None:
    signed_in = world.log_in(ANN)
    headers = bearer(signed_in["accessToken"])
    assert world.ask(f"GET {USERINFO}", None, headers=headers).status_code == 200
    ended = {"refreshToken": signed_in["refreshToken"]}
    assert world.ask("POST /security/logout", None, headers=headers, json=ended).status_code == 204
    answer = world.ask(f"GET {USERINFO}", None, headers=headers)
    check_refused(answer, 401, "invalid_token", ', error="invalid_token"')


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_other_methods(world: World, method: str) -> None:
    answer = world.ask(f"{method} {USERINFO}")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")


def test_what_to_send_is_readable_in_ascii(world: World) -> None:
    described = world.ask(f"GET {USERINFO}", None).json()["error_description"]
    assert described == "send an access token: Authorization: Bearer ..."
