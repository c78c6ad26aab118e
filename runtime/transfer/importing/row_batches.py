"""Batches of decided rows in transactions: many rows in one, each in the end stored or refused alone.

A row whose record others write is decided again, in turn, as the store is then.
"""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

from runtime.call import Call
from runtime.errors import RecordBusy, ServiceError
from runtime.model.record_type import RecordType
from runtime.records.batch import refuse_all, store_together
from runtime.records.change import Change, Outdated
from runtime.records.commit import store_changes
from runtime.records.effects.copies import follow_names
from runtime.records.turn import pause, turns_of
from runtime.transfer.importing.planning import plan
from runtime.transfer.importing.targets import Targets
from runtime.transfer.importing.unique_values import split_by_values
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.refusals import build_findings
from runtime.transfer.rows.rows import Failed, Insert, Outcome, Update

PATIENCE_SECONDS: Final = 1.0
"""How long rows are tried again whose records other processes write."""

LONG_AGO: Final = float("-inf")
"""When the names in a row were looked up: it may have waited for the rows around it."""

Answer: TypeAlias = Callable[[Sequence[Outcome]], Any]
"""Returns what a receipt records of some outcomes, in the transaction that stores them."""


class RowBatches:
    """The batches of one import: a ``Batch`` of decided rows, some of which are to be stored.

    ``reading``: of a file whose rows may have been read in part. ``answer``: what a receipt records of the
    batch that is stored next.
    """

    began: Final = LONG_AGO

    def __init__(
        self, call: Call, kind: RecordType[Any], targets: Targets, reading: Reading | None = None
    ) -> None:
        self.call = call
        self.answer: Answer = keep_no_answer
        self._kind = kind
        self._targets = targets
        self._reading = reading

    async def store(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Store in one or more transactions, in order; each signs the call's receipt for ``answer``."""
        done: list[Outcome] = []
        for part in split_by_values(self._kind, outcomes):
            done += await store_together(self.call, self, part)
        return done

    async def store_outdated(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Store one row, whose record others are writing, in a transaction of its own."""
        try:
            async with self.take_turns(outcomes):
                done = await self._store_in_turn(outcomes)
        except RecordBusy as error:
            return await self.store(self.refuse_all(outcomes, error))
        await follow_names(self.call, changes_of(done), LONG_AGO)
        return done

    async def decide_taken(self, outcomes: Sequence[Outcome]) -> list[Outcome] | None:
        """Decide rows again: another import may have stored a new record of one, which it then changes.

        None where all new records are still new, since another record has a unique value of one.
        """
        again = await self.decide_again(outcomes)
        return again if _count_inserts(again) < _count_inserts(outcomes) else None

    async def _store_in_turn(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            again = await self.decide_again(outcomes)
            changes = changes_of(again)
            if not changes:
                return await self.store(again)
            try:
                await store_changes(self.call, changes, self.answer(again))
            except ServiceError as error:
                return await self.store(self.refuse_all(again, error))
            except Outdated:
                require_time(deadline)
            else:
                return again
            await pause()

    @asynccontextmanager
    async def take_turns(self, outcomes: Sequence[Outcome]) -> AsyncIterator[None]:
        """Write to the records of these while other writers of this process wait. Raises ``RecordBusy``."""
        ids = [
            str((change.before or {})["_id"]) for change in changes_of(outcomes) if change.before is not None
        ]
        async with self.call.store.take_turns(turns_of(self.call, self._kind, ids)):
            yield

    async def decide_again(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Decide rows again, as the store is now."""
        rows = [found.row for found in outcomes if isinstance(found, Insert | Update)]
        if self._reading is not None:
            rows = [self._reading.whole(row) for row in rows]
        decided = {
            found.row.number: found for found in await plan(self.call, self._kind, rows, self._targets)
        }
        return [decided.get(found.row.number, found) for found in outcomes]

    def change_of(self, entry: Outcome) -> Change | None:
        """Return the change of a row that is to be stored."""
        return entry.change if isinstance(entry, Insert | Update) else None

    def refuse(self, entry: Outcome, error: ServiceError) -> Outcome:
        """Return the outcome of a row that was to be stored and is refused. Raises faults."""
        if not isinstance(entry, Insert | Update):
            return entry
        return Failed(entry.row, build_findings(self._kind, entry.row, error), isinstance(entry, Update))

    def refuse_all(self, outcomes: Sequence[Outcome], error: ServiceError) -> list[Outcome]:
        """Refuse the rows that were to be stored. Raises faults."""
        return refuse_all(self, outcomes, error)


def _count_inserts(outcomes: Sequence[Outcome]) -> int:
    return sum(isinstance(found, Insert) for found in outcomes)


def changes_of(outcomes: Sequence[Outcome]) -> list[Change]:
    """Return the changes of the rows that are to be stored."""
    return [found.change for found in outcomes if isinstance(found, Insert | Update)]


def require_time(deadline: float) -> None:
    """Raise ``RecordBusy`` after the deadline (``time.monotonic``)."""
    if time.monotonic() > deadline:
        raise RecordBusy("too many requests write this record; import the row again")


def keep_no_answer(_outcomes: Sequence[Outcome]) -> None:
    """Keep nothing: the ``Answer`` of an import without a receipt."""
