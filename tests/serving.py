"""``recordsmith serve`` as a process of its own, on the MongoDB of the run; it forks from one that has loaded it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.forked import Process, start_command


@contextmanager
def serving(mongo_uri: str, realm: str, folder: Path, **environment: str) -> Iterator[tuple[Process, str]]:
    """The process and its address; keys are those of ``folder``. Killed at the end, if it lives still."""
    settings = {
        "MONGODB_URI": mongo_uri, "SERVICE_DEFAULT_REALM": realm, "SERVICE_ENVIRONMENT": "development",
        "SERVICE_BASE_URL": "http://service.example", "AUTH_BCRYPT_COST": "4", "LOG_LEVEL": "ERROR",
        "LIMITS_QUEUE_MS": "60000",
    }  # fmt: skip
    words = ("serve", "--port", "0", "--json", "--data", str(folder))
    process = start_command(*words, env=os.environ | settings | environment)
    assert process.stdout is not None
    with process.stdout:
        try:
            facts = "".join(iter(process.stdout.readline, "}\n")) + "}"
            yield process, json.loads(facts)["url"]
        finally:
            process.kill()
            process.wait()
