"""Rows that wait for records which other rows of their file create. Pure.

A row may refer to a record of its own type that is not there yet: a row behind it may create it. Such a row
is set aside until that one is through, and is then decided like any other. Rows that still wait at the end
of the file refer to nobody, to rows that failed, or to each other in a circle. Memory is bounded: where
more rows wait than there is room for, the others fail, with the advice to put the rows that others refer to
first.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from runtime.contract.imports import RowCode
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import Failed, InputRow

Wanted: TypeAlias = tuple[str | None, str]
"""A tenant, None where the scope of the caller names it, and a refName."""

MOST_WAITING: Final = 20_000
"""Rows of one file."""

MOST_CHARACTERS: Final = 8 * 2**20
"""Characters of their cells."""

_MOST_NAMED: Final = 10
"""Records of a circle that an error names."""


class Waiting(NamedTuple):
    """A row and the records of its own type that were not found: field and refName of each.

    ``is_update``: the record that the row names exists; ``tenant``: of these records, None where the scope
    of the caller names it.
    """

    row: InputRow
    missing: Sequence[tuple[str, str]]
    is_update: bool = False
    tenant: str | None = None


class Stuck(NamedTuple):
    """A row that waits in vain. ``why``: None where no row of the file has that refName."""

    row: InputRow
    field: str
    name: str
    why: str | None
    is_update: bool


class Waitlist:
    """The rows of one file that wait, by the refNames that they wait for."""

    def __init__(self) -> None:
        self._rows: dict[int, Waiting] = {}
        self._unmet: dict[int, set[Wanted]] = {}
        self._by_name: dict[Wanted, list[int]] = {}
        self._ready: deque[InputRow] = deque()
        self._held: deque[InputRow] = deque()
        self._characters = 0

    def add(self, waiting: Waiting) -> Failed | None:
        """Set a row aside; return the failure of a row that does not fit."""
        row, (field, name) = waiting.row, waiting.missing[0]
        if (full := self._find_room(row, field, name)) is not None:
            return full
        self._rows[row.number] = waiting
        self._unmet[row.number] = {(waiting.tenant, one) for _field, one in waiting.missing}
        for one in self._unmet[row.number]:
            self._by_name.setdefault(one, []).append(row.number)
        return None

    def hold(self, row: InputRow, field: str, name: str) -> Failed | None:
        """Set a row aside whose name a waiting row has, until the end of the file; returns as ``add``."""
        full = self._find_room(row, field, name)
        if full is None:
            self._held.append(row)
        return full

    def _find_room(self, row: InputRow, field: str, name: str) -> Failed | None:
        size = _size(row)
        if len(self._rows) + len(self._held) < MOST_WAITING and self._characters + size <= MOST_CHARACTERS:
            self._characters += size
            return None
        message = (
            f"{name[:100]} has not come yet, and too many rows wait for rows behind them: put the rows "
            "that others refer to first, or send the file again when these are stored"
        )
        return Failed(row, [RowError(RowCode.REFERENCE, message, field, name)])

    def settle(self, name: str, tenant: str | None = None) -> None:
        """Settle the rows that wait for this refName, since its record exists: ``tenant`` is as theirs."""
        wanted = tenant, name
        for number in self._by_name.pop(wanted, ()):
            unmet = self._unmet[number]
            unmet.discard(wanted)
            if not unmet:
                self._ready.append(self._take(number))

    def take_ready(self, most: int) -> list[InputRow]:
        """Return rows that wait for nothing any more, in the order of the file."""
        found = [self._ready.popleft() for _row in range(min(most, len(self._ready)))]
        return sorted(found, key=lambda row: row.number)

    def take_held(self, most: int) -> list[InputRow]:
        """Return rows that were held, in their order."""
        found = [self._held.popleft() for _row in range(min(most, len(self._held)))]
        self._characters -= sum(map(_size, found))
        return found

    def take_stuck(self) -> list[Stuck]:
        """Return all rows that wait at the end of the file, in their order, and why each waits in vain."""
        reasons = self._find_reasons()
        found = [reasons[number] for number in sorted(self._rows)]
        for number in list(self._rows):
            self._take(number)
        self._by_name.clear()
        return found

    def _take(self, number: int) -> InputRow:
        row = self._rows.pop(number).row
        del self._unmet[number]
        self._characters -= _size(row)
        return row

    def _find_reasons(self) -> dict[int, Stuck]:
        """Yield first the rows that refer to no record and the ones that need these, then circles."""
        givers = {_find_given(one): number for number, one in self._rows.items()}
        found: dict[int, Stuck] = {}
        for number, names in self._unmet.items():
            if nobody := [name for name in sorted(names) if name not in givers]:
                self._spread({number: self._build_stuck(number, nobody[0][1], None)}, found)
        for number in self._rows:
            if number not in found:
                self._spread(self._find_circle(number, givers), found)
        return found

    def _spread(self, first: dict[int, Stuck], found: dict[int, Stuck]) -> None:
        """Add these rows to those that are ``found``, and all that need them."""
        queue = deque(number for number in first if number not in found)
        found |= first | found
        while queue:
            number = queue.popleft()
            given = _find_given(self._rows[number])
            name = given[1]
            for other in self._by_name.get(given, ()):
                if other not in found:
                    found[other] = self._build_stuck(
                        other, name, f"row {number}, which gives {name[:100]}, has errors"
                    )
                    queue.append(other)

    def _find_circle(self, number: int, givers: Mapping[Wanted, int]) -> dict[int, Stuck]:
        """Return the circle that a row leads to: all of its names are given by rows that wait as well."""
        way: dict[int, Wanted] = {}
        while number not in way:
            way[number] = min(self._unmet[number])
            number = givers[way[number]]
        members = list(way)[list(way).index(number) :]
        names = [(self._rows[member].row.ref_name or "")[:100] for member in members]
        shown = names if len(names) <= _MOST_NAMED else [*names[:_MOST_NAMED], "…"]
        why = f"{' → '.join([*shown, names[0]])} refer to each other in a circle: store one without it first"
        return {member: self._build_stuck(member, way[member][1], why) for member in members}

    def _build_stuck(self, number: int, name: str, why: str | None) -> Stuck:
        row, missing, is_update, _tenant = self._rows[number]
        return Stuck(row, next(field for field, one in missing if one == name), name, why, is_update)


def _find_given(one: Waiting) -> Wanted:
    """Return the record that a row creates or changes, as rows wait for it."""
    return one.tenant, one.row.ref_name or ""


def _size(row: InputRow) -> int:
    return sum(map(len, row.raw.values()))
