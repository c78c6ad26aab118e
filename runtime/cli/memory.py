"""Give memory back to the system: what is free, and rows that nobody asks for any more.

Large answers are built of many small values. glibc retains the room between those that stay, 10 to 20 MB of
a worker that has sent some, unless it is asked: a millisecond each time, four where there is much to give.
"""

import ctypes
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from runtime.fast.rows_again import MEMORY

_SECONDS: Final = 5.0


def give_back_memory(seconds: float = _SECONDS) -> None:
    """Give back what is free every few seconds, in a thread that ends with the process. Needs glibc."""
    if (trim := _find_trim()) is not None:
        threading.Thread(target=_repeat, args=(trim, seconds), name="memory", daemon=True).start()


def _find_trim() -> Callable[[int], int] | None:
    """Return ``malloc_trim`` of the C library; None where it has none."""
    if sys.platform != "linux":
        return None
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found


def _repeat(trim: Callable[[int], int], seconds: float) -> None:
    while True:
        time.sleep(seconds)
        MEMORY.forget()
        trim(0)
