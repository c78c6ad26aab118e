"""One row as a profile reads it: its layout in the file, and what its cells put into it. Pure.

A cell that cannot be read is an error of the row; the other cells are read all the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.contract.imports import RowCode, VerticalColumn
from runtime.filter.unreadable import Unreadable
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.import_columns import Modifier
from runtime.records.document.dynamic import Written
from runtime.seams import RowValueResolver
from runtime.transfer.csv.cells import read_cell as read_value_of
from runtime.transfer.csv.dialect import remove_guard
from runtime.transfer.profiles.lookup import Lookup
from runtime.transfer.profiles.profile_target import ColumnTarget
from runtime.transfer.profiles.replacement import MOST_ADDED
from runtime.transfer.profiles.transformation import Transformation
from runtime.transfer.rows.dynamic import (
    JSON_COLUMN,
    AttributeColumn,
    Attributes,
    Document,
    Merge,
    add_attribute,
    read_cell,
    read_choices,
    read_json,
)
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.row_error import RowError, RowErrors, RowRefused
from runtime.transfer.rows.rows import FileTerms, InputRow
from runtime.transfer.rows.suggestion import suggest

_ID: Final = FieldType(ValueKind.OBJECT_ID)


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """One entry of ``columnMappings``, prepared: what is done with the cells of a column.

    ``separator``: the text between the elements of a list. ``at``: the place in the file, once that is known.
    """

    name: str
    modifier: Modifier | None
    target: ColumnTarget
    transformation: Transformation
    lookup: Lookup | None = None
    resolver: RowValueResolver | None = None
    separator: str | None = None
    at: int = -1

    def read_texts(self, cell: str, room: int) -> tuple[str, ...]:
        """Return the texts of a cell after the transformations: at most one, or those of all elements.

        Empty elements are left out. ``room``: the most characters that they may have. Raises ``RowRefused``.
        """
        parts = [cell]
        if self.separator is not None:
            parts = [part for part in cell.split(self.separator) if part.strip()] or [""]
        texts = []
        for part in parts:
            if (text := self.transformation.apply(part)) is not None:
                texts.append(text)
                room -= len(text)
            if room < 0:
                message = f"the transformations make the row more than {MOST_ADDED} characters longer"
                raise RowRefused(RowError(RowCode.MAPPING, message, self.target.path, cell))
        return tuple(texts)


@dataclass(frozen=True, slots=True)
class Layout:
    """The position of everything in a file. ``key``: the field that finds the record."""

    header: tuple[str, ...]
    columns: tuple[MappedColumn, ...]
    key: ColumnTarget
    attributes: tuple[tuple[int, AttributeColumn], ...] = ()
    json_at: int | None = None
    vertical: Mapping[VerticalColumn, int] = field(default_factory=dict)
    intent_at: int | None = None
    default_intent: Intent = Intent.UPSERT
    merge: Merge = Merge.MERGE
    guard: bool = True
    has_findings: bool = False
    has_modifiers: bool = False

    def remove_guard(self, cell: str) -> str:
        """Return a cell as it was before it was guarded, where the file is."""
        return remove_guard(cell) if self.guard else cell

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the sender filled: without that of an error file that comes back."""
        return self.header[:-1] if self.has_findings else self.header

    def find_plain(self, path: str) -> tuple[MappedColumn, ...]:
        """Return the columns that fill a field by themselves, without a lookup or a resolver."""
        return tuple(
            one for one in self.columns if one.target.path == path and not (one.lookup or one.resolver)
        )

    @property
    def terms(self) -> FileTerms:
        """What its rows have in common. The values of VERTICAL attributes stand in rows of their own."""
        at = {column.target.path: column.at for column in self.columns}
        at |= {attribute.path: place for place, attribute in self.attributes}
        if self.json_at is not None:
            at[JSON_COLUMN] = self.json_at
        if self.vertical:
            at.setdefault(self.key.path, self.vertical[VerticalColumn.ENTITY_KEY])
        return FileTerms(self.key.path, self.merge, {path: self.header[place] for path, place in at.items()})


@dataclass(slots=True)
class Draft:
    """A row while its cells are read; the members are those of ``InputRow`` that it becomes.

    A reference among the ``values`` is ``<path>.entityId`` or ``<path>.entityRefName``. ``texts``: of the
    columns by their positions, before lookups. ``is_read``: false for a row of which only the refName is
    read, since it is to be skipped, or cannot be read. ``cost``: the number of its cells and characters.
    """

    number: int
    raw: dict[str, str]
    further: Sequence[Sequence[str]] | None
    intent: Intent = Intent.UPSERT
    values: dict[str, Any] = field(default_factory=dict)
    attributes: Attributes = field(default_factory=dict)
    json_attributes: Attributes = field(default_factory=dict)
    errors: RowErrors = field(default_factory=RowErrors)
    texts: dict[int, tuple[str, ...]] = field(default_factory=dict)
    is_read: bool = False
    skip_reason: str | None = None
    cost: int = 0

    def finish(self, terms: FileTerms) -> InputRow:
        if self.skip_reason is not None:
            return InputRow(
                self.number, self.raw, self.values, Intent.SKIP, terms=terms, further=self.further,
                skip_reason=self.skip_reason,
            )  # fmt: skip
        for group, members in self.json_attributes.items():  # they win over the others
            self.attributes.setdefault(group, {}).update(members)
        errors, attributes = self.errors.finish(), self.attributes
        return InputRow(
            self.number, self.raw, self.values, self.intent, errors, attributes, terms, further=self.further
        )


def fill(row: Draft, column: MappedColumn, text: str | None) -> None:
    """Put the text of a column where it goes; an empty one clears the field."""
    target = column.target
    if text is None or not text:
        _fill_nothing(row, column)
    elif target.attribute is not None:
        fill_attribute(row, target.attribute, text)
    elif target.is_attributes:
        fill_json(row, text)
    else:
        fill_value(row, target, text)


def _fill_nothing(row: Draft, column: MappedColumn) -> None:
    target = column.target
    if column.modifier in (Modifier.REQUIRED, Modifier.KEY):
        message = f"the column {column.name} is required, and the cell is empty"
        row.errors.add(RowError(RowCode.VALIDATION, message, target.path))
    elif column.modifier is not Modifier.OPTIONAL and not (target.attribute or target.is_attributes):
        row.values[target.path] = None


def fill_list(row: Draft, column: MappedColumn, texts: Sequence[str]) -> None:
    """Put the elements of a list where they go; none of them clears the field."""
    target = column.target
    if not texts:
        _fill_nothing(row, column)
    elif target.attribute is not None:
        _fill_attribute(row, target.attribute, lambda attribute: read_choices(attribute, texts))
    elif target.element is not None:
        errors = len(row.errors)
        elements = [_read_element(row, target, target.element, text) for text in texts]
        if len(row.errors) == errors:
            row.values[target.path] = elements


def _read_element(row: Draft, target: ColumnTarget, element: FieldType, text: str) -> Any:
    if target.member == "entityRefName":
        return {"entityRefName": text}
    value = _read_value(row, target.path, element, text)
    return {"entityId": value} if element.is_reference else value


def fill_value(row: Draft, target: ColumnTarget, text: str) -> None:
    """Put a value, or the id of a reference, into its field."""
    errors = len(row.errors)
    value = _read_value(row, target.path, target.type, text)
    if len(row.errors) == errors:
        row.values[f"{target.path}.entityId" if target.type.is_reference else target.path] = value


def _read_value(row: Draft, path: str, field_type: FieldType, text: str) -> Any:
    """Read a value, or the id of a reference; what cannot be read is an error of the row."""
    try:
        return read_value_of(_ID if field_type.is_reference else field_type, text, guard=False)
    except Unreadable as error:
        message = f"{path} takes {error}, as in {error.example}"
        if field_type.is_reference:
            message += f"; to give a refName, map {path}.entityRefName"
        row.errors.add(RowError(RowCode.PARSE, message, path, text, suggest(field_type, text)))


def fill_attribute(row: Draft, column: AttributeColumn, text: str) -> None:
    """Add one dynamic attribute; an empty text adds none."""
    _fill_attribute(row, column, lambda attribute: read_cell(attribute, text))


def _fill_attribute(
    row: Draft, column: AttributeColumn, read: Callable[[AttributeColumn], Document | Written | None]
) -> None:
    try:
        value = read(column)
        if value is not None:
            add_attribute(row.attributes, column.group, column.name, value)
    except RowRefused as refused:
        row.errors.add(refused.error)


def fill_json(row: Draft, text: str) -> None:
    """Add the dynamic attributes of a cell of JSON; ``Draft.finish`` puts them to the others."""
    try:
        for group, members in read_json(text).items():
            for name, value in members.items():
                add_attribute(row.json_attributes, group, name, value)
    except RowRefused as refused:
        row.errors.add(refused.error)
