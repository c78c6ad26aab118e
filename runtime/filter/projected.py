"""What of a stored record a read returns: the members that its type declares, as a MongoDB projection. Pure.

Only what is named is returned, so a field that was hidden and is then renamed or removed in the
specification stays out of sight. A projection cannot step into the keys of a map: where its values are
objects, an expression builds the map again. Free-form fields, and objects of which the service alone decides
what is in them, are returned whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final

from runtime.model.field_type import FieldType, ValueKind, find_field
from runtime.model.paths import is_within, top_of
from runtime.model.record import Record, members

_FIXED: Final = frozenset({*members(Record), "persistentEvents", "dynamicAttributes", "violations"})
"""Members that are the same for every record type."""


def project(fields: Mapping[str, FieldType], include: Iterable[str], taken: Iterable[str]) -> dict[str, Any]:
    """Return the projection that shows the declared part of each path in ``include`` but for ``taken``.

    No path of ``include`` is inside another, which MongoDB would refuse. A part that cannot be separated
    from something taken in it (inside a map or free-form field) is left out whole.
    """
    shown: dict[str, Any] = {"_id": 1}
    for path in include:
        if path != "id" and (here := find_field(fields, path)) is not None:
            shown.update(_parts(path, here, frozenset(taken)))
    return shown


def _parts(path: str, here: FieldType, taken: frozenset[str]) -> Iterator[tuple[str, Any]]:
    if is_within(path, taken):
        return
    carved, fixed = is_carved(path, taken), is_fixed(path, here)
    if not fixed and has_map_of_objects(here):
        if not (carved and here.kind is ValueKind.MAP):
            yield path, _rebuilt(f"${path}", here, path, taken, count())
        return
    here = here.innermost
    if here.kind is ValueKind.OBJECT and (carved or not fixed):
        for name, inner in here.fields.items():
            yield from _parts(f"{path}.{name}", inner, taken)
    elif not carved:
        yield path, 1


def is_fixed(path: str, here: FieldType) -> bool:
    """Return whether the service alone decides what is in an object, so that it is returned whole."""
    return here.innermost.is_reference or top_of(path) in _FIXED


def is_carved(path: str, taken: Iterable[str]) -> bool:
    """Return whether something inside a path is taken."""
    return any(other.startswith(f"{path}.") for other in taken)


def has_map_of_objects(here: FieldType, is_in_map: bool = False) -> bool:
    """Return whether values are objects in a map, which no projection can step into."""
    if here.kind is ValueKind.OBJECT:
        return not here.is_reference and (
            is_in_map or any(has_map_of_objects(inner) for inner in here.fields.values())
        )
    return here.item is not None and has_map_of_objects(here.item, is_in_map or here.kind is ValueKind.MAP)


def _rebuilt(value: str, here: FieldType, path: str, taken: frozenset[str], numbers: Iterator[int]) -> Any:
    """Build an expression for the declared part of a value; null for one that is not of its type."""
    if here.kind is ValueKind.OBJECT and not here.is_reference:
        shown = {
            name: _rebuilt(f"{value}.{name}", inner, f"{path}.{name}", taken, numbers)
            for name, inner in here.fields.items()
            if not is_within(f"{path}.{name}", taken)
        }
        return _if_type(value, "object", shown)
    if here.item is None or here.kind not in (ValueKind.LIST, ValueKind.MAP):
        return value
    name = f"each{next(numbers)}"
    if here.kind is ValueKind.LIST:
        inner = _rebuilt(f"$${name}", here.item, path, taken, numbers)
        return _if_type(value, "array", {"$map": {"input": value, "as": name, "in": inner}})
    if is_carved(path, taken):
        return "$$REMOVE"
    entry = {"k": f"$${name}.k", "v": _rebuilt(f"$${name}.v", here.item, path, taken, numbers)}
    entries = {"$map": {"input": {"$objectToArray": value}, "as": name, "in": entry}}
    return _if_type(value, "object", {"$arrayToObject": entries})


def _if_type(value: str, kind: str, then: Any) -> Any:
    """Return ``then`` for a value of this type; what is absent stays absent."""
    other = {"$cond": [{"$eq": [{"$type": value}, "missing"]}, "$$REMOVE", None]}
    return {"$cond": [{"$eq": [{"$type": value}, kind]}, then, other]}
