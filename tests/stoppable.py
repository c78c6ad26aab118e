"""A mongod that a test may stop, freeze, kill and start again on the same port.

The one of the whole run serves other tests: whoever breaks one has its own.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runtime.storage.embedded import mongod
from runtime.storage.embedded.folder import Address, Folder


@dataclass
class StoppableServer:
    """Its folder stays; its process comes and goes."""

    folder: Folder
    address: Address

    def start(self) -> None:
        """On the same port as before."""
        port = self.address.port
        self.address = mongod.start(self.folder)
        assert self.address.port == port

    def stop(self) -> None:
        """In good order; returns when it is gone."""
        mongod.stop(self.address, self.folder)

    def kill(self) -> None:
        """Without warning; returns when it is gone."""
        os.kill(self.address.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        while self.folder.is_served():
            time.sleep(0.01)

    def freeze(self) -> None:
        """It keeps its connections and answers nothing."""
        os.kill(self.address.pid, signal.SIGSTOP)
        while not is_frozen(
            self.address.pid
        ):  # its threads stop one after the other, and may answer until then
            time.sleep(0.001)

    def thaw(self) -> None:
        """It answers what was asked meanwhile."""
        os.kill(self.address.pid, signal.SIGCONT)


def is_frozen(pid: int) -> bool:
    """Whether all threads of a process have stopped, as far as the system says so."""
    stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


@contextmanager
def stoppable_server(folder: Path) -> Iterator[StoppableServer]:
    """One on the files of ``folder``, for as long as the block lasts."""
    prepared = Folder.prepared(folder)
    server = StoppableServer(prepared, mongod.start(prepared))
    try:
        yield server
    finally:
        if server.folder.is_served():
            server.kill()  # nobody looks at its files again
