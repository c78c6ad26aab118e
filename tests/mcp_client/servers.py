"""A small MCP server, over each of the four transports. As a program: over its standard streams."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server import Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import SessionMessage
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

ADD = {
    "type": "object",
    "properties": {
        "a": {"type": "integer"},
        "b": {"type": "integer", "minimum": 0},
        "code": {"type": "string", "pattern": "^[a-z]+$"},
    },
    "required": ["a"],
    "additionalProperties": False,
}
EMPTY = {"type": "object"}
READING = types.ToolAnnotations(read_only_hint=True)


class Small:
    """The server, and what it was asked. ``is_broken``: it ends before it answers."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.pause = 0.0
        self.pages = 2
        self.refused: dict[str, int] = {}
        """Values of the header ``X-For``, and the status with which they are refused."""
        self.server = Server(
            "small",
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_list_resources=self._resources,
            on_read_resource=self._read,
        )

    async def _list(self, ctx: Any, params: Any) -> types.ListToolsResult:
        if params and params.cursor:
            more = types.Tool(name="later", description="On the second page.", input_schema=EMPTY)
            return types.ListToolsResult(tools=[more])
        tools = [
            types.Tool(name="add", description="Adds.", input_schema=ADD, annotations=READING),
            types.Tool(name="headers", description="Tells the headers.", input_schema=EMPTY),
            types.Tool(name="refuse", description="Reports an error.", input_schema=EMPTY),
            types.Tool(name="fault", description="Answers with an error of the protocol.", input_schema=EMPTY),
            types.Tool(name="wait", description="Takes its time.", input_schema=EMPTY),
            types.Tool(
                name="environment", description="Tells a variable.", input_schema=EMPTY, annotations=READING
            ),
            types.Tool(name="meta", description="Tells what came with the call.", input_schema=EMPTY),
            types.Tool(name="die", description="Ends the program.", input_schema=EMPTY),
            types.Tool(name="foreign", description="Has a schema that refers elsewhere.",
                       input_schema={"type": "object", "properties": {"x": {"$ref": "https://elsewhere.example/x"}}}),
        ]  # fmt: skip
        return types.ListToolsResult(tools=tools, next_cursor="2")

    async def _call(self, ctx: Any, params: Any) -> types.CallToolResult:
        self.calls.append(params.name)
        arguments = params.arguments or {}
        match params.name:
            case "add":
                return _structured({"sum": arguments["a"] + arguments.get("b", 0)})
            case "headers":
                request = ctx.request
                return _structured(dict(request.headers) if request is not None else {})
            case "refuse":
                return types.CallToolResult(
                    content=[types.TextContent(type="text", text="not today")], is_error=True
                )
            case "wait":
                await asyncio.sleep(self.pause)
                return _structured({"waited": self.pause})
            case "environment":
                return _structured({"SECRET": os.environ.get("SECRET"), "OTHER": os.environ.get("OTHER")})
            case "meta":
                return _structured(dict(params.meta or {}))
            case "die":
                os._exit(3)
        raise types_error()

    async def _resources(self, ctx: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource(uri="small://one", name="one")])

    async def _read(self, ctx: Any, params: Any) -> types.ReadResourceResult:
        text = types.TextResourceContents(uri=params.uri, text=f"this is {params.uri}")
        return types.ReadResourceResult(contents=[text])


def types_error() -> Exception:
    from mcp.shared.exceptions import MCPError

    return MCPError(-32055, "a secret of the server")


def _structured(value: dict[str, Any]) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=str(value))], structured_content=value
    )


@contextmanager
def run_http(small: Small, *, port: int = 0) -> Iterator[int]:
    """Serve ``/mcp`` and ``/sse`` from a thread; yield the port."""
    manager = StreamableHTTPSessionManager(app=small.server, json_response=True, stateless=True)
    sse = SseServerTransport("/messages/")

    class Guarded:
        def __init__(self, handle: ASGIApp) -> None:
            self.handle = handle

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            named = dict(scope["headers"]).get(b"x-for", b"").decode()
            if named in small.refused:
                await Response(status_code=small.refused[named])(scope, receive, send)
                return
            await self.handle(scope, receive, send)

    async def open_sse(request: Any) -> Response:
        async with sse.connect_sse(request.scope, request.receive, request._send) as (read, write):
            await small.server.run(read, write, small.server.create_initialization_options())
        return Response()

    @asynccontextmanager
    async def lifespan(_app: Any) -> Any:
        async with manager.run():
            yield

    app = Starlette(routes=[Route("/sse", open_sse)], lifespan=lifespan)
    app.router.routes.append(Route("/mcp", Guarded(manager.handle_request)))
    app.mount("/messages/", Guarded(sse.handle_post_message))
    listener = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(5)


@asynccontextmanager
async def run_websocket(small: Small) -> Any:
    """Serve a WebSocket in this loop; yield the port and the subprotocols and headers that came."""
    seen: list[dict[str, str]] = []

    async def handle(connection: ServerConnection) -> None:
        assert connection.request is not None
        seen.append({**connection.request.headers, "subprotocol": str(connection.subprotocol)})
        to_server, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, from_server = anyio.create_memory_object_stream[SessionMessage](0)

        async def send() -> None:
            async for message in from_server:
                await connection.send(message.message.model_dump_json(by_alias=True, exclude_unset=True))

        async with to_server, read, write, from_server, anyio.create_task_group() as tasks:
            tasks.start_soon(send)
            tasks.start_soon(small.server.run, read, write, small.server.create_initialization_options())
            try:
                async for frame in connection:
                    message = types.jsonrpc_message_adapter.validate_json(frame)
                    await to_server.send(SessionMessage(message))
            except ConnectionClosed:
                pass
            tasks.cancel_scope.cancel()

    async with serve(handle, "127.0.0.1", 0, subprotocols=["mcp"]) as server:  # type: ignore[list-item]
        yield server.sockets[0].getsockname()[1], seen


class Refusing:
    """A server that answers every request with ``status``, or closes the connection where that is None."""

    def __init__(self, status: int | None) -> None:
        self.status = status

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            if self.status is not None:
                head = f"HTTP/1.1 {self.status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                writer.write(head.encode())
                await writer.drain()
        writer.close()


@asynccontextmanager
async def run_refusing(refusing: Refusing) -> Any:
    """Serve it in this loop; yield the port."""
    async with await asyncio.start_server(refusing.answer, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def _run_program() -> None:
    small = Small()
    async with stdio_server() as (read, write):
        await small.server.run(read, write, small.server.create_initialization_options())


if __name__ == "__main__":
    sys.exit(asyncio.run(_run_program()))
