"""Storing of a batch of rows: each row separately, many in one command.

Where nothing else is stored with the records (no revisions, no held targets, no receipt), new and changed
ones go in one command each, and every record is stored or refused alone. Otherwise they go in one
transaction, which is halved until the rows in its way are found. A changed record is decided again, in turn.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple, TypeAlias

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import RecordBusy, ServiceError
from runtime.filter import by_ids
from runtime.model.record_type import RecordType
from runtime.records.batch import MOST_TOGETHER, refuse_all, store_together
from runtime.records.change import Change, Outdated
from runtime.records.commit import insert_all, is_plain, replace_all, store_changes
from runtime.records.effects.copies import follow_names
from runtime.records.effects.tracking import concerns
from runtime.records.renames import announce_renames
from runtime.records.turn import pause, turns_of
from runtime.storage.access import Action
from runtime.transfer.importing.planning import plan
from runtime.transfer.importing.targets import Targets
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.refusals import findings
from runtime.transfer.rows.rows import Failed, Insert, Outcome, Update, Write

_PATIENCE_SECONDS: Final = 1.0
"""How long rows are tried again whose records other processes write."""

_LONG_AGO: Final = float("-inf")
"""When the names in a row were looked up: it may have waited for the rows around it."""

Answer: TypeAlias = Callable[[Sequence[Outcome]], Any]
"""Returns what a receipt records of some outcomes, in the transaction that stores them."""


class Storing:
    """The writes of one import. ``reading``: of a file whose rows may have been read in part."""

    def __init__(
        self, call: Call, kind: RecordType[Any], targets: Targets, reading: Reading | None = None
    ) -> None:
        self._call = call
        self._kind = kind
        self._targets = targets
        self._reading = reading

    def use(self, call: Call) -> None:
        """Go on with the permissions of this call."""
        self._call = call

    async def store(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Store what is to be stored; the outcomes as they came to be, in their order. Raises faults."""
        done: list[Outcome] = []
        if is_plain(self._call, self._kind):
            return await self._store_plainly(outcomes)
        for start in range(0, len(outcomes), MOST_TOGETHER):
            done += await self.store_together(outcomes[start : start + MOST_TOGETHER], _no_answer)
        return done

    async def store_together(self, outcomes: Sequence[Outcome], answer: Answer) -> list[Outcome]:
        """Store in one or more transactions, in order; each signs the call's receipt for ``answer``."""
        return await store_together(self._call, _Rows(self, answer), outcomes)

    async def store_alone(self, outcomes: Sequence[Outcome], answer: Answer) -> list[Outcome]:
        """Store one row, whose record others are writing, in a transaction of its own."""
        try:
            async with self._take_turn(outcomes):
                done = await self._store_in_turn(outcomes, answer)
        except RecordBusy as error:
            return await self.store_together(self._with_refused(outcomes, error), answer)
        await follow_names(self._call, _changes(done), _LONG_AGO)
        return done

    async def _store_in_turn(self, outcomes: Sequence[Outcome], answer: Answer) -> list[Outcome]:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            again = await self._decide_again(outcomes)
            changes = _changes(again)
            if not changes:
                return await self.store_together(again, answer)
            try:
                await store_changes(self._call, changes, answer(again))
            except ServiceError as error:
                return await self.store_together(self._with_refused(again, error), answer)
            except Outdated:
                _require_time(deadline)
            else:
                return again
            await pause()

    async def _store_plainly(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Store rows at the same time, without a transaction unless a record moves to another tenant."""
        known = {found.row.number: found for found in outcomes}
        refused, stale = await self._store_writes(
            [found for found in outcomes if isinstance(found, Insert | Update)]
        )
        known |= {found.row.number: found for found in refused}
        if stale:
            known |= {found.row.number: found for found in await self._catch_up(stale)}
        done = [known[found.row.number] for found in outcomes]
        await follow_names(self._call, _changes(done), _LONG_AGO)
        return done

    async def _catch_up(self, writes: Sequence[Write]) -> list[Outcome]:
        """Store rows whose records others write, again and again until the time limit."""
        known: dict[int, Outcome] = {write.row.number: write for write in writes}
        waiting = list(writes)
        try:
            async with self._take_turn(writes):
                deadline = time.monotonic() + _PATIENCE_SECONDS
                while waiting:
                    again = await self._decide_again(waiting)
                    known |= {found.row.number: found for found in again}
                    waiting = [found for found in again if isinstance(found, Insert | Update)]
                    refused, waiting = await self._store_writes(waiting)
                    known |= {found.row.number: found for found in refused}
                    if waiting:
                        _require_time(deadline)
                        await pause()
        except RecordBusy as error:
            known |= {found.row.number: found for found in self._with_refused(waiting, error)}
        return list(known.values())

    async def _store_writes(self, writes: Sequence[Write]) -> tuple[list[Outcome], list[Write]]:
        """Store changed records; return the refused ones, and the ones that changed since they were read."""
        alone: list[Write] = []
        rest: list[Write] = []
        for write in writes:
            (alone if concerns(self._call, write.change) else rest).append(write)
        refused = [
            found
            for write in alone
            for found in await self.store_together([write], _no_answer)
            if isinstance(found, Failed)
        ]
        inserts = [write for write in rest if isinstance(write, Insert)]
        updates = [write for write in rest if isinstance(write, Update)]
        made = await self._store_inserts(inserts)
        changed, stale = await self._store_updates(updates)
        return [*refused, *made, *changed], stale

    async def _store_inserts(self, writes: Sequence[Insert]) -> list[Failed]:
        errors = await insert_all(self._call.store, [write.change for write in writes])
        return [self.refused(writes[at], error) for at, error in errors.items()]

    async def _store_updates(self, writes: Sequence[Update]) -> tuple[list[Failed], list[Write]]:
        if not writes:
            return [], []
        changes = [write.change for write in writes]
        await announce_renames(self._call, self._call.store, changes)
        found, errors = await replace_all(self._call.store, changes)
        refused = [self.refused(writes[at], error) for at, error in errors.items()]
        rest = [write for at, write in enumerate(writes) if at not in errors]
        stale: list[Write] = []
        if found < len(rest):
            stale = await self._find_not_stored(rest)
        return refused, stale

    async def _find_not_stored(self, writes: Sequence[Update]) -> list[Write]:
        """Return the writes whose record is not as written; another writer's version may be the same."""
        access = allow(self._call, self._kind, Action.VIEW)
        ids = [str((write.change.after or {})["_id"]) for write in writes]
        rows = await self._call.store.find(access.to_decide(), by_ids(ids))
        stored = {str(row["_id"]): row for row in rows}
        return [
            write
            for record_id, write in zip(ids, writes, strict=True)
            if not _has(stored.get(record_id), write.change.after)
        ]

    @asynccontextmanager
    async def _take_turn(self, outcomes: Sequence[Outcome]) -> AsyncIterator[None]:
        """Write to the records of these while other writers of this process wait. Raises ``RecordBusy``."""
        ids = [
            str((change.before or {})["_id"]) for change in _changes(outcomes) if change.before is not None
        ]
        async with self._call.store.take_turns(turns_of(self._call, self._kind, ids)):
            yield

    async def _decide_again(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Decide rows again, as the store is now."""
        rows = [found.row for found in outcomes if isinstance(found, Insert | Update)]
        if self._reading is not None:
            rows = [self._reading.whole(row) for row in rows]
        decided = {
            found.row.number: found for found in await plan(self._call, self._kind, rows, self._targets)
        }
        return [decided.get(found.row.number, found) for found in outcomes]

    def _with_refused(self, outcomes: Sequence[Outcome], error: ServiceError) -> list[Outcome]:
        return refuse_all(_Rows(self, _no_answer), outcomes, error)

    def refused(self, write: Write, error: ServiceError) -> Failed:
        """Return the outcome of a row that is refused. Raises faults."""
        return Failed(write.row, findings(self._kind, write.row, error), isinstance(write, Update))


class _Rows(NamedTuple):
    """A ``Batch`` of decided rows, some of which are to be stored."""

    storing: Storing
    answer: Answer

    @property
    def began(self) -> float:
        return _LONG_AGO

    def change_of(self, entry: Outcome) -> Change | None:
        return entry.change if isinstance(entry, Insert | Update) else None

    def refuse(self, entry: Outcome, error: ServiceError) -> Outcome:
        return self.storing.refused(entry, error) if isinstance(entry, Insert | Update) else entry

    async def store_outdated(self, entries: Sequence[Outcome]) -> Sequence[Outcome]:
        return await self.storing.store_alone(entries, self.answer)


def _has(stored: Any, written: Any) -> bool:
    """Return whether all that was written is there; what a write leaves as it was may be there as well."""
    if isinstance(written, dict) and isinstance(stored, dict):
        return all(_has(stored.get(name), value) for name, value in written.items())
    if isinstance(written, list) and isinstance(stored, list):
        return len(stored) == len(written) and all(map(_has, stored, written))
    return bool(stored == written)


def _changes(outcomes: Sequence[Outcome]) -> list[Change]:
    return [found.change for found in outcomes if isinstance(found, Insert | Update)]


def _require_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise RecordBusy("too many requests write this record; import the row again")


def _no_answer(_outcomes: Sequence[Outcome]) -> None:
    return None
