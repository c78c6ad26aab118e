"""Rows of a file → what to write for each, as a profile says.

For every cell: transformations, lookup, resolver, typed value. Values are looked up once a batch. Every
finding is an error of its row, with field, value and, where there is a near one, a suggestion; a row that is
to be skipped is not read further. With ``VERTICAL`` the rows of one entity are adjacent and become one.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from runtime.contract.imports import RowCode
from runtime.event_loop import Pace
from runtime.seams import ImportContext, Resolution
from runtime.transfer.csv.dialect import remove_guard
from runtime.transfer.profiles.entity import Entity, Row, build_too_many_rows, build_torn_row
from runtime.transfer.profiles.lookup import Lookups, Remembered
from runtime.transfer.profiles.mapped_row import (
    Column,
    Draft,
    Layout,
    fill,
    fill_attribute,
    fill_json,
    fill_list,
    fill_value,
)
from runtime.transfer.profiles.resolving import Resolvers
from runtime.transfer.rows.dynamic import VerticalColumn, add_attribute, read_vertical
from runtime.transfer.rows.intent import Intent, read_intent
from runtime.transfer.rows.row_error import RowError, RowRefused, find_review_mark
from runtime.transfer.rows.rows import FileTerms, InputRow, name_cells

_AT_A_STRETCH: Final = 20
"""Rows that are mapped while all else in the worker waits; a row may have many columns."""


class RowMapper:
    """Reads the rows of one file, batch by batch and in their order; it remembers what was looked up."""

    def __init__(self, layout: Layout, terms: FileTerms, *, realm: str, session: str, profile: str) -> None:
        self._layout = layout
        self._terms = terms
        self._where = (realm, session, profile)
        self._remembered = {
            column.at: Remembered(column.lookup, column.target.path)
            for column in layout.columns
            if column.lookup is not None
        }
        self._held = Entity()
        self._resolvers = Resolvers()

    async def read(self, rows: Sequence[Row], lookups: Lookups, *, is_last: bool = False) -> list[InputRow]:
        """Read the rows of a batch: their numbers and their cells. ``is_last``: nothing follows.

        Without it the last entity of a VERTICAL file is held back, since its rows may go on.
        """
        drafts: list[Draft] = []
        pace = Pace(_AT_A_STRETCH)
        for entity in self._group_rows(rows, is_last):
            drafts.append(self._begin(entity))
            await pace.step()
        for at, remembered in self._remembered.items():
            texts = {text for draft in drafts for text in draft.texts.get(at, ())}
            await remembered.prepare(texts, lookups)
        for draft in drafts:
            await self._complete(draft)
            await pace.step()
        return [draft.finish(self._terms) for draft in drafts]

    def _group_rows(self, rows: Sequence[Row], is_last: bool) -> Iterator[Entity]:
        """Yield the rows that make one record: each alone, or adjacent ones with one key."""
        if not self._layout.vertical:
            yield from (Entity([row]) for row in rows)
            return
        held = self._held
        for row in rows:
            if held.rows and self._entity(held.rows[0]) != self._entity(row):
                yield held
                held = Entity()
            held.add(row)
        if is_last and held.rows:
            yield held
            held = Entity()
        self._held = held

    def _entity(self, row: Row) -> object:
        """Return what rows of one entity have in common; a row without that cell is an entity of its own."""
        number, cells = row
        at = self._layout.vertical[VerticalColumn.ENTITY_KEY]
        return self._remove_guard(cells[at]).strip() if at < len(cells) else number

    def _begin(self, entity: Entity) -> Draft:
        """Do everything up to the lookups."""
        layout, rows = self._layout, entity.rows
        number, cells = rows[0]
        further = [self._own(others) for _number, others in rows[1:]] if entity.is_whole else None
        row = Draft(number, name_cells(layout.names, self._own(cells)), further)
        if not entity.is_whole:
            row.errors.add(build_too_many_rows())
            return row
        width = len(layout.header)
        if torn := [build_torn_row(one, width, number) for one in rows if len(one[1]) != width]:
            row.errors.extend(torn)
            return row
        row.errors.extend(self._find_marks(rows))
        if not self._set_intent(row, cells):
            return row
        row.is_read = True
        for column in layout.columns:
            try:
                row.texts[column.at] = column.read_texts(self._remove_guard(cells[column.at]))
            except RowRefused as refused:
                row.errors.add(refused.error)
        self._read_attributes(row, rows)
        return row

    def _own(self, cells: Sequence[str]) -> Sequence[str]:
        """Return the cells that the sender filled."""
        return cells[:-1] if self._layout.has_findings else cells

    def _find_marks(self, rows: Sequence[Row]) -> list[RowError]:
        """Return what an error file asks to review in these rows."""
        if not self._layout.has_findings:
            return []
        return [marked for _number, cells in rows if (marked := find_review_mark(cells[-1])) is not None]

    def _set_intent(self, row: Draft, cells: Sequence[str]) -> bool:
        """Set the intent; return whether there is anything to read."""
        at = self._layout.intent_at
        text, column = ("", None) if at is None else (cells[at], self._layout.header[at])
        found = read_intent(text, self._layout.default_intent, column)
        if isinstance(found, RowError):
            row.errors.add(found)
        else:
            row.intent = found
        return found is not Intent.SKIP

    def _read_attributes(self, row: Draft, rows: Sequence[Row]) -> None:
        layout, cells = self._layout, rows[0][1]
        for at, column in layout.attributes:
            fill_attribute(row, column, self._remove_guard(cells[at]))
        if layout.json_at is not None:
            fill_json(row, self._remove_guard(cells[layout.json_at]))
        if layout.vertical:
            for one in rows:
                self._fill_vertical(row, one)
            self._require_same(row, rows)

    def _fill_vertical(self, row: Draft, one: Row) -> None:
        number, cells = one
        try:
            found = read_vertical(
                {name: self._remove_guard(cells[at]) for name, at in self._layout.vertical.items()}
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
            for column in self._layout.columns:
                if cells[column.at] not in ("", first[column.at]):
                    message = f"row {number} says otherwise than row {row.number} of the same entity"
                    row.errors.add(RowError(RowCode.MAPPING, message, column.target.path, cells[column.at]))

    async def _complete(self, row: Draft) -> None:
        """Run lookups, resolvers and types."""
        for column in self._layout.columns:
            texts = self._look_up(row, column)
            if texts is None:
                continue
            if column.separator is not None:
                fill_list(row, column, texts)
                continue
            await self._resolve(row, column, texts[0] if texts else None)
            if row.skip_reason is not None:
                return
        if self._layout.vertical and row.is_read:
            self._set_key(row)

    def _look_up(self, row: Draft, column: Column) -> Sequence[str] | None:
        """Return what the texts of a cell become; None where the row has an error instead."""
        texts = row.texts.get(column.at)
        if texts is None or column.at not in self._remembered:
            return texts
        results = [self._remembered[column.at].result(text) for text in texts]
        errors = [one for one in results if isinstance(one, RowError)]
        row.errors.extend(errors)
        return None if errors else [one for one in results if isinstance(one, str)]

    async def _resolve(self, row: Draft, column: Column, text: str | None) -> None:
        answer = Resolution.passthrough()
        if column.resolver is not None:
            realm, session, profile = self._where
            context = ImportContext(realm, session, row.number, profile)
            answer = await self._resolvers.resolve(column.name, column.resolver, text, row.raw, context)
        match answer.outcome:
            case "skip":
                row.skip_reason = answer.reason or f"by the resolver of {column.name}"
            case "error":
                message = answer.reason or "the resolver refuses it"
                row.errors.add(RowError(RowCode.MAPPING, message, column.target.path, text))
            case "success":
                fill(row, column, answer.value)
            case "null":
                fill(row, column, None)
            case "passthrough":
                fill(row, column, text)

    def _set_key(self, row: Draft) -> None:
        """Set the key of the record of a VERTICAL entity, where no column of its own names it."""
        key = self._layout.key
        text = self._remove_guard(
            row.raw[self._layout.header[self._layout.vertical[VerticalColumn.ENTITY_KEY]]]
        ).strip()
        if not text:
            message = f"{VerticalColumn.ENTITY_KEY} is empty: it says which record the attribute belongs to"
            row.errors.add(RowError(RowCode.VALIDATION, message, VerticalColumn.ENTITY_KEY))
        elif key.path not in row.values:
            fill_value(row, key, text)

    def _remove_guard(self, cell: str) -> str:
        return remove_guard(cell) if self._layout.guard else cell
