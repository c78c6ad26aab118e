"""Attempts at a write, one after the other, until one succeeds.

Writers of one record take turns in a process, in the order in which they came. Each leaves the record as it
has stored it to the next, who need not read it. A writer of another process may store the record in between.
Then the store refuses the change, and the next attempt begins with what is stored by now; after some attempts
with the record locked.
"""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
from typing import Final, TypeVar

from runtime.access.guard import allow_lookup
from runtime.errors import RecordBusy, ServiceError
from runtime.records.attempt import Attempt, Checked, Writing
from runtime.records.change import Outdated
from runtime.records.effects.copies import follow_names
from runtime.records.turn import pause, turn_of
from runtime.storage.store import Line, Transaction

A = TypeVar("A")
Write = Callable[[Attempt], Awaitable[A]]

_FRESH_SECONDS: Final = 0.05
"""How long writers go on from what they leave to each other. Copied names change unseen meanwhile, which is
noticed only of writes that end soon after they read (``renames.MOST_SECONDS``)."""

_TRIES_WITHOUT_LOCK: Final = 3
"""More would let a process that goes on and on keep the writers of others waiting."""


async def settle(writing: Writing, write: Write[A]) -> A:
    """Run ``write`` until it has stored its change, and return what it returns.

    A caller that named a version gets the conflict from ``write``; one that did not wants the last write to
    win. Raises ``RecordBusy``.
    """
    call, store = writing.call, writing.call.store
    turn = turn_of(call, writing.kind, writing.record_id)
    if turn is not None and (line := store.busy_line(turn)) is not None:
        with suppress(Checked):  # refuse now what will be refused: none may wait for what it cannot see
            await _attempt(writing, write, line, is_check=True)
        writing = writing._replace(chosen=None)
        call.turn.give_back()  # others may use the store while this waits
    async with store.take_turns([turn] if turn is not None else []) as lines:
        call.turn.take_back()
        attempt, answer = await _settle_in_turn(writing, write, lines[0] if lines else None)
    if attempt.change is not None and not writing.terms.is_dry_run:
        await follow_names(call, [attempt.change], attempt.began)
    return answer


async def _settle_in_turn(writing: Writing, write: Write[A], line: Line | None) -> tuple[Attempt, A]:
    deadline = time.monotonic() + writing.call.store.seconds
    for tries in count(1):
        try:
            if tries > _TRIES_WITHOUT_LOCK:
                return await _attempt_locked(writing, write)
            attempt, answer = await _attempt(writing, write, line if tries == 1 else None)
        except Outdated:
            if time.monotonic() > deadline:
                raise RecordBusy("too many requests write this record; try again later") from None
            writing = writing._replace(chosen=None)
            await pause(tries)
        else:
            if line is not None and attempt.change is not None and not writing.terms.is_dry_run:
                after = None if writing.kind.hidden else attempt.change.after
                line.leave(after, attempt.began)
            return attempt, answer
    raise AssertionError("counting has no end")


async def _attempt(
    writing: Writing, write: Write[A], line: Line | None, *, is_check: bool = False
) -> tuple[Attempt, A]:
    """Begin with what the last writer in line has left, else with what is stored.

    A change is not refused because of what was left, since another writer may have changed the record.
    """
    attempt = _begin_with_left(writing, line, is_check=is_check)
    if attempt is not None:
        try:
            return attempt, await write(attempt)
        except ServiceError:
            if attempt.change is not None:  # the store refused it
                raise
    attempt = Attempt(writing, is_check=is_check)
    return attempt, await write(attempt)


def _begin_with_left(writing: Writing, line: Line | None, *, is_check: bool) -> Attempt | None:
    """Begin with what the last writer in line has left, if it is fresh and the caller may see it."""
    left = None if line is None or writing.match is not None else line.left
    if left is None or time.monotonic() - left.read_at >= _FRESH_SECONDS:
        return None
    document = left.document
    if not allow_lookup(writing.call, writing.kind).admits(document):
        return None
    return Attempt(writing, stored=document, began=left.read_at, is_check=is_check)


async def _attempt_locked(writing: Writing, write: Write[A]) -> tuple[Attempt, A]:
    """Begin with the record locked in a transaction, so that nobody can change it before it is stored."""

    async def work(transaction: Transaction) -> tuple[Attempt, A]:
        attempt = Attempt(writing, transaction=transaction)
        return attempt, await write(attempt)

    return await writing.call.store.transact(work, is_dry_run=writing.terms.is_dry_run)
