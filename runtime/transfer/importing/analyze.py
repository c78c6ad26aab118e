"""Rows of a file → what is to be done with each, batch by batch: names that come twice, rows that wait.

``planning`` decides rows that do not depend on each other. Here is what depends on the other rows of the
file: a record is one row, and the first sound one gets its name; a row may refer to a record that a row
behind it creates. Both take what became of the rows before, which ``follow`` is given.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.imports import RowCode
from runtime.fast.name_set import NameSet
from runtime.model.record_type import RecordType
from runtime.storage.access import Action
from runtime.storage.wire import plain_text
from runtime.transfer.importing.existing import Existing, Name, find_existing, name_of
from runtime.transfer.importing.further import add_further
from runtime.transfer.importing.planning import plan
from runtime.transfer.importing.targets import Targets, refers_to_itself
from runtime.transfer.importing.unique_values import UniqueValues
from runtime.transfer.importing.waiting import Stuck, Waiting, Waitlist
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.reading import BATCH, Reading
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import Failed, InputRow, Insert, Outcome, Skip, Update, place_of


class Analysis:
    """The analysis of one file, batch by batch and in its order; it remembers which keys have come.

    ``is_grouped``: a record may have several rows; ``is_stored``: what was decided is stored before
    ``follow``; ``reading``: of a file whose rows may have been read in part. ``explains``: whether rows that
    fail from now on get all their errors, which cost more than the first; false where nobody will read them.
    """

    def __init__(
        self,
        call: Call,
        kind: RecordType[Any],
        *,
        is_grouped: bool = False,
        is_stored: bool = True,
        reading: Reading | None = None,
    ) -> None:
        self._call = call
        self._kind = kind
        self._is_grouped = is_grouped
        self._is_stored = is_stored
        self._reading = reading
        self.targets = Targets(call, kind)
        self._seen = NameSet()
        self._unique = None if is_stored else UniqueValues(kind)
        self._waitlist = Waitlist() if refers_to_itself(kind) else None
        self._names_waiting: set[Name] = set()
        self._stuck: list[Stuck] = []
        self.explains = True

    def use(self, call: Call) -> None:
        """Go on with the permissions of this call."""
        self._call = call
        self.targets.use(call)

    async def decide(self, rows: Iterable[InputRow], stored: Existing | None = None) -> list[Outcome]:
        """Decide what to do with each row, except the ones that are set aside: ``follow`` returns them later.

        ``stored``: the records that the rows name, where they have been found already. Raises only faults,
        and ``Denied`` for a caller that may not import.
        """
        outcomes: list[Outcome] = []
        broken: list[InputRow] = []
        rest: list[InputRow] = []
        twice: list[InputRow] = []
        for row in rows:
            if row.errors:
                broken.append(row)
                if self._is_grouped:
                    self._claim(row)
            elif row.intent is Intent.SKIP:
                outcomes.append(Skip(row))
            elif not self._claim(row):
                twice.append(row)
            elif row.is_as_stored:
                outcomes.append(Skip(row))
            else:
                rest.append(row)
        if broken:
            outcomes += await self._report_unreadable(broken, stored)
        if rest:
            outcomes += await self._plan(rest, stored)
        if twice:
            outcomes += await self._decide_again(twice)
        return sorted(outcomes, key=place_of)

    async def follow(
        self, planned: Sequence[Outcome], done: Sequence[Outcome]
    ) -> tuple[list[Outcome], list[Outcome]]:
        """Follow up a batch: ``done`` is what became of ``planned``.

        Return what to do next with rows that were set aside, or whose name is free again, until there are
        none; and the rows that are finished.
        """
        writes = {found.row.number for found in planned if isinstance(found, Insert | Update)}
        for found in done:
            if found.row.number in writes:
                self._settle(found)
        freed = {found.row.number for found in done if _came_twice(found) and self._is_free(found.row)}
        rows = [found.row for found in done if found.row.number in freed]
        following = await self.decide(rows if self._reading is None else map(self._reading.whole, rows))
        if self._waitlist is not None and (ready := self._waitlist.take_ready(BATCH)):
            self._names_waiting.difference_update(name_of(self._call, row) for row in ready)
            following = sorted([*following, *await self._plan(ready, None)], key=place_of)
        return following, [found for found in done if found.row.number not in freed]

    async def finish(self) -> list[Outcome]:
        """Decide, at the end of the file, what to do with rows that were set aside, some at a time.

        ``follow`` comes after each. Return nothing when all are decided.
        """
        outcomes: list[Outcome] = []
        waitlist = self._waitlist
        while waitlist is not None and not outcomes:
            self._stuck = self._stuck or waitlist.take_stuck()
            failing, self._stuck = self._stuck[:BATCH], self._stuck[BATCH:]
            for one in failing:
                outcomes.append(Failed(one.row, [await self._explain_failure(one)], one.is_update))
                self._release(one.row)
            outcomes = await self._add_further(outcomes, None)
            if not failing:
                if not (held := waitlist.take_held(BATCH)):
                    break
                outcomes = await self.decide(held)
        return outcomes

    async def _report_unreadable(self, rows: Sequence[InputRow], stored: Existing | None) -> list[Outcome]:
        """Fail rows that cannot be read, each as the insert or update that it would have been."""
        stored = stored or await find_existing(self._call, self._kind, rows)
        known = stored.records.keys() | stored.unclear
        failed = [Failed(row, row.errors, name_of(self._call, row) in known) for row in rows]
        return await self._add_further(failed, stored)

    async def _add_further(self, outcomes: Sequence[Outcome], stored: Existing | None) -> list[Outcome]:
        """Add what else is wrong with rows that failed."""
        failed = [found for found in outcomes if isinstance(found, Failed)]
        if not failed or not self.explains:
            return list(outcomes)
        stored = stored or await find_existing(self._call, self._kind, [found.row for found in failed])
        whole = await add_further(self._call, self._kind, failed, self.targets, stored)
        return [found for found in outcomes if not isinstance(found, Failed)] + whole

    async def _plan(self, rows: Sequence[InputRow], stored: Existing | None) -> list[Outcome]:
        waiting: list[Waiting] | None = None if self._waitlist is None else []
        outcomes = await plan(self._call, self._kind, rows, self.targets, stored, waiting)
        if self._unique is not None:
            outcomes = await self._unique.report_taken(self._call, outcomes)
        for one in waiting or ():
            if self._waitlist is not None and (full := self._waitlist.add(one)) is not None:
                outcomes.append(full)
            elif (name := name_of(self._call, one.row)) is not None:
                self._names_waiting.add(name)
        for found in outcomes:
            if isinstance(found, Failed):
                self._release(found.row)
        return await self._add_further(outcomes, stored)

    async def _decide_again(self, twice: list[InputRow]) -> list[Outcome]:
        """Decide rows whose name has come before: a row that failed does not claim it."""
        outcomes: list[Outcome] = []
        while free := [row for row in twice if self._claim(row)]:
            outcomes += [Skip(row) for row in free if row.is_as_stored]
            if rest := [row for row in free if not row.is_as_stored]:
                outcomes += await self._plan(rest, None)
            claimed = {row.number for row in free}
            twice = [row for row in twice if row.number not in claimed]
        return outcomes + [failed for row in twice if (failed := self._refuse_twice(row)) is not None]

    def _refuse_twice(self, row: InputRow) -> Failed | None:
        """Refuse a repeated name; None where the row before it that has its name waits, and may fail yet."""
        if self._waitlist is not None and name_of(self._call, row) in self._names_waiting:
            return self._waitlist.hold(row, row.terms.key, plain_text(row.key) or "")
        return Failed(row, [_build_repetition(row)], is_update=True)

    def _settle(self, found: Outcome) -> None:
        if isinstance(found, Failed):
            self._release(found.row)
        elif self._waitlist is not None and isinstance(found, Insert | Update):
            name, reach = str((found.change.after or {})["refName"]), self.targets.find_reach(found.row)
            if not self._is_stored:
                self.targets.promise(name, reach)
            self._waitlist.settle(name, reach)

    async def _explain_failure(self, stuck: Stuck) -> RowError:
        if stuck.why is None:
            return await self.targets.build_finding(stuck.row, self._kind.name, stuck.field, stuck.name)
        return RowError(RowCode.REFERENCE, stuck.why, stuck.field, stuck.name)

    def _claim(self, row: InputRow) -> bool:
        """Return whether no row before has this name; a new record that the server names has none."""
        name = name_of(self._call, row)
        return name is None or self._seen.add("\0".join(name))

    def _release(self, row: InputRow) -> None:
        """Let another row have the name of one that failed.

        Rows of one record are adjacent, so a further one elsewhere is a part of it, which cannot replace the
        whole.
        """
        if (name := name_of(self._call, row)) is not None:
            self._names_waiting.discard(name)
            if not self._is_grouped:
                self._seen.discard("\0".join(name))

    def _is_free(self, row: InputRow) -> bool:
        name = name_of(self._call, row)
        return name is not None and "\0".join(name) not in self._seen


def require_import_permission(call: Call, kind: RecordType[Any]) -> None:
    """Require CREATE, UPDATE and VIEW on the record type, which importing needs. Raises ``Denied``."""
    for action in (Action.CREATE, Action.UPDATE, Action.VIEW):
        allow(call, kind, action)


def _came_twice(found: Outcome) -> bool:
    return isinstance(found, Failed) and any(
        error.code is RowCode.DUPLICATE and error.depends_on_file for error in found.errors
    )


def _build_repetition(row: InputRow) -> RowError:
    value = plain_text(row.key) or ""
    message = f"{value[:100]} has come before in this file: a record is one row, or rows that stand together"
    return RowError(RowCode.DUPLICATE, message, row.terms.key, value, depends_on_file=True)
