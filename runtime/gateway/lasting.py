"""Operations that last: they give their place in the queue back, and count among the imports and exports."""

from collections.abc import Iterator
from contextlib import contextmanager

from runtime.call import Call


@contextmanager
def as_transfer(call: Call) -> Iterator[None]:
    """Count the block as an import or export of the caller; its batches take turns of their own.

    Raises ``Overloaded``.
    """
    end = call.service.transfers.begin(call.turn.key)
    call.turn.give_back()
    try:
        yield
    finally:
        end()
