"""Dynamic attributes of a file: four ways to write, three to merge them. Pure.

    DOT_NOTATION   one column an attribute:  <prefix><set>.<name>[:<Type>]
    JSON_COLUMN    one column dynamicAttributes:  {"set": {"name": value}}
    VERTICAL       one row an attribute:  _entityKey, _attrSet, _attrName, _attrType, _attrValue
    HYBRID         DOT_NOTATION and JSON_COLUMN in one file

An empty cell and a JSON null say nothing about their attribute. What names no type is read by the type of
the attribute it changes; a new attribute gets the type its text looks like. The column of JSON wins over the
other columns. An attribute that one record is given twice otherwise is an error: which one counts would
depend on the order of the columns.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from runtime.contract.imports import RowCode, VerticalColumn
from runtime.errors import ValidationFailed
from runtime.filter.quoted import read_path
from runtime.json_text import UnfitJson, read_cell_json
from runtime.records.document.dynamic import Written, read_attributes
from runtime.transfer.rows.attribute import (
    build_settled,
    build_typed,
    build_unreadable_cell,
    is_name,
    of_json,
    path_of,
    read_names,
    require_known_type,
    require_storable,
)
from runtime.transfer.rows.row_error import RowError, RowRefused

Document = dict[str, Any]
_NAME: Final = r'(?:[^".:]++|"[^"]*+(?>(?:""[^"]*+)*)")'
_QUOTED: Final = re.compile(rf"({_NAME}\.{_NAME})(:?)(.*)")

Attributes = dict[str, dict[str, Document | Written]]
"""Set → name → ``{type, value}``, or text whose type the stored attribute decides."""

Imported = Mapping[str, Mapping[str, Document | Written]]
"""The same to look at only."""

DEFAULT_PREFIX: Final = "dyn."
JSON_COLUMN: Final = "dynamicAttributes"


class Strategy(StrEnum):
    """How attributes are written in the file."""

    DOT_NOTATION = "DOT_NOTATION"
    JSON_COLUMN = "JSON_COLUMN"
    VERTICAL = "VERTICAL"
    HYBRID = "HYBRID"


class Merge(StrEnum):
    """What happens to the attributes a record has already."""

    REPLACE = "REPLACE"  # they go
    MERGE = "MERGE"  # they stay, imported ones are changed or added
    APPEND = "APPEND"  # they stay as they are, only new ones are added


@dataclass(frozen=True, slots=True)
class AttributeColumn:
    """Where the cells of one column go; ``type`` None: the header names none."""

    group: str
    name: str
    type: str | None = None

    @property
    def path(self) -> str:
        """The dotted field."""
        return path_of(self.group, self.name)


def parse_attribute_column(header: str, prefix: str = DEFAULT_PREFIX) -> AttributeColumn | None:
    """Parse ``<prefix><set>.<name>[:<Type>]``; return None for a header without the prefix.

    Raises ``RowRefused`` for one that begins like an attribute but is not valid.
    """
    if not header.startswith(prefix):
        return None
    dotted, colon, kind = _split_header(header, header[len(prefix) :])
    group, _, name = dotted.partition(".")
    for part in (group, name):
        if not is_name(part):
            raise build_unreadable_cell(
                header, f"{header[:100]} is not an attribute: write {prefix}<set>.<name>:<Type>"
            )
    return AttributeColumn(group, name, require_known_type(kind, header) if colon else None)


def _split_header(header: str, rest: str) -> tuple[str, str, str]:
    """Split the names, with a dot between them, from the type after a colon. Names may be quoted."""
    quoted = _QUOTED.fullmatch(rest) if '"' in rest else None
    if quoted is None:
        return rest.partition(":")
    try:
        return read_path(quoted[1]), quoted[2], quoted[3]
    except ValueError as error:
        raise build_unreadable_cell(header, f"{header[:100]} {error}") from None


def read_cell(column: AttributeColumn, text: str) -> Document | Written | None:
    """Read the attribute of a cell, None for an empty one. Raises ``RowRefused`` (PARSE)."""
    if not text:
        return None
    return Written(text) if column.type is None else build_typed(column.path, column.type, Written(text))


def read_choices(column: AttributeColumn, texts: Sequence[str]) -> Document | Written:
    """Read the attribute of a cell that lists choices. Raises ``RowRefused`` (PARSE) for another type."""
    if column.type not in (None, "MultiSelect"):
        message = f"is {column.type}: a list of choices is a MultiSelect"
        raise build_unreadable_cell(column.path, message, texts[0])
    written = Written("[…]", items=tuple(Written(one, quoted=True) for one in texts))
    return written if column.type is None else build_typed(column.path, column.type, written)


def read_json(text: str) -> Attributes:
    """Read the attributes of a cell of JSON: each a plain value, or ``{"type": …, "value": …}``.

    Raises ``RowRefused`` (PARSE) for anything but an object of objects.
    """
    if not text:
        return {}
    try:
        sets = read_cell_json(text)
    except UnfitJson as error:
        raise build_unreadable_cell(JSON_COLUMN, f"is JSON {error}", text) from None
    except ValueError as error:
        raise build_unreadable_cell(JSON_COLUMN, f"is not JSON: {error}", text) from None
    if not isinstance(sets, dict) or not all(isinstance(one, dict) for one in sets.values()):
        raise build_unreadable_cell(JSON_COLUMN, 'is a JSON object of sets: {"set": {"name": value}}', text)
    found: Attributes = {}
    for group, members in sets.items():
        for name, value in members.items():
            own_group, own = read_names(group, name)
            if value is not None:
                attribute = of_json(value)
                if not isinstance(attribute, Written):
                    attribute = require_storable(path_of(own_group, own), attribute)
                found.setdefault(own_group, {})[own] = attribute
    return found


def read_vertical(cells: Mapping[VerticalColumn, str]) -> tuple[AttributeColumn, Document | Written] | None:
    """Read the attribute of one row, None where the value is empty. Raises ``RowRefused``."""
    group, name = cells[VerticalColumn.SET].strip(), cells[VerticalColumn.NAME].strip()
    text = cells[VerticalColumn.VALUE]
    if not group and not name and not text:
        return None
    group, name = read_names(group, name)
    kind = cells.get(VerticalColumn.TYPE, "").strip()
    column = AttributeColumn(group, name, require_known_type(kind, VerticalColumn.TYPE) if kind else None)
    value = read_cell(column, text)
    return None if value is None else (column, value)


def add_attribute(found: Attributes, group: str, name: str, value: Document | Written) -> None:
    """Put one attribute to those of the same record. Raises ``RowRefused`` (MAPPING) where it is there."""
    members = found.setdefault(group, {})
    if name in members:
        path = path_of(group, name)
        raise RowRefused(RowError(RowCode.MAPPING, f"{path} is given twice: keep one", path))
    members[name] = value


def merge_attributes(
    stored: Mapping[str, Mapping[str, Document]] | None,
    imported: Imported,
    merge: Merge,
) -> tuple[Document, list[RowError]]:
    """Merge attributes into the stored ones: the new ``dynamicAttributes``, in stored form, and the errors.

    ``stored`` is None for a new record. A row without attributes changes none, REPLACE included. With errors
    the attributes are those that were stored.
    """
    before = {group: dict(members) for group, members in (stored or {}).items()}
    if not imported:
        return before, []
    after: dict[str, dict[str, Document]] = (
        {} if merge is Merge.REPLACE else {group: dict(members) for group, members in before.items()}
    )
    errors: list[RowError] = []
    for group, members in imported.items():
        for name, value in members.items():
            there = before.get(group, {}).get(name)
            if there is not None and merge is Merge.APPEND:
                continue
            try:
                after.setdefault(group, {})[name] = build_settled(path_of(group, name), there, value)
            except RowRefused as refused:
                errors.append(refused.error)
    if errors:
        return before, errors
    try:
        return read_attributes(after), []
    except ValidationFailed as error:
        found = error.details["violations"]
        return before, [RowError(RowCode.VALIDATION, one["message"], one["path"]) for one in found]
