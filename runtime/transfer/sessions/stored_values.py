"""The values of a row ↔ how its session keeps them until the commit. Pure.

A list of path and value: paths have dots, which names of fields had better not have. What only the store
tells the type of (``Written``) is kept as the text it is.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from runtime.records.document.dynamic import Written
from runtime.transfer.rows.dynamic import Attributes, Imported
from runtime.transfer.rows.items import Items

_PLAIN, _WRITTEN, _ITEMS = 0, 1, 2


def to_stored(values: Mapping[str, Any]) -> list[list[Any]]:
    """Convert values for the store; the other values are as stored already."""
    return [_entry(path, value) for path, value in values.items()]


def from_stored(entries: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return what ``to_stored`` was given."""
    return {entry[0]: _READERS[entry[1]](entry[2:]) for entry in entries}


def attributes_to_stored(attributes: Imported) -> list[list[Any]]:
    """Convert dynamic attributes to stored form; their stored names have no dots."""
    return to_stored(
        {f"{group}.{name}": value for group, members in attributes.items() for name, value in members.items()}
    )


def attributes_from_stored(entries: Sequence[Sequence[Any]]) -> Attributes:
    """Return what ``attributes_to_stored`` was given."""
    found: Attributes = {}
    for path, value in from_stored(entries).items():
        group, _, name = path.partition(".")
        found.setdefault(group, {})[name] = value
    return found


def _entry(path: str, value: Any) -> list[Any]:
    if isinstance(value, Written):
        return [path, _WRITTEN, *_spelled(value)]
    return [path, _ITEMS if isinstance(value, Items) else _PLAIN, value]


def _spelled(written: Written) -> list[Any]:
    items = [] if written.items is None else [[_spelled(one) for one in written.items]]
    return [written.text, written.quoted, *items]


def _read(spelled: Sequence[Any]) -> Written:
    text, quoted, *items = spelled
    return Written(text, quoted, tuple(_read(one) for one in items[0]) if items else None)


_READERS: Final[Mapping[int, Callable[[Sequence[Any]], Any]]] = {
    _PLAIN: lambda entry: entry[0],
    _WRITTEN: _read,
    _ITEMS: lambda entry: Items(entry[0]),
}
