"""The table of forged tokens at the MCP door: each is refused as at the routes, before a message is read."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from runtime.tokens import Tokens
from tests.http.world import World
from tests.scenario import check_problem
from tests.security.forging import BASE, FORGED, SESSIONS, STRIPPED_BY_HTTP, Case, Forge

HERE = "aud of the MCP door only"
"""The one that is good here."""

CASES: dict[str, Case] = {
    **{name: case for name, case in (FORGED | SESSIONS).items() if name not in {*STRIPPED_BY_HTTP, HERE}},
    "aud of the service only": lambda forge: forge.with_claims(aud=[BASE]),
    "aud of the MCP door with a slash": lambda forge: forge.with_claims(aud=[BASE + "/mcp/"]),
    "aud below the MCP door": lambda forge: forge.with_claims(aud=[BASE + "/mcp/sse"]),
    "aud of an MCP server elsewhere": lambda forge: forge.with_claims(aud=["https://other.example/mcp"]),
}
BODY = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}})


@pytest.fixture(scope="module")
def forge(world: World) -> Forge:
    tokens: Tokens = world.app.state.service.tokens
    return Forge(tokens.ring.keys, tokens, world.tokens["acme"])


def answer_to(world: World, token: str) -> tuple[int, dict[str, str], Any]:
    headers = [
        (b"authorization", b"Bearer " + token.encode("utf-8", "surrogatepass")),
        (b"content-type", b"application/json"), (b"accept", b"application/json"),
        (b"mcp-protocol-version", b"2025-11-25"),
    ]  # fmt: skip
    return world.ask_raw("POST", "/mcp", headers=headers, body=BODY)


def test_the_unforged_token_is_accepted(world: World, forge: Forge) -> None:
    for token in (forge.good, forge.with_header(), forge.with_claims(), FORGED[HERE](forge)):
        assert answer_to(world, token)[0] == 200


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_forged_token_is_refused(world: World, forge: Forge, case: Case) -> None:
    token = case(forge)
    status, headers, body = answer_to(world, token)
    assert status == 401, body
    check_problem(401, headers, body)
    assert headers["www-authenticate"].endswith(
        f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'
    )
    assert token[:40] not in str(body) or len(token) < 20
