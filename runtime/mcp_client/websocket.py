"""MCP over a WebSocket, which the SDK no longer has: a JSON-RPC message is a text frame."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from runtime.mcp_client.refusals import record_status

MOST_BYTES = 8 * 2**20
"""Of one message."""


@asynccontextmanager
async def open_websocket(
    url: str, address: str, headers: Mapping[str, str], seconds: float
) -> AsyncGenerator[TransportStreams]:
    """Connect to ``address``, as the host of ``url``; yield what the SDK reads and writes.

    Raises ``OSError`` and the errors of ``websockets`` where no connection comes about.
    """
    received, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, to_send = anyio.create_memory_object_stream[SessionMessage](0)
    connection = connect(
        url,
        host=address,
        subprotocols=[Subprotocol("mcp")],
        additional_headers=dict(headers),
        open_timeout=seconds,
        close_timeout=1,
        max_size=MOST_BYTES,
        proxy=None,
        process_exception=_give_up,
    )
    async with (
        received,
        read_stream,
        write_stream,
        to_send,
        _connect(connection) as socket,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(_receive, socket, received)
        tasks.start_soon(_send, socket, to_send)
        yield read_stream, write_stream
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def _connect(connection: connect) -> AsyncGenerator[ClientConnection]:
    try:
        socket = await connection
    except InvalidStatus as error:
        record_status(error.response.status_code)
        raise
    async with socket:
        yield socket


async def _receive(
    socket: ClientConnection, received: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    async with received:  # its end tells the SDK that the connection was lost
        with suppress(ConnectionClosed, anyio.BrokenResourceError):
            async for frame in socket:
                await received.send(_read(frame))


async def _send(socket: ClientConnection, to_send: MemoryObjectReceiveStream[SessionMessage]) -> None:
    with suppress(ConnectionClosed):
        async for message in to_send:
            await socket.send(message.message.model_dump_json(by_alias=True, exclude_unset=True))


def _read(frame: str | bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(frame, by_name=False))
    except ValidationError as error:
        return error


def _give_up(error: Exception) -> Exception:
    """Raise every error: connecting again is up to ``Connection``."""
    return error
