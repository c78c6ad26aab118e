"""Processes that end when their parent is gone: one that was killed cannot end them."""

import signal
import threading
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess


def end_with_parent() -> None:
    """End this process by SIGTERM once its parent has ended; without a parent do nothing."""
    if (parent := parent_process()) is not None:
        threading.Thread(target=_end_with, args=(parent,), name="parent-watch", daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    signal.raise_signal(signal.SIGTERM)
