"""What a write sends to MongoDB: a partial change, or a full replace that keeps hidden values. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]


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


def replacing(document: Document, keep: Collection[str]) -> list[dict[str, Any]]:
    """A full replace as an update pipeline; ``$literal`` makes sure that no value is read as an operator.

    Restoring a path makes the objects around it; those that were neither stored nor sent go again.
    """
    paths = [path for path in sorted(keep) if not any(path.startswith(f"{other}.") for other in keep)]
    kept = {f"kept{at}": f"${path}" for at, path in enumerate(paths)}
    restored = {path: {"$ifNull": [f"${path}", f"$__kept.kept{at}"]} for at, path in enumerate(paths)}
    return [
        {"$replaceWith": {"$mergeObjects": [{"$literal": document}, {"__kept": kept}]}},
        {"$set": restored},
        {"$unset": "__kept"},
        *(
            {"$set": {path: {"$cond": [{"$eq": [f"${path}", {}]}, "$$REMOVE", f"${path}"]}}}
            for path in _missing_objects(document, paths)
        ),
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
