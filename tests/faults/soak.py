"""``make faults``: refused, large and cancelled requests for a while, and what of them stays in memory. Exit code
1 when the worker has grown by more than 30 MB.

``python tests/faults/soak.py [--rounds N] [--warm-up N]``. A round is one request of a
kind, most of 8 MB.
"""

from __future__ import annotations

import argparse
import json
import socket
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from runtime.storage.embedded import run_embedded
from tests.faults.ending import run_harness
from tests.faults.service import ServiceProcess, served

ALLOWED = 30 * 10**6
_LARGE = "x" * (8 * 10**6)
_MANY = [1] * 19_000
_NOWHERE = "0" * 24


def main() -> int:
    """Warm up, soak, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--warm-up", type=int, default=3)
    options = parser.parse_args()
    out = Console()
    with tempfile.TemporaryDirectory(prefix="recordsmith-soak-") as name:
        folder = Path(name)
        with run_embedded(folder / "store") as uri, served(uri, folder / "service", 1) as service:
            soak = _Soak(service)
            soak.run(options.warm_up)
            before = soak.memory()
            sizes = soak.run(options.rounds)
    table = Table("request", "answers", "MB afterwards", title=f"{before / 1e6:.0f} MB before")
    for name, size in sizes.items():
        said = ", ".join(f"{times} × {answer}" for answer, times in soak.answers[name].items())
        table.add_row(name, said, f"{(size - before) / 1e6:+.1f}")
    out.print(table)
    return int(max(sizes.values()) - before > ALLOWED)


class _Soak:
    """Asks one service; ``answers``: how often each request was answered how."""

    def __init__(self, service: ServiceProcess) -> None:
        self.service = service
        self.answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._client = httpx2.Client(
            base_url=service.url, headers={"Authorization": f"Bearer {service.token}"}, timeout=120
        )
        saved = self._client.post("/logistics/customers", json={"name": "x", "refName": "TWICE"})
        self._id = saved.raise_for_status().json()["id"]

    def run(self, rounds: int) -> dict[str, int]:
        """So many requests of each kind, one kind after the other; what the worker holds after each. (Some
        kinds create so many objects that the collector comes by, and would hide what others leave behind.)"""
        sizes = {}
        for name, method, path, body in self._requests():
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
            for _ in range(rounds):
                answer = self._client.request(method, path, content=content, headers={"Content-Type": kind})
                self.answers[name][str(answer.status_code)] += 1
            sizes[name] = self.memory()
        for share in (0.01, 0.5, 1.0):
            for _ in range(rounds):
                self._go_away(share)
            sizes[f"gone after {share:.0%}"] = self.memory()
        return sizes

    def memory(self) -> int:
        """Bytes that the worker holds, the largest process of the service."""
        assert self.service.process is not None
        group = self.service.process.pid
        return max(_resident(int(one.name)) for one in Path("/proc").iterdir() if _is_of(one, group))

    def _requests(self) -> Iterator[tuple[str, str, str, Any]]:
        customers, one = "/logistics/customers", f"/logistics/customers/id/{self._id}"
        large = _attributes({"type": "Object", "value": {"text": _LARGE}})
        yield "a member too many", "POST", customers, {"name": "x", "y": _LARGE}
        yield "a member twice", "POST", customers, b'{"name": "x", "name": "%b"}' % _LARGE.encode()
        yield "no JSON", "POST", customers, b'{"name": "%b' % _LARGE.encode()
        yield "too large", "POST", customers, {"name": _LARGE + "x" * 2**20}
        yield "too many values", "POST", customers, {"name": "x", "y": [_MANY, _MANY]}
        yield "invalid", "POST", customers, {"name": _LARGE}
        yield "many values that are invalid", "POST", customers, {"name": "x", "actionList": _MANY}
        yield "a duplicate", "POST", customers, {"name": "x", "refName": "TWICE"} | large
        yield "a stale version", "POST", customers, {"id": self._id, "name": "x", "version": 2**30} | large
        yield "a record that is absent", "PATCH", f"/logistics/customers/id/{_NOWHERE}", large
        yield "a bulk of duplicates", "POST", f"{customers}/bulk", {
            "operations": [{"op": "save", "record": {"name": "x", "refName": "TWICE"} | large}]
        }  # fmt: skip
        yield "a patch that is stored", "PATCH", one, large
        yield "the record", "GET", one, b""
        yield (
            "many values that are stored",
            "PATCH",
            one,
            _attributes({"type": "Object", "value": {"a": _MANY}}),
        )
        yield "no token for it", "POST", "/security/login", b"{" + b" " * 60_000

    def _go_away(self, share: float) -> None:
        """Send a part of a large request, or all of it, and close the connection."""
        content = json.dumps({"name": _LARGE}).encode()
        head = (
            f"POST /logistics/customers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self.service.token}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", self.service.port)) as connection:
            connection.sendall(head.encode() + content[: int(len(content) * share)])
        self.answers[f"gone after {share:.0%}"]["no answer"] += 1


def _attributes(attribute: dict[str, Any]) -> dict[str, Any]:
    return {"dynamicAttributes": {"soak": {"it": attribute}}}


def _is_of(process: Path, group: int) -> bool:
    """Whether it is one of the service: those share a process group."""
    try:
        return (
            process.name.isdigit()
            and int((process / "stat").read_text().rsplit(")", 1)[1].split()[2]) == group
        )
    except (OSError, IndexError):
        return False


def _resident(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:")), 0)


if __name__ == "__main__":
    run_harness(main)
