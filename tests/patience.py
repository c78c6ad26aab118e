"""How long tests wait: on a busy machine a command may take seconds without being wrong."""

import time
from collections.abc import Callable
from typing import Final

STORE_MS: Final = 60_000
"""``mongodb.timeout-ms`` of the services of tests; those that test what happens behind it set their own."""


def wait_until(condition: Callable[[], bool], seconds: float = 60, *, pause: float = 0.01) -> None:
    """Wait until it holds; ``pause``: seconds between two looks."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(pause)
