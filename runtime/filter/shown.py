"""What of a stored record a read returns, for a record in memory: ``projected`` without MongoDB. Pure.

A change stream delivers whole documents, with what the record type does not declare and what is hidden. Here
the same members are left out that a projection leaves in the store; a property holds the two together.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from runtime.filter.projected import has_map_of_objects, is_carved, is_fixed
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import is_within

_Object = Mapping[str, Any]

_GONE: Final = object()
"""What is not shown."""


def name_as_declared(renamed: Mapping[str, str], document: _Object) -> dict[str, Any]:
    """Return a document with the fields that it holds under former names (``renamed``) under their own."""
    named = dict(document)
    for name, former in renamed.items():
        if former in named:
            value = named.pop(former)
            named.setdefault(name, value)
    return named


def show_declared(
    fields: Mapping[str, FieldType], document: _Object, taken: frozenset[str]
) -> dict[str, Any]:
    """Return the declared members of a stored document but for ``taken``, which are dotted fields."""
    declared = ((name, here) for name, here in fields.items() if name != "id" and name in document)
    parts = ((name, _show(document[name], name, here, taken)) for name, here in declared)
    return {"_id": document["_id"], **_present(parts)}


def _present(parts: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    return {name: part for name, part in parts if part is not _GONE}


def _show(value: Any, path: str, here: FieldType, taken: frozenset[str]) -> Any:
    if is_within(path, taken):
        return _GONE
    carved = is_carved(path, taken)
    if not is_fixed(path, here) and has_map_of_objects(here):
        return _GONE if carved and here.kind is ValueKind.MAP else _rebuild(value, here, path, taken)
    inner = here.innermost
    if inner.kind is ValueKind.OBJECT and (carved or not is_fixed(path, here)):
        return _walk_lists(value, lambda one: _present(_show_members(one, path, inner, taken)))
    return _GONE if carved else value


def _show_members(
    value: _Object, path: str, here: FieldType, taken: frozenset[str]
) -> Iterator[tuple[str, Any]]:
    for name, inner in here.fields.items():
        if name in value:
            yield name, _show(value[name], f"{path}.{name}", inner, taken)


def _walk_lists(value: Any, show: Callable[[_Object], _Object]) -> Any:
    """Show an object, or each one in lists; what is neither is not shown."""
    if isinstance(value, Mapping):
        return show(value)
    if isinstance(value, list):
        return [_walk_lists(one, show) for one in value if isinstance(one, Mapping | list)]
    return _GONE


def _rebuild(value: Any, here: FieldType, path: str, taken: frozenset[str]) -> Any:
    """Return the declared part of a value with maps of objects in it; null for one of another type."""
    if here.kind is ValueKind.OBJECT and not here.is_reference:
        return _present(_rebuild_members(value, here, path, taken)) if isinstance(value, Mapping) else None
    if here.item is None or here.kind not in (ValueKind.LIST, ValueKind.MAP):
        return value
    item = here.item
    if here.kind is ValueKind.LIST:
        return [_rebuild(one, item, path, taken) for one in value] if isinstance(value, list) else None
    if is_carved(path, taken):
        return _GONE
    if not isinstance(value, Mapping):
        return None
    return {key: _rebuild(one, item, path, taken) for key, one in value.items()}


def _rebuild_members(
    value: _Object, here: FieldType, path: str, taken: frozenset[str]
) -> Iterator[tuple[str, Any]]:
    for name, inner in here.fields.items():
        if name in value and not is_within(f"{path}.{name}", taken):
            yield name, _rebuild(value[name], inner, f"{path}.{name}", taken)
