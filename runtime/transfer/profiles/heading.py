"""The header line of a file that a profile reads: names, modifiers, positions. Pure.

With ``headerModifiers`` the last character of a header may be ``*`` (its cells must not be empty), ``?`` (an
empty cell leaves the field as it is, and the column may be missing), ``~`` (calculated, hence ignored) or
``#`` (the key: it finds the record, in place of refName). Blanks around a header do not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runtime.contract.imports import VerticalColumn
from runtime.errors import CsvProblem
from runtime.model.import_columns import Modifier, split_name
from runtime.model.record_type import RecordType
from runtime.transfer.profiles.mapped_row import MappedColumn
from runtime.transfer.profiles.profile_target import ColumnTarget, build_key_advice, key_of, target_of
from runtime.transfer.rows.rows import REF_NAME


@dataclass(frozen=True, slots=True)
class Heading:
    """One column of a file. ``at`` counts from 0, ``text`` is as it stands there."""

    at: int
    name: str
    text: str
    modifier: Modifier | None = None


def read_headings(header: Sequence[str], has_modifiers: bool) -> list[Heading]:
    """Return the columns of a file, in their order; calculated ones are left out.

    Raises ``CsvProblem`` for a column without a name, one that comes twice, and a second key.
    """
    found: list[Heading] = []
    for at, text in enumerate(header):
        name, modifier = split_name(text, has_modifiers)
        if modifier is not None and not name:
            raise problem(f"{modifier} is only a modifier: write it behind a name, as in name{modifier}", at)
        if modifier is Modifier.CALCULATED:
            continue
        if not name:
            is_last = not any(one.strip() for one in header[at:])
            raise problem(f"has no name{'; does the line end with a separator?' if is_last else ''}", at)
        for other in found:
            if other.name == name:
                raise problem(f"{name[:100]} is column {other.at + 1} already", at)
            if modifier is other.modifier is Modifier.KEY:
                raise problem(f"{name[:100]}: {other.name[:100]} is the key already", at)
        found.append(Heading(at, name, text, modifier))
    return found


def find_key(
    kind: RecordType[Any], headings: Sequence[Heading], columns: Sequence[MappedColumn], entity_at: int | None
) -> ColumnTarget:
    """Return the field that finds a record. Raises ``CsvProblem`` for a mark that would not count.

    ``entity_at``: the column of the keys of entities, which gives the refName where no other column does.
    """
    marked = [column for column in columns if column.modifier is Modifier.KEY]
    filling = {column.at for column in columns}
    if entity_at is not None and not marked and all(one.target.path != REF_NAME for one in columns):
        filling.add(entity_at)
    for heading in headings:
        if heading.modifier is Modifier.KEY and heading.at not in filling:
            why = f"{heading.name[:100]} fills no unique field"
            raise problem(build_key_advice(kind, why), heading.at)
    if len(marked) > 1:
        raise problem(f"{marked[1].name}: {marked[0].name} is the key already", marked[1].at)
    found = marked or [column for column in columns if column.name == VerticalColumn.ENTITY_KEY]
    return key_of(kind, found[0].target) if found else target_of(kind, REF_NAME)


def problem(message: str, at: int | None = None) -> CsvProblem:
    """Build the error of a header; ``at`` counts from 0."""
    if at is None:
        return CsvProblem(f"the header: {message}", row=0)
    return CsvProblem(f"the header, column {at + 1}: {message}", row=0, column=at + 1)
