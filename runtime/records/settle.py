"""One change of one record, from what is stored to what is stored next.

Writers of one record take turns in a process, in the order in which they came. Each leaves the record as it
has stored it to the next, who need not read it: under load that is half of the commands of a write. A writer
of another process may store the record in between. Then the store refuses the change, which is prepared again
from what is stored by now; after some tries with the record locked.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, Final, NamedTuple, TypeVar

from runtime.access.guard import allow
from runtime.aside import run_aside
from runtime.call import Call
from runtime.errors import RecordBusy, ServiceError
from runtime.filter import by_id
from runtime.model.record_type import RecordType
from runtime.records.change import Change, Document, Outdated, read_stored_record
from runtime.records.commit import store_changes
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.effects.copies import follow_names
from runtime.records.turn import pause, turn_of
from runtime.storage.access import Action
from runtime.storage.store import LOCK, Changes, Line, Transaction
from runtime.storage.wire import new_id

A = TypeVar("A")
Prepare = Callable[[Document | None], Awaitable[Change]]
Read = Callable[[], Awaitable[Document | None]]

_FRESH_SECONDS: Final = 0.05
"""How long writers go on from what they leave to each other. Copied names change unseen meanwhile, which is
noticed only of writes that end soon after they read (``renames.MOST_SECONDS``)."""


_TRIES_WITHOUT_LOCK: Final = 3
"""More would let a process that goes on and on keep the writers of others waiting."""


class _Prepared(NamedTuple):
    """``began``: when what the change is built from was read."""

    change: Change
    began: float


async def settle(
    call: Call,
    kind: RecordType[Any],
    record_id: str | None,
    prepare: Prepare,
    answer: Callable[[Change], A],
    terms: Terms = PLAIN,
    *,
    read: Read | None = None,
) -> A:
    """Prepare and store one change, and return what ``answer`` makes of it.

    ``prepare`` is handed the record that the caller names, None where there is none that it can see. ``read``
    finds that record where more than its id has to match. The answer is known before the change is stored, so
    that a receipt can keep it with the change. A caller that named a version gets the conflict from
    ``prepare``; one that did not wants the last write to win. Raises ``RecordBusy``.
    """
    writing = _Writing(call, kind, record_id, prepare, read)
    store, turn = call.store, turn_of(call, kind, record_id)
    if turn is not None and (line := store.busy_line(turn)) is not None:
        await writing.prepare(line)  # refuse now what will be refused: none may wait for what it cannot see
        call.turn.give_back()  # others may use the store while this waits
    async with store.take_turns([turn] if turn is not None else []) as lines:
        call.turn.take_back()
        prepared, said = await _settle_in_turn(call, writing, answer, terms, lines)
    if not terms.is_dry_run:
        await follow_names(call, [prepared.change], prepared.began)
    return said


async def _settle_in_turn(
    call: Call, writing: _Writing, answer: Callable[[Change], A], terms: Terms, lines: Sequence[Line]
) -> tuple[_Prepared, A]:
    line = lines[0] if lines else None
    deadline = time.monotonic() + call.store.seconds
    for tries in count(1):
        try:
            if tries > _TRIES_WITHOUT_LOCK:
                return await _settle_locked(call, writing, answer, terms)
            prepared = await writing.prepare(line if tries == 1 else None)
            said = await run_aside(partial(answer, prepared.change))
            await store_changes(call, [prepared.change], said, terms)
        except Outdated:
            if time.monotonic() > deadline:
                raise RecordBusy("too many requests write this record; try again later") from None
            await pause(tries)
        else:
            if line is not None and not terms.is_dry_run:
                line.leave(None if prepared.change.kind.hidden else prepared.change.after, prepared.began)
            return prepared, said
    raise AssertionError("counting has no end")


async def _settle_locked(
    call: Call, writing: _Writing, answer: Callable[[Change], A], terms: Terms
) -> tuple[_Prepared, A]:
    """Settle in a transaction that writes to the record first.

    Other processes, which store one change at a time, wait until it ends.
    """

    async def work(transaction: Transaction) -> tuple[_Prepared, A]:
        prepared = await writing.prepare_locked(transaction)
        said = await run_aside(partial(answer, prepared.change))
        inside = replace(call, transaction=transaction)
        await store_changes(inside, [prepared.change], said, terms)
        return prepared, said

    return await call.store.transact(work, is_dry_run=terms.is_dry_run)


class _Writing(NamedTuple):
    """A change that a caller wants, to be prepared as often as the record changes."""

    call: Call
    kind: RecordType[Any]
    record_id: str | None
    make: Prepare
    read: Read | None

    async def prepare(self, line: Line | None) -> _Prepared:
        """Prepare from what the last writer in line has left, else from what is stored.

        A change is not refused because of what was left, since another writer may have changed the record.
        """
        left = None if line is None or self.read is not None else line.left
        if left is not None and time.monotonic() - left.read_at < _FRESH_SECONDS:
            document = left.document
            if allow(self.call, self.kind, Action.VIEW).to_decide().admits(document):
                try:
                    return _Prepared(await self.make(document), left.read_at)
                except ServiceError:
                    pass
        began = time.monotonic()
        return _Prepared(await self.make(await self._read_stored()), began)

    async def prepare_locked(self, transaction: Transaction) -> _Prepared:
        """Prepare from what is stored, which cannot change before the transaction ends."""
        began, found = time.monotonic(), None
        if self.record_id is not None:
            access = allow(self.call, self.kind, Action.VIEW).to_decide()
            found = await transaction.update_one(access, by_id(self.record_id), Changes(set={LOCK: new_id()}))
        return _Prepared(await self.make(found if self.read is None else await self.read()), began)

    async def _read_stored(self) -> Document | None:
        if self.read is not None:
            return await self.read()
        if self.record_id is None:
            return None
        return await read_stored_record(self.call, self.kind, by_id(self.record_id))
