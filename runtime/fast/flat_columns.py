"""Single values of records, read side by side in place of the records. Pure.

The store returns each value under the number of its column, and decimals as text, so that no objects are
built only to look into them. It costs the care for what is stored in place of a declared value: only paths
through declared objects can be read this way, since the store would step into a list, and what should be a
decimal and is not comes inside ``OTHER``. The plain twin reads whole records and looks each path up
(``runtime.transfer.csv.columns.Columns.rows``).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from runtime.fast.decimals import decimal128

OTHER: Final = "other"
"""Around a value that should be a decimal and is not."""


@dataclass(frozen=True, slots=True)
class FlatColumn:
    """One value of each record, by its stored path through objects."""

    path: str
    is_decimal: bool = False


def build_flat_projection(columns: Sequence[FlatColumn], visible: Collection[str]) -> dict[str, Any]:
    """Build the MongoDB projection of the columns whose path is ``visible``."""
    return {str(at): _expression(column) for at, column in enumerate(columns) if column.path in visible}


def _expression(column: FlatColumn) -> Any:
    value = f"${column.path}"
    if not column.is_decimal:
        return value
    return {"$cond": [{"$eq": [{"$type": value}, "decimal"]}, {"$toString": value}, {OTHER: value}]}


def flat_values(records: Sequence[Mapping[str, Any]], at: int) -> list[Any]:
    """Return the values of one column; None where a record has none."""
    return [record.get(str(at)) for record in records]


def decimal_cells(values: Sequence[Any], write: Callable[[Sequence[Any]], Sequence[str]]) -> Sequence[str]:
    """Return the cells of a decimal column; ``write`` writes stored values, where text alone does not do."""
    if set(map(type, values)) == {str} and "E" not in "".join(values):
        return values
    return [_decimal_cell(value, write) for value in values]


def _decimal_cell(value: Any, write: Callable[[Sequence[Any]], Sequence[str]]) -> str:
    if type(value) is str and "E" not in value:
        return value
    return write([decimal128(value) if type(value) is str else (value or {}).get(OTHER)])[0]
