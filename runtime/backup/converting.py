"""Conversions one after the other, in order, some of them at the same time.

Few are done in a thread. Where there are many, processes are started: conversions need the interpreter, which
the threads of one process share.
"""

import asyncio
import multiprocessing
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from typing import Final, Generic, TypeVar

InT = TypeVar("InT")
OutT = TypeVar("OutT")

_FEW: Final = 4
"""Conversions that are done before processes are worth their start."""

_MOST_PROCESSES: Final = 4


class Converter(Generic[InT, OutT]):
    """Applies a function of a module; ``converting`` opens it."""

    def __init__(self, function: Callable[[InT], OutT], few: int = _FEW) -> None:
        self._function = function
        self._few = few
        self._threads = ThreadPoolExecutor(1)
        self._processes: ProcessPoolExecutor | None = None
        self._done = 0
        self.ahead = min(_MOST_PROCESSES, os.cpu_count() or 1)

    def _choose(self) -> Executor:
        self._done += 1
        if self._done <= self._few:
            return self._threads
        if self._processes is None:
            context = multiprocessing.get_context("spawn")
            self._processes = ProcessPoolExecutor(self.ahead, context)
        return self._processes

    def start(self, value: InT) -> asyncio.Future[OutT]:
        """Start one conversion."""
        return asyncio.get_running_loop().run_in_executor(self._choose(), self._function, value)

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
def converting(function: Callable[[InT], OutT], few: int = _FEW) -> Iterator[Converter[InT, OutT]]:
    """Open a converter for as long as the block lasts."""
    converter = Converter(function, few)
    try:
        yield converter
    finally:
        converter.close()
