"""Cells of a file → rows with typed values, by the columns asked for (spec 2 §4.4, decisions §5). Pure, but
for ``input_rows``, which waits for the bytes.

With a ``[0]`` column the rows that follow each other under one refName are one record: each gives an item
of the list, and all say the same in the other columns.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeVar

from runtime.filter.values import Unreadable
from runtime.transfer.cells import cell_reader, suggested
from runtime.transfer.columns import Column, Columns
from runtime.transfer.dialect import Dialect
from runtime.transfer.items import Items
from runtime.transfer.reader import Row, read_rows
from runtime.transfer.row_error import RowCode, RowError
from runtime.transfer.rows import InputRow, named_cells

T = TypeVar("T")

BATCH: Final = 500
"""Rows that are decided together."""

MOST_TOGETHER: Final = 8 * 2**20
"""Characters of their cells: a row alone may have half of that."""

_MOST_ITEMS: Final = 100_000


def input_rows(
    chunks: AsyncIterable[bytes], dialect: Dialect, columns: Columns, *, has_header: bool
) -> AsyncIterator[list[InputRow]]:
    """The data rows of a file, some hundred at a time. Raises ``CsvProblem``."""
    assembly = _Assembly(columns, Reading(columns, guard=dialect.formula_guard))

    async def assembled() -> AsyncIterator[list[InputRow]]:
        async for rows in _data_rows(chunks, dialect, columns, has_header=has_header):
            yield assembly.take(rows)
        yield assembly.finish()

    return in_batches(assembled(), _size_of_read)


def unread_rows(
    chunks: AsyncIterable[bytes], dialect: Dialect, columns: Columns, *, has_header: bool
) -> AsyncIterator[list[Row]]:
    """The same with the cells as they are. Raises ``CsvProblem``."""
    return in_batches(_data_rows(chunks, dialect, columns, has_header=has_header), size_of_rows)


async def in_batches(
    pieces: AsyncIterable[list[T]], size: Callable[[Sequence[T]], int], begun: Sequence[T] = ()
) -> AsyncIterator[list[T]]:
    """What is decided together, ``begun`` first; no batch is empty. ``size``: characters of some rows."""

    async def all_pieces() -> AsyncIterator[Sequence[T]]:
        yield begun
        async for piece in pieces:
            yield piece

    waiting: list[T] = []
    waiting_size = 0
    async for piece in all_pieces():
        at = 0
        while at < len(piece):
            some = piece[at : at + BATCH - len(waiting)]
            at += len(some)
            waiting += some
            waiting_size += size(some)
            if len(waiting) == BATCH or waiting_size >= MOST_TOGETHER:
                yield waiting
                waiting, waiting_size = [], 0
    if waiting:
        yield waiting


def size_of_rows(rows: Sequence[Row]) -> int:
    """Characters of their cells."""
    return sum(map(len, chain.from_iterable(map(itemgetter(1), rows))))


def _size_of_read(rows: Sequence[InputRow]) -> int:
    return sum(map(len, chain.from_iterable(row.raw.values() for row in rows)))


async def _data_rows(
    chunks: AsyncIterable[bytes], dialect: Dialect, columns: Columns, *, has_header: bool
) -> AsyncIterator[list[Row]]:
    """Without the header, and without what an error file says of its rows."""
    async for rows in read_rows(chunks, dialect, has_header=has_header):
        data = rows[1:] if rows[0][0] == 0 else rows
        yield [(number, cells[:-1]) for number, cells in data] if columns.has_findings else data


class _Assembly:
    """Makes rows of cells; of a file with a ``[0]`` column it keeps the last one until the next begins."""

    def __init__(self, columns: Columns, reading: Reading) -> None:
        self._columns = columns
        self._reading = reading
        self._open: _Group | None = None

    def take(self, rows: Sequence[Row]) -> list[InputRow]:
        """The rows that are known to be whole."""
        if self._columns.list_path is None:
            return [self._reading.row(row) for row in rows]
        done: list[InputRow] = []
        for row in rows:
            read = self._reading.row(row)
            if self._open is not None and self._open.goes_on_with(read):
                self._open.add(read)
                continue
            done += self.finish()
            self._open = _Group(self._columns.list_path, read)
        return done

    def finish(self) -> list[InputRow]:
        """The row that was kept."""
        kept, self._open = self._open, None
        return [] if kept is None else [kept.row()]


class Reading:
    """Reads the rows of one file, each by itself. ``guard``: cells are written guarded."""

    def __init__(self, columns: Columns, *, guard: bool) -> None:
        self._columns = columns
        self._names = columns.names
        self._readers = [(one, cell_reader(one.type, guard=guard)) for one in columns.columns]

    def row(self, row: Row) -> InputRow:
        """What the cells say; of a ``[0]`` column one item. What cannot be read is among its errors."""
        number, cells = row
        columns = self._columns
        if len(cells) != len(columns.columns):
            raw = named_cells(self._names, cells)
            return InputRow(number, raw, errors=(_torn(len(self._names), cells),))
        values: dict[str, Any] = {}
        item: dict[str, Any] = {}
        errors = []
        for (column, read), cell in zip(self._readers, cells, strict=True):
            try:
                (item if column.is_in_list else values)[column.path] = read(cell)
            except Unreadable as error:
                errors.append(unreadable(column, cell, error))
        if columns.list_path is not None:
            values[columns.list_path] = Items([_item(columns.columns, item)])
        return InputRow(number, dict(zip(self._names, cells, strict=True)), values, errors=tuple(errors))

    def some(self, row: Row, at: Sequence[int], values: dict[str, Any]) -> InputRow:
        """The same of these cells alone, put to the ``values`` that are known; there are as many cells as
        columns, and no ``[0]``."""
        number, cells = row
        errors = []
        for here in at:
            column, read = self._readers[here]
            try:
                values[column.path] = read(cells[here])
            except Unreadable as error:
                errors.append(unreadable(column, cells[here], error))
        raw = dict(zip(self._names, cells, strict=True))
        return InputRow(number, raw, values, errors=tuple(errors), is_partly_read=True)

    def whole(self, row: InputRow) -> InputRow:
        """A row that may have been read in part, read as a whole."""
        return self.row((row.number, list(row.raw.values()))) if row.is_partly_read else row


class _Group:
    """The rows of one record."""

    def __init__(self, list_path: str, first: InputRow) -> None:
        self._list_path = list_path
        self._first = first
        self._items = Items(first.values.get(list_path, ()))
        self._errors = list(first.errors)

    def goes_on_with(self, row: InputRow) -> bool:
        """Whether a row gives another item of the same record."""
        return self._first.ref_name is not None and row.ref_name == self._first.ref_name

    def add(self, row: InputRow) -> None:
        self._errors += row.errors
        self._items += row.values.get(self._list_path, ())
        for path, value in row.values.items():
            if path != self._list_path and value != self._first.values.get(path):
                message = f"differs from row {self._first.number} of the same record"
                self._errors.append(RowError(RowCode.VALIDATION, message, path, row.value_of(path)))
        if len(self._items) > _MOST_ITEMS:
            message = f"has more than {_MOST_ITEMS} items"
            self._errors.append(RowError(RowCode.VALIDATION, message, self._list_path))
            self._items = Items()

    def row(self) -> InputRow:
        first = self._first
        values = {**first.values, self._list_path: self._items}
        return InputRow(first.number, first.raw, values, first.intent, tuple(self._errors))


def unreadable(column: Column, cell: str, error: Unreadable) -> RowError:
    """What to say of a cell that is no value of its field."""
    message = f"{column.name} takes {error}, as in {error.example}"
    return RowError(RowCode.PARSE, message, column.name, cell, suggested(column.type, cell, error))


def _torn(expected: int, cells: Sequence[str]) -> RowError:
    message = f"the row has {len(cells)} cells where {expected} columns are asked for"
    return RowError(RowCode.PARSE, message)


def _item(columns: Sequence[Column], values: dict[str, Any]) -> Any:
    """One item of the list; None when all its cells are empty."""
    made: Any = None
    for column in columns:
        if not column.is_in_list or values.get(column.path) is None:
            continue
        if not column.steps:
            return values[column.path]
        made = {} if made is None else made
        here = made
        for step in column.steps[:-1]:
            here = here.setdefault(step, {})
        here[column.steps[-1]] = values[column.path]
    return made
