"""All MCP servers elsewhere that the settings name, and what may be asked of them."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar

from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
)

from runtime.aside import run_long
from runtime.call import Call
from runtime.errors import NotFound, RemoteFailed
from runtime.mcp_client.answers import RemoteAnswer, RemoteTool, read_answer, read_tool, show_all
from runtime.mcp_client.bounded import MOST_BYTES
from runtime.mcp_client.breaker import Breaker
from runtime.mcp_client.connection import Connection
from runtime.mcp_client.headers import build_headers, depend_on_caller
from runtime.mcp_client.options import ClientOptions, read_options
from runtime.mcp_client.transports import Reach, open_client
from runtime.model.nearest import hint
from runtime.model.tool import DEPTH
from runtime.settings import Settings

T = TypeVar("T")

LIST_RESOURCES: Final = "list_resources"
GET_RESOURCE: Final = "get_resource"

_MOST_PAGES: Final = 50
_TOOLS_SECONDS: Final = 60.0
_RESOURCE_TOOLS: Final = (
    RemoteTool(LIST_RESOURCES, "List the resources of the server.", {"type": "object"}, is_safe=True),
    RemoteTool(
        GET_RESOURCE,
        "Read a resource of the server.",
        {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]},
        is_safe=True,
    ),
)


class McpClients:
    """The clients of one process. ``exposes_resources``: resources are offered as two more tools."""

    def __init__(
        self,
        options: Mapping[str, ClientOptions],
        *,
        exposes_resources: bool = False,
        reach: Reach | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options = options
        self._exposes_resources = exposes_resources
        self._reach = reach or Reach()
        self._clock = clock
        self._shared: dict[str, Connection] = {}
        self._breakers: dict[str, Breaker] = {}
        self._tools: dict[str, tuple[float, Mapping[str, RemoteTool]]] = {}

    async def list_tools(self, name: str, call: Call | None = None) -> list[RemoteTool]:
        """List what a server offers. Raises ``NotFound``, ``RemoteFailed`` and ``RemoteUnavailable``."""
        return list((await self._find_tools(self._find(name), call)).values())

    async def call_tool(
        self, name: str, tool: str, arguments: Mapping[str, Any], call: Call | None = None
    ) -> RemoteAnswer:
        """Call a tool of a server, with arguments that fit the schema it publishes.

        Raises ``NotFound``, ``ValidationFailed``, ``RemoteFailed``, ``RemoteUnavailable``.
        """
        options = self._find(name)
        known = await self._find_tools(options, call)
        if tool not in known:
            raise NotFound(f"the MCP server {name} has no tool {tool[:100]}{hint(tool, known)}")
        found = known[tool]
        await run_long(partial(_check_arguments, found, arguments))
        depth = 1 if call is None else call.depth + 1
        work = partial(_call_once, found, dict(arguments), depth, self._exposes_resources)
        answer = await self._run(options, call, work, may_repeat=found.is_safe)
        await run_long(partial(_check_answer, found, answer))
        return answer

    async def close(self) -> None:
        while self._shared:
            _name, connection = self._shared.popitem()
            await connection.close()

    def _find(self, name: str) -> ClientOptions:
        if name not in self._options:
            raise NotFound(f"no MCP server {name[:100]} is set up{hint(name, self._options)}")
        return self._options[name]

    async def _find_tools(self, options: ClientOptions, call: Call | None) -> Mapping[str, RemoteTool]:
        """Find the tools of a server; those that all callers see are believed for a minute."""
        is_own = call is not None and depend_on_caller(options, call)
        known = self._tools.get(options.name)
        if known and not is_own and self._clock() < known[0]:
            return known[1]
        tools = {tool.name: tool for tool in await self._run(options, call, _list_tools, may_repeat=True)}
        if self._exposes_resources:
            tools |= {tool.name: tool for tool in _RESOURCE_TOOLS if tool.name not in tools}
        if not is_own:
            self._tools[options.name] = (self._clock() + _TOOLS_SECONDS, tools)
        return tools

    async def _run(
        self,
        options: ClientOptions,
        call: Call | None,
        work: Callable[[Client], Awaitable[T]],
        *,
        may_repeat: bool,
    ) -> T:
        try:
            if call is None or not depend_on_caller(options, call):
                return await self._share(options).run(work, may_repeat=may_repeat)
            own = self._build(options, await build_headers(options, call))
            try:
                return await own.run(work)
            finally:
                await own.close()
        except MCPError as error:
            message = f"the MCP server {options.name} refused the request with the code {error.code}"
            raise RemoteFailed(message, cause=error) from None

    def _share(self, options: ClientOptions) -> Connection:
        """Return the connection of all callers, which has nothing of any of them."""
        if options.name not in self._shared:
            self._shared[options.name] = self._build(options, {})
        return self._shared[options.name]

    def _build(self, options: ClientOptions, headers: Mapping[str, str]) -> Connection:
        opener = partial(open_client, options, headers, self._reach)
        breaker = self._breakers.setdefault(options.name, Breaker())
        return Connection(options.name, opener, options.seconds, breaker, self._clock)


async def _list_tools(client: Client) -> list[RemoteTool]:
    found: list[RemoteTool] = []
    cursor: str | None = None
    size = 0
    for _page in range(_MOST_PAGES):
        result = await client.list_tools(cursor=cursor)
        found += map(read_tool, result.tools)
        size += sum(len(tool.model_dump_json()) for tool in result.tools)
        if size > MOST_BYTES:
            raise RemoteFailed(f"the MCP server lists tools of more than {MOST_BYTES} bytes")
        cursor = result.next_cursor
        if cursor is None:
            return found
    raise RemoteFailed(f"the MCP server lists its tools on more than {_MOST_PAGES} pages")


def _check_arguments(tool: RemoteTool, arguments: Mapping[str, Any]) -> None:
    # Imported with the first call: its library builds grammars, up to a third of the start of a process.
    from runtime.mcp_client.arguments import check_arguments

    check_arguments(tool, arguments)


def _check_answer(tool: RemoteTool, answer: RemoteAnswer) -> None:
    from runtime.mcp_client.arguments import check_answer

    check_answer(tool, answer)


async def _call_once(
    tool: RemoteTool, arguments: dict[str, Any], depth: int, exposes_resources: bool, client: Client
) -> RemoteAnswer:
    if exposes_resources and tool is _RESOURCE_TOOLS[0]:
        return RemoteAnswer({"resources": show_all((await client.list_resources()).resources)})
    if exposes_resources and tool is _RESOURCE_TOOLS[1]:
        found = await client.read_resource(arguments["uri"])
        return RemoteAnswer({"contents": show_all(found.contents)})
    said = {"name": tool.name, "arguments": arguments, "_meta": {DEPTH: depth}}
    params = CallToolRequestParams.model_validate(said)
    try:
        return await _send(client, params)
    except MCPError as error:
        if error.code != HEADER_MISMATCH:
            raise
    await _list_tools(client)  # on this connection: it says which headers the call needs
    return await _send(client, params)


async def _send(client: Client, params: CallToolRequestParams) -> RemoteAnswer:
    """Call a tool without the SDK's check of the answer: its patterns take any time, and hold the loop."""
    request = CallToolRequest(params=params)
    return read_answer(await client.session.send_request(request, CallToolResult))


@asynccontextmanager
async def open_clients_of_servers(settings: Settings) -> AsyncIterator[McpClients]:
    """Offer the servers that the settings name during the block; each is connected to when it is used.

    Raises ``Misconfigured``.
    """
    clients = McpClients(read_options(settings.mcp_client), exposes_resources=settings.mcp_exposes_resources)
    try:
        yield clients
    finally:
        await clients.close()
