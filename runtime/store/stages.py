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

_ALL_FIELDS = Projection()


def visible(access: Access, projection: Projection | None) -> Mapping[str, Any] | None:
    """As a MongoDB projection; None returns everything. Hidden fields are never part of it."""
    return (projection or _ALL_FIELDS).as_mongo(access.hidden)


def picked(access: Access, match: Predicate, projection: Projection, at: int) -> Stages:
    """For one of several record types; each document says by a number of which it is."""
    return [
        {"$match": access.scoped(match)},
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


def _shown(access: Access, projection: Projection | None) -> Stages:
    fields = visible(access, projection)
    return [{"$project": fields}] if fields else []
