"""Writes of one record each, stored in one transaction with those of other requests.

Most of what it costs to store a record are its commands: one that stores it, and for a new record that holds
others one that holds them and one that commits. Under load many records come in one turn of the event loop,
and the same commands serve all of them. If anything is in the way of one, nothing is stored, and each request
stores its own as if it were alone; a caller whose write was refused stays alone for a moment. So that none
waits long for another, only small records come together, which hold few others, and what other writers hold
is not waited for. Writes with companions, such as the deliveries of webhooks, come together with others of
their tenant, which have the same, and their companions follow all of them at once.
"""

import asyncio
import time
from collections.abc import Sequence
from contextvars import Context
from itertools import count
from typing import Final, NamedTuple, TypeAlias

from runtime.bounded_cache import BoundedCache
from runtime.call import Call
from runtime.errors import ServiceError, StoreUnavailable
from runtime.logs import log
from runtime.records.change import Change, Outdated
from runtime.records.effects.tracking import held_by, hold_across
from runtime.sources import Companion
from runtime.storage.store import Transaction, count_bytes

_MOST: Final = 50
_MOST_FOLLOWED: Final = 10
"""Writes of one transaction, and of one with companions: a tenant may have dozens of webhooks, and the filter
of each is decided for each write."""

_MOST_HELD: Final = 8
"""Records that one of them holds: each is a statement of its own."""

_LARGEST: Final = 2**16  # bytes
_MOST_TRIES: Final = 3
"""How often another writer may be in the way. Alone, each tries until its deadline."""

_APART_SECONDS: Final = 1.0
_MOST_APART: Final = 1000

_Followed: TypeAlias = tuple[str | None, tuple[Companion, ...]]
"""A tenant, and the companions that follow what it writes."""


class _Place(NamedTuple):
    """Where writes come together.

    ``is_new``: whether the records are new. ``followed``: None for writes without companions.
    """

    database: str
    kind: str
    is_new: bool
    followed: _Followed | None


class _Waiting(NamedTuple):
    """A request with the change it wants stored, and its size. ``stored``: whether that was done."""

    call: Call
    change: Change
    size: int
    is_holding: bool
    stored: "asyncio.Future[bool]"


class JointWrites:
    """Gathers the changes of one process."""

    def __init__(self) -> None:
        self._open: dict[_Place, list[_Waiting]] = {}
        self._apart: BoundedCache[tuple[str, str], float] = BoundedCache(_MOST_APART)
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop itself holds tasks weakly

    async def store(self, call: Call, change: Change, companions: tuple[Companion, ...]) -> bool:
        """Store a new or changed record together with others of this turn; False: nothing of it was stored.

        A changed record must hold nothing that it did not hold before. ``companions``: those that want to
        follow it, all of which ``is_joint``. Raises ``StoreUnavailable``.
        """
        store, held = call.service.store, _find_held(call, [change])
        if store.is_traced() or len(held) > _MOST_HELD or any(map(store.busy_line, held)):
            return False  # its commands are part of a trace, or others of the turn would wait with it
        if self._is_apart(call) or (size := count_bytes(change.after or {})) > _LARGEST:
            return False
        if change.before is not None and store.takes_several_commands(change.access):
            return False  # each would be converted first, and nobody else is to wait for that
        loop, place = asyncio.get_running_loop(), _find_place(call, change, companions)
        waiting = self._open.get(place)
        if waiting is None or len(waiting) == (_MOST if place.followed is None else _MOST_FOLLOWED):
            waiting = self._open[place] = []
            loop.call_soon(self._close, place, waiting)
        waiting.append(_Waiting(call, change, size, bool(held), loop.create_future()))
        return await waiting[-1].stored

    def set_apart(self, call: Call) -> None:
        """Let the next writes of a caller be alone: one was refused, for which others would go twice."""
        self._apart.keep(_name_caller(call), time.monotonic() + _APART_SECONDS)

    def _is_apart(self, call: Call) -> bool:
        return self._apart.get(_name_caller(call), 0.0) > time.monotonic()

    def _close(self, place: _Place, waiting: list[_Waiting]) -> None:
        if self._open.get(place) is waiting:
            del self._open[place]
        wanted = [one for one in waiting if not one.stored.done()]
        companions = () if place.followed is None else place.followed[1]
        if not _is_worthwhile(wanted, len(companions)):
            _settle(wanted, False)
            return
        # In a context of its own: it is the work of none of those who wait.
        task = asyncio.get_running_loop().create_task(self._store(wanted, companions), context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _store(self, wanted: Sequence[_Waiting], companions: Sequence[Companion]) -> None:
        call, changes = wanted[0].call, [one.change for one in wanted]
        tries, is_written = count(1), False

        async def work(store: Transaction) -> None:
            nonlocal is_written
            is_written = False
            if next(tries) > _MOST_TRIES:
                raise Outdated  # somebody else writes to what one of them holds, or to the same record
            await _write_across(call, store, wanted, is_followed=bool(companions))
            for companion in companions:
                await companion.follow(call, store, changes)
            is_written = True

        try:
            await call.service.store.transact(work, turns=_find_held(call, changes))
        except StoreUnavailable as error:
            _fail(wanted, error.message, error)
        except Exception as error:
            is_refused = isinstance(error, ServiceError)  # by the store, before it has committed
            if is_written and not is_refused:  # perhaps it was stored all the same: nobody may store it again
                _fail(wanted, "the store did not confirm the write; try again", error)
            else:  # each finds out by itself whether it is the reason
                if not (is_refused or isinstance(error, Outdated)):
                    log.warning("joint_writes.failed", type=changes[0].kind.name, exc_info=error)
                _settle(wanted, False)
        else:
            _settle(wanted, True)
        finally:
            for one in wanted:
                one.stored.cancel()  # not answered yet if the event loop ends: nobody else would


async def _write_across(
    call: Call, store: Transaction, wanted: Sequence[_Waiting], *, is_followed: bool
) -> None:
    """Write changes of one type, which are all new records or none is. Raises ``Outdated``.

    New records that are followed are stored with what follows them, as the transaction is committed.
    """
    changes = [one.change for one in wanted]
    if changes[0].before is None:
        await hold_across(call, store, changes)
        first, *others = [(change.access, change.after or {}) for change in changes]
        if is_followed:
            await store.insert_last(*first, others)
        else:
            await store.insert_across(*first, others)
        return
    first_of_changed, *further = [
        (one.change.access, replacement._replace(size=one.size))
        for one in wanted
        if (replacement := one.change.replacement) is not None
    ]
    if await store.replace_across(*first_of_changed, further) < len(changes):
        raise Outdated


def _find_held(call: Call, changes: Sequence[Change]) -> set[str]:
    """Return the names of what new records hold; changed ones hold nothing that they did not hold before."""
    return held_by(call, changes) if changes[0].before is None else set()


def _find_place(call: Call, change: Change, companions: tuple[Companion, ...]) -> _Place:
    followed = (call.principal.scope.tenant_id, companions) if companions else None
    return _Place(call.database, change.kind.name, change.before is None, followed)


def _is_worthwhile(wanted: Sequence[_Waiting], companions: int) -> bool:
    """Return whether one transaction takes fewer commands than what each would send.

    A write that holds others or has companions takes one to store the record, one for each of the two and
    one to commit; any other is one command.
    """
    apart = sum(2 + one.is_holding + companions if one.is_holding or companions else 1 for one in wanted)
    return apart > 2 + any(one.is_holding for one in wanted) + companions


def _name_caller(call: Call) -> tuple[str, str]:
    return call.database, call.principal.user_id


def _fail(wanted: Sequence[_Waiting], message: str, error: Exception) -> None:
    for one in wanted:
        if not one.stored.done():
            one.stored.set_exception(StoreUnavailable(message, cause=error))


def _settle(wanted: Sequence[_Waiting], is_stored: bool) -> None:
    for one in wanted:
        if not one.stored.done():
            one.stored.set_result(is_stored)
