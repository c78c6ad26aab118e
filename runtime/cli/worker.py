"""The application as a worker process loads it: the one that ``service.app`` names, and an eye on the parent.

A parent that was killed leaves its workers behind, and they the port; so a worker ends when its parent
is gone, as if it had been told to.
"""

from __future__ import annotations

import signal
import threading
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from typing import Any

from runtime.settings import Settings

FACTORY = "runtime.cli.worker:create"


def create() -> Any:
    """The ASGI application, for uvicorn."""
    if (parent := parent_process()) is not None:
        threading.Thread(target=_end_with, args=(parent,), name="parent-watch", daemon=True).start()
    module, _, name = Settings.read().app.partition(":")
    return getattr(import_module(module), name)()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    signal.raise_signal(signal.SIGTERM)
