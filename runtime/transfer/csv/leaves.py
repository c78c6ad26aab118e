"""Flat reading of records, for files of which each column is one value; decimals are read as text.

That takes half the time, of which much is spent on creating objects only to look into them.

Only through declared fields: a value in a map or a free-form field may be a list, into which the store would
step and ``Columns`` does not. For the same reason not for types that are saved in spite of violations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runtime.decimals import decimal128
from runtime.model.record_type import FieldType, ValueKind
from runtime.storage.store import OTHER, Leaf
from runtime.transfer.csv.cells import cell_writer, is_single
from runtime.transfer.csv.columns import Column, Columns

Document = dict[str, Any]


def leaves(columns: Columns) -> tuple[Leaf, ...]:
    """Return one leaf for each column; none when the records have to be read as they are."""
    kind = columns.kind
    if kind.lenient or not all(_is_leaf(column, kind.fields) for column in columns.columns):
        return ()
    return tuple(Leaf(".".join(column.steps), _is_decimal(column)) for column in columns.columns)


def rows_of_leaves(columns: Columns, records: Sequence[Document], *, guard: bool) -> list[tuple[str, ...]]:
    """Return ``Columns.rows`` of the same records, read flat."""
    cells = (
        _writer(column, guard)([record.get(str(at)) for record in records])
        for at, column in enumerate(columns.columns)
    )
    return list(zip(*cells, strict=True))


def _is_leaf(column: Column, known: Mapping[str, FieldType]) -> bool:
    if column.is_in_list or not is_single(column.type):
        return False
    for step in column.path.split("."):
        if step not in known:
            return False
        known = known[step].fields
    return True


def _is_decimal(column: Column) -> bool:
    return column.type.kind is ValueKind.DECIMAL


def _writer(column: Column, guard: bool) -> Callable[[Sequence[Any]], Sequence[str]]:
    write = cell_writer(column.type, guard=guard)
    if not _is_decimal(column):
        return write

    def cell(value: Any) -> str:
        if type(value) is str and "E" not in value:
            return value
        return write([decimal128(value) if type(value) is str else (value or {}).get(OTHER)])[0]

    def decimals(values: Sequence[Any]) -> Sequence[str]:
        are_plain = set(map(type, values)) == {str} and "E" not in "".join(values)
        return values if are_plain else [cell(value) for value in values]

    return decimals
