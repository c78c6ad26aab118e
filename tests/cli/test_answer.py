"""The head of a response and its body are one write, and no head waits for a body that comes later."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from runtime.cli.answer import AnswerTransport

pytestmark = pytest.mark.anyio


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


SCENARIOS: dict[str, tuple[list[str], list[Any]]] = {
    "head and body": (["head", "body"], [[b"head", b"body"]]),
    "a head whose body comes a turn later": (["head", "turn", "body"], [b"head", b"body"]),
    "a stream": (["head", "one", "two", "turn", "three"], [[b"head", b"one"], b"two", b"three"]),
    "a head alone": (["head", "turn", "turn"], [b"head"]),
    "a connection that ends behind the head": (["head", "close"], [b"head", "closed"]),
    "a connection that ends behind the body": (["head", "body", "close"], [[b"head", b"body"], "closed"]),
    "a caller who is gone": (["head", "lost", "turn"], []),
}


@pytest.mark.parametrize(("steps", "expected"), SCENARIOS.values(), ids=SCENARIOS.keys())
async def test_what_is_written(steps: list[str], expected: list[Any]) -> None:
    written = Written()
    answer = AnswerTransport(cast(asyncio.Transport, written), asyncio.get_running_loop(), written.close)
    for step in steps:
        if step == "turn":
            await asyncio.sleep(0)
        elif step == "close":
            answer.close()
        elif step == "lost":
            written.is_lost = True
        else:
            answer.write(step.encode())
    assert written.calls == expected
