"""How large a row of a file may be. Pure."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from runtime.errors import CsvProblem

Row: TypeAlias = tuple[int, list[str]]
"""The number of a row, counted from 1, or from 0 where the first one is a header; and its cells."""

MAX_CELL: Final = 2**20
"""Most characters of one cell, where rows are stored before their records are."""

MAX_ROW: Final = 4 * 2**20
"""Most characters of one row there."""

MAX_CELLS: Final = 2**14
"""Most cells of one row, as of a sheet: far more than an import has columns.

So a row with a few cells too many is an error of that row, and not of the file.
"""


class Limits(NamedTuple):
    """Most characters of a cell and of a row. ``advice``: what to do with a file that has longer ones."""

    cell: int
    row: int
    advice: str = "send such a record as JSON"


SESSION_LIMITS: Final = Limits(MAX_CELL, MAX_ROW, "import the file without a session and a key, or send JSON")


def check_widths(rows: Iterable[Row], separator: str) -> None:
    """Raise ``CsvProblem`` for a row of too many cells."""
    for number, cells in rows:
        if len(cells) > MAX_CELLS:
            raise describe_too_wide(number, separator)


def describe_too_wide(row: int, separator: str) -> CsvProblem:
    """Describe that a row has too many cells."""
    message = f"{describe_place(row)}: a row has at most {MAX_CELLS} cells; is {separator} the separator?"
    return CsvProblem(message, row=row)


def check_sizes(rows: Iterable[Row], limits: Limits) -> None:
    """Raise ``CsvProblem`` for a cell or a row of too many characters."""
    most_cell, most_row, advice = limits
    for number, cells in rows:
        for column, cell in enumerate(cells, 1):
            if len(cell) > most_cell:
                place = describe_place(number, column)
                message = f"{place}: a cell has at most {most_cell} characters here; {advice}"
                raise CsvProblem(message, row=number, column=column)
        if sum(map(len, cells)) > most_row:
            message = f"{describe_place(number)}: a row has at most {most_row} characters here; {advice}"
            raise CsvProblem(message, row=number)


def describe_place(row: int, column: int | None = None) -> str:
    """Describe where in a file something is."""
    where = f"row {row}" if row else "the header"
    return where if column is None else f"{where}, column {column}"
