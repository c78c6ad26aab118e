"""Rows of a file → what each asks for, as a profile says (spec 2 §2.7–2.9, decisions §5).

For every cell: transformations, look-up, resolver, typed value. Look-ups are asked once for a batch. Every
finding is an error of its row, with field, value and, where one is near, a suggestion; a row that is to be
skipped is not looked at. With ``VERTICAL`` the rows of one entity stand together and become one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from runtime.seams import ImportContext, Resolution
from runtime.transfer.attribute import Refused
from runtime.transfer.dialect import unguarded
from runtime.transfer.dynamic import VerticalColumn, add_attribute, read_vertical
from runtime.transfer.intent import Intent, read_intent
from runtime.transfer.lookup import Lookups, Remembered, text_of
from runtime.transfer.mapped_row import Column, Layout, MappedRow, fill, fill_attribute, fill_json, fill_value
from runtime.transfer.row_error import RowCode, RowError
from runtime.transfer.rows import named_cells
from runtime.transfer.transformation import Failed

Row = tuple[int, Sequence[str]]

MOST_ROWS_OF_ONE: Final = 20_000
MOST_CHARACTERS_OF_ONE: Final = 4 * 2**20
"""Of the rows of one entity, which are kept until the next one begins: as much as one row may have."""

_AT_A_STRETCH: Final = 20
"""Rows that are mapped while all else in the worker waits; a row may have many columns."""


class RowMapper:
    """Reads the rows of one file, batch by batch and in their order; it remembers what was looked up."""

    def __init__(self, layout: Layout, *, realm: str, session: str, profile: str) -> None:
        self._layout = layout
        self._where = (realm, session, profile)
        self._remembered = {
            column.at: Remembered(column.lookup, column.target.path)
            for column in layout.columns
            if column.lookup is not None
        }
        self._held = _Entity()

    async def read(self, rows: Sequence[Row], lookups: Lookups, *, is_last: bool = False) -> list[MappedRow]:
        """The rows of a batch: their number and their cells. ``is_last``: nothing follows.

        Without it the last entity of a VERTICAL file is held back, for its rows may go on.
        """
        drafts: list[_Draft] = []
        for entity in self._entities(rows, is_last):
            drafts.append(self._begin(entity))
            await _let_others(len(drafts))
        for at, remembered in self._remembered.items():
            texts = {text for draft in drafts if (text := draft.texts.get(at)) is not None}
            await remembered.prepare(texts, lookups)
        for done, draft in enumerate(drafts, 1):
            await self._complete(draft)
            await _let_others(done)
        return [draft.row for draft in drafts]

    def _entities(self, rows: Sequence[Row], is_last: bool) -> Iterator[_Entity]:
        """The rows that make one record: each by itself, or those that stand together with one key."""
        if not self._layout.vertical:
            yield from (_Entity([row]) for row in rows)
            return
        held = self._held
        for row in rows:
            if held.rows and self._entity(held.rows[0]) != self._entity(row):
                yield held
                held = _Entity()
            held.add(row)
        if is_last and held.rows:
            yield held
            held = _Entity()
        self._held = held

    def _entity(self, row: Row) -> object:
        """What rows of one entity have in common; a row that cannot be read is one by itself."""
        number, cells = row
        if len(cells) != len(self._layout.header):
            return number
        return self._plain(cells[self._layout.vertical[VerticalColumn.ENTITY_KEY]]).strip()

    def _begin(self, entity: _Entity) -> _Draft:
        """Everything up to the look-ups."""
        layout, rows = self._layout, entity.rows
        number, cells = rows[0]
        row = MappedRow(number, named_cells(layout.header, cells))
        row.numbers = tuple(one for one, _cells in rows)
        draft = _Draft(row)
        if not entity.is_whole:
            message = f"has more than {MOST_ROWS_OF_ONE} rows, or {MOST_CHARACTERS_OF_ONE} characters"
            row.errors.append(RowError(RowCode.VALIDATION, message, VerticalColumn.ENTITY_KEY))
            return draft
        if len(cells) != len(layout.header):
            message = f"has {len(cells)} cells, the header has {len(layout.header)}"
            row.errors.append(RowError(RowCode.PARSE, message, None, str(len(cells))))
            return draft
        if not self._set_intent(row, cells):
            return draft
        draft.is_read = True
        for column in layout.columns:
            try:
                draft.texts[column.at] = column.transformation.apply(self._plain(cells[column.at]))
            except Failed as failed:
                row.errors.append(failed.error)
        self._read_attributes(row, rows)
        return draft

    def _set_intent(self, row: MappedRow, cells: Sequence[str]) -> bool:
        """Whether there is anything to read."""
        at = self._layout.intent_at
        text, column = ("", None) if at is None else (cells[at], self._layout.header[at])
        found = read_intent(text, self._layout.default_intent, column)
        if isinstance(found, RowError):
            row.errors.append(found)
        else:
            row.intent = found
        return found is not Intent.SKIP

    def _read_attributes(self, row: MappedRow, rows: Sequence[Row]) -> None:
        layout, cells = self._layout, rows[0][1]
        for at, column in layout.attributes:
            fill_attribute(row, column, self._plain(cells[at]))
        if layout.json_at is not None:
            fill_json(row, self._plain(cells[layout.json_at]))
        if layout.vertical:
            for one in rows:
                self._fill_vertical(row, one)
            self._require_same(row, rows)

    def _fill_vertical(self, row: MappedRow, one: Row) -> None:
        number, cells = one
        try:
            found = read_vertical(
                {name: self._plain(cells[at]) for name, at in self._layout.vertical.items()}
            )
            if found is not None:
                add_attribute(row.attributes, found[0].group, found[0].name, found[1])
        except Refused as refused:
            error = refused.error
            message = error.message if number == row.number else f"row {number}: {error.message}"
            row.errors.append(RowError(error.code, message, error.field, error.value, error.suggestion))

    def _require_same(self, row: MappedRow, rows: Sequence[Row]) -> None:
        """The other columns speak of the entity: its further rows say the same there, or nothing."""
        first = rows[0][1]
        for number, cells in rows[1:]:
            for column in self._layout.columns:
                if cells[column.at] not in ("", first[column.at]):
                    message = f"row {number} says otherwise than row {row.number} of the same entity"
                    row.errors.append(
                        RowError(RowCode.MAPPING, message, column.target.path, cells[column.at])
                    )

    async def _complete(self, draft: _Draft) -> None:
        """Look-ups, resolvers and types."""
        row = draft.row
        for column in self._layout.columns:
            if column.at not in draft.texts or row.skipped is not None:
                continue
            text = draft.texts[column.at]
            if text is not None and column.at in self._remembered:
                found = self._remembered[column.at].result(text)
                if isinstance(found, RowError):
                    row.errors.append(found)
                    continue
                text = found
            await self._resolve(row, column, text)
        if row.skipped is not None:
            row.intent, row.errors, row.values, row.attributes = Intent.SKIP, [], {}, {}
        elif self._layout.vertical and draft.is_read:
            self._set_key(row)

    async def _resolve(self, row: MappedRow, column: Column, text: str | None) -> None:
        answer = Resolution.passthrough()
        if column.resolver is not None:
            realm, session, profile = self._where
            context = ImportContext(realm, session, row.number, profile)
            answer = await column.resolver(text, row.raw, context)
        match answer.outcome:
            case "skip":
                row.skipped = answer.reason or f"by the resolver of {column.name}"
            case "error":
                message = answer.reason or "the resolver refuses it"
                row.errors.append(RowError(RowCode.MAPPING, message, column.target.path, text))
            case "success":
                fill(row, column, text_of(answer.value))
            case "null":
                fill(row, column, None)
            case "passthrough":
                fill(row, column, text)

    def _set_key(self, row: MappedRow) -> None:
        """The record of a VERTICAL entity, where no column of its own names it."""
        key = self._layout.key
        text = self._plain(
            row.raw[self._layout.header[self._layout.vertical[VerticalColumn.ENTITY_KEY]]]
        ).strip()
        if not text:
            message = f"{VerticalColumn.ENTITY_KEY} is empty: it says which record the attribute belongs to"
            row.errors.append(RowError(RowCode.VALIDATION, message, VerticalColumn.ENTITY_KEY))
        elif key.path not in row.values:
            fill_value(row, key, text)

    def _plain(self, cell: str) -> str:
        return unguarded(cell) if self._layout.guard else cell


async def _let_others(done: int) -> None:
    """Let the other requests of the worker go on now and then."""
    if done % _AT_A_STRETCH == 0:
        await asyncio.sleep(0)


@dataclass(slots=True)
class _Entity:
    """Rows that make one record. ``is_whole``: there were not too many of them to be kept."""

    rows: list[Row] = field(default_factory=list)
    size: int = 0
    is_whole: bool = True

    def add(self, row: Row) -> None:
        self.size += sum(map(len, row[1]))
        if self.rows and (len(self.rows) == MOST_ROWS_OF_ONE or self.size > MOST_CHARACTERS_OF_ONE):
            self.is_whole = False
        if self.is_whole:
            self.rows.append(row)


@dataclass(slots=True)
class _Draft:
    """A row and the texts of its columns, by their places, before look-ups. ``is_read``: it is no row that is
    left alone, or cannot be read at all."""

    row: MappedRow
    is_read: bool = False
    texts: dict[int, str | None] = field(default_factory=dict)
