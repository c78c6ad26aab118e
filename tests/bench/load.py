"""The load: keep-alive connections that each send the next request as soon as the last is answered.

Runs as a process of its own, so that the servers measured share no interpreter with it: a job as JSON on
standard input, the outcome as JSON on standard output. Sockets and one selector, nothing else; a request
costs it some 10 µs, so that it is not what is measured (``hello`` shows the ceiling).
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import cycle

READ_BYTES = 1 << 18
DRAIN_SECONDS = 10.0
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CLOSES = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)


@dataclass
class Outcome:
    """``answers`` within ``seconds``; any other than 2xx is ``bad``, the first of them is shown."""

    answers: int = 0
    bad: int = 0
    seconds: float = 0.0
    first_bad: str = ""


class Connection:
    """One connection; reconnects when the server closes, as some do after each answer."""

    def __init__(self, port: int, selector: selectors.BaseSelector) -> None:
        self.port = port
        self.selector = selector
        self.received = bytearray()
        self.missing = 0  # bytes of the body that are still to come; 0 while the head is
        self.closes = False
        self.connect()

    def connect(self) -> None:
        """A fresh connection, in the selector."""
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.selector.register(self.socket, selectors.EVENT_READ, self)

    def close(self) -> None:
        """Out of the selector, and gone."""
        self.selector.unregister(self.socket)
        self.socket.close()

    def send(self, request: bytes) -> None:
        """Start the next request."""
        if self.closes:
            self.close()
            self.connect()
            self.closes = False
        self.received.clear()
        self.missing = 0
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Take what has come; True when the answer is complete."""
        chunk = self.socket.recv(READ_BYTES)
        if not chunk:
            raise ConnectionError("the server closed the connection in mid-answer")
        self.received += chunk
        if self.missing:
            self.missing -= len(chunk)
            return self.missing <= 0
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(self.received[:end])
        length = LENGTH.search(head)
        if length is None:
            raise ConnectionError(f"an answer without a length: {head[:200]!r}")
        self.closes = CLOSES.search(head) is not None
        self.missing = int(length[1]) + end + 4 - len(self.received)
        return self.missing <= 0

    @property
    def is_good(self) -> bool:
        """Whether the answer says 2xx."""
        return self.received[9:10] == b"2"


def run(port: int, requests: list[bytes], connections: int, seconds: float) -> Outcome:
    """Load the server for ``seconds``; what is under way at the end is waited for, and not counted."""
    outcome = Outcome()
    following = cycle(requests)
    with selectors.DefaultSelector() as selector:
        pool = [Connection(port, selector) for _number in range(connections)]
        started = time.perf_counter()
        for connection in pool:
            connection.send(next(following))
        _until(started + seconds, selector, following, outcome)
        outcome.seconds = time.perf_counter() - started
        _drain(selector)
    return outcome


def _until(
    deadline: float, selector: selectors.BaseSelector, following: Iterator[bytes], outcome: Outcome
) -> None:
    """Answer by answer until the deadline."""
    while time.perf_counter() < deadline:
        for key, _events in selector.select(0.1):
            connection: Connection = key.data
            if not connection.receive():
                continue
            outcome.answers += 1
            if not connection.is_good:
                outcome.bad += 1
                outcome.first_bad = outcome.first_bad or bytes(connection.received[:600]).decode("latin-1")
            connection.send(next(following))


def _drain(selector: selectors.BaseSelector) -> None:
    """Wait for what is under way, so that the next to be measured has the machine for itself."""
    deadline = time.perf_counter() + DRAIN_SECONDS
    while selector.get_map() and time.perf_counter() < deadline:
        for key, _events in selector.select(0.1):
            if key.data.receive():
                key.data.close()


def main() -> None:
    """One job: ``{port, requests, connections, seconds}``."""
    job = json.load(sys.stdin)
    requests = [request.encode("latin-1") for request in job["requests"]]
    print(json.dumps(asdict(run(job["port"], requests, job["connections"], job["seconds"]))))


if __name__ == "__main__":
    main()
