"""Unique values that the rows of a session would give to two records.

A session stores nothing, so no index refuses the second record of a value. Its analysis looks for the records
that have the values already, as far as the caller may see them, and remembers the values of the rows before.
Whatever it cannot see, the commit reports.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from runtime.call import Call
from runtime.errors import Duplicate, UnknownField
from runtime.fast.name_set import NameSet
from runtime.model.documents import tenant_of
from runtime.model.paths import value_at
from runtime.model.record_type import RecordType
from runtime.storage.wire import plain_text
from runtime.transfer.importing.existing import Existing, Name, find_named
from runtime.transfer.profiles.profile_target import keys_of
from runtime.transfer.rows.refusals import build_findings
from runtime.transfer.rows.rows import Failed, Insert, Outcome, Update, Write

_Values: TypeAlias = Mapping[str, Name]
"""Path → tenant and value, of the unique fields that a row sets."""


class UniqueValues:
    """The unique values of one file, batch by batch and in its order."""

    def __init__(self, kind: RecordType[Any]) -> None:
        self._kind = kind
        self._paths = sorted(keys_of(kind))
        self._taken = NameSet()
        self._given_up = NameSet()

    async def report_taken(self, call: Call, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Fail the rows of a batch whose unique values another record has, or a row before."""
        writes = [found for found in outcomes if isinstance(found, Insert | Update)]
        given = {write.row.number: self._read_new(write) for write in writes}
        for write in writes:  # of later rows too: the commit may store them first
            self._give_up(write, given[write.row.number])
        stored = {path: await self._find(call, path, given.values()) for path in self._paths}
        return [
            found if (values := given.get(found.row.number)) is None else self._decide(found, values, stored)
            for found in outcomes
        ]

    def _read_new(self, write: Write) -> _Values:
        """Read the unique values that the record does not have yet. Its key is that of the row alone."""
        before, after = write.change.before or {}, write.change.after or {}
        paths = (path for path in self._paths if path != write.row.terms.key)
        values = {path: value_at(after, path) for path in paths}
        return {
            path: (tenant_of(after), plain_text(value) or "")
            for path, value in values.items()
            if value is not None and value != value_at(before, path)
        }

    def _give_up(self, write: Write, values: _Values) -> None:
        before, after = write.change.before, write.change.after or {}
        if before is None:
            return
        for path in self._paths:
            old = value_at(before, path)
            if old is not None and (path in values or value_at(after, path) is None):
                self._given_up.add(_mark(path, (tenant_of(before), plain_text(old) or "")))

    async def _find(self, call: Call, path: str, given: Iterable[_Values]) -> Existing:
        texts = {values[path][1] for values in given if path in values}
        try:
            return await find_named(call, self._kind, path, sorted(texts))
        except UnknownField:  # withheld from the caller: whether a value exists would reveal it
            return Existing({}, frozenset())

    def _decide(self, found: Outcome, values: _Values, stored: Mapping[str, Existing]) -> Outcome:
        taken = [path for path, name in values.items() if self._is_taken(path, name, stored[path])]
        if not taken:
            for path, name in values.items():
                self._taken.add(_mark(path, name))
            return found
        refusals = [Duplicate.of_values(self._kind.shown_name, {path: values[path][1]}) for path in taken]
        errors = [one for error in refusals for one in build_findings(self._kind, found.row, error)]
        return Failed(found.row, errors, isinstance(found, Update))

    def _is_taken(self, path: str, name: Name, stored: Existing) -> bool:
        mark = _mark(path, name)
        if mark in self._taken:
            return True
        return mark not in self._given_up and (name in stored.records or name in stored.unclear)


def _mark(path: str, name: Name) -> str:
    return "\0".join((path, *name))
