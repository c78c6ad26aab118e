"""Conversions one after the other, in order, some of them at the same time.

Few are done in a thread. Where there are many, processes are started: conversions need the interpreter, which
the threads of one process share.
"""

import asyncio
import multiprocessing
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sized
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from typing import Final, Generic, TypeVar

from runtime.parent import end_with_parent

InT = TypeVar("InT", bound=Sized)
OutT = TypeVar("OutT")

_FEW: Final = 2**22
"""Bytes that are converted before processes are worth their start."""

_MOST_PROCESSES: Final = 4


class Converter(Generic[InT, OutT]):
    """Applies a function of a module; ``converting`` opens it."""

    def __init__(self, function: Callable[[InT], OutT]) -> None:
        self._function = function
        self._threads = ThreadPoolExecutor(1)
        self._processes: ProcessPoolExecutor | None = None
        self._done = 0
        self._is_alone = False
        self.ahead = min(_MOST_PROCESSES, os.cpu_count() or 1)

    def _choose(self, size: int) -> Executor:
        self._done += size
        if self._done <= _FEW or self._is_alone:
            return self._threads
        if self._processes is None:
            context = multiprocessing.get_context("spawn")
            self._processes = ProcessPoolExecutor(self.ahead, context, end_with_parent)
        return self._processes

    def start(self, value: InT) -> asyncio.Future[OutT]:
        """Start one conversion; in the thread where the machine starts no further process."""
        loop = asyncio.get_running_loop()
        try:
            return loop.run_in_executor(self._choose(len(value)), self._function, value)
        except OSError:
            self._is_alone = True
            return loop.run_in_executor(self._threads, self._function, value)

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
        for one in (self._threads, self._processes):
            if one is not None:
                one.shutdown(wait=True, cancel_futures=True)


@contextmanager
def converting(function: Callable[[InT], OutT]) -> Iterator[Converter[InT, OutT]]:
    """Open a converter for as long as the block lasts."""
    converter = Converter(function)
    try:
        yield converter
    finally:
        converter.close()
