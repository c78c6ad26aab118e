"""The fields that a partial write may name, by dotted path.

Objects, maps and free-form JSON can be entered, lists cannot: they are set whole. What the server keeps,
calculates or fills in is refused by name, and what a rule hides is as unknown as a misspelt name. Fields that
the record type hides may be set, as in a full save; they are never shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from functools import lru_cache
from typing import Any, Final

from runtime.errors import InvalidParameter, UnknownField
from runtime.filter.quoted import read_path
from runtime.model.attribute_names import may_be_marked, show_path
from runtime.model.field_type import FieldType, ValueKind, model_fields
from runtime.model.nearest import did_you_mean, nearest
from runtime.model.record_type import MAX_STEPS, RecordType

KEPT_BY_SERVER: Final = frozenset(
    {"auditInfo", "references", "persistentEvents", "actionList", "invalid", "violations"}
)
"""Common members that a save replaces whatever was sent; ``version`` is compared."""


@lru_cache(maxsize=1024)
def sent_fields(kind: RecordType[Any]) -> Mapping[str, FieldType]:
    """Return the members a caller may send, by wire name; those that the server replaces included."""
    names = model_fields(kind.input).keys()
    return {name: field_type for name, field_type in kind.fields.items() if name in names}


def kept_by_server(kind: RecordType[Any], name: str) -> bool:
    """Return whether the server writes this top-level member, whatever a caller sends."""
    return name in KEPT_BY_SERVER or name in kind.server_set


def settable(kind: RecordType[Any], path: str, hidden: Set[str] = frozenset()) -> FieldType:
    """Return the type at a dotted path that a partial write may set.

    ``hidden``: what rules take away. ``dynamicAttributes.<set>.<name>`` is the attribute as a whole. Raises
    ``UnknownField`` with the nearest names, ``InvalidParameter`` for what cannot be set; both with ``field``.
    """
    steps = path.split(".")
    if len(steps) > MAX_STEPS or not may_be_marked(path):
        raise unknown(kind, path, "", ())
    rules = hidden - kind.hidden
    if steps[0] == "id" or (kept_by_server(kind, steps[0]) and steps[0] in kind.visible.keys() - rules):
        raise _refused(path, "is written by the server")
    here = FieldType(ValueKind.OBJECT, fields=sent_fields(kind))
    for end, step in enumerate(steps):
        before = ".".join(steps[:end])
        if here.kind is ValueKind.LIST:
            raise _refused(path, f"is inside the list {before}, which is set whole: {before}:[…]")
        if here.is_reference and step in here.fields and step != "entityId":
            raise _refused(path, f"is a copy that follows the record: set {before}.entityId")
        found = _step(here, step)
        if found is None or ".".join(steps[: end + 1]) in rules:
            prefix = f"{before}." if before else ""
            raise unknown(kind, path, step, [name for name in here.fields if prefix + name not in rules])
        here = found
    return here


def readable_path(path: str) -> str:
    """Return a path as it is written, without its quotes. Raises ``InvalidParameter``."""
    try:
        return read_path(path)
    except ValueError as error:
        raise _refused(path, f"cannot be read: {error}") from None


def refuse_overlap(path: str, others: Collection[str]) -> None:
    """Raise ``InvalidParameter`` when one write names a path twice, or one inside another.

    Its meaning would depend on the order.
    """
    if path in others:
        raise _refused(path, "is named twice")
    for other in others:
        if path.startswith(f"{other}.") or other.startswith(f"{path}."):
            inner, outer = sorted((path, other), key=len, reverse=True)
            raise _refused(inner, f"is inside {outer[:200]}, which is set as well: send only one")


def unknown(kind: RecordType[Any], path: str, step: str, known: Any) -> UnknownField:
    """Build the refusal of an unknown path, with the nearest names."""
    near, shown = nearest(step, known), show_path(path)[:200]
    return UnknownField(f"{kind.name} has no field {shown}{did_you_mean(near)}", field=shown, nearest=near)


def _step(here: FieldType, step: str) -> FieldType | None:
    if not step or step[0] == "$" or "\0" in step:
        return None  # the store could not take it for a name, whatever the map
    if here.kind is ValueKind.MAP:
        return here.item
    return here if here.kind is ValueKind.JSON else here.fields.get(step)


def _refused(path: str, why: str) -> InvalidParameter:
    shown = show_path(path)[:200]
    return InvalidParameter(f"{shown} {why}", field=shown)
