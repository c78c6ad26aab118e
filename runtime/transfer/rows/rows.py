"""One row of a file on its way into the store: read, then decided. Values only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from runtime.records.change import Change
from runtime.transfer.rows.dynamic import Imported, Merge
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.row_error import RowError

Document = dict[str, Any]

REF_NAME = "refName"
TENANT = "dataDomain.tenantId"


@dataclass(frozen=True, slots=True)
class FileTerms:
    """What the rows of one file have in common.

    ``key``: the field that finds a record; ``merge``: what happens to the dynamic attributes that it has
    already; ``sources``: field → column that fills it, empty where columns are called like their fields;
    ``restore_archived``: a row that names an archived record restores it.
    """

    key: str = REF_NAME
    merge: Merge = Merge.MERGE
    sources: Mapping[str, str] = field(default_factory=dict)
    restore_archived: bool = False


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

PLAIN = FileTerms()
"""Of a file that is read by the columns asked for."""


class InputRow(NamedTuple):
    """A data row as it was read. ``number`` counts from 1; ``raw``: column → cell as it came.

    ``values``: dotted path → value in stored form, None to clear; ``attributes`` are not merged with those
    of the record yet. A row with ``errors`` goes no further, nor does one that ``is_as_stored``, of which
    only the refName has been read. Of one that ``is_partly_read`` no cells have that are as stored.
    ``further``: the cells of the other rows of a record that has several, None where they are too many.
    ``skip_reason``: why a resolver left the row alone.
    """

    number: int
    raw: Mapping[str, str]
    values: Mapping[str, Any] = _NOTHING
    intent: Intent = Intent.UPSERT
    errors: tuple[RowError, ...] = ()
    attributes: Imported = _NOTHING
    terms: FileTerms = PLAIN
    is_as_stored: bool = False
    is_partly_read: bool = False
    further: Sequence[Sequence[str]] | None = ()
    skip_reason: str | None = None

    @property
    def ref_name(self) -> str | None:
        """The refName it gives its record; None for a new record that the server names."""
        found = self.values.get(REF_NAME)
        return None if found is None else str(found)

    @property
    def key(self) -> Any:
        """The value that finds its record, as stored; None for a new record."""
        return self.values.get(self.terms.key)

    def column_of(self, path: str) -> str | None:
        """Return the column that filled a field, or something inside it."""
        return find_column(self.terms.sources or {column: column for column in self.raw}, path)

    def value_of(self, path: str) -> str | None:
        """Return the cell of that column."""
        column = self.column_of(path)
        return None if column is None else self.raw.get(column)


class Insert(NamedTuple):
    """A new record."""

    row: InputRow
    change: Change


class Update(NamedTuple):
    """A stored record that the row changes."""

    row: InputRow
    change: Change


class Skip(NamedTuple):
    """Nothing to do: the row says so, or its record is already as the row has it."""

    row: InputRow


class Failed(NamedTuple):
    """Not to be stored, and why. ``is_update``: the record that it names is there."""

    row: InputRow
    errors: Sequence[RowError]
    is_update: bool = False


def find_column(sources: Mapping[str, str], path: str) -> str | None:
    """Return the first column that fills a field, or something inside it. ``sources``: field → column."""
    around = {path, *(path[:end] for end, sign in enumerate(path) if sign in ".[")}
    begin = f"{path}."
    inside = (column for field, column in sources.items() if field.startswith(begin))
    return next(chain((column for field, column in sources.items() if field in around), inside), None)


def name_cells(names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Map columns to cells, in their order; cells beyond the last column are numbered."""
    titles = [*names, *(f"column {number}" for number in range(len(names) + 1, len(cells) + 1))]
    found = dict(zip(titles, cells, strict=False))
    if len(found) < min(len(titles), len(cells)):  # two columns have one name
        titles = [
            title if titles.index(title) == at else f"{title} ({at + 1})" for at, title in enumerate(titles)
        ]
        found = dict(zip(titles, cells, strict=False))
    return found


Outcome: TypeAlias = Insert | Update | Skip | Failed
place_of = attrgetter("row.number")
"""Return the position of an outcome in the file."""

Write: TypeAlias = Insert | Update
