"""Conversions one after the other, in order, some of them at the same time.

Few are done in threads. Where there are many, processes are started: conversions need the interpreter, which
the threads of one process share. Each process has a pipe to a thread that waits for it, and ends when the
pipe does: queues have semaphores, which nobody removes where all processes are killed together.
"""

import asyncio
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, Final, Generic, TypeVar

InT = TypeVar("InT", bound=Sized)
OutT = TypeVar("OutT")

_FEW: Final = 2**22
"""Bytes that are converted before processes are worth their start."""

_MOST_PROCESSES: Final = 4


class _Child(Generic[InT, OutT]):
    """A process that applies a function to what comes through a pipe."""

    def __init__(self, function: Callable[[InT], OutT]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        with theirs:
            self._process = context.Process(target=_answer, args=(theirs, function), daemon=True)
            self._process.start()

    def convert(self, value: InT) -> OutT:
        """Return the result, or raise what the function raises. Raises ``EOFError`` of one that has ended."""
        try:
            self._pipe.send(value)
            result, error = self._pipe.recv()
        except OSError as ended:
            raise EOFError from ended
        if error is not None:
            raise error
        converted: OutT = result
        return converted

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.join()


def _answer(pipe: Connection, function: Callable[[Any], Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the command, which closes the pipe
    with suppress(EOFError, OSError):  # the pipe is reset where a result was not read
        while True:
            value = pipe.recv()
            try:
                pipe.send((function(value), None))
            except Exception as error:
                pipe.send((None, error))


class Converter(Generic[InT, OutT]):
    """Applies a function of a module; ``converting`` opens it."""

    def __init__(self, function: Callable[[InT], OutT]) -> None:
        self._function = function
        self.ahead = min(_MOST_PROCESSES, os.cpu_count() or 1)
        self._threads = ThreadPoolExecutor(self.ahead)
        self._children: list[_Child[InT, OutT]] | None = None
        self._idle = deque[_Child[InT, OutT]]()
        self._done = 0

    def start(self, value: InT) -> asyncio.Future[OutT]:
        self._done += len(value)
        if self._done > _FEW and self._children is None:
            self._children = []
            self._start_children(self._children)
        return asyncio.get_running_loop().run_in_executor(self._threads, self._convert, value)

    def _start_children(self, children: list[_Child[InT, OutT]]) -> None:
        """Start as many processes as the machine does."""
        with suppress(OSError):
            while len(children) < self.ahead:
                children.append(_Child(self._function))
                self._idle.append(children[-1])

    def _convert(self, value: InT) -> OutT:
        """Convert in a process, or in this thread where none is idle."""
        try:
            child = self._idle.pop()
        except IndexError:
            return self._function(value)
        try:
            converted = child.convert(value)
        except EOFError:  # it was killed, and is not idle again
            return self._function(value)
        except BaseException:
            self._idle.append(child)
            raise
        self._idle.append(child)
        return converted

    async def convert(self, source: AsyncGenerator[InT, None]) -> AsyncGenerator[OutT, None]:
        """Yield the results in the order of the source, of which a few are read ahead."""
        waiting: deque[asyncio.Future[OutT]] = deque()
        try:
            async with aclosing(source):
                async for value in source:
                    waiting.append(self.start(value))
                    while len(waiting) > self.ahead + 1:
                        yield await waiting.popleft()
            while waiting:
                yield await waiting.popleft()
        finally:
            for one in waiting:
                one.cancel()

    def close(self) -> None:
        """End threads and processes."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        for child in self._children or ():
            child.close()


@contextmanager
def converting(function: Callable[[InT], OutT]) -> Iterator[Converter[InT, OutT]]:
    """Open a converter for as long as the block lasts."""
    converter = Converter(function)
    try:
        yield converter
    finally:
        converter.close()
