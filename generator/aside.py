"""Work in a second process, on a second core: threads of Python do not compute at the same time.

A forked process begins with all that this one has read, so that only its result is handed over: bytes, in
memory that both have. It costs some milliseconds, and a copy of each page of memory that either writes to.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn


class ProcessEndedError(Exception):
    """The second process was ended from outside, so that a result is missing."""

    def __init__(self, number: int) -> None:
        what = f"a process of this command was ended by signal {number}"
        super().__init__(f"{what}; run the command again, with more memory if it ran out")


def may_run_aside() -> bool:
    """Whether a second process would compute at the same time, and can be forked safely: without threads."""
    if sys.platform != "linux":  # Windows cannot fork, and libraries of macOS do not survive it
        return False
    return len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


@contextmanager
def run_aside(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Do the work in a second process while the block works; yield what waits for its result.

    Work that raises is done again here, so that its error is the same as in one process. Waiting raises
    ``ProcessEndedError`` where the process was killed.
    """
    memory = os.memfd_create("result")
    child = os.fork()
    if not child:
        _serve(work, memory)
    waiting = [child]

    def finish() -> bytes:
        code = os.waitstatus_to_exitcode(os.waitpid(waiting.pop(), 0)[1])
        if code < 0:
            raise ProcessEndedError(-code)
        return work() if code else _read(memory)

    try:
        yield finish
    finally:
        os.close(memory)
        for process in waiting:  # the block raised before it waited
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _serve(work: Callable[[], bytes], memory: int) -> NoReturn:
    """Do the work in the second process, and end it; what the first one does at its end is left to that."""
    code = 1
    try:
        with os.fdopen(memory, "wb", buffering=0, closefd=False) as file:
            result = work()
            code = int(file.write(result) != len(result))
    finally:
        os._exit(code)


def _read(memory: int) -> bytes:
    """Read what the second process has written."""
    with os.fdopen(memory, "rb", buffering=0, closefd=False) as file:
        file.seek(0)
        return file.readall()
