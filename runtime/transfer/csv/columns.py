"""``requestedColumns`` → columns over a record type. Pure.

    refName,customer.entityRefName,dynamicAttributes.size.height,lines[0].sku,lines[0].quantity

- A name is a dotted path of fields, through objects, references, maps and free-form fields.
- ``[0]`` steps into a list: one list for the whole file, whose items make several rows of a record, with the
  record's other columns in each. A list without ``[0]`` is one cell of JSON.
- A field that is unknown, or hidden from the caller, is refused with the nearest names; so is a name that
  is repeated.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from runtime.errors import InvalidParameter
from runtime.filter import Projection
from runtime.filter.fields import locate
from runtime.filter.quoted import read_path, split_list
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import top_of
from runtime.model.record_type import RecordType
from runtime.records.document.targets import kept_by_server
from runtime.transfer.csv.cells import build_cell_writer

MAX_COLUMNS: Final = 200

FINDINGS: Final = "errors"
"""The last column of an error file: it is ignored when the corrected file is uploaded again."""

Document = dict[str, Any]
_INDEX = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``name``: as asked for, ``path``: the field's dotted wire path, without ``[0]``.

    ``type`` is that of one cell: for a column through ``[0]`` of the item, or of the field inside it.
    ``steps`` lead to the value in a stored document; in an item of the list where ``is_in_list``.
    """

    name: str
    path: str
    type: FieldType
    steps: tuple[str, ...]
    is_in_list: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file, in its order.

    ``list_steps``: the path of the ``[0]`` list, if there is one. ``has_findings``: after them the file has
    the column ``FINDINGS``, which says nothing about records.
    """

    kind: RecordType[Any]
    columns: tuple[Column, ...]
    list_steps: tuple[str, ...] = ()
    has_findings: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names as asked for: the header of a file."""
        return tuple(column.name for column in self.columns)

    @property
    def list_path(self) -> str | None:
        return ".".join(self.list_steps) or None

    @property
    def item_steps(self) -> tuple[tuple[str, ...], ...]:
        """Where the columns of the ``[0]`` list stand in an item of it."""
        return tuple(column.steps for column in self.columns if column.is_in_list)

    @property
    def projection(self) -> Projection:
        """The fields to read from the store, and no others."""
        return Projection(tuple(column.path for column in self.columns), (), self.kind.fields)

    def rows(self, documents: Sequence[Document], *, guard: bool = True) -> list[tuple[str, ...]]:
        """Return the rows of stored documents; a record whose list is empty has one row.

        Built column by column, which takes half the time of record by record.
        """
        records, items = self._unwind(documents)
        cells = (
            build_cell_writer(column.type, guard=guard)(
                _values(items, column.steps) if column.is_in_list else _in_records(records, column.steps)
            )
            for column in self.columns
        )
        return list(zip(*cells, strict=True))

    def _unwind(self, documents: Sequence[Document]) -> tuple[Sequence[Any], Sequence[Any]]:
        """Yield for each row its record and its item of the list."""
        if not self.list_steps:
            return documents, ()
        records: list[Any] = []
        items: list[Any] = []
        for document, found in zip(documents, _in_records(documents, self.list_steps), strict=True):
            own = found if isinstance(found, list) and found else (None,)
            records += [document] * len(own)
            items += own
        return records, items


def _in_records(records: Sequence[Document], steps: tuple[str, ...]) -> Sequence[Any]:
    first, *further = steps
    return _values([record.get(first) for record in records], further)


def _values(holders: Sequence[Any], steps: Sequence[str]) -> Sequence[Any]:
    """Return the value at ``steps`` in each holder; None where there is nothing."""
    for step in steps:
        holders = [holder.get(step) if type(holder) is dict else None for holder in holders]
    return holders


def parse_importable_columns(text: str, kind: RecordType[Any], hidden: frozenset[str]) -> Columns:
    """Parse the columns of an uploaded file, of which the last may be that of an error file.

    Raises what ``parse_requested_columns`` does, and ``InvalidParameter`` for two columns of one value, and
    for ``id`` in place of ``refName``: each row would be a new record.
    """
    before, _, last = text.rpartition(",")
    has_findings = bool(before) and last.strip() == FINDINGS and FINDINGS not in kind.fields
    found = parse_requested_columns(before if has_findings else text, kind, hidden)
    _refuse_overlap([one for one in found.columns if not kept_by_server(kind, top_of(one.path))])
    if "id" in found.names and "refName" not in found.names:
        raise _refuse("rows find their record by refName: name it as well, or leave id out")
    return replace(found, has_findings=True) if has_findings else found


def _refuse_overlap(columns: Sequence[Column]) -> None:
    """Raise ``InvalidParameter`` for a column that is another or a part of it: their order would count.

    ``columns``: without those that the server keeps, which an exported file may have and an import ignores.
    """
    known: dict[str, Column] = {}
    for column in columns:
        if other := known.get(column.path):
            raise _refuse(f"{other.name} and {column.name} are one column: name one of them")
        known[column.path] = column
    for column in columns:
        for outer in accumulate(column.path.split(".")[:-1], "{}.{}".format):
            if other := known.get(outer):
                raise _refuse(f"{column.name} is a part of {other.name}: name one of them")


@lru_cache(maxsize=256)
def parse_requested_columns(
    text: str, kind: RecordType[Any], hidden: frozenset[str] = frozenset()
) -> Columns:
    """Parse a comma-separated list of columns. ``hidden``: what the caller may not see (``Access.hidden``).

    Raises ``UnknownField``, with the nearest names, and ``InvalidParameter``.
    """
    found: dict[str, Column] = {}
    for name in _split_names(text):
        if name in found:
            raise _refuse(f"{name} is named twice: name it once")
        found[name] = _build_column(name, kind, hidden)
    lists = list(dict.fromkeys(name.partition("[")[0] for name, one in found.items() if one.is_in_list))
    if len(lists) > 1:
        raise _refuse(f"one list for the whole file: {lists[0]}[0] and {lists[1]}[0] do not go together")
    return Columns(kind, tuple(found.values()), tuple(lists[0].split(".")) if lists else ())


def _split_names(text: str) -> Iterator[str]:
    for number, entry in enumerate(split_list(text)):
        if not entry.strip():
            raise _refuse("names between commas, as in refName,displayName")
        if number == MAX_COLUMNS:
            raise _refuse(f"at most {MAX_COLUMNS} columns")
        yield entry.strip()


def _build_column(name: str, kind: RecordType[Any], hidden: frozenset[str]) -> Column:
    before, marked, behind = _split_name(name)
    path = before + behind
    field = locate(kind, path, hidden)
    around = [one for one in field.lists if one != field.path]
    if not marked:
        if around:
            raise _refuse(f"{around[0]} is a list: write {around[0]}[0]{path[len(around[0]) :]}")
        return Column(name, path, field.type, tuple(field.path.split(".")))
    listed = kind.field_at(before, hidden)
    if listed.kind is not ValueKind.LIST:
        raise _refuse(f"{before} is not a list: leave [0] out")
    if inner := [one for one in around if one != before]:
        raise _refuse(f"{name}: {inner[0]} is a list of its own inside {before}")
    item = listed.item if not behind and listed.item else field.type
    return Column(name, path, item, tuple(behind.split(".")[1:]), is_in_list=True)


def _split_name(name: str) -> tuple[str, str, str]:
    """Split a name: the path before ``[0]``, ``[0]`` if it is there, and the rest with its dot."""
    shown, (before, marked, behind) = name[:200], name.partition("[0]")
    if _INDEX.findall(name) not in ([], ["0"]):
        raise _refuse(f"{shown}: only one [0] is known, which stands for each item in turn")
    if marked and not before:
        raise _refuse(f"{shown}: the name of a list belongs before [0]")
    if behind and (not behind.startswith(".") or behind == "."):
        raise _refuse(f"{shown}: write {before}[0].field, or {before}[0] for the item itself")
    try:
        return read_path(before), marked, f".{read_path(behind[1:])}" if behind else ""
    except ValueError as error:
        raise _refuse(f"{shown}: {error}") from None


def _refuse(message: str) -> InvalidParameter:
    return InvalidParameter(f"requestedColumns: {message}", parameter="requestedColumns")
