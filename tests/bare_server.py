"""An application on a real socket, spoken to by ``runtime.cli.protocol``, and a caller that sends bytes as they are."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from runtime.cli.bounds import Bounds
from runtime.cli.protocol import Protocol
from runtime.cli.server import Server

Address = tuple[str, int]


@dataclass(frozen=True)
class Received:
    """One answer."""

    status: int
    headers: dict[str, str]
    body: bytes
    phrase: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Caller:
    """A connection. Answers are read one at a time; what came too early stays for the next."""

    def __init__(self, address: Address) -> None:
        self.socket = socket.create_connection(address, timeout=10)
        self._received = b""

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_error: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self) -> Received:
        """The next answer; its length must be declared, by itself or by chunks."""
        head, _, rest = self._until(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = [line.partition(":") for line in lines]
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        assert len(headers) == len(pairs), f"a header came twice: {lines}"
        _version, number, phrase = first.split(" ", 2)
        status = int(number)
        if headers.get("transfer-encoding") == "chunked":
            body, _, self._received = self._until(b"0\r\n\r\n")
            return Received(status, headers, body, phrase)
        length = int(headers.get("content-length", 0))
        while len(rest) < length:
            rest += self._more()
        self._received = rest[length:]
        return Received(status, headers, rest[:length], phrase)

    def is_at_end(self) -> bool:
        """Whether the server has closed, and has sent nothing more; waits until one of the two is known."""
        if self._received:
            return False
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _until(self, mark: bytes) -> tuple[bytes, bytes, bytes]:
        while mark not in self._received:
            self._received += self._more()
        return self._received.partition(mark)

    def _more(self) -> bytes:
        more = self.socket.recv(65536)
        assert more, f"the connection ended after {self._received[-200:]!r}"
        return more


@contextmanager
def bare_server(
    app: Any, bounds: Bounds, idle_seconds: float = 10, *, listens_on_ipv6: bool = False
) -> Iterator[Address]:
    """The address of ``app``, served within ``bounds`` by a thread of this process.

    ``listens_on_ipv6``: its socket is one of IPv6, which takes connections of IPv4 too.
    """

    class Bounded(Protocol):
        pass

    Bounded.bounds = bounds
    config = uvicorn.Config(
        app, http=Bounded, ws="none", lifespan="off", log_config=None, access_log=False, server_header=False,
        proxy_headers=False, timeout_keep_alive=idle_seconds, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = Server(config)
    family, host = (socket.AF_INET6, "::") if listens_on_ipv6 else (socket.AF_INET, "127.0.0.1")
    with socket.create_server(
        (host, 0), family=family, backlog=256, dualstack_ipv6=listens_on_ipv6
    ) as listener:
        address = ("127.0.0.1", listener.getsockname()[1])
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join()
