"""A receiver of notifications: what came, and a plain verifier of Standard Webhooks, independent of ours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str]]


@dataclass(frozen=True)
class Received:
    """One request as it came. ``at``: on the monotonic clock; ``date``: the same as a timestamp."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float
    date: float = field(default_factory=time.time)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def said(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """Answers 204, unless ``answer`` says something else."""

    address: str
    came: list[Received] = field(default_factory=list)
    answer: Callable[[Received], Answer] = field(default=lambda _one: (204, {}))

    def await_all(self, number: int, seconds: float = 10.0, path: str | None = None) -> list[Received]:
        """So many requests; fails when they do not come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if len(found := self.at(path)) >= number:
                return found
            time.sleep(0.01)
        raise AssertionError(f"{len(self.at(path))} of {number} notifications came")

    def at(self, path: str | None = None) -> list[Received]:
        return [one for one in list(self.came) if path in (None, one.path)]


def is_signed(received: Received, secret: str) -> bool:
    """Verify as the specification says: whsec_ and base64, HMAC-SHA256 of id.timestamp.body; fresh."""
    key = base64.b64decode(secret.split("_", 1)[1])
    signed = b".".join(
        [
            received.headers["webhook-id"].encode(),
            received.headers["webhook-timestamp"].encode(),
            received.body,
        ]
    )
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    fresh = abs(received.date - int(received.headers["webhook-timestamp"])) < 300
    return fresh and any(
        hmac.compare_digest(one, f"v1,{expected}") for one in received.headers["webhook-signature"].split(" ")
    )


@contextmanager
def run_receiver() -> Iterator[Receiver]:
    """A receiver on a free port of this machine."""
    receiver = Receiver("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = self.rfile.read(length)
            if len(body) < length:  # the sender ended in the middle of it
                self.close_connection = True
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.path, headers, body, time.monotonic())
            receiver.came.append(received)
            status, extra = receiver.answer(received)
            self.send_response(status)
            for name, value in extra.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_arguments: Any) -> None:  # clients that hung up
            pass

    server = Server(("127.0.0.1", 0), Handler)
    receiver.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
