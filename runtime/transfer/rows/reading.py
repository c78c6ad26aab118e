"""Cells of a file → rows with typed values, by the requested columns.

Pure, except for ``read_data_rows``, which waits for the bytes. With a ``[0]`` column adjacent rows with one
refName are one record: each gives an item of the list, and all have the same other columns.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeVar

from runtime.contract.imports import RowCode
from runtime.errors import CsvProblem
from runtime.filter.unreadable import Unreadable
from runtime.model.counting import count_things
from runtime.transfer.csv.cells import build_cell_reader
from runtime.transfer.csv.columns import FINDINGS, Column, Columns
from runtime.transfer.csv.reader import CsvFile
from runtime.transfer.csv.row_limits import Row
from runtime.transfer.rows.items import Items
from runtime.transfer.rows.row_error import RowError, find_review_mark
from runtime.transfer.rows.rows import PLAIN, REF_NAME, FileTerms, InputRow, name_cells
from runtime.transfer.rows.suggestion import suggest
from runtime.transfer.rows.torn import width_hint

T = TypeVar("T")

BATCH: Final = 500
"""Rows that are decided together."""

MOST_TOGETHER: Final = 8 * 2**20
"""Characters of their cells, unless a row alone has more."""


async def group_in_batches(
    pieces: AsyncIterable[list[T]], size: Callable[[Sequence[T]], int], begun: Sequence[T] = ()
) -> AsyncIterator[list[T]]:
    """Group rows that are decided together, ``begun`` first; batches are not empty.

    ``size``: characters of some rows.
    """

    async def yield_pieces() -> AsyncIterator[Sequence[T]]:
        yield begun
        async for piece in pieces:
            yield piece

    waiting: list[T] = []
    waiting_size = 0
    async for piece in yield_pieces():
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
    """Count the characters of their cells."""
    return sum(map(len, chain.from_iterable(map(itemgetter(1), rows))))


async def read_data_rows(file: CsvFile, reading: Reading) -> AsyncIterator[list[Row]]:
    """Yield rows without the header, and without what an error file says of them. Raises ``CsvProblem``."""
    is_first = True
    async for rows in file.read_rows():
        is_header = is_first and (file.has_header or reading.is_header_of_error_file(rows[0][1]))
        if is_first:
            reading.require_findings_named(rows[0][1])
        is_first = False
        yield reading.take_findings(rows[1:] if is_header else rows)


class Reading:
    """Reads the rows of one file, each by itself. ``guard``: cells are written guarded."""

    def __init__(self, columns: Columns, *, guard: bool, terms: FileTerms = PLAIN) -> None:
        self.columns = columns
        self.guard = guard
        self.terms = terms
        self._marked: dict[int, RowError] = {}
        self._names = columns.names
        self._readers = [(one, build_cell_reader(one.type, guard=guard)) for one in columns.columns]
        self._paths = [one.path for one in columns.columns]
        self._reads = [read for _column, read in self._readers]
        self._name_at = next((at for at, one in enumerate(columns.columns) if one.path == REF_NAME), None)

    def is_header_of_error_file(self, cells: Sequence[str]) -> bool:
        """Return whether a row is the header of an error file of these columns."""
        return list(cells) == [*self._names, FINDINGS]

    def require_findings_named(self, first: Sequence[str]) -> None:
        """Refuse an error file that is sent as if it were not one: its findings would be read as values.

        Raises ``CsvProblem``.
        """
        columns = self.columns
        is_expected = columns.has_findings or FINDINGS in columns.kind.fields
        if not is_expected and self.is_header_of_error_file(first):
            message = (
                f"the last column is {FINDINGS}, as in an error file: add {FINDINGS} to requestedColumns"
            )
            raise CsvProblem(message, row=0, column=len(first))

    def take_findings(self, rows: list[Row]) -> list[Row]:
        """Return the rows without what an error file says of them; note the ones to be reviewed."""
        if not self.columns.has_findings:
            return rows
        width = len(self._names)
        for number, cells in rows:
            if len(cells) == width:  # it lacks a cell, and which one is not known
                self._marked[number] = replace(_build_torn(width + 1, cells), depends_on_file=True)
            elif (marked := find_review_mark(cells[-1])) is not None:
                self._marked[number] = marked
        return [(number, cells[:-1] if len(cells) > width else cells) for number, cells in rows]

    def is_marked(self, number: int) -> bool:
        """Return whether an error file asks to review this row."""
        return number in self._marked

    def row(self, row: Row) -> InputRow:
        """Read the cells of a row; of a ``[0]`` column one item. Errors of cells are errors of the row."""
        number, cells = row
        columns = self.columns
        if len(cells) != len(columns.columns):
            return self._build_torn_row(number, cells)
        if columns.list_path is None and number not in self._marked:
            with suppress(Unreadable):  # nearly all rows are right
                ways = zip(self._paths, self._reads, cells, strict=True)
                values = {path: read(cell) for path, read, cell in ways}
                raw = dict(zip(self._names, cells, strict=True))
                return InputRow(number, raw, values, terms=self.terms)
        return self._read_each(number, cells)

    def _read_each(self, number: int, cells: Sequence[str]) -> InputRow:
        """Read a row of which a cell may be wrong, or a part of a list."""
        columns = self.columns
        values: dict[str, Any] = {}
        item: dict[str, Any] = {}
        errors = [self._marked.pop(number)] if number in self._marked else []
        for (column, read), cell in zip(self._readers, cells, strict=True):
            try:
                (item if column.is_in_list else values)[column.path] = read(cell)
            except Unreadable as error:
                errors.append(build_unreadable(column, cell, error))
        if columns.list_path is not None:
            values[columns.list_path] = Items([_item(columns.columns, item)], columns.item_steps)
        raw = dict(zip(self._names, cells, strict=True))
        return InputRow(number, raw, values, errors=tuple(errors), terms=self.terms)

    def _build_torn_row(self, number: int, cells: Sequence[str]) -> InputRow:
        """Build the error row of a row of another width.

        The name of its record is read where it can be: the rows of a record that has several fail together.
        """
        self._marked.pop(number, None)  # it fails in any case
        values, at = {}, self._name_at
        if at is not None and at < len(cells) and cells[at]:
            values[REF_NAME] = self._readers[at][1](cells[at])
        return InputRow(
            number, name_cells(self._names, cells), values, errors=(_build_torn(len(self._names), cells),)
        )

    def some(self, row: Row, at: Sequence[int], values: dict[str, Any]) -> InputRow:
        """Read these cells alone, and add them to the ``values`` that are known.

        There are as many cells as columns, and no ``[0]`` column.
        """
        number, cells = row
        errors = []
        for here in at:
            column, read = self._readers[here]
            try:
                values[column.path] = read(cells[here])
            except Unreadable as error:
                errors.append(build_unreadable(column, cells[here], error))
        raw = dict(zip(self._names, cells, strict=True))
        return InputRow(number, raw, values, errors=tuple(errors), terms=self.terms, is_partly_read=True)

    def whole(self, row: InputRow) -> InputRow:
        """Read a row, which may have been read in part, as a whole."""
        return self.row((row.number, list(row.raw.values()))) if row.is_partly_read else row


def build_unreadable(column: Column, cell: str, error: Unreadable) -> RowError:
    """Build the error of a cell that does not hold a value of its field."""
    message = f"{column.name} takes {error}, as in {error.example}"
    item = column.type.item or column.type
    if column.type.is_reference:
        message = f"{column.name} is a reference: ask for the column {column.name}.entityRefName instead"
    elif item.is_reference and not column.is_in_list:
        message = f"{column.name} is a list of references: ask for {column.name}[0].entityRefName instead"
    return RowError(RowCode.PARSE, message, column.name, cell, suggest(column.type, cell))


def _build_torn(expected: int, cells: Sequence[str]) -> RowError:
    columns = count_things(expected, "column is", "columns are")
    message = f"the row has {count_things(len(cells), 'cell')} where {columns} requested"
    return RowError(RowCode.PARSE, f"{message}{width_hint(cells, expected)}")


def _item(columns: Sequence[Column], values: dict[str, Any]) -> Any:
    """Return one item of the list; None when all its cells are empty."""
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
