"""What a read sends: the fields it may return, and stages where one command reads several times.

Each list of stages begins with a match that the scope is part of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from runtime.fast.flat_columns import FlatColumn, build_flat_projection
from runtime.filter import Predicate, Projection
from runtime.model.paths import top_of
from runtime.model.record_type import RecordType
from runtime.storage.access import Access
from runtime.storage.store.changes import values_by_name

Stages = list[dict[str, Any]]

SOURCE: Final = "__source"
"""The member by which a document says of which match it is."""

LOCK: Final = "_lock"
"""Rewritten by a write that needs the record to stay (``effects.tracking``): its removal then conflicts.
Not a field of the record: it changes neither version nor audit, and no read returns it."""

_NOT_IN_INDEXES: Final = "__none"
"""No record has it, and no index. What a projection with it returns is not read from an index alone, where
null may mean that the record has no such field."""

_ALL_FIELDS = Projection()


def build_projection(access: Access[Any], projection: Projection | None) -> dict[str, Any]:
    """As a MongoDB projection. Only fields that the record type declares are in it, and no hidden one."""
    return dict(_visible(access.kind, access.hidden, projection or _ALL_FIELDS))


@lru_cache(maxsize=1024)
def _visible(kind: RecordType[Any], hidden: frozenset[str], projection: Projection) -> Mapping[str, Any]:
    shown = replace(projection, fields=kind.fields).as_mongo(hidden)
    if not projection.include or all(path == "_id" or path in kind.required for path in shown):
        return shown
    return {**shown, _NOT_IN_INDEXES: 1}


def build_union_part(
    access: Access[Any], match: Predicate, projection: Projection, at: int, limit: int = 0
) -> Stages:
    """Build the stages for one of several record types; each document gives the number of its type.

    With ``limit`` the first by ``_id``.
    """
    window: Stages = [{"$sort": {"_id": 1}}, {"$limit": limit}] if limit else []
    return [
        {"$match": access.scoped(match)},
        *window,
        *unify_names(access.kind),
        {"$project": build_projection(access, projection)},
        {"$set": {SOURCE: {"$literal": at}}},
    ]


def build_page_stages(
    access: Access[Any],
    matches: Sequence[Predicate],
    order: Sequence[tuple[str, int]],
    projection: Projection | None,
    limit: int,
    skip: int = 0,
) -> Stages:
    """For the first records of each match, up to ``limit`` of all. ``skip``: of the first match."""
    first = build_ordered_stages(access, matches[0], order, projection, limit, skip)
    others = [build_ordered_stages(access, match, order, projection, limit) for match in matches[1:]]
    unions = [{"$unionWith": {"coll": access.kind.collection, "pipeline": rows}} for rows in others]
    return [*first, *unions, {"$limit": limit}]


def build_ordered_stages(
    access: Access[Any],
    match: Predicate,
    order: Sequence[tuple[str, int]],
    projection: Projection | None,
    limit: int,
    skip: int = 0,
) -> Stages:
    """For the first records of one match."""
    return build_find_stages(
        access, match, order, build_projection(access, projection), skip=skip, limit=limit
    )


def build_find_stages(
    access: Access[Any],
    match: Predicate,
    order: Sequence[tuple[str, int]],
    shown: Mapping[str, Any],
    *,
    skip: int = 0,
    limit: int = 0,
) -> Stages:
    """For what ``find`` of the store would return, with renamed fields under their names."""
    window: Stages = [
        *([{"$sort": dict(order)}] if order else ()),
        *([{"$skip": skip}] if skip else ()),
        *([{"$limit": limit}] if limit else ()),
    ]
    named = unify_names(access.kind)
    is_by_renamed = any(top_of(path) in access.kind.renamed for path, _direction in order)
    rows = [*named, *window] if is_by_renamed else [*window, *named]
    return [{"$match": access.scoped(match)}, *rows, {"$project": dict(shown)}]


def build_stream_projection(
    access: Access[Any], projection: Projection | None, flat: Sequence[FlatColumn]
) -> Mapping[str, Any]:
    """Build the projection of a stream: what is visible, without ids unless they are requested.

    With ``flat`` only these columns, each under its number.
    """
    shown = build_projection(access, projection)
    if projection is None or not projection.include:
        return shown
    values = build_flat_projection(flat, shown)
    is_alone = len(shown) == 1  # `_id: 0` would then be all the other fields
    if values:
        return {**values, "_id": 0}
    return shown if "id" in projection.include or is_alone else {**shown, "_id": 0}


def unify_names(kind: RecordType[Any]) -> Stages:
    """Build the stage that shows renamed fields under their names; none without any."""
    return [{"$set": values_by_name(kind)}] if kind.renamed else []
