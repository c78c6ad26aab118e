"""Where a column of an import profile goes, and what may be a field of it. Pure.

A cell fills a field that a partial write may set, a reference by the refName or the id of its record, or a
dynamic attribute. Fields inside a list are not filled by a column, but for a list of references, by the names
or the ids of its records: a list is one cell of JSON, or of elements with a ``listSeparator`` between them.

The field that finds a record is refName, or that of the column marked ``#``. It is unique in a tenant,
visible to every caller that may see the record, and of a type of which two values are equal or not, however
they are written.
"""

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Final

from runtime.errors import RequestError, UnknownField
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.import_columns import Modifier
from runtime.model.paths import around
from runtime.model.record_type import RecordType
from runtime.records.document.targets import is_made_by_server, readable_path, refuse_path, settable
from runtime.transfer.csv.cells import is_single
from runtime.transfer.rows.attribute import is_name
from runtime.transfer.rows.dynamic import JSON_COLUMN, AttributeColumn
from runtime.transfer.rows.rows import REF_NAME

_NAMES: Final = frozenset({"entityRefName", "entityId"})
_PLAIN_PATH: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*")


@dataclass(frozen=True, slots=True)
class ColumnTarget:
    """A field and its type; ``attribute`` where it is a dynamic attribute.

    ``member``: of a list of references, what each element says of its record.
    """

    path: str
    type: FieldType
    attribute: AttributeColumn | None = None
    member: str = ""

    @property
    def is_attributes(self) -> bool:
        """Whether a cell holds all attributes, as JSON."""
        return self.path == JSON_COLUMN

    @property
    def element(self) -> FieldType | None:
        """The type of the elements that a cell with separators may list; None where it cannot."""
        item = self.type.item if self.type.kind is ValueKind.LIST else None
        return item if item is not None and (item.is_reference or is_single(item)) else None


def target_of(
    kind: RecordType[Any], path: str, hidden: Set[str] = frozenset(), modifier: Modifier | None = None
) -> ColumnTarget:
    """Return the target at a dotted path. ``hidden``: what rules take away from the caller.

    A column that is marked as calculated is ignored, so it may name what the server writes: files that were
    exported have such columns.

    Raises ``UnknownField`` with the nearest names, ``InvalidParameter`` for what a file cannot fill.
    """
    path = readable_path(path)
    if modifier is Modifier.CALCULATED and is_made_by_server(kind, path):
        return ColumnTarget(path, kind.field_at(path, hidden))
    if "[" in path:
        raise refuse_path(path, "steps into a list: a list is one cell of JSON, as in tags")
    around_it, _, member = path.rpartition(".")
    if around_it and member in _NAMES:
        outer = settable(kind, around_it, hidden)
        if path in hidden - kind.hidden:
            raise kind.unknown_field(path, "", [])
        if outer.kind is ValueKind.LIST and outer.item and outer.item.is_reference:
            return ColumnTarget(around_it, outer, member=member)
        if outer.is_reference and member == "entityRefName":
            return ColumnTarget(path, outer.fields[member])
    found = settable(kind, path, hidden)
    if not path.startswith(f"{JSON_COLUMN}."):
        return ColumnTarget(path, found)
    group, _, name = path.removeprefix(f"{JSON_COLUMN}.").partition(".")
    if not (is_name(group) and is_name(name)):
        raise refuse_path(path, f"is not an attribute: write {JSON_COLUMN}.<set>.<name>")
    return ColumnTarget(path, found, AttributeColumn(group, name))


def field_problem(kind: RecordType[Any], path: str, hidden: Set[str]) -> str | None:
    """Return why a lookup cannot compare or take this field, or None. ``hidden``: what rules take away."""
    if not _PLAIN_PATH.fullmatch(path):
        return f"{path[:200]} is not a plain path: names of letters, digits, _ and - with dots between them"
    try:
        found = FieldType(ValueKind.OBJECT_ID) if path == "id" else kind.field_at(path, hidden)
    except RequestError as error:
        return error.message
    if found.kind in (ValueKind.OBJECT, ValueKind.LIST, ValueKind.MAP, ValueKind.JSON):
        return f"{path} of {kind.shown_name} is {found.kind}: a lookup compares and takes single values"
    for outer in around(path):
        if kind.field_at(outer).kind is ValueKind.LIST:
            return f"{path} is inside the list {outer} of {kind.shown_name}: it has many values"
    return None


_KINDS: Final = frozenset(
    {ValueKind.STRING, ValueKind.INTEGER, ValueKind.DATE, ValueKind.DATETIME, ValueKind.OBJECT_ID}
)


def key_of(kind: RecordType[Any], target: ColumnTarget) -> ColumnTarget:
    """Return what is compared of a column; of a reference it is the id."""
    return target_of(kind, f"{target.path}.entityId") if target.type.is_reference else target


def key_problem(kind: RecordType[Any], target: ColumnTarget) -> str | None:
    """Return why a column cannot be the key, by which records are found, or None."""
    path = key_of(kind, target).path
    return None if path in keys_of(kind) else build_key_advice(kind, f"{path} is not unique")


def build_key_advice(kind: RecordType[Any], why: str) -> str:
    """Build the message of a column that cannot be the key: ``why``, and what can."""
    return f"{why}, so it cannot be the key; what can: {', '.join(sorted(keys_of(kind)))}"


def keys_of(kind: RecordType[Any]) -> Set[str]:
    """Return the fields that can be the key."""
    unique = [index.keys[0][0] for index in kind.indexes if index.unique and len(index.keys) == 1]
    return {REF_NAME, *(path for path in unique if _can_be_asked_for(kind, path))}


def _can_be_asked_for(kind: RecordType[Any], path: str) -> bool:
    try:
        return kind.field_at(path).kind in _KINDS
    except UnknownField:  # a caller must not even learn whether a hidden field has a value
        return False
