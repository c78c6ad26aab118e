"""Flat reading of records (``runtime.fast.flat_columns``), for files of which each column is one value.

Only through declared fields: a value in a map or a free-form field may be a list, into which the store would
step and ``Columns`` does not. For the same reason not for types that are saved in spite of violations.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.fast.flat_columns import FlatColumn, decimal_cells, flat_values
from runtime.model.field_type import FieldType, ValueKind
from runtime.transfer.csv.cells import build_cell_writer, is_single
from runtime.transfer.csv.columns import Column, Columns

Document = dict[str, Any]


def flat_columns(columns: Columns) -> tuple[FlatColumn, ...]:
    """Return one for each column; none when the records have to be read as they are."""
    kind = columns.kind
    if kind.lenient or not all(_is_flat(column, kind.fields) for column in columns.columns):
        return ()
    return tuple(FlatColumn(".".join(column.steps), _is_decimal(column)) for column in columns.columns)


def flat_rows(columns: Columns, records: Sequence[Document], *, guard: bool) -> list[tuple[str, ...]]:
    """Return ``Columns.rows`` of the same records, read flat."""
    cells = (
        _cells(column, flat_values(records, at), guard=guard) for at, column in enumerate(columns.columns)
    )
    return list(zip(*cells, strict=True))


def _cells(column: Column, values: Sequence[Any], *, guard: bool) -> Sequence[str]:
    write = build_cell_writer(column.type, guard=guard)
    return decimal_cells(values, write) if _is_decimal(column) else write(values)


def _is_flat(column: Column, known: Mapping[str, FieldType]) -> bool:
    if column.is_in_list or not is_single(column.type):
        return False
    for step in column.path.split("."):
        if step not in known:
            return False
        known = known[step].fields
    return True


def _is_decimal(column: Column) -> bool:
    return column.type.kind is ValueKind.DECIMAL
