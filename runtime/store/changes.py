"""What a write sends to MongoDB: a partial change, or a full replace that keeps hidden values, as the least
that says it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from bson import Decimal128, ObjectId

from runtime.filter import Predicate, by_id, equals

Document = dict[str, Any]

_PLAIN: Final = frozenset({str, int, bool, ObjectId, datetime, Decimal128})
"""Types of which equal values are stored alike: of objects the order counts, of floats the sign of zero."""


@dataclass(frozen=True, slots=True)
class Changes:
    """A partial write of one record. Paths are dotted wire names; values are as stored."""

    set: Mapping[str, Any] = field(default_factory=dict)
    unset: Sequence[str] = ()
    increment: Mapping[str, int] = field(default_factory=dict)
    push: Mapping[str, Any] = field(default_factory=dict)
    set_on_insert: Mapping[str, Any] = field(default_factory=dict)

    def as_update(self) -> dict[str, Any]:
        """As a MongoDB update. A data domain never changes this way: the scope check is on whole records."""
        changed = (*self.set, *self.unset, *self.increment, *self.push)
        if any(path.split(".")[0] in ("dataDomain", "_id") for path in changed):
            raise ValueError("a partial write cannot move a record to another data domain or id")
        parts: dict[str, Any] = {
            "$set": dict(self.set),
            "$unset": dict.fromkeys(self.unset, ""),
            "$inc": dict(self.increment),
            "$push": dict(self.push),
            "$setOnInsert": dict(self.set_on_insert),
        }
        return {operator: values for operator, values in parts.items() if values}


class Replacement(NamedTuple):
    """A whole record in place of the stored one with its ``_id``, if that still has this ``version``.
    ``keep``: dotted fields that stay as they are stored where the document lacks them. ``before``: the record
    at that version, all of it that is not hidden; what is the same need not be sent."""

    document: Document
    version: int
    keep: Collection[str] = ()
    before: Document | None = None

    @property
    def match(self) -> Predicate:
        """The record that is replaced."""
        return by_id(str(self.document["_id"])) & equals(version=self.version)


def difference(
    before: Document, document: Document, keep: Collection[str], hidden: Collection[str]
) -> dict[str, Any] | None:
    """What makes ``before`` the document, as an update of its members; None where only a full replace can
    say it. A member that is not the very same is sent whole. ``hidden``: the dotted fields that ``before``
    lacks; those not in ``keep`` go, unless the document has them.
    """
    changed = {
        name: value
        for name, value in document.items()
        if name not in before or not _is_same(before[name], value)
    }
    gone = [name for name in before if name not in document]
    touched = changed.keys() | gone
    if any(path not in hidden or ("." in path and _top(path) in touched) for path in keep):
        return None  # what lies in something would go with it
    if any("." in name or name.startswith("$") for name in touched):  # what an update takes for a path
        return None
    gone += [path for path in hidden if path not in keep and _top(path) not in touched]
    return {"$set": changed} | ({"$unset": dict.fromkeys(gone, "")} if gone else {})


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and type(one) in _PLAIN and one == other)


def _top(path: str) -> str:
    return path.partition(".")[0]


def replacing(document: Document, keep: Collection[str]) -> list[dict[str, Any]]:
    """A full replace as an update pipeline; ``$literal`` makes sure that no value is read as an operator.

    Restoring a path makes the objects around it; those that were neither stored nor sent go again.
    """
    paths = [path for path in sorted(keep) if not any(path.startswith(f"{other}.") for other in keep)]
    return [
        *_keeping({"$literal": document}, paths),
        *(
            {"$set": {path: {"$cond": [{"$eq": [f"${path}", {}]}, "$$REMOVE", f"${path}"]}}}
            for path in _missing_objects(document, paths)
        ),
    ]


def can_replace_each(replacements: Sequence[Replacement]) -> bool:
    """Whether one update can do it: where all keep the same, and nothing inside of objects, which one
    document may lack and another not."""
    kept = {frozenset(one.keep) for one in replacements}
    return len(kept) == 1 and not any("." in path for path in next(iter(kept)))


def replacing_each(replacements: Sequence[Replacement]) -> list[dict[str, Any]]:
    """The same for many records as one update: each finds its document by its id. One that has another
    version stays as it is."""
    at = {"$indexOfArray": [{"$literal": [one.document["_id"] for one in replacements]}, "$_id"]}
    given = {"$literal": [{"version": one.version, "document": one.document} for one in replacements]}
    chosen = {
        "$let": {  # the search through the ids is half the work, and is done once
            "vars": {"given": {"$arrayElemAt": [given, at]}},
            "in": {"$cond": [{"$eq": ["$version", "$$given.version"]}, "$$given.document", "$$ROOT"]},
        }
    }
    keep = sorted(replacements[0].keep)
    return _keeping(chosen, keep) if keep else [{"$replaceWith": chosen}]


def _keeping(document: dict[str, Any], paths: Sequence[str]) -> list[dict[str, Any]]:
    """Stages that put a document in place of the stored one; what it lacks at ``paths`` is put back."""
    kept = {f"kept{at}": f"${path}" for at, path in enumerate(paths)}
    restored = {path: {"$ifNull": [f"${path}", f"$__kept.kept{at}"]} for at, path in enumerate(paths)}
    return [
        {"$replaceWith": {"$mergeObjects": [document, {"__kept": kept}]}},
        {"$set": restored},
        {"$unset": "__kept"},
    ]


def _missing_objects(document: Document, paths: Sequence[str]) -> list[str]:
    """The objects around ``paths`` that the document lacks, innermost first."""
    missing = set()
    for path in paths:
        here: Any = document
        steps = path.split(".")[:-1]
        for at, step in enumerate(steps):
            here = here.get(step) if isinstance(here, dict) else None
            if here is None:
                missing.add(".".join(steps[: at + 1]))
    return sorted(missing, key=len, reverse=True)
