"""Rows of a file → rows of records: with a ``[0]`` column a record may have several; these fail together."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from itertools import chain
from typing import Final

from runtime.contract.imports import RowCode
from runtime.event_loop import Pace
from runtime.transfer.csv.reader import CsvFile
from runtime.transfer.csv.row_limits import Row
from runtime.transfer.rows.items import Items
from runtime.transfer.rows.large import LARGE, count_characters, run_if
from runtime.transfer.rows.reading import Reading, group_in_batches, read_data_rows
from runtime.transfer.rows.row_error import RowError, RowErrors
from runtime.transfer.rows.rows import TENANT, InputRow

_MOST_ITEMS: Final = 100_000

_AT_A_STRETCH: Final = 100
"""Rows that are read while all else in the worker waits."""

_MOST_REPEATED: Final = 2 * 2**20
"""Characters of the rows of one record that are stored with it for an error file."""


def read_input_rows(file: CsvFile, reading: Reading) -> AsyncIterator[list[InputRow]]:
    """Yield the data rows of a file, some hundred at a time. Raises ``CsvProblem``."""
    assembly = _Assembly(reading)

    async def assemble_rows() -> AsyncIterator[list[InputRow]]:
        async for rows in read_data_rows(file, reading):
            yield await assembly.take(rows)
        yield assembly.finish()

    return group_in_batches(assemble_rows(), _size_of_read)


class _Assembly:
    """Makes rows of cells; of a file with a ``[0]`` column it keeps the last one until the next begins."""

    def __init__(self, reading: Reading) -> None:
        self._list_path = reading.columns.list_path
        self._reading = reading
        self._open: _Group | None = None
        self._pace = Pace(_AT_A_STRETCH)

    async def take(self, rows: Sequence[Row]) -> list[InputRow]:
        """Take rows; return the ones that are known to be whole."""
        done: list[InputRow] = []
        for row in rows:
            is_long = count_characters(row[1]) > LARGE
            done += self._add(await run_if(partial(self._reading.row, row), is_long=is_long))
            await self._pace.step()
        return done

    def _add(self, read: InputRow) -> list[InputRow]:
        """Add a row; return the one that is known to be whole by then."""
        if self._list_path is None:
            return [read]
        if self._open is not None and self._open.goes_on_with(read):
            self._open.add(read)
            return []
        done, self._open = self.finish(), _Group(self._list_path, read)
        return done

    def finish(self) -> list[InputRow]:
        """Return the row that was held back."""
        kept, self._open = self._open, None
        return [] if kept is None else [kept.row()]


class _Group:
    """The rows of one record."""

    def __init__(self, list_path: str, first: InputRow) -> None:
        self._list_path = list_path
        self._first = first
        items = first.values.get(list_path, Items())
        self._items = Items(items, items.steps)
        self._errors = RowErrors()
        self._errors.extend(first.errors)
        self._further: list[Sequence[str]] = []
        self._size = _size_of_read([first])

    def goes_on_with(self, row: InputRow) -> bool:
        """Return whether a row gives another item of the same record, which is in one tenant."""
        if self._first.ref_name is None or row.ref_name != self._first.ref_name:
            return False
        return len({self._first.values.get(TENANT), row.values.get(TENANT)} - {None}) < 2

    def add(self, row: InputRow) -> None:
        marks = {error.message for error in self._errors.shown if error.depends_on_file}
        self._errors.extend(error for error in row.errors if error.message not in marks)
        self._size += _size_of_read([row])
        if self._size <= _MOST_REPEATED:
            self._further.append(tuple(row.raw.values()))
        self._items += row.values.get(self._list_path, ())
        for path, value in row.values.items():
            if path in self._first.values and path != self._list_path and value != self._first.values[path]:
                message = f"differs from row {self._first.number} of the same record"
                self._errors.add(RowError(RowCode.VALIDATION, message, path, row.value_of(path)))
        if len(self._items) > _MOST_ITEMS:
            message = f"has more than {_MOST_ITEMS} items"
            self._errors.add(RowError(RowCode.VALIDATION, message, self._list_path))
            self._items = Items()

    def row(self) -> InputRow:
        first = self._first
        values = {**first.values, self._list_path: self._items}
        further = self._further if self._size <= _MOST_REPEATED else None
        return first._replace(values=values, errors=self._errors.finish(), further=further)


def _size_of_read(rows: Sequence[InputRow]) -> int:
    return count_characters(chain.from_iterable(row.raw.values() for row in rows))
