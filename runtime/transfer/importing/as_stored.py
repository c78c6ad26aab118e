"""Rows that are written just as an export would write their records: nothing of them changes.

Such rows are not read: text is compared with text, and no values are built. Of a row that differs only the
cells that differ are read, or all where one of them is a part of something.

Only for files of which each column is a single value: inside objects there may be fields that are hidden from
the caller, and the outcome of a row must not reveal whether a guess at them is right. And not for types that
refer to themselves: records are read while the rows before are stored, whose new names are copied to them
without a new version, and would be lost.
"""

from collections.abc import Sequence
from itertools import compress
from operator import ne
from typing import Final

from runtime.call import Call
from runtime.event_loop import Pace
from runtime.transfer.csv.cells import build_cell_reader, is_single
from runtime.transfer.csv.columns import Columns
from runtime.transfer.csv.row_limits import Row
from runtime.transfer.importing.archived import STATUS, is_archived
from runtime.transfer.importing.existing import Existing, Name, find_named
from runtime.transfer.importing.targets import refers_to_itself
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.rows import REF_NAME, TENANT, Document, InputRow

_AT_A_STRETCH: Final = 100
"""Rows that are read while all else in the worker waits."""


def can_be_compared(columns: Columns) -> bool:
    """Return whether a file of these columns can be compared with what is stored, row by row."""
    paths = [column.path for column in columns.columns]
    return (
        REF_NAME in paths
        and TENANT not in paths
        and columns.list_path is None
        and not refers_to_itself(columns.kind)
        and all(is_single(column.type) for column in columns.columns)
    )


class Comparison:
    """Reads the rows of one file, as far as they differ."""

    def __init__(self, call: Call, reading: Reading) -> None:
        self._call = call
        self._reading = reading
        self._columns = columns = reading.columns
        self._names = columns.names
        self._parts = frozenset(at for at, column in enumerate(columns.columns) if len(column.steps) > 1)
        paths = [column.path for column in columns.columns]
        self._status_at = paths.index(STATUS) if STATUS in paths else None
        self._every = range(len(columns.columns))
        self._at = paths.index(REF_NAME)
        self._name = build_cell_reader(columns.columns[self._at].type, guard=reading.guard)

    def use(self, call: Call) -> None:
        """Go on with the permissions of this call."""
        self._call = call

    async def read(self, rows: Sequence[Row]) -> tuple[list[InputRow], Existing]:
        """Return the rows in their order, and the records they name. Raises faults."""
        at = self._at
        names = [self._name(cells[at]) if at < len(cells) else None for _number, cells in rows]
        known = [name for name in names if name is not None]
        stored = await find_named(self._call, self._columns.kind, REF_NAME, known)
        tenant = self._call.principal.domain.tenant_id
        texts = self._render_texts(stored)
        found: list[InputRow] = []
        pace = Pace(_AT_A_STRETCH)
        for row, name in zip(rows, names, strict=True):
            found.append(self._read_row(row, name, None if name is None else texts.get((tenant, name))))
            await pace.step()
        return found, stored

    def _read_row(self, row: Row, name: str | None, stored: Sequence[str] | None) -> InputRow:
        """Build one row. ``stored``: the cells of the one record it names."""
        number, cells = row
        is_torn = len(cells) != len(self._names)
        if name is None or stored is None or is_torn or self._reading.is_marked(number):
            return self._reading.row(row)
        if stored == tuple(cells):
            raw = dict(zip(self._names, cells, strict=True))
            return InputRow(number, raw, {REF_NAME: name}, is_as_stored=True)
        different = list(compress(self._every, map(ne, cells, stored)))
        is_active = self._status_at is None or stored[self._status_at] != "ARCHIVED"
        if is_active and self._parts.isdisjoint(different):
            return self._reading.some(row, different, {REF_NAME: name})
        return self._reading.row(row)

    def _render_texts(self, stored: Existing) -> dict[Name, tuple[str, ...]]:
        """Render the rows that an export would write."""
        known: dict[Name, Document] = {
            name: record
            for name, record in stored.records.items()
            if name not in stored.unclear and (self._status_at is not None or not is_archived(record))
        }
        return dict(
            zip(known, self._columns.rows(list(known.values()), guard=self._reading.guard), strict=True)
        )
