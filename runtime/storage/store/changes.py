"""What a write sends to MongoDB: a partial change, or a full replace, as the least that says it. Pure.

A full replace is one of the members that the record type declares. What is stored beyond them, such as a
field that was renamed in the specification, is neither read nor removed; hidden values are not read either.
Inside objects this holds for updates that are built from what was read (``difference``), and inside lists
and maps without references that are sent as they were read; others, and objects that are replaced whole,
lose what is not declared.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import chain
from math import copysign
from typing import Any, Final, NamedTuple

from bson import Decimal128, MinKey, ObjectId

from runtime.fast.decimals import is_one_number
from runtime.filter import Predicate, by_id, equals
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import is_within, top_of
from runtime.model.record_type import RecordType

Document = dict[str, Any]

_PLAIN: Final = frozenset({str, int, bool, ObjectId, datetime, Decimal128})
"""Types of which equal values are stored alike: of objects the order counts, of floats the sign of zero."""

_GONE: Final = MinKey()
"""The value of a member that is removed; no record has one."""

_SERVER_KEPT: Final = frozenset({"auditInfo", "dataDomain"})
"""Objects that are written whole: the service alone decides what is in them."""


@dataclass(frozen=True, slots=True)
class Changes:
    """A partial write of one record. Paths are dotted wire names; values are as stored."""

    set: Mapping[str, Any] = field(default_factory=dict)
    unset: Sequence[str] = ()
    increment: Mapping[str, Any] = field(default_factory=dict)

    def as_update(self) -> dict[str, Any]:
        """Build a MongoDB update. It never changes a data domain: the scope check is on whole records."""
        changed = (*self.set, *self.unset, *self.increment)
        if any(path.split(".")[0] in ("dataDomain", "_id") for path in changed):
            raise ValueError("a partial write cannot move a record to another data domain or id")
        parts: dict[str, Any] = {
            "$set": dict(self.set),
            "$unset": dict.fromkeys(self.unset, ""),
            "$inc": dict(self.increment),
        }
        return {operator: values for operator, values in parts.items() if values}


class Replacement(NamedTuple):
    """A whole record in place of the stored one with its ``_id``, if that still has this ``version``.

    ``keep``: dotted fields that stay as they are stored where the document lacks them. ``before``: the record
    at that version, as declared and not hidden; what is the same need not be sent. ``size``: in bytes.
    """

    document: Document
    version: int
    keep: Collection[str] = ()
    before: Document | None = None
    size: int | None = None

    @property
    def match(self) -> Predicate:
        return by_id(str(self.document["_id"])) & equals(version=self.version)

    def find_sent(self, kind: RecordType[Any]) -> frozenset[str] | None:
        """Return the members of which something is sent to MongoDB; None where all are."""
        least = None if self.before is None else difference(self.before, self.document, self.keep, kind)
        return None if least is None else frozenset(map(top_of, least["$set"]))


def difference(
    before: Document, document: Document, keep: Collection[str], kind: RecordType[Any]
) -> dict[str, Any] | None:
    """Return the update that turns ``before`` into the document, or None where only a full replace can.

    A member that would be stored otherwise is sent whole, an object by its members. The hidden fields, which
    ``before`` lacks, are removed unless they are in ``keep`` or the document has them.
    """
    if not kind.hidden.issuperset(keep) or not _are_names(kind, before, document):
        return None
    found = _find_changes(before, document, kind.fields, _SERVER_KEPT)
    if keep and any(path.startswith(f"{whole}.") for path in keep for whole in found):
        return None  # a kept field inside a replaced object would be lost
    gone = [path for path, value in found.items() if value is _GONE]
    gone += [path for path in kind.hidden if path not in keep and not is_within(path, found)]
    changed = {path: value for path, value in found.items() if value is not _GONE} if gone else found
    return {"$set": changed} | ({"$unset": dict.fromkeys(gone, "")} if gone else {})


def _find_changes(
    before: Document, document: Document, fields: Mapping[str, FieldType], whole: Collection[str] = ()
) -> Document:
    """Return the new value, or ``_GONE``, at each path at which two objects differ."""
    found: Document = {}
    for name in [name for name, value in document.items() if before.get(name, _GONE) is not value]:
        old, value = before.get(name, _GONE), document[name]
        field = None if type(value) in _PLAIN else fields.get(name)  # which has no members, and no names
        if _is_same(old, value) and not (field and _holds_references(field)):
            continue
        if field is None or name in whole or not _can_walk(field, old, value):
            found[name] = value
            continue
        for path, inner in _find_changes(old, value, field.fields).items():
            found[f"{name}.{path}"] = inner
    if not before.keys() <= document.keys():
        found |= dict.fromkeys(before.keys() - document.keys(), _GONE)
    return found


def _can_walk(field: FieldType, one: Any, other: Any) -> bool:
    """Whether two values are objects of declared members.

    References are written whole, as the names in them are copied together.
    """
    if field.kind is not ValueKind.OBJECT or field.is_reference:
        return False
    return all(isinstance(value, dict) and value.keys() <= field.fields.keys() for value in (one, other))


def _holds_references(field: FieldType) -> bool:
    """Whether a value has names in it that are copied.

    It is sent although it is as it was read: what is made of the names (a display name) is sent with them,
    and a rename is followed to references that have the old name.
    """
    inner = (*field.fields.values(), *([field.item] if field.item else ()))
    return field.is_reference or any(map(_holds_references, inner))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are stored alike, so that the stored one can stay."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) in _PLAIN:
        return is_one_number(one, other) is True if type(one) is Decimal128 else bool(one == other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict):
        return one == other and list(one) == list(other) and all(map(_is_same, one.values(), other.values()))
    return isinstance(one, float) and one == other and copysign(1, one) == copysign(1, other)


def _are_names(kind: RecordType[Any], *documents: Document) -> bool:
    """Return whether an update takes what the members are called for names, as it does all declared ones."""
    return all(map(_declared_names(kind).issuperset, documents)) or all(map(_is_name, chain(*documents)))


@lru_cache(maxsize=1024)
def _declared_names(kind: RecordType[Any]) -> frozenset[str]:
    return frozenset(filter(_is_name, (*kind.fields, "_id")))


def _is_name(name: str) -> bool:
    """Whether an update takes it for the name of a member."""
    return "." not in name and not name.startswith("$")


def build_full_replace(
    document: Document, keep: Collection[str], kind: RecordType[Any]
) -> list[dict[str, Any]]:
    """Build a full replace as an update pipeline; ``$literal`` keeps values from being read as operators.

    Restoring a path creates the objects around it; those that were neither stored nor sent are removed again.
    """
    paths = [path for path in sorted(keep) if not any(path.startswith(f"{other}.") for other in keep)]
    kept = {f"kept{at}": f"${path}" for at, path in enumerate(paths)}
    restored = {path: {"$ifNull": [f"${path}", f"$__kept.kept{at}"]} for at, path in enumerate(paths)}
    absent = _list_absent(document, keep, kind)
    return [
        {"$replaceWith": {"$mergeObjects": ["$$ROOT", {"$literal": document}, {"__kept": kept}]}},
        *([{"$unset": absent}] if absent else ()),
        {"$set": restored | {"__kept": "$$REMOVE"}},
        *(
            {"$set": {path: {"$cond": [{"$eq": [f"${path}", {}]}, "$$REMOVE", f"${path}"]}}}
            for path in _missing_objects(document, paths)
        ),
    ]


def build_replace_many(
    replacements: Sequence[Replacement], kind: RecordType[Any]
) -> list[dict[str, Any]] | None:
    """Build one update that replaces many records: each finds its new members by its id.

    One that has another version stays as it is. Returns None where a record needs an update of its own: one
    that changes inside an object, or keeps something there.
    """
    updates = [_members(one, kind) for one in replacements]
    given = [
        {"version": one.version, "members": members}
        for one, members in zip(replacements, updates, strict=True)
        if members is not None
    ]
    if len(given) < len(replacements):
        return None
    at = {"$indexOfArray": [{"$literal": [one.document["_id"] for one in replacements]}, "$_id"]}
    merged = {"$mergeObjects": ["$$ROOT", "$$given.members"]}
    chosen = {
        "$let": {  # the search through the ids is half the work, and is done once
            "vars": {"given": {"$arrayElemAt": [{"$literal": given}, at]}},
            "in": {"$cond": [{"$eq": ["$version", "$$given.version"]}, merged, "$$ROOT"]},
        }
    }
    gone = {name for members in updates for name, value in (members or {}).items() if value is _GONE}
    removed = {name: {"$cond": [{"$eq": [f"${name}", _GONE]}, "$$REMOVE", f"${name}"]} for name in gone}
    return [{"$replaceWith": chosen}, *([{"$set": removed}] if removed else ())]


def _members(one: Replacement, kind: RecordType[Any]) -> Document | None:
    """Return what a replacement changes at the top, ``_GONE`` for removed members; None if it needs paths."""
    if one.before is None:
        if any("." in path for path in one.keep) or not all(map(_is_name, one.document)):
            return None
        return one.document | dict.fromkeys(_list_absent(one.document, one.keep, kind), _GONE)
    if (update := difference(one.before, one.document, one.keep, kind)) is None:
        return None
    members: Document = update["$set"] | dict.fromkeys(update.get("$unset", ()), _GONE)
    return members if _are_names(kind, members) else None


def _list_absent(document: Document, keep: Collection[str], kind: RecordType[Any]) -> list[str]:
    """Return the declared members that a document lacks and that are not kept."""
    return [name for name in kind.fields if name not in document and name not in keep and name != "id"]


def _missing_objects(document: Document, paths: Sequence[str]) -> list[str]:
    """Return the objects around ``paths`` that the document lacks, innermost first."""
    missing = set()
    for path in paths:
        here: Any = document
        steps = path.split(".")[:-1]
        for at, step in enumerate(steps):
            here = here.get(step) if isinstance(here, dict) else None
            if here is None:
                missing.add(".".join(steps[: at + 1]))
    return sorted(missing, key=len, reverse=True)
