"""The head of a response and its body are one write, and no head of a stream waits for it."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from runtime.cli.answer import AnswerTransport


class Written:
    """A transport: what was written in each call, and ``closed`` at its end."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.is_lost = False

    def write(self, data: bytes) -> None:
        self.calls.append(data)

    def writelines(self, pieces: Any) -> None:
        self.calls.append(list(pieces))

    def is_closing(self) -> bool:
        return self.is_lost

    def close(self) -> None:
        self.calls.append("closed")


HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"
OPEN = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
WAIT = b"HTTP/1.1 100 Continue\r\n\r\n"

SCENARIOS: dict[str, tuple[list[Any], list[Any]]] = {
    "head and body": ([HEAD, b"body"], [[HEAD, b"body"]]),
    "a body of no bytes": ([HEAD, b"", "flush"], [HEAD]),
    "a body in pieces": ([HEAD, b"bo", b"dy"], [[HEAD, b"bo"], b"dy"]),
    "a body that holds a head": ([HEAD, b"-", HEAD, HEAD], [[HEAD, b"-"], HEAD, HEAD]),
    "a stream": ([OPEN, b"one", HEAD], [OPEN, b"one", HEAD]),
    "an interim response": ([WAIT, HEAD, b"body"], [WAIT, HEAD, b"body"]),
    "a head alone": ([HEAD, "flush", "flush"], [HEAD]),
    "a connection that ends behind the head": ([HEAD, "close"], [HEAD, "closed"]),
    "a connection that ends behind the body": ([HEAD, b"body", "close"], [[HEAD, b"body"], "closed"]),
    "a caller who is gone": ([HEAD, "lost", "flush"], []),
}


@pytest.mark.parametrize(("steps", "expected"), SCENARIOS.values(), ids=SCENARIOS.keys())
def test_what_is_written(steps: list[Any], expected: list[Any]) -> None:
    written = Written()
    answer = AnswerTransport(cast(asyncio.Transport, written), written.close)
    for step in steps:
        if step == "flush":
            answer.flush()
        elif step == "close":
            answer.close()
        elif step == "lost":
            written.is_lost = True
        else:
            answer.write(step)
    assert written.calls == expected
