"""A harness that is stopped by a signal ends what it has started."""

from __future__ import annotations

import subprocess
import sys

HARNESS = """
import time
from tests.faults.ending import run_harness

def main() -> int:
    try:
        print("up", flush=True)
        time.sleep(600)
    finally:
        print("down", flush=True)
    return 0

run_harness(main)
"""


def test_a_harness_that_is_terminated_ends_in_good_order() -> None:
    with subprocess.Popen([sys.executable, "-c", HARNESS], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.terminate()
        assert process.communicate(timeout=60) == ("down\n", None)
        assert process.returncode == 143
