"""How a protected route refuses a request without a good token (RFC 6750 §3, RFC 9728 §5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.http.documented import OPERATIONS, PUBLISHED, Operation
from tests.http.world import NOWHERE, World

METADATA = 'resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource"'


def is_protected(operation: Operation) -> bool:
    return "security" not in PUBLISHED["paths"][operation.path][operation.method.lower()]


PROTECTED = [one for one in OPERATIONS if is_protected(one)]


def path_of(operation: Operation) -> str:
    named = dict.fromkeys(operation.parameters, NOWHERE)
    return f"{operation.method} {operation.path.format_map(named)}"


@pytest.mark.parametrize("operation", PROTECTED, ids=str)
def test_every_protected_route_challenges(world: World, operation: Operation) -> None:
    request = path_of(operation)
    nothing = world.ask(request, None)
    assert (nothing.status_code, nothing.headers["www-authenticate"]) == (
        401, f'Bearer realm="recordsmith", {METADATA}',
    )  # fmt: skip
    bad = world.ask(request, None, headers={"Authorization": "Bearer a.b.c"})
    assert (bad.status_code, bad.headers["www-authenticate"]) == (
        401, f'Bearer realm="recordsmith", error="invalid_token", {METADATA}',
    )  # fmt: skip


CASES: Mapping[str, tuple[Sequence[str], int, str]] = {
    "no header": ((), 401, ""),
    "an empty header": (("",), 401, ""),
    "no token": (("Bearer",), 401, ""),
    "spaces for a token": (("Bearer   ",), 401, ""),
    "another scheme": (("Basic YTpi",), 401, ""),
    "an unknown scheme": (("Token abc",), 401, ""),
    "two tokens": (("Bearer a b",), 401, "invalid_token"),
    "a list": (("Bearer a.b.c, Bearer d.e.f",), 401, "invalid_token"),
    "not a token": (("Bearer x",), 401, "invalid_token"),
    "sent twice": (("Bearer a.b.c", "Bearer a.b.c"), 400, "invalid_request"),
    "two schemes": (("Basic YTpi", "Bearer a.b.c"), 400, "invalid_request"),
}


@pytest.mark.parametrize("name", CASES)
def test_headers(world: World, name: str) -> None:
    values, status, error = CASES[name]
    headers = [("Authorization", value) for value in values]
    built = world.client.build_request("GET", "/logistics/carriers/list", headers=headers)
    answer = world.client.send(built)
    assert answer.status_code == status, answer.text
    named = f', error="{error}"' if error else ""
    assert answer.headers["www-authenticate"] == f'Bearer realm="recordsmith"{named}, {METADATA}'
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_token_in_the_query_is_not_read(world: World) -> None:
    token = world.tokens["acme"]
    for path in ("/logistics/carriers/list", "/security/me"):
        alone = world.ask(f"GET {path}?access_token={token}", None)
        assert alone.status_code == 401
        assert alone.headers["www-authenticate"] == f'Bearer realm="recordsmith", {METADATA}'
        both = world.ask(f"GET {path}?access_token={token}")
        assert (both.status_code, both.json()["code"]) == (400, "request.unknown_parameter")
        assert token not in alone.text + both.text


def test_a_token_in_a_body_is_not_read(world: World) -> None:
    answer = world.ask("POST /logistics/carriers", None, data={"access_token": world.tokens["acme"]})
    assert answer.status_code == 401


def test_a_refusal_for_another_reason_has_no_challenge(world: World) -> None:
    answer = world.ask("GET /security/users", "acme-user")
    assert answer.status_code == 403
    assert "www-authenticate" not in answer.headers
