"""Asking a service that comes and goes."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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


@dataclass
class Load:
    """Callers who ask without a pause: how often, and what they could not ask."""

    asked: int = 0
    lost: list[Exception] = field(default_factory=list)


@contextmanager
def loaded(url: str) -> Iterator[Load]:
    """Four callers, each on one connection for as long as it lasts, until the end of the block."""
    load, done, lock = Load(), threading.Event(), threading.Lock()

    def ask() -> None:
        with httpx2.Client(timeout=30) as client:
            while not done.is_set():
                try:
                    assert client.get(url).status_code == 200
                except Exception as error:
                    load.lost.append(error)
                with lock:
                    load.asked += 1
                done.wait(0.01)

    threads = [threading.Thread(target=ask) for _caller in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        done.set()
        for thread in threads:
            thread.join()
