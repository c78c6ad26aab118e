"""Servers that lie and flood: callers learn that the server failed, and this service goes on."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.errors import RemoteFailed
from runtime.mcp_client import ClientOptions
from runtime.mcp_client.answers import RemoteAnswer
from runtime.mcp_client.bounded import MOST_BYTES
from runtime.mcp_client.clients import McpClients
from tests.mcp_client.hostile import Hostile, serve_hostile

SLOW = {"type": "object", "properties": {"x": {"pattern": "^(a+)+$"}}}
"""A pattern that takes Python's engine twice as long for each character more."""

BOMB = gzip.compress(b'{"content": []' + b" " * (MOST_BYTES * 2) + b"}")


@pytest.fixture(scope="module")
def hostile() -> Hostile:
    return Hostile()


@pytest.fixture(scope="module")
def address(hostile: Hostile) -> Iterator[str]:
    with serve_hostile(hostile) as found:
        yield found


def call(address: str) -> RemoteAnswer:
    """Call the tool by clients of its own."""

    async def run() -> RemoteAnswer:
        options = ClientOptions("hostile", "streamable-http", address, allows_private=True)
        clients = McpClients({"hostile": options})
        try:
            return await clients.call_tool("hostile", "tool", {})
        finally:
            await clients.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("behavior", "content"),
    [
        ({"result": b'{"content": [], "structuredContent": {"x": 1}}', "answers": {"type": "object"}}, {"x": 1}),
        ({"result": b'{"content": [], "structuredContent": {"x": 1}}'}, {"x": 1}),
        ({"result": b'{"content": []}', "repeated": 4}, {"content": []}),
        ({"result": b'{"content": [], "isError": true}', "answers": SLOW}, {"content": []}),
        ({"result": b'{"content": [], "structuredContent": {"x": 1}}',
          "answers": {"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/x"}}}}, {"x": 1}),
    ],
    ids=["an answer that fits", "an answer of no schema", "a large one", "an error has no schema", "a schema elsewhere"],
)  # fmt: skip
def test_what_is_as_it_should_be_is_passed_on(
    behavior: dict[str, Any], content: Any, hostile: Hostile, address: str
) -> None:
    hostile.become(**behavior)
    assert call(address).content == content
    assert set(hostile.accepted) == {"identity"}


@pytest.mark.parametrize(
    "said",
    [
        {"result": b'{"content": [], "structuredContent": {"x": "' + b"a" * 64 + b'!"}}', "answers": SLOW},
        {"result": b'{"content": []}', "answers": SLOW},
        {"result": b'{"content": [], "structuredContent": {"x": 12345678901234567890123}}'},
        {"result": b'{"content": []}', "repeated": MOST_BYTES // 2**20 + 1},
        {"result": b'{"content": []}', "repeated": MOST_BYTES // 2**20 + 1,
         "headers": {"content-type": "application/json; x=text/event-stream"}},
        {"result": BOMB, "headers": {"content-encoding": "gzip"}},
    ],
    ids=["a pattern that takes any time", "no structured content", "a number that is too long", "a flood",
         "a flood that names events", "a compressed flood"],
)  # fmt: skip
def test_what_is_not_is_the_failure_of_the_server(
    said: dict[str, Any], hostile: Hostile, address: str
) -> None:
    hostile.become(**said)
    with pytest.raises(RemoteFailed):
        call(address)


def test_a_list_without_end_is_not_read_to_its_end(hostile: Hostile, address: str) -> None:
    hostile.become(description="x" * (MOST_BYTES // 4), cursor="more")
    with pytest.raises(RemoteFailed):
        call(address)
    assert hostile.listed <= 5
