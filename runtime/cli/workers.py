"""The worker processes: uvicorn's supervisor, which replaces workers on SIGHUP without losing a request.

uvicorn gives a new worker five seconds to load the application, and ends one that takes longer as if it had
hung. Here a worker has a minute to load, and the one it replaces goes on until then.
"""

import signal
import socket
import time
from ctypes import c_bool
from multiprocessing.sharedctypes import RawValue
from types import FrameType
from typing import Final

from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from runtime.cli.server import Server
from runtime.cli.starting import end_on_failure
from runtime.plain_structlog import log

_READY_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.02
_STOPPING: Final = {signal.SIGINT, signal.SIGTERM}


class Worker(Process):
    """A process that serves.

    ``started`` is true once it accepts connections, ``replaced`` once another serves in its place, ``ending``
    when all workers shall end. They are memory without a lock: the semaphores of an event have names in
    ``/dev/shm``, which nobody removes where all processes are killed together.
    """

    def __init__(self, config: Config, sockets: list[socket.socket], ending: c_bool) -> None:
        self._ending = ending
        self.started, self.replaced = RawValue(c_bool, False), RawValue(c_bool, False)
        super().__init__(config, sockets)

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve; called in the new process."""
        self._server = Server(self.config, self._note_start, self._is_replaced, self._is_ending)
        with end_on_failure():
            super().target(sockets)

    def _note_start(self) -> None:
        self.started.value = True

    def _is_replaced(self) -> bool:
        return self.replaced.value

    def _is_ending(self) -> bool:
        return self._ending.value

    def is_alive(self, timeout: float = 5) -> bool:
        """Whether the worker answers or, while it still loads the application, whether its process lives."""
        return super().is_alive(timeout) if self.started.value else self.process.is_alive()


class Workers(Multiprocess):
    """The parent: starts workers, replaces the ones that died, and on SIGHUP all, one at a time."""

    def __init__(self, config: Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._ending = RawValue(c_bool, False)  # without a lock, which a handler of signals could wait for
        self._retired: list[Process] = []
        self._has_failed = False
        for number in _STOPPING:
            signal.signal(number, self._stop)

    def run(self) -> None:
        """Run the workers until a signal ends them. Raises ``CommandFailed`` for one that cannot begin."""
        super().run()
        if self._has_failed:
            from runtime.cli.output import CommandFailed  # with rich and typer, 3 MB that no worker needs

            raise CommandFailed("service.fault", "a worker could not open the application; see its log")

    def init_processes(self) -> None:
        self.processes = [self._start() for _ in range(self.processes_num)]

    def restart_all(self) -> None:
        """Replace each worker by a new one, once that one serves."""
        for index, old in enumerate(self.processes):
            new = self._start()
            if not self._await_start(new):
                new.kill()
                if not self._is_stopping():
                    log.error("worker.not_replaced", pid=old.pid, advice="its replacement did not start")
                return
            self.processes[index] = new
            if isinstance(old, Worker):
                old.replaced.value = True
            old.terminate()  # it finishes its requests while the next replacement loads
            self._retired.append(old)
            log.info("worker.replaced", pid=old.pid, by=new.pid)

    def keep_subprocess_alive(self) -> None:
        """Replace workers that died or hang; give up when one cannot open the application."""
        self._retired = [worker for worker in self._retired if worker.process.is_alive()]  # reaps the others
        for index, worker in enumerate(self.processes):
            if self.should_exit.is_set() or worker.is_alive(self.config.timeout_worker_healthcheck):
                continue
            worker.kill()
            worker.join()
            if self._is_stopping():
                continue
            if worker.exitcode == STARTUP_FAILURE:
                log.error("worker.failed", pid=worker.pid, advice="the application does not open")
                self._has_failed = True
                self.should_exit.set()
            else:
                log.warning("worker.died", pid=worker.pid, exit_code=worker.exitcode)
                self.processes[index] = self._start()

    def handle_ttin(self) -> None:
        self.processes_num += 1
        self.processes.append(self._start())

    def terminate_all(self) -> None:
        """Stop all: the listener first, so that nobody waits in a queue that no worker reads."""
        self._ending.value = True
        for listener in self.sockets:
            listener.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait for all of them, and for those that were replaced a moment ago."""
        for worker in [*self.processes, *self._retired]:
            worker.join()

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        """Tell the workers, which on Ctrl-C get the signal as well and begin to close the listener."""
        self._ending.value = True
        self.signal_queue.append(number)

    def _start(self) -> Worker:
        worker = Worker(self.config, self.sockets, self._ending)
        worker.start()
        return worker

    def _await_start(self, worker: Worker) -> bool:
        end = time.monotonic() + _READY_SECONDS
        while time.monotonic() < end and worker.process.is_alive() and not self._is_stopping():
            if worker.started.value:
                return True
            time.sleep(_LOOK_SECONDS)
        return False

    def _is_stopping(self) -> bool:
        """Return whether a signal to stop came; the base class queues signals between two calls of ours."""
        return self.should_exit.is_set() or not _STOPPING.isdisjoint(self.signal_queue)
