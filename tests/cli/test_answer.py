"""The head of a response and its body are one write, no head of a stream waits for it, and each is as uvicorn's."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, cast

import pytest
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from runtime.cli.answer import Answer, AnswerTransport


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


Headers = list[tuple[bytes, bytes]]

LENGTH = (b"content-length", b"4")
HEADS: dict[str, tuple[int, Headers | None]] = {
    "usual": (200, [(b"content-type", b"application/json"), LENGTH, (b"etag", b'"7"')]),
    "twice": (404, [LENGTH, (b"vary", b"a"), (b"vary", b"b")]),
    "no phrase": (599, [LENGTH]),
    "an unknown status": (600, [LENGTH]),
    "no headers": (200, None),
    "no length": (200, [(b"content-type", b"text/plain")]),
    "chunked": (200, [(b"transfer-encoding", b"chunked")]),
    "no body": (204, []),
    "closing": (200, [(b"connection", b"close"), LENGTH]),
    "closing, in capitals": (200, [(b"Connection", b"Close"), LENGTH]),
    "capitals": (200, [(b"Content-Length", b"4"), (b"X-Frame", b"No")]),
    "a cookie": (303, [LENGTH, (b"set-cookie", b"a=b"), (b"location", b"/x")]),
    "too long": (200, [(b"content-length", b"5")]),
    "too short": (200, [(b"content-length", b"3")]),
    "two lengths, the first right": (200, [LENGTH, (b"content-length", b"5")]),
    "two lengths, the second right": (200, [(b"content-length", b"+5"), LENGTH]),
    "not a length": (200, [(b"content-length", b"four")]),
    "a bad name": (200, [LENGTH, (b"x y", b"1")]),
    "a bad value": (200, [LENGTH, (b"x", b"1\r\nset-cookie: a=b")]),
}


async def send(
    is_ours: bool, method: str, keep_alive: bool, status: int, headers: Callable[[], dict[str, Any]]
) -> list[Any]:
    """Return what one answer of four bytes writes, and a second one, whose headers are remembered."""
    outcome: list[Any] = []
    for _again in range(2):
        written = Written()
        transport = cast(asyncio.Transport, written)
        cycle = RequestResponseCycle(
            scope=cast(Any, {"method": method}),
            transport=transport,
            flow=FlowControl(transport),
            logger=logging.getLogger(),
            access_logger=logging.getLogger(),
            access_log=False,
            default_headers=[(b"date", b"now")],
            message_event=asyncio.Event(),
            expect_100_continue=True,
            keep_alive=keep_alive,
            on_response=lambda written=written: written.calls.append("answered"),
        )
        messages: list[Any] = [
            {"type": "http.response.start", "status": status, **headers()},
            {"type": "http.response.body", "body": b"" if status == 204 else b"body"},
        ]
        try:
            for message in messages:
                await (Answer(cycle) if is_ours else cycle).send(message)
        except (RuntimeError, ValueError, KeyError) as error:
            written.calls.append(type(error))
        states = (
            cycle.response_started,
            cycle.response_complete,
            cycle.keep_alive,
            cycle.waiting_for_100_continue,
        )
        outcome.append((written.calls, states))
    return outcome


@pytest.mark.anyio
@pytest.mark.parametrize(("status", "headers"), HEADS.values(), ids=HEADS.keys())
@pytest.mark.parametrize("keep_alive", [True, False])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("form", [list, iter], ids=["a list", "read once"])
async def test_an_answer_is_what_uvicorn_sends(
    form: Callable[[Headers], Iterable[Any]],
    method: str,
    keep_alive: bool,
    status: int,
    headers: Headers | None,
) -> None:
    def build() -> dict[str, Any]:
        return {} if headers is None else {"headers": form(headers)}

    ours, theirs = [await send(is_ours, method, keep_alive, status, build) for is_ours in (True, False)]
    assert ours == theirs
