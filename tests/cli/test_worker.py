"""What a worker does with the memory it begins with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WORKER = """
import gc
from runtime.cli.worker import create

application = create()
assert application.router.routes
print(gc.get_freeze_count(), len(gc.get_objects()), gc.get_threshold()[0])
"""


DESCRIPTORS = """
import resource
from runtime.cli.worker import allow_connections

resource.setrlimit(resource.RLIMIT_NOFILE, ({current}, {most}))
allow_connections(1000)
print(resource.getrlimit(resource.RLIMIT_NOFILE))
"""


FREED = """
import ctypes, sys, time
from runtime.cli.memory import give_back_memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

if sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"):
    sys.exit("no glibc")
values = [bytes(1000) for _number in range(40_000)]
full, kept = resident(), values[::50]
del values
retained = resident()
give_back_memory(0.01)
for _turn in range(1000):
    if full - resident() > 30_000_000:
        break
    time.sleep(0.01)
print(full - retained < 5_000_000, full - resident() > 30_000_000, len(kept))
"""


def test_room_between_what_stays_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True)
    if done.stderr.strip() == "no glibc":
        pytest.skip("this C library retains nothing, or cannot be asked")
    assert done.stdout.split() == ["True", "True", "800"], done.stderr


@pytest.mark.parametrize(
    ("current", "most", "after"),
    [
        pytest.param(256, 4096, (3024, 4096), id="raised"),
        pytest.param(256, 2000, (2000, 2000), id="raised as far as it may"),
        pytest.param(4000, 4096, (4000, 4096), id="left when it is enough"),
    ],
)
def test_callers_leave_descriptors_for_the_store(current: int, most: int, after: tuple[int, int]) -> None:
    script = DESCRIPTORS.format(current=current, most=most)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(after)


def test_the_collector_does_not_look_at_the_application(tmp_path: Path) -> None:
    environment = {"SERVICE_ENVIRONMENT": "development", "SERVICE_DATA_FOLDER": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", WORKER], env=environment, capture_output=True, text=True, check=True
    )
    frozen, watched, threshold = map(int, done.stdout.split())
    assert frozen > 100_000 > 1000 > watched
    assert threshold == 30_000
