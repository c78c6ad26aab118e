"""The application as a worker process loads it: the one that ``service.app`` names, and an eye on the parent.

A parent that was killed leaves its workers behind, and they the port; so a worker ends when its parent
is gone, as after a signal.

What is there when the application is made stays for good. Else the garbage collector would look at
hundreds of thousands of objects again whenever enough new ones are alive: an eighth of a second of silence
each time, and a quarter of the time of an export.
"""

import gc
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from typing import Any, Final

from runtime.cli.memory import give_back_memory
from runtime.cli.mismatch import create_application, explain_mismatch
from runtime.settings import Settings

if sys.platform != "win32":
    import resource

FACTORY = "runtime.cli.worker:create"

_NEW_OBJECTS: Final = 30_000
"""So many are made before any are looked at: more than a batch of records has, which have no cycles."""


_OTHER_DESCRIPTORS: Final = 1024
"""Files, and connections to the store: those of its pool to a few servers."""


def create() -> Any:
    """Create the ASGI application, for uvicorn."""
    _end_with_parent()
    give_back_memory()
    settings = Settings.read()
    allow_connections(settings.connections)
    with explain_mismatch():
        application = create_application(settings.app)
    settle()
    return application


def _end_with_parent() -> None:
    """End this process by SIGTERM once its parent has ended; without a parent do nothing."""
    if (parent := parent_process()) is not None:
        threading.Thread(target=_end_with, args=(parent,), name="parent-watch", daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    signal.raise_signal(signal.SIGTERM)


def allow_connections(connections: int) -> None:
    """Raise this process's own limit of descriptors, as far as it may, to what the cap on connections needs.

    The usual 1,024 would be used up by callers, and none left for the store.
    """
    if sys.platform == "win32":
        return
    wanted = 2 * connections + _OTHER_DESCRIPTORS
    current, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY != current < wanted:
        wanted = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def settle() -> None:
    """Freeze existing objects for the garbage collector, once per process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
