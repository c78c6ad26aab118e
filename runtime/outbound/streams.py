"""Connections of the event loop itself, for ``httpcore2``.

Its own streams go through AnyIO, which yields to the event loop and opens a scope of cancellation around each
message, and asks the system whether an idle connection has ended: half of what a request costs. Here the
loop reports what comes and how a connection ends, as it happens, and what is written in one turn of the loop,
the head and the body of a request, is sent as one.
"""

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any, Final

import httpcore2

_MOST_BUFFERED: Final = 64 * 1024


class _Incoming(asyncio.StreamReaderProtocol):
    """What has come over a connection. ``has_ended``: nothing more will."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__(reader)
        self.came = 0
        self.has_ended = False

    def data_received(self, data: bytes) -> None:
        self.came += len(data)
        super().data_received(data)

    def eof_received(self) -> bool | None:
        self.has_ended = True
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.has_ended = True
        super().connection_lost(exc)


class LoopStream(httpcore2.AsyncNetworkStream):
    """One connection. ``most``: the bytes that may be read after a write, with no bound by default.

    ``read_unbounded`` lifts the bound until the next write, for an answer that lasts.
    """

    def __init__(
        self,
        incoming: _Incoming,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        most: int | None = None,
    ) -> None:
        self._incoming, self._reader, self._writer = incoming, reader, writer
        self._unsent = bytearray()
        self._read = self._read_before = 0
        self._most = most
        self._is_bounded = True

    def read_unbounded(self) -> None:
        """Let the rest of this answer have any number of bytes."""
        self._is_bounded = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._is_bounded and self._most is not None:
            max_bytes = min(max_bytes, self._read_before + self._most - self._read)
            if max_bytes <= 0:
                raise httpcore2.ReadError("the answer is too long")
        self._send()
        try:
            async with asyncio.timeout(timeout):
                data = await self._reader.read(max_bytes)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout("nothing came in time") from error
        except OSError as error:
            raise httpcore2.ReadError(str(error)) from error
        self._read += len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer and not self._unsent:
            asyncio.get_running_loop().call_soon(self._send)
        self._unsent += buffer
        self._read_before, self._is_bounded = self._read, True
        if len(self._unsent) <= _MOST_BUFFERED:
            return
        self._send()
        try:
            async with asyncio.timeout(timeout):
                await self._writer.drain()
        except TimeoutError as error:
            raise httpcore2.WriteTimeout("nothing was taken in time") from error
        except OSError as error:
            raise httpcore2.WriteError(str(error)) from error

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, bytearray()
        if unsent and not self._writer.transport.is_closing():  # else the next read reports what has happened
            self._writer.write(unsent)

    async def aclose(self) -> None:
        """Close the connection at once: to flush would wait for an other side that reads nothing."""
        self._writer.transport.abort()
        await asyncio.sleep(0)  # in which the loop closes the socket

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except BaseException as error:
            self._writer.transport.abort()
            if isinstance(error, TimeoutError):
                raise httpcore2.ConnectTimeout("no TLS connection in time") from error
            if isinstance(error, OSError):
                raise httpcore2.ConnectError(str(error)) from error
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # asked of idle connections, over which nothing should come
            return self._incoming.has_ended or self._incoming.came != self._read
        return self._writer.get_extra_info(_NAMES.get(info, info))


_NAMES: Final = {"client_addr": "sockname", "server_addr": "peername"}
"""What ``httpcore2`` calls what the loop calls otherwise."""


class LoopBackend(httpcore2.AsyncNetworkBackend):
    """Opens such connections."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        loop, local = asyncio.get_running_loop(), None if local_address is None else (local_address, 0)
        reader = asyncio.StreamReader(_MOST_BUFFERED, loop)
        try:
            async with asyncio.timeout(timeout):
                transport, incoming = await loop.create_connection(
                    lambda: _Incoming(reader), host, port, local_addr=local
                )
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout("no connection in time") from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        for option in socket_options or ():
            transport.get_extra_info("socket").setsockopt(*option)
        writer = asyncio.StreamWriter(transport, incoming, reader, loop)
        return LoopStream(incoming, reader, writer, self._most)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
