"""The fields that a partial write may name, by dotted path.

Objects, maps and free-form JSON can be entered, lists cannot: they are set whole. What the server keeps,
calculates or fills in is refused by name, and what a rule hides is as unknown as a misspelt name. Fields that
the record type hides may be set, as in a full save; they are never shown.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, Final

from runtime.errors import InvalidParameter, UnknownField
from runtime.filter.quoted import read_path
from runtime.model.attribute_names import may_be_marked, show_path
from runtime.model.field_type import FieldType, ValueKind, inside, model_fields
from runtime.model.paths import overlap, top_of
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


def is_made_by_server(kind: RecordType[Any], path: str) -> bool:
    """Return whether the server writes what is at a dotted path, the id included."""
    top = top_of(path)
    return top == "id" or kept_by_server(kind, top)


def settable(kind: RecordType[Any], path: str, hidden: Set[str]) -> FieldType:
    """Return the type at a dotted path that a partial write may set.

    ``hidden``: what rules take away. ``dynamicAttributes.<set>.<name>`` is the attribute as a whole. Raises
    ``UnknownField`` with the nearest names, ``InvalidParameter`` for what cannot be set; both with ``field``.
    """
    steps = path.split(".")
    if len(steps) > MAX_STEPS or not may_be_marked(path):
        raise kind.unknown_field(path, "", [])
    rules = hidden - kind.hidden
    if steps[0] == "id" or (kept_by_server(kind, steps[0]) and steps[0] in kind.visible.keys() - rules):
        raise refuse_path(path, "is written by the server")
    here = FieldType(ValueKind.OBJECT, fields=sent_fields(kind))
    for end, step in enumerate(steps):
        before = ".".join(steps[:end])
        if here.kind is ValueKind.LIST:
            way = ", as JSON" if here.has_members else f": {before}:[…]"
            raise refuse_path(path, f"is inside the list {before}, which is set whole{way}")
        found = inside(here, step)
        if found is None or ".".join(steps[: end + 1]) in rules:
            raise _refuse_unknown(kind, path, steps[: end + 1], here, rules)
        if here.is_reference and step != "entityId":
            way = "" if f"{before}.entityId" in rules else f": set {before}.entityId"
            raise refuse_path(path, f"is a copy that follows the record{way}")
        here = found
    return here


def _refuse_unknown(
    kind: RecordType[Any], path: str, steps: Sequence[str], here: FieldType, rules: Set[str]
) -> UnknownField:
    """Build the refusal of a path whose last of these ``steps`` is unknown inside of ``here``."""
    *outer, step = steps
    before = "".join(f"{one}." for one in outer)
    known = [name for name in here.fields if before + name not in rules]
    if not here.is_reference:
        return kind.unknown_field(path, step, known, before)
    where = f" of {show_path(before[:-1])[:200]} that can be set"
    near, advice = kind.advise_name(before + step, step, {"entityId"}.intersection(known), where=where)
    plain = kind.unknown_field(path, "", [])
    return UnknownField(plain.message + advice, **plain.details | {"nearest": near})


def readable_path(path: str) -> str:
    """Return a path as it is written, without its quotes. Raises ``InvalidParameter``."""
    try:
        return read_path(path)
    except ValueError as error:
        raise refuse_path(path, f"cannot be read: {error}") from None


def refuse_overlap(path: str, others: Collection[str]) -> None:
    """Raise ``InvalidParameter`` when one write names a path twice, or one inside another.

    Its meaning would depend on the order.
    """
    if path in others:
        raise refuse_path(path, "is named twice")
    for other in others:
        if overlap(path, other):
            inner, outer = sorted((path, other), key=len, reverse=True)
            raise refuse_path(inner, f"is inside {outer[:200]}, which is set as well: send only one")


def refuse_path(path: str, why: str) -> InvalidParameter:
    """Build the refusal of a path that cannot be written, and say why."""
    shown = show_path(path)[:200]
    return InvalidParameter(f"{shown} {why}", field=shown)
