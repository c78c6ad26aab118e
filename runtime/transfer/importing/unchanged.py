"""What a row changes in the record it names: a row that changes nothing is not written. Pure.

An empty cell clears a field. An empty text or an empty list that is stored there is also written as an empty
cell: then it changes nothing, and so does any other cell that an export would have written.
"""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from runtime.fast.decimals import is_one_number
from runtime.model.clock import in_utc
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import value_at
from runtime.model.record_type import RecordType
from runtime.records.change import Change
from runtime.records.document.dynamic import Written
from runtime.transfer.csv.cells import as_text
from runtime.transfer.rows.attribute import build_settled
from runtime.transfer.rows.items import Items
from runtime.transfer.rows.rows import Document

_OF_EACH_WRITE: Final = frozenset({"version", "auditInfo", "persistentEvents"})
"""What every write changes; none of it makes a write."""

_PLAIN: Final = frozenset({str, int, float, bool})

_BY_WHAT_IS_STORED: Final = frozenset({Items, Written})
"""Types of values that depend on the stored one; all others are those of a new record."""


def find_changed_values(
    kind: RecordType[Any], record: Document | None, values: Mapping[str, Any], hidden: Set[str]
) -> Document:
    """Return the values by path that the stored record does not have; all of them for a new one.

    ``hidden``: dotted fields that no file can show, hence none can take away. Raises ``RowRefused`` for a
    dynamic attribute whose type cannot read its text.
    """
    if record is None and _BY_WHAT_IS_STORED.isdisjoint(map(type, values.values())):
        return dict(values)
    found: Document = {}
    for path, value in values.items():
        stored = value_at(record, path)
        if type(stored) is type(value) and type(value) in _PLAIN and stored == value:
            continue  # as nearly all are
        if isinstance(value, Items):
            if _shows(kind, path, stored, value, hidden):
                continue
            value = value.onto(stored)
        if record is None or not _agrees(kind, path, stored, value, hidden):
            found[path] = build_settled(path, stored, value) if isinstance(value, Written) else value
    return found


def differs(change: Change) -> bool:
    """Return whether a write changes the record."""
    before, after = change.before or {}, change.after or {}
    for name, other in after.items():
        one = before.get(name)
        if one is not other and name not in _OF_EACH_WRITE and not _stays(change.kind, name, one, other):
            return True
    return any(
        name not in after and before[name] is not None and name not in _OF_EACH_WRITE for name in before
    )


def _stays(kind: RecordType[Any], name: str, one: Any, other: Any) -> bool:
    if type(one) is str and type(other) is str:
        return one == other
    if (known := is_one_number(one, other)) is not None:
        return known
    return bool(one == other) and (
        name not in _free_form(kind) or _same(one, other, name, frozenset(), frozenset())
    )


def _agrees(kind: RecordType[Any], path: str, stored: Any, value: Any, hidden: Set[str]) -> bool:
    if (known := is_one_number(stored, value)) is not None:
        return known
    if isinstance(value, Written):
        return isinstance(stored, dict) and as_text(stored.get("value")) == value.text
    if _is_empty(value):
        return _is_empty(_show(path, stored))
    return _same(stored, value, path, hidden, _references(kind))


def _shows(kind: RecordType[Any], path: str, stored: Any, items: Items, hidden: Set[str]) -> bool:
    """Return whether an export of the same columns would have written these items of the stored list."""
    if not items.steps or not isinstance(stored, list) or len(stored) != len(items):
        return False
    references = _references(kind)
    return all(
        _shows_at(path, kept, sent, steps, hidden, references)
        for kept, sent in zip(stored, items, strict=True)
        for steps in items.steps
    )


def _shows_at(
    path: str, stored: Any, value: Any, steps: Sequence[str], hidden: Set[str], references: Set[str]
) -> bool:
    """Compare what one column shows of an item, or the reference around it."""
    for step in steps:
        if path in references:
            break
        path = f"{path}.{step}"
        stored, value = (one.get(step) if isinstance(one, dict) else None for one in (stored, value))
    if value is None:
        return stored is None or stored == "" or (stored == {} and path in references)
    return _same(stored, value, path, hidden, references)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def _show(path: str, stored: Any) -> Any:
    """Return what a column of this path shows: of a dynamic attribute its value."""
    is_attribute = path.startswith("dynamicAttributes.") and path.count(".") == 2
    return stored.get("value") if is_attribute and isinstance(stored, dict) else stored


def _same(stored: Any, value: Any, path: str, hidden: Set[str], references: Set[str]) -> bool:
    if isinstance(value, dict) and isinstance(stored, dict):
        names = value.keys() if path in references else stored.keys() | value.keys()
        return all(
            _same(stored.get(name), value.get(name), f"{path}.{name}", hidden, references)
            for name in names
            if f"{path}.{name}" not in hidden
        )
    if isinstance(value, list) and isinstance(stored, list):
        pairs = zip(stored, value, strict=False)
        return len(stored) == len(value) and all(_same(*one, path, hidden, references) for one in pairs)
    if isinstance(value, datetime):
        value = in_utc(value)
    if (known := is_one_number(stored, value)) is not None:
        return known
    if stored == value:
        return isinstance(stored, bool) is isinstance(value, bool)
    if type(stored) is not type(value):
        return False
    return as_text(stored) == as_text(value)  # one decimal, 1E+3 and 1000


@lru_cache(maxsize=1024)
def _references(kind: RecordType[Any]) -> frozenset[str]:
    """Return the fields in which a file names a record; the rest of what they have are copies."""
    return frozenset(one.stored for one in kind.references)


@lru_cache(maxsize=1024)
def _free_form(kind: RecordType[Any]) -> frozenset[str]:
    """Return the fields in which 1 may come in place of true, which Python takes for equal."""
    return frozenset(name for name, field in kind.fields.items() if _is_free(field))


def _is_free(field: FieldType) -> bool:
    inner = (*field.fields.values(), *((field.item,) if field.item else ()))
    return (field.kind is ValueKind.JSON and not field.is_attribute) or any(map(_is_free, inner))
