"""New records that hold others, stored in one transaction with those of other requests.

Most of what it costs to store such a record are its commands: one that holds, one that inserts, one that
commits. Under load many records come in one turn of the event loop, and the three commands serve all of them.
If anything is in the way of one, nothing is stored, and each request stores its own as if it were alone.
So that none waits long for another, only small records come together, which hold few others, and what other
writers hold is not waited for.
"""

import asyncio
from collections.abc import Sequence
from contextvars import Context
from itertools import count
from typing import Final, NamedTuple, TypeAlias

from runtime.call import Call
from runtime.errors import StoreUnavailable
from runtime.records.change import Change, Outdated
from runtime.records.effects.tracking import held_by, hold_across
from runtime.storage.store import Transaction, count_bytes

_MOST: Final = 50
_MOST_HELD: Final = 8
"""Records that one of them holds: each is a statement of its own."""

_LARGEST: Final = 2**16  # bytes
_MOST_TRIES: Final = 3
"""How often another writer may be in the way. Alone, each tries until its deadline."""

Place: TypeAlias = tuple[str, str]
"""A database and the name of a record type."""


class _Waiting(NamedTuple):
    """A request with the record it wants stored. ``stored``: whether that was done."""

    call: Call
    change: Change
    stored: "asyncio.Future[bool]"


class JointInsertions:
    """Gathers the new records of one process."""

    def __init__(self) -> None:
        self._open: dict[Place, list[_Waiting]] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop itself holds tasks weakly

    async def store(self, call: Call, change: Change) -> bool:
        """Store a new record together with others of this turn; False: nothing of it was stored.

        Raises ``StoreUnavailable``.
        """
        own, held = call.service.store, held_by(call, [change])
        if own.is_traced() or len(held) > _MOST_HELD or any(map(own.busy_line, held)):
            return False  # its commands are part of a trace, or others of the turn would wait with it
        if count_bytes(change.after or {}) > _LARGEST:
            return False
        loop, place = asyncio.get_running_loop(), (call.database, change.kind.name)
        waiting = self._open.get(place)
        if waiting is None or len(waiting) == _MOST:
            waiting = self._open[place] = []
            loop.call_soon(self._close, place, waiting)
        waiting.append(_Waiting(call, change, loop.create_future()))
        return await waiting[-1].stored

    def _close(self, place: Place, waiting: list[_Waiting]) -> None:
        if self._open.get(place) is waiting:
            del self._open[place]
        wanted = [one for one in waiting if not one.stored.done()]
        if len(wanted) < 2:
            _settle(wanted, False)
            return
        # In a context of its own: it is the work of none of those who wait.
        task = asyncio.get_running_loop().create_task(self._store(wanted), context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _store(self, wanted: Sequence[_Waiting]) -> None:
        call, changes = wanted[0].call, [one.change for one in wanted]
        first, *others = [(change.access, change.after or {}) for change in changes]
        tries, is_written = count(1), False

        async def work(store: Transaction) -> None:
            nonlocal is_written
            is_written = False
            if next(tries) > _MOST_TRIES:
                raise Outdated  # somebody else writes to what one of them holds
            await hold_across(call, store, changes)
            await store.insert_across(*first, others)
            is_written = True

        try:
            await call.service.store.transact(work, turns=held_by(call, changes))
        except StoreUnavailable as error:
            _fail(wanted, error.message, error)
        except Exception as error:
            if is_written:  # perhaps it was stored all the same: nobody may store it again
                _fail(wanted, "the store did not confirm the write; try again", error)
            else:  # each finds out by itself whether it is the reason
                _settle(wanted, False)
        else:
            _settle(wanted, True)
        finally:
            for one in wanted:
                one.stored.cancel()  # not answered yet if the event loop ends: nobody else would


def _fail(wanted: Sequence[_Waiting], message: str, error: Exception) -> None:
    for one in wanted:
        if not one.stored.done():
            one.stored.set_exception(StoreUnavailable(message, cause=error))


def _settle(wanted: Sequence[_Waiting], is_stored: bool) -> None:
    for one in wanted:
        if not one.stored.done():
            one.stored.set_result(is_stored)
