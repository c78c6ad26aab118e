"""The rows of a VERTICAL file that make one record. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from runtime.contract.imports import RowCode, VerticalColumn
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.torn import width_hint

Row = tuple[int, Sequence[str]]

MOST_ROWS_OF_ONE: Final = 20_000
MOST_CHARACTERS_OF_ONE: Final = 4 * 2**20
"""Of the rows of one entity, which are kept until the next one begins: as much as one row may have."""


@dataclass(slots=True)
class Entity:
    """Rows that make one record. ``is_whole``: there were not too many of them to be kept."""

    rows: list[Row] = field(default_factory=list)
    size: int = 0
    is_whole: bool = True

    @property
    def cost(self) -> int:
        """The cost of reading: cells, and their characters."""
        return sum(len(cells) + sum(map(len, cells)) for _number, cells in self.rows)

    def add(self, row: Row) -> None:
        self.size += sum(map(len, row[1]))
        if self.rows and (len(self.rows) == MOST_ROWS_OF_ONE or self.size > MOST_CHARACTERS_OF_ONE):
            self.is_whole = False
        if self.is_whole:
            self.rows.append(row)


def build_too_many_rows() -> RowError:
    """Build the error of an entity that was not kept as a whole."""
    message = f"has more than {MOST_ROWS_OF_ONE} rows, or {MOST_CHARACTERS_OF_ONE} characters"
    return RowError(RowCode.VALIDATION, message, VerticalColumn.ENTITY_KEY)


def build_torn_row(row: Row, expected: int, first: int) -> RowError:
    """Build the error of a row that does not have the ``expected`` number of cells.

    ``first``: the number of the first row of its record.
    """
    number, cells = row
    where = "" if number == first else f"row {number}: "
    message = f"{where}has {len(cells)} cells, the header has {expected}{width_hint(cells, expected)}"
    return RowError(RowCode.PARSE, message, None, str(len(cells)))
