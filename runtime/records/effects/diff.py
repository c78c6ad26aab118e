"""What one write changed, field by field, for the history. Pure.

Objects are walked, lists are compared whole. Of a hidden field only its path is recorded, and only when it
was sent; of values over 4 KiB only their size. What the server keeps for itself is left out.
"""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, Final, cast

from runtime.model.attribute_names import show_path
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import around, is_within, top_of, value_at
from runtime.model.record_type import RecordType
from runtime.storage.wire import to_json, without
from runtime.system.documents import RevisionChangeDocument, RevisionDocument

Document = dict[str, Any]
Entry = RevisionChangeDocument

MOST_BYTES: Final = 4096
"""Of one value, as JSON."""
MOST_ENTRIES: Final = 1000
MOST_TOTAL: Final = 2**20
"""Bytes of all values of one revision: it must fit into a document of the store, whatever changed."""

_NOT_RECORDED = frozenset({"_id", "version", "auditInfo", "persistentEvents", "references", "actionList"})
_ABSENT: Final = object()


def difference(
    before: Document | None, after: Document | None, hidden: Collection[str], emptied: Collection[str] = ()
) -> RevisionDocument:
    """Return ``{changes: [{path, before?, after?}], omitted?}`` between two stored documents.

    ``hidden``: dotted paths whose values are never recorded; ``emptied``: those of them that were cleared.
    ``beforeBytes`` and ``afterBytes`` replace values that are too large; ``omitted`` counts the changes that
    do not fit in a revision.
    """
    sent = [
        path
        for path in sorted(hidden)
        if path in emptied or value_at(after or {}, path, _ABSENT) is not _ABSENT
    ]
    entries: list[Entry] = [{"path": path, "hidden": True} for path in sent]
    room = MOST_TOTAL
    walk = _walk_changes(_drop_unrecorded(before, hidden), _drop_unrecorded(after, hidden), "")
    for path, old, new in islice(walk, MOST_ENTRIES):
        entry: Document = {"path": path}
        room -= _add(entry, "before", old) + _add(entry, "after", new)
        if room < 0:
            omitted = 1 + sum(1 for _rest in walk)
            return {"changes": entries, "omitted": omitted}
        entries.append(cast(Entry, entry))
    omitted = sum(1 for _rest in walk)
    return {"changes": entries, "omitted": omitted} if omitted else {"changes": entries}


def show_entry(entry: Entry, kind: RecordType[Any], withheld: Collection[str]) -> Entry | None:
    """Return an entry as a caller sees it from whom the fields at ``withheld`` are kept; None for nothing.

    The record type of today counts: a field that it does not declare any more is not shown, and of one that
    it hides by now only the name is, which callers know who can send it; of one that the server sets not even
    that. One that was renamed has its name of today.
    """
    path = kind.name_as_today(entry["path"])
    entry = entry | {"path": path}
    here = kind.find(path)
    if here is None or is_within(path, withheld):
        return None
    if "hidden" in entry or is_within(path, kind.hidden):
        is_sent = top_of(path) not in kind.server_set
        # What is inside may be named by data, such as the keys of a map.
        named = next((outer for outer in around(path) if outer in kind.hidden), path)
        return {"path": named, "hidden": True} if is_sent else None
    inside = [other[len(path) + 1 :] for other in (*withheld, *kind.hidden) if other.startswith(f"{path}.")]
    if inside and ("beforeBytes" in entry or "afterBytes" in entry):
        return None  # the value was cut: a part of it cannot be withheld
    entry["path"] = show_path(path)
    left = entry.copy()
    if "before" in entry:
        left["before"] = _carve(pick_declared(entry["before"], here, kind, path), inside)
    if "after" in entry:
        left["after"] = _carve(pick_declared(entry["after"], here, kind, path), inside)
    if left != entry and left.get("before", _ABSENT) == left.get("after", _ABSENT):
        return None
    return left


def pick_declared(value: Any, here: FieldType, kind: RecordType[Any], path: str) -> Any:
    """Return the part of the value at a path that its type declares, by the names of today."""
    if isinstance(value, dict) and here.kind is ValueKind.OBJECT:
        named = {_name_of_today(name, here, kind, path): name for name in value}
        chosen = {name: value[name if name in value else former] for name, former in named.items()}
        return {
            name: pick_declared(inner, here.fields[name], kind, f"{path}.{name}")
            for name, inner in chosen.items()
            if name in here.fields
        }
    if here.item is not None and isinstance(value, dict) and here.kind is ValueKind.MAP:
        return {
            name: pick_declared(inner, here.item, kind, f"{path}.{name}") for name, inner in value.items()
        }
    if here.item is not None and isinstance(value, list):
        return [pick_declared(inner, here.item, kind, path) for inner in value]
    return value


def _name_of_today(name: str, here: FieldType, kind: RecordType[Any], path: str) -> str:
    return name if name in here.fields else kind.name_as_today(f"{path}.{name}").rpartition(".")[2]


def _walk_changes(before: Any, after: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield every place where the two differ: its path, what was there, what is there."""
    if _is_walked(before, after) or _is_walked(after, before):
        old, new = (one if isinstance(one, dict) else {} for one in (before, after))
        for name in (*old, *(name for name in new if name not in old)):
            here = f"{path}.{name}" if path else name
            yield from _walk_changes(old.get(name, _ABSENT), new.get(name, _ABSENT), here)
    elif _type(before) is not _type(after) or before != after:
        yield path, before, after


def _type(value: Any) -> type:
    """Return the type of a value; the store returns long integers as a subclass of ``int``."""
    return int if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _drop_unrecorded(document: Document | None, hidden: Collection[str]) -> Document:
    """Return a record without what the history never records."""
    rest = without(document or {}, hidden)
    return {name: value for name, value in rest.items() if name not in _NOT_RECORDED}


def _is_walked(one: Any, other: Any) -> bool:
    """Return whether to compare member by member: two objects, or one with members and nothing."""
    return isinstance(one, dict) and (isinstance(other, dict) or (other is _ABSENT and bool(one)))


def _add(entry: Document, side: str, value: Any) -> int:
    """Tell a value, or its size; the bytes that it takes."""
    if value is _ABSENT:
        return 0
    size = len(to_json(value))
    if size > MOST_BYTES:
        entry[f"{side}Bytes"] = size
        return 0
    entry[side] = value
    return size


def _carve(value: Any, paths: Collection[str]) -> Any:
    return without({"value": value}, [f"value.{path}" for path in paths])["value"] if paths else value
