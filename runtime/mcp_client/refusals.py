"""Which call a server refused, where several share a connection.

The SDK sends a request in the context of the task that waits for its answer, so the status is noted for it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Refusal:
    """A note of whether the last request of a call, or of opening a connection, was refused (401 or 403)."""

    is_noted = False


_of_task: ContextVar[Refusal | None] = ContextVar("refusal", default=None)


@contextmanager
def note_refusals(refusal: Refusal) -> Iterator[None]:
    """Note whether requests of the block are refused."""
    token = _of_task.set(refusal)
    try:
        yield
    finally:
        _of_task.reset(token)


def record_status(status: int | None) -> None:
    """Record whether an answer is a refusal; None as a request begins, which has no answer yet."""
    if (refusal := _of_task.get()) is not None:
        refusal.is_noted = status in (401, 403)
