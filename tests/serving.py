"""``recordsmith serve`` as a process of its own, on the MongoDB of the run; it forks from one that has loaded it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.forked import Process, start_command
from tests.patience import STORE_MS


@contextmanager
def serving(mongo_uri: str, realm: str, folder: Path, **environment: str) -> Iterator[tuple[Process, str]]:
    """The process and its address; keys are those of ``folder``. Killed at the end, if it lives still."""
    settings = {
        "MONGODB_URI": mongo_uri, "SERVICE_DEFAULT_REALM": realm, "SERVICE_ENVIRONMENT": "development",
        "SERVICE_BASE_URL": "http://service.example", "AUTH_BCRYPT_COST": "4", "LOG_LEVEL": "ERROR",
        "LIMITS_QUEUE_MS": "60000", "MONGODB_TIMEOUT_MS": str(STORE_MS),
    }  # fmt: skip
    words = ("serve", "--port", "0", "--json", "--data", str(folder))
    process = start_command(*words, env=os.environ | settings | environment)
    assert process.stdout is not None
    with process.stdout:
        try:
            yield process, _read_facts(process.stdout)["url"]
        finally:
            process.kill()
            process.wait()


def _read_facts(output: IO[str]) -> dict[str, Any]:
    """Read what the process announces once it listens."""
    lines = []
    for line in output:
        lines.append(line)
        if line == "}\n":
            facts: dict[str, Any] = json.loads("".join(lines))
            return facts
    raise AssertionError(f"the service ended before it listened: {''.join(lines)}")
