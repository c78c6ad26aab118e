"""How an MCP server is reached: by HTTP, by a WebSocket, or as a program that is started."""

import ssl
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client import Transport
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from runtime.mcp_client.bounded import MOST_BYTES, BoundedTransport
from runtime.mcp_client.options import ClientOptions
from runtime.mcp_client.refusals import record_status
from runtime.mcp_client.signing_in import build_auth
from runtime.mcp_client.websocket import open_websocket
from runtime.outbound import Resolve, find_address, resolve

_NAME: Final = Implementation(name="recordsmith", version="1")
_PORTS: Final = {"https": 443, "wss": 443, "http": 80, "ws": 80}


class Reach:
    """What connections are made with; ``lookup`` and ``trust`` differ in tests only."""

    def __init__(self, lookup: Resolve = resolve, trust: ssl.SSLContext | None = None) -> None:
        self._lookup = lookup
        self.trust = trust

    async def choose(self, options: ClientOptions, host: str, port: int) -> str:
        """Choose the address to connect to. Raises ``OSError``."""
        return await find_address(host, port, self._lookup, allows_private=options.allows_private)


@asynccontextmanager
async def open_client(
    options: ClientOptions, headers: Mapping[str, str], reach: Reach
) -> AsyncGenerator[Client]:
    """Connect, and negotiate the version of the protocol. ``headers``: in addition to the static ones.

    Raises whatever a transport does; nothing of it is for callers.
    """
    async with AsyncExitStack() as stack:
        opened = _OPEN[options.transport](options, {**options.headers, **headers}, reach, stack)
        client = Client(await opened, read_timeout_seconds=options.seconds, client_info=_NAME, cache=None)
        yield await stack.enter_async_context(client)


async def _open_streamable(
    options: ClientOptions, headers: Mapping[str, str], reach: Reach, stack: AsyncExitStack
) -> Transport:
    http = await stack.enter_async_context(_build_http(options, reach, dict(headers), build_auth(options)))
    return streamable_http_client(options.url, http_client=http, max_sse_event_size=MOST_BYTES)


async def _open_sse(
    options: ClientOptions, headers: Mapping[str, str], reach: Reach, _stack: AsyncExitStack
) -> Transport:
    def build(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return _build_http(options, reach, headers or {}, auth, timeout)

    return sse_client(
        options.url,
        dict(headers),
        timeout=options.seconds,
        httpx_client_factory=build,
        auth=build_auth(options),
    )


async def _open_websocket(
    options: ClientOptions, headers: Mapping[str, str], reach: Reach, _stack: AsyncExitStack
) -> Transport:
    record_status(None)
    parts = urlsplit(options.url)
    address = await reach.choose(options, parts.hostname or "", parts.port or _PORTS[parts.scheme])
    return open_websocket(options.url, address, headers, options.seconds)


async def _open_program(
    options: ClientOptions, _headers: Mapping[str, str], _reach: Reach, _stack: AsyncExitStack
) -> Transport:
    command, *arguments = options.command
    parameters = StdioServerParameters(command=command, args=arguments, env=dict(options.environment))
    return stdio_client(parameters, errlog=sys.__stderr__ or sys.stderr)  # a program needs a real file


def _build_http(
    options: ClientOptions,
    reach: Reach,
    headers: dict[str, str],
    auth: httpx2.Auth | None,
    timeout: httpx2.Timeout | None = None,
) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        headers=headers,
        auth=auth,
        # A call ends by its own clock, and says so, before its answer is given up here.
        timeout=timeout or httpx2.Timeout(options.seconds, read=2 * options.seconds),
        transport=BoundedTransport(partial(reach.choose, options), reach.trust),
        trust_env=False,
        event_hooks={"request": [_record_request], "response": [_record_response]},
    )


async def _record_request(_request: httpx2.Request) -> None:
    record_status(None)


async def _record_response(response: httpx2.Response) -> None:
    record_status(response.status_code)


_Open: TypeAlias = Callable[[ClientOptions, Mapping[str, str], Reach, AsyncExitStack], Awaitable[Transport]]

_OPEN: Final[Mapping[str, _Open]] = {
    "streamable-http": _open_streamable,
    "http": _open_sse,
    "websocket": _open_websocket,
    "stdio": _open_program,
}
