"""Who may talk at the MCP door: tokens for it alone, pages of its own origin, and no more than scopes say."""

from __future__ import annotations

import time
from typing import Any

import jwt
import pytest

from runtime.settings import Settings
from tests.http.world import World
from tests.mcp_server.talking import MODERN, call_on_wire, send
from tests.narrowing import narrow_token
from tests.scenario import check_problem

METADATA = 'resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp"'
SCOPE = 'scope="records:read records:write"'
FIND = {"rootType": "Carrier"}


def with_token(world: World, token: str, tool: str = "query_find", **arguments: Any) -> Any:
    world.tokens["one of a test"] = token
    return call_on_wire(world, tool, FIND | arguments, "one of a test")


def mint(world: World, audience: tuple[str, ...]) -> str:
    """A token like that of a login, for other resources."""
    service = world.app.state.service
    claims = jwt.decode(world.tokens["acme"], options={"verify_signature": False})
    find = service.provider.own.credentials.find_standing
    assert world.client.portal is not None
    standing = world.client.portal.call(find, claims["realm"], claims["sub"])
    minted: str = service.tokens.mint_access(
        standing.identity, epoch=standing.epoch, session=claims["sid"], audience=audience
    )
    return minted


def test_without_a_token_a_client_learns_where_to_get_one(world: World) -> None:
    answer = call_on_wire(world, "query_find", FIND, None)
    check_problem(401, answer.headers, answer.json())
    assert answer.headers["www-authenticate"] == f'Bearer realm="recordsmith", {SCOPE}, {METADATA}'
    metadata = world.ask("GET /.well-known/oauth-protected-resource/mcp", None).json()
    assert metadata["resource"] == "http://127.0.0.1:8080/mcp"
    assert metadata["scopes_supported"] == ["records:read", "records:write"]


def test_a_bad_token_is_named_so(world: World) -> None:
    answer = with_token(world, "nonsense")
    check_problem(401, answer.headers, answer.json())
    expected = f'Bearer realm="recordsmith", error="invalid_token", {SCOPE}, {METADATA}'
    assert answer.headers["www-authenticate"] == expected


def test_a_token_that_is_sent_twice_is_refused(world: World) -> None:
    header = ("Authorization", f"Bearer {world.tokens['acme']}")
    for path in ("/mcp", "/mcp/sse"):
        built = world.client.build_request("GET", path, headers=[header, header])
        answer = world.client.send(built)
        check_problem(400, answer.headers, answer.json())
        expected = f'Bearer realm="recordsmith", error="invalid_request", {METADATA}'
        assert answer.headers["www-authenticate"] == expected


def test_a_token_in_the_query_is_not_read(world: World) -> None:
    query = f"access_token={world.tokens['acme']}"
    for request in "GET /mcp/sse?", "POST /mcp/messages/?session_id=x&":
        alone, both = world.ask(request + query, None), world.ask(request + query)
        assert (alone.status_code, both.status_code) == (401, 400)
        assert both.json()["code"] == "request.unknown_parameter"
        assert world.tokens["acme"] not in alone.text + both.text
    assert world.ask(f"POST /mcp?{query}", None).status_code == 401
    refused = world.ask(f"POST /mcp?{query}").json()["error"]
    text = "unknown parameter access_token: this path takes no query parameters"
    assert refused == {"code": -32600, "message": text}  # clients of MCP show no problem body
    unreadable = world.ask("POST /mcp?%ff").json()["error"]
    assert (unreadable["code"], "not percent-encoded" in unreadable["message"]) == (-32600, True)


AUDIENCES = [
    (("http://127.0.0.1:8080/mcp",), 200, 401),
    (("http://127.0.0.1:8080", "http://127.0.0.1:8080/mcp"), 200, 200),
    (("http://127.0.0.1:8080",), 401, 200),
    (("http://127.0.0.1:8080/mcp/",), 401, 401),
    (("http://127.0.0.1:8080/MCP",), 401, 401),
    (("http://127.0.0.1:8080/mcp2",), 401, 401),
    (("https://mcp.elsewhere.example/mcp",), 401, 401),
]


@pytest.mark.parametrize(("audience", "here", "at_the_api"), AUDIENCES, ids=lambda value: str(value)[:60])
def test_a_token_opens_the_doors_that_it_names(
    world: World, audience: tuple[str, ...], here: int, at_the_api: int
) -> None:
    token = mint(world, audience)
    assert with_token(world, token).status_code == here
    answer = world.ask("GET /logistics/carriers/list", "one of a test")
    assert answer.status_code == at_the_api


def test_a_token_for_this_door_opens_no_other_realm(world: World) -> None:
    answer = with_token(world, mint(world, ("http://127.0.0.1:8080/mcp",)), realm="elsewhere")
    assert answer.json()["result"]["isError"] is True
    assert answer.json()["result"]["structuredContent"]["code"] == "access.denied"


@pytest.mark.parametrize("version", [MODERN, "2025-11-25", "2024-11-05"])
def test_a_missing_scope_is_403_with_the_scope(world: World, version: str) -> None:
    world.tokens["one of a test"] = narrow_token(world, "acme", "logistics:read")
    arguments = {"rootType": "Carrier", "entity": {"name": "Narrow", "mode": "AIR"}}
    before = world.snapshot()
    answer = call_on_wire(world, "query_save", arguments, "one of a test", version)
    assert answer.status_code == 403, answer.text
    challenge = answer.headers["www-authenticate"]
    assert challenge == (
        f'Bearer realm="recordsmith", error="insufficient_scope", scope="logistics:write", {METADATA}'
    )
    assert answer.json()["result"]["isError"] is True
    assert world.snapshot() == before
    assert call_on_wire(world, "query_find", FIND, "one of a test", version).status_code == 200


@pytest.mark.parametrize(
    ("registered", "named"),
    [
        (["records:read", "records:write"], "records:write"),
        (["records:read", "records:write", "logistics:write"], "logistics:write"),
    ],
)
def test_the_scope_named_is_one_that_the_client_gets(world: World, registered: list[str], named: str) -> None:
    """A client that registers itself has the scopes of every area, and would be refused that of one."""
    token = narrow_token(
        world, "acme", "records:read", client=f"steps-up-{named.replace(':', '-')}", registered=registered
    )
    world.tokens["one of a test"] = token
    arguments = {"rootType": "Carrier", "entity": {"name": "Narrow", "mode": "AIR"}}
    answer = call_on_wire(world, "query_save", arguments, "one of a test", MODERN)
    assert (answer.status_code, answer.json()["result"]["structuredContent"]["scope"]) == (403, named)
    assert f'scope="{named}"' in answer.headers["www-authenticate"]
    assert "lacks" in answer.json()["result"]["structuredContent"]["advice"]


def test_what_rules_refuse_is_a_result(world: World) -> None:
    answer = call_on_wire(world, "query_find", FIND, "acme-nobody")
    assert answer.status_code == 200
    assert "www-authenticate" not in answer.headers
    problem = answer.json()["result"]["structuredContent"]
    assert (problem["code"], problem["status"]) == ("access.denied", 403)
    explained = world.ask(f"GET /security/permission/decision/{problem['decisionId']}", "acme")
    assert explained.status_code == 200, explained.text


def test_the_caller_may_act_as_others_and_name_its_realm(world: World) -> None:
    for headers in ({"X-Realm": "elsewhere"}, {"X-Impersonate-UserId": "user@acme.example"}):
        answer = send(world, "tools/list", headers=headers)
        check_problem(403, answer.headers, answer.json())
    answer = send(world, "tools/list", headers={"X-Agent": "x" * 500})
    check_problem(400, answer.headers, answer.json())


ORIGINS = [
    ("http://127.0.0.1:8080", 200),
    ("HTTP://127.0.0.1:8080", 200),
    ("https://127.0.0.1:8080", 403),
    ("http://127.0.0.1:8081", 403),
    ("http://127.0.0.1:8080.evil.example", 403),
    ("http://evil.example", 403),
    ("null", 403),
    ("", 403),
]


@pytest.mark.parametrize(("origin", "status"), ORIGINS)
def test_pages_of_other_origins_are_refused(world: World, origin: str, status: int) -> None:
    answer = send(world, "tools/list", headers={"Origin": origin})
    assert answer.status_code == status, answer.text
    if status == 403:
        check_problem(403, answer.headers, answer.json())
        assert send(world, "tools/list", caller=None, headers={"Origin": origin}).status_code == 403


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE"])
def test_messages_are_posted(world: World, method: str) -> None:
    headers = {"Accept": "text/event-stream"}
    answer = world.ask(f"{method} /mcp", headers=headers)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    answer = world.ask(f"{method} /mcp", None, headers=headers)
    assert answer.status_code == 401
    assert "/.well-known/oauth-protected-resource/mcp" in answer.headers["www-authenticate"]


def test_a_revoked_session_ends_here_too(world: World) -> None:
    signed_in = world.ask(
        "POST /security/login",
        None,
        json={"userId": "user@acme.example", "password": "correct horse battery"},
    ).json()
    world.tokens["one of a test"] = signed_in["accessToken"]
    assert call_on_wire(world, "query_find", FIND, "one of a test").status_code == 200
    out = world.ask(
        "POST /security/logout", "one of a test", json={"refreshToken": signed_in["refreshToken"]}
    )
    assert out.status_code == 204
    deadline = time.monotonic() + 5
    while call_on_wire(world, "query_find", FIND, "one of a test").status_code != 401:
        assert time.monotonic() < deadline


def test_settings_have_safe_defaults() -> None:
    settings = Settings()
    assert (settings.mcp_traffic_logging, settings.mcp_read_only) == ("NONE", False)
    assert settings.mcp_max_answer_bytes == 102_400
