"""Asking a service that comes and goes."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import httpx2

from tests.patience import wait_until


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


def logged(log: Path, event: str) -> list[dict[str, Any]]:
    """The lines of a log about an event."""
    lines = [line for line in log.read_text().splitlines() if line.startswith("{") and line.endswith("}")]
    return [entry for entry in map(json.loads, lines) if entry["event"] == event]


def pids(url: str, count: int) -> set[int]:
    """The workers behind ``/pid``, once so many have answered."""
    found: set[int] = set()

    def all_answered() -> bool:
        if answers(f"{url}/pid"):
            found.add(get(f"{url}/pid").json())
        return len(found) == count

    wait_until(all_answered)
    return found


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
