"""How a harness ends that somebody stops: together with all the processes that it has started."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn


def run_harness(main: Callable[[], int]) -> NoReturn:
    """Exit with what ``main`` returns. SIGTERM, as ``timeout`` sends it, ends ``main`` as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main())


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    """End in good order, once: a second signal must not keep processes from being stopped."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)
