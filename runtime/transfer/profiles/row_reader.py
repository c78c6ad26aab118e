"""The cells of a row up to the lookups: marks, intent, transformations, dynamic attributes.

Rows are read some at a time, so that others in the worker have their turn; ``is_long`` says where even one
row may take too long for that, and has to be read in a thread.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from runtime.contract.imports import RowCode, VerticalColumn
from runtime.model.counting import count_things
from runtime.model.import_columns import Modifier, split_name
from runtime.transfer.profiles.mapped_row import Draft, Layout, MappedColumn, fill_attribute, fill_json
from runtime.transfer.profiles.replacement import MOST_ADDED, limit_replacements
from runtime.transfer.rows.dynamic import JSON_COLUMN, add_attribute, read_vertical
from runtime.transfer.rows.intent import Intent, read_intent
from runtime.transfer.rows.large import LARGE, count_characters
from runtime.transfer.rows.row_error import RowError, RowRefused, find_review_mark
from runtime.transfer.rows.rows import REF_NAME, name_cells
from runtime.transfer.rows.torn import width_hint

Row = tuple[int, Sequence[str]]

MOST_ROWS_OF_ONE: Final = 20_000
MOST_CHARACTERS_OF_ONE: Final = 4 * 2**20
"""Of the rows of one entity, which are kept until the next one begins: as much as one row may have."""

_STRETCH_SECONDS: Final = 0.01


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


class RowReader:
    """Reads the rows of one file."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._has_regex = any(  # then a cell may take long, however few characters it has
            one.transformation.replacement is not None for one in layout.columns
        )
        self._required = _find_required(layout)
        words = [at for name, at in layout.vertical.items() if name is not VerticalColumn.VALUE]
        self._trimmed = {layout.intent_at, *words}  # columns that are read without blanks around

    def is_long(self, entity: Entity) -> bool:
        """Return whether reading a row may take long."""
        return self._has_regex or entity.cost > LARGE

    def begin_some(self, entities: Iterable[Entity]) -> list[Draft]:
        """Begin the first of these rows, at least one, until it is time for others."""
        drafts: list[Draft] = []
        cost, end = 0, monotonic() + _STRETCH_SECONDS
        for entity in entities:
            cost += entity.cost
            if drafts and (cost > LARGE or monotonic() > end):
                break
            with limit_replacements():
                drafts.append(self.begin(entity))
        return drafts

    def begin(self, entity: Entity) -> Draft:
        """Do everything up to the lookups."""
        layout, rows = self._layout, entity.rows
        number, cells = rows[0]
        further = [self._take_own(others) for _number, others in rows[1:]] if entity.is_whole else None
        row = Draft(number, name_cells(layout.names, self._take_own(cells)), further, cost=entity.cost)
        if not entity.is_whole:
            message = f"has more than {MOST_ROWS_OF_ONE} rows, or {MOST_CHARACTERS_OF_ONE} characters"
            row.errors.add(RowError(RowCode.VALIDATION, message, VerticalColumn.ENTITY_KEY))
            return self._read_name(row, cells)
        width = len(layout.header)
        if torn := [_build_torn_row(one, width, number) for one in rows if len(one[1]) != width]:
            row.errors.extend(torn)
            return self._read_name(row, cells)
        row.errors.extend(self._find_marks(rows))
        if not self._set_intent(row, rows) or row.intent is Intent.SKIP:
            return self._read_name(row, cells)
        row.is_read = True
        row.errors.extend(self._find_empty(rows))
        self._read_texts(row, cells, layout.columns)
        self._read_attributes(row, rows)
        return row

    def _read_name(self, row: Draft, cells: Sequence[str]) -> Draft:
        """Read only the refName, where the row has its cell; what is wrong with it is not an error."""
        scratch = Draft(row.number, row.raw, None)
        self._read_texts(
            scratch, cells, [one for one in self._layout.find_plain(REF_NAME) if one.at < len(cells)]
        )
        row.texts = scratch.texts
        return row

    def _read_texts(self, row: Draft, cells: Sequence[str], columns: Sequence[MappedColumn]) -> None:
        room = MOST_ADDED + count_characters(cells)
        for column in columns:
            try:
                texts = column.read_texts(self._layout.remove_guard(cells[column.at]), room)
            except RowRefused as refused:
                row.errors.add(refused.error)
            else:
                row.texts[column.at] = texts
                made = count_characters(texts)
                room -= made
                row.cost += made

    def _take_own(self, cells: Sequence[str]) -> Sequence[str]:
        """Return the cells that the sender filled: all of a row that lacks some."""
        has_findings = self._layout.has_findings and len(cells) >= len(self._layout.header)
        return cells[:-1] if has_findings else cells

    def _find_marks(self, rows: Sequence[Row]) -> list[RowError]:
        """Return what an error file asks to review in these rows, once for all of them."""
        if not self._layout.has_findings:
            return []
        return [marked for _number, cells in rows if (marked := find_review_mark(cells[-1])) is not None][:1]

    def _find_empty(self, rows: Sequence[Row]) -> Iterator[RowError]:
        """Yield an error for each empty cell of a required column that no mapping names.

        Of the intents that of the first row counts.
        """
        first = rows[0][0]
        for number, cells in rows:
            for at, (name, path) in self._required.items():
                cell = cells[at].strip() if at in self._trimmed else cells[at]
                if not cell and (number == first or at != self._layout.intent_at):
                    where = "" if number == first else f"row {number}: "
                    message = f"{where}the column {name} is required, and the cell is empty"
                    yield RowError(RowCode.VALIDATION, message, path)

    def _set_intent(self, row: Draft, rows: Sequence[Row]) -> bool:
        """Set the intent, which is that of the first row; return whether there is one.

        Further rows of an entity repeat it, or leave it empty.
        """
        at = self._layout.intent_at
        if at is None:
            row.intent = self._layout.default_intent
            return True
        column = self._layout.header[at]
        found = read_intent(rows[0][1][at], self._layout.default_intent, column)
        if isinstance(found, RowError):
            row.errors.add(found)
            return False
        row.intent = found
        for number, cells in rows[1:]:
            if read_intent(cells[at], found) is not found:
                message = f"row {number} says otherwise than row {row.number} of the same entity"
                row.errors.add(RowError(RowCode.INTENT, message, column, cells[at]))
        return True

    def _read_attributes(self, row: Draft, rows: Sequence[Row]) -> None:
        layout, cells = self._layout, rows[0][1]
        for at, column in layout.attributes:
            fill_attribute(row, column, self._layout.remove_guard(cells[at]))
        if layout.json_at is not None:
            fill_json(row, self._layout.remove_guard(cells[layout.json_at]))
        if layout.vertical:
            for one in rows:
                self._fill_vertical(row, one)
            self._require_same(row, rows)

    def _fill_vertical(self, row: Draft, one: Row) -> None:
        number, cells = one
        try:
            found = read_vertical(
                {name: self._layout.remove_guard(cells[at]) for name, at in self._layout.vertical.items()}
            )
            if found is not None:
                add_attribute(row.attributes, found[0].group, found[0].name, found[1])
        except RowRefused as refused:
            error = refused.error
            message = error.message if number == row.number else f"row {number}: {error.message}"
            row.errors.add(RowError(error.code, message, error.field, error.value, error.suggestion))

    def _require_same(self, row: Draft, rows: Sequence[Row]) -> None:
        """Require that further rows of an entity repeat its other columns, or leave them empty."""
        first = rows[0][1]
        for number, cells in rows[1:]:
            differing = [
                column for column in self._layout.columns if cells[column.at] not in ("", first[column.at])
            ]
            shown = differing[: row.errors.room]
            for column in shown:
                message = f"row {number} says otherwise than row {row.number} of the same entity"
                row.errors.add(RowError(RowCode.MAPPING, message, column.target.path, cells[column.at]))
            row.errors.count_more(len(differing) - len(shown))


def _find_required(layout: Layout) -> Mapping[int, tuple[str, str]]:
    """Return the required columns that no mapping names, by position: the name, and the field to report.

    The key of a VERTICAL entity is required in any case.
    """
    others = [at for name, at in layout.vertical.items() if name is not VerticalColumn.ENTITY_KEY]
    if layout.intent_at is not None:
        others.append(layout.intent_at)
    fields = {at: layout.header[at] for at in others} | {at: one.path for at, one in layout.attributes}
    if layout.json_at is not None:
        fields[layout.json_at] = JSON_COLUMN
    signs = {at: split_name(layout.header[at], layout.has_modifiers) for at in fields}
    mapped = {one.at for one in layout.columns}
    return {
        at: (name, fields[at])
        for at, (name, sign) in signs.items()
        if sign is Modifier.REQUIRED and at not in mapped
    }


def _build_torn_row(row: Row, expected: int, first: int) -> RowError:
    """Build the error of a row that does not have the ``expected`` number of cells.

    ``first``: the number of the first row of its record.
    """
    number, cells = row
    where = "" if number == first else f"row {number}: "
    message = f"{where}has {count_things(len(cells), 'cell')}, the header has {expected}"
    message += width_hint(cells, expected)
    is_short = len(cells) < expected
    return RowError(RowCode.PARSE, message, None, str(len(cells)), depends_on_file=is_short)
