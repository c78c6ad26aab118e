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
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import cycle
from typing import Any

READ_BYTES = 1 << 18
DRAIN_SECONDS = 10.0
PARTS = (("median", 0.5), ("p99", 0.99))
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CLOSES = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)


@dataclass
class Outcome:
    """``answers`` within ``seconds``; any other than 2xx is ``bad``, the first of them is shown.

    ``millis``: how long requests took, as a median and as the 99th percentile. ``values``: what the chains
    of a next run begin with.
    """

    answers: int = 0
    bad: int = 0
    seconds: float = 0.0
    first_bad: str = ""
    millis: dict[str, float] = field(default_factory=dict)
    values: list[str] = field(default_factory=list)


class Connection:
    """One connection; reconnects when the server closes, as some do after each answer."""

    def __init__(self, port: int, selector: selectors.BaseSelector, value: str = "") -> None:
        self.port = port
        self.value = value  # what the next request of a chain needs
        self.sent_at = 0.0
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
        self.sent_at = time.perf_counter()
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


Following = Callable[[Connection], bytes]


@dataclass(frozen=True)
class Chain:
    """A request that needs a member of the JSON that its connection got last, such as the next refresh token.

    ``head`` without a length and ``body`` have ``{value}`` for it; ``values`` are the first ones.
    """

    head: str
    body: str
    member: str
    values: list[str]

    def following(self, connection: Connection) -> bytes:
        """The next request of a connection."""
        found = re.search(rb'"%s":"([^"]+)"' % self.member.encode(), connection.received)
        if found:
            connection.value = found[1].decode()
        body = self.body.replace("{value}", connection.value)
        return f"{self.head}Content-Length: {len(body)}\r\n\r\n{body}".encode("latin-1")


def run(port: int, following: Following, values: list[str], seconds: float) -> Outcome:
    """Load the server for ``seconds``, by a connection for each value; what is under way at the end is waited
    for, and not counted."""
    outcome = Outcome()
    with selectors.DefaultSelector() as selector:
        pool = [Connection(port, selector, value) for value in values]
        started = time.perf_counter()
        for connection in pool:
            connection.send(following(connection))
        _until(started + seconds, selector, following, outcome)
        outcome.seconds = time.perf_counter() - started
        _drain(selector)
    for connection in pool:
        following(connection)  # takes the value of its last answer
    outcome.values = [connection.value for connection in pool]
    return outcome


def _until(deadline: float, selector: selectors.BaseSelector, following: Following, outcome: Outcome) -> None:
    """Answer by answer until the deadline."""
    took: list[float] = []
    while time.perf_counter() < deadline:
        for key, _events in selector.select(0.1):
            connection: Connection = key.data
            if not connection.receive():
                continue
            took.append(time.perf_counter() - connection.sent_at)
            if not connection.is_good:
                outcome.bad += 1
                outcome.first_bad = outcome.first_bad or bytes(connection.received[:600]).decode("latin-1")
            connection.send(following(connection))
    outcome.answers = len(took)
    took.sort()
    outcome.millis = {name: took[int(part * len(took))] * 1000 for name, part in PARTS if took}


def _drain(selector: selectors.BaseSelector) -> None:
    """Wait for what is under way, so that the next to be measured has the machine for itself."""
    deadline = time.perf_counter() + DRAIN_SECONDS
    while selector.get_map() and time.perf_counter() < deadline:
        for key, _events in selector.select(0.1):
            if key.data.receive():
                key.data.close()


def main() -> None:
    """One job: ``{port, seconds, requests, connections}``, or ``{port, seconds, chain}``."""
    job = json.load(sys.stdin)
    following, values = _work(job)
    print(json.dumps(asdict(run(job["port"], following, values, job["seconds"]))))


def _work(job: dict[str, Any]) -> tuple[Following, list[str]]:
    if "chain" in job:
        chain = Chain(**job["chain"])
        return chain.following, chain.values
    requests = cycle([request.encode("latin-1") for request in job["requests"]])
    return lambda _connection: next(requests), [""] * job["connections"]


if __name__ == "__main__":
    main()
