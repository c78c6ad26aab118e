"""Asking a service that comes and goes."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import httpx2


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def get(url: str) -> httpx2.Response:
    return httpx2.get(url, timeout=30)


def answers(url: str) -> bool:
    """Whether it says 200."""
    try:
        return get(url).status_code == 200
    except httpx2.TransportError:
        return False


def may_listen(port: int) -> bool:
    """Whether nobody else does."""
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError:
        return False


def pids(url: str, count: int) -> set[int]:
    """The workers behind ``/pid``, once so many have answered."""
    found: set[int] = set()

    def all_answered() -> bool:
        if answers(f"{url}/pid"):
            found.add(get(f"{url}/pid").json())
        return len(found) == count

    wait_until(all_answered)
    return found
