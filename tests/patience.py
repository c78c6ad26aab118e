"""How long tests wait: on a busy machine a command may take seconds without being wrong."""

import time
from collections.abc import Callable
from typing import Final

STORE_MS: Final = 60_000
"""``mongodb.timeout-ms`` of the services of tests; those that test what happens behind it set their own."""


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
