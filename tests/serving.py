"""``recordsmith serve`` as a process of its own, on the MongoDB of the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


@contextmanager
def serving(
    mongo_uri: str, realm: str, folder: Path, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and its address; keys are those of ``folder``. Killed at the end, if it lives still."""
    settings = {
        "MONGODB_URI": mongo_uri, "SERVICE_DEFAULT_REALM": realm, "SERVICE_ENVIRONMENT": "development",
        "SERVICE_BASE_URL": "http://service.example", "AUTH_BCRYPT_COST": "4", "LOG_LEVEL": "ERROR",
        "LIMITS_QUEUE_MS": "60000",
    }  # fmt: skip
    command = [sys.executable, "-m", "runtime.cli", "serve", "--port", "0", "--json", "--data", str(folder)]
    env = os.environ | settings | environment
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            facts = "".join(iter(process.stdout.readline, "}\n")) + "}"
            yield process, json.loads(facts)["url"]
        finally:
            process.kill()
