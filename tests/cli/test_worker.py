"""What a worker does with the memory it begins with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WORKER = """
import gc
from runtime.cli.worker import create

application = create()
assert application.router.routes
print(gc.get_freeze_count(), len(gc.get_objects()), gc.get_threshold()[0])
"""


def test_the_collector_does_not_look_at_the_application(tmp_path: Path) -> None:
    environment = {"SERVICE_ENVIRONMENT": "development", "SERVICE_DATA_FOLDER": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", WORKER], env=environment, capture_output=True, text=True, check=True
    )
    frozen, watched, threshold = map(int, done.stdout.split())
    assert frozen > 100_000 > 1000 > watched
    assert threshold == 30_000
