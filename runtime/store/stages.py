"""What a read sends: the fields it may return, and stages where one command reads several times.

Each list of stages begins with a match that the scope is part of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from runtime.access import Access
from runtime.filter import Predicate, Projection

Stages = list[dict[str, Any]]

SOURCE: Final = "__source"
"""The member by which a document says of which match it is."""

LOCK: Final = "_lock"
"""Set anew by who must not see a record go (``records.tracking``), so that its removal conflicts with them.
No field of the record: it changes neither version nor audit, and no read returns it."""

_ALL_FIELDS = Projection()
_INTERNAL: Final = frozenset({LOCK})


def visible(access: Access, projection: Projection | None) -> Mapping[str, Any] | None:
    """As a MongoDB projection. Hidden fields and those of the store itself are never part of it."""
    return (projection or _ALL_FIELDS).as_mongo(access.hidden | _INTERNAL)


def picked(access: Access, match: Predicate, projection: Projection, at: int, limit: int = 0) -> Stages:
    """For one of several record types; each document says by a number of which it is. With ``limit`` the
    first by ``_id``."""
    window: Stages = [{"$sort": {"_id": 1}}, {"$limit": limit}] if limit else []
    return [
        {"$match": access.scoped(match)},
        *window,
        *_shown(access, projection),
        {"$set": {SOURCE: {"$literal": at}}},
    ]


def in_order(
    access: Access,
    match: Predicate,
    order: Sequence[tuple[str, int]],
    projection: Projection | None,
    limit: int,
) -> Stages:
    """For the first records of one match."""
    window: Stages = [{"$sort": dict(order)}, {"$limit": limit}]
    return [{"$match": access.scoped(match)}, *window, *_shown(access, projection)]


def in_stream(
    access: Access,
    match: Predicate,
    order: Sequence[tuple[str, int]],
    projection: Projection | None,
    skip: int,
    limit: int,
) -> Stages:
    """For all records of one match, or for the ``limit`` behind ``skip``; without ids where none were asked
    for, since making them is a fifth of reading a row."""
    window: Stages = [{"$sort": dict(order)}] if order else []
    window += [{"$skip": skip}] if skip else []
    window += [{"$limit": limit}] if limit else []
    return [{"$match": access.scoped(match)}, *window, *_without_id(_shown(access, projection), projection)]


def _without_id(shown: Stages, projection: Projection | None) -> Stages:
    """Alone, ``_id: 0`` would be all the other fields: then it stays."""
    if (
        projection is None
        or not projection.include
        or "id" in projection.include
        or len(shown[0]["$project"]) == 1
    ):
        return shown
    return [{"$project": {**shown[0]["$project"], "_id": 0}}]


def _shown(access: Access, projection: Projection | None) -> Stages:
    fields = visible(access, projection)
    return [{"$project": fields}] if fields else []
