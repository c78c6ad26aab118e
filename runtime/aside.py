"""Work that would hold the event loop, done aside.

A small request is checked in less time than it takes to hand it to a thread. A large one takes up to some
tenths of a second of Python, in which no other request of the worker would be answered; in a thread the
interpreter switches between the two every few milliseconds. One is enough: two could not compute at the
same time. Work that takes longer than a request should wait has a thread of its own (``run_long``).
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Final, TypeVar

T = TypeVar("T")

_is_large: ContextVar[bool] = ContextVar("is_large", default=False)
_thread: Final = ThreadPoolExecutor(1, thread_name_prefix="large-request")
_long_thread: Final = ThreadPoolExecutor(1, thread_name_prefix="long-work")


def mark_large() -> None:
    """Have the work of this request done aside from now on."""
    _is_large.set(True)


async def run_aside(work: Callable[[], T]) -> T:
    """Run ``work`` in the thread where the request is large, else at once; return or raise what it does."""
    return await _run_in(_thread, work) if _is_large.get() else work()


async def run_long(work: Callable[[], T]) -> T:
    """Run a piece of long work in its thread; return or raise what it does. Large requests do not wait."""
    return await _run_in(_long_thread, work)


async def _run_in(thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    found: list[T] = []
    run = partial(copy_context().run, _attempt, work, found)
    error = await asyncio.get_running_loop().run_in_executor(thread, run)
    if error is None:
        return found[0]
    try:
        raise error
    finally:
        del error  # else it and this frame would hold each other


def _attempt(work: Callable[[], T], found: list[T]) -> Exception | None:
    """Return the error of ``work`` as a value: a failed future retains the frames of its traceback."""
    try:
        found.append(work())
    except Exception as error:  # whatever it is, it is raised where the work was requested
        return error
    return None
