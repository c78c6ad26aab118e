"""Storing of a batch of rows: each row separately, many in one command.

Where nothing else is stored with the records (no revisions, no held targets, no receipt), new and changed
ones go in one command each, and every record is stored or refused alone. Otherwise they go in one
transaction, which is halved until the rows in its way are found. A changed record is decided again, in turn.
"""

import time
from collections.abc import Sequence
from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.imports import RowCode
from runtime.errors import RecordBusy
from runtime.filter import by_ids
from runtime.model.record_type import RecordType
from runtime.records.batch import MOST_TOGETHER
from runtime.records.commit import ask_whether_plain, insert_all, replace_all
from runtime.records.effects.copies import follow_names
from runtime.records.effects.tracking import concerns
from runtime.records.renames import announce_renames
from runtime.records.turn import pause
from runtime.storage.access import Action
from runtime.transfer.importing.row_batches import (
    LONG_AGO,
    PATIENCE_SECONDS,
    RowBatches,
    changes_of,
    require_time,
)
from runtime.transfer.importing.targets import Targets
from runtime.transfer.importing.unique_values import split_by_values
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.rows import Failed, Insert, Outcome, Update, Write


class Storing:
    """The writes of one import. ``reading``: of a file whose rows may have been read in part."""

    def __init__(
        self, call: Call, kind: RecordType[Any], targets: Targets, reading: Reading | None = None
    ) -> None:
        self._kind = kind
        self._batches = RowBatches(call, kind, targets, reading)

    def use(self, call: Call) -> None:
        """Go on with the permissions of this call."""
        self._batches.call = call

    async def store(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Store what is to be stored; the outcomes as they came to be, in their order. Raises faults.

        A new record whose values were taken since its row was decided is decided once more: another import
        may have stored it, so that the row changes it by now.
        """
        done: list[Outcome] = []
        if await ask_whether_plain(self._batches.call, self._kind):
            for part in split_by_values(self._kind, outcomes):
                done += await self._store_alone(part)
            return done
        for start in range(0, len(outcomes), MOST_TOGETHER):
            done += await self._batches.store(outcomes[start : start + MOST_TOGETHER])
        return done

    async def _store_alone(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        done = await self._store_plainly(outcomes)
        taken = [one for one, found in zip(outcomes, done, strict=True) if _is_taken(one, found)]
        if not taken:
            return done
        again = await self._store_plainly(await self._batches.decide_again(taken))
        known = {found.row.number: found for found in again}
        return [known.get(found.row.number, found) for found in done]

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
        await follow_names(self._batches.call, changes_of(done), LONG_AGO)
        return done

    async def _catch_up(self, writes: Sequence[Write]) -> list[Outcome]:
        """Store rows whose records others write, again and again until the time limit."""
        known: dict[int, Outcome] = {write.row.number: write for write in writes}
        waiting = list(writes)
        try:
            async with self._batches.take_turns(writes):
                deadline = time.monotonic() + PATIENCE_SECONDS
                while waiting:
                    again = await self._batches.decide_again(waiting)
                    known |= {found.row.number: found for found in again}
                    waiting = [found for found in again if isinstance(found, Insert | Update)]
                    refused, waiting = await self._store_writes(waiting)
                    known |= {found.row.number: found for found in refused}
                    if waiting:
                        require_time(deadline)
                        await pause()
        except RecordBusy as error:
            known |= {found.row.number: found for found in self._batches.refuse_all(waiting, error)}
        return list(known.values())

    async def _store_writes(self, writes: Sequence[Write]) -> tuple[list[Outcome], list[Write]]:
        """Store changed records; return the refused ones, and the ones that changed since they were read."""
        alone: list[Write] = []
        rest: list[Write] = []
        for write in writes:
            (alone if concerns(self._batches.call, write.change) else rest).append(write)
        refused = [
            found
            for write in alone
            for found in await self._batches.store([write])
            if isinstance(found, Failed)
        ]
        inserts = [write for write in rest if isinstance(write, Insert)]
        updates = [write for write in rest if isinstance(write, Update)]
        made = await self._store_inserts(inserts)
        changed, stale = await self._store_updates(updates)
        return [*refused, *made, *changed], stale

    async def _store_inserts(self, writes: Sequence[Insert]) -> list[Outcome]:
        errors = await insert_all(self._batches.call.store, [write.change for write in writes])
        return [self._batches.refuse(writes[at], error) for at, error in errors.items()]

    async def _store_updates(self, writes: Sequence[Update]) -> tuple[list[Outcome], list[Write]]:
        if not writes:
            return [], []
        changes = [write.change for write in writes]
        await announce_renames(self._batches.call, self._batches.call.store, changes)
        found, errors = await replace_all(self._batches.call.store, changes)
        refused = [self._batches.refuse(writes[at], error) for at, error in errors.items()]
        rest = [write for at, write in enumerate(writes) if at not in errors]
        stale: list[Write] = []
        if found < len(rest):
            stale = await self._find_not_stored(rest)
        return refused, stale

    async def _find_not_stored(self, writes: Sequence[Update]) -> list[Write]:
        """Return the writes whose record is not as written; another writer's version may be the same."""
        access = allow(self._batches.call, self._kind, Action.VIEW)
        ids = [str((write.change.after or {})["_id"]) for write in writes]
        rows = await self._batches.call.store.find(access.to_decide(), by_ids(ids))
        stored = {str(row["_id"]): row for row in rows}
        return [
            write
            for record_id, write in zip(ids, writes, strict=True)
            if not _has(stored.get(record_id), write.change.after)
        ]


def _is_taken(decided: Outcome, found: Outcome) -> bool:
    """Return whether a new record was refused because another one has its name or a unique value."""
    return (
        isinstance(decided, Insert)
        and isinstance(found, Failed)
        and any(error.code == RowCode.DUPLICATE for error in found.errors)
    )


def _has(stored: Any, written: Any) -> bool:
    """Return whether all that was written is there; what a write leaves as it was may be there as well."""
    if isinstance(written, dict) and isinstance(stored, dict):
        return all(_has(stored.get(name), value) for name, value in written.items())
    if isinstance(written, list) and isinstance(stored, list):
        return len(stored) == len(written) and all(map(_has, stored, written))
    return bool(stored == written)
