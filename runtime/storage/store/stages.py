"""What a read sends: the fields it may return, and stages where one command reads several times.

Each list of stages begins with a match that the scope is part of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

from pymongo.collation import Collation, CollationCaseFirst, CollationStrength

from runtime.errors import InvalidParameter
from runtime.fast.flat_columns import FlatColumn, build_flat_projection
from runtime.filter import (
    EVERYTHING,
    SCORE,
    Order,
    Predicate,
    Projection,
    under_former_names,
    without_collation,
)
from runtime.model.paths import top_of
from runtime.model.record import ADDED_ON_READING
from runtime.model.record_type import RecordType
from runtime.storage.access import Access
from runtime.storage.store.spellings import Reading, decide, plan_reading, spelling_of, widen

Stages = list[dict[str, Any]]
AnyOrder: TypeAlias = Order | Sequence[tuple[str, int]]

UNORDERED: Final = Order()

SOURCE: Final = "__source"
"""The member by which a document says of which match it is."""

LOCK: Final = "_lock"
"""Rewritten by a write that needs the record to stay (``effects.tracking``): its removal then conflicts.
Not a field of the record: it changes neither version nor audit, and no read returns it."""

_NOT_IN_INDEXES: Final = "__none"
"""No record has it, and no index. What a projection with it returns is not read from an index alone, where
null may mean that the record has no such field."""

_PRESENT: Final = "__present"
"""Members that are only sorted by. No record has them, and the projection that follows leaves them out."""

_ALL_FIELDS = Projection()


def build_projection(access: Access[Any], projection: Projection | None) -> dict[str, Any]:
    """Build a MongoDB projection of fields that the record type declares, without hidden ones."""
    return dict(_visible(access.kind, access.hidden, projection or _ALL_FIELDS))


def build_public_projection(access: Access[Any]) -> dict[str, Any]:
    """Build the same for what leaves the service: without what the record type hides, whatever the access."""
    return dict(_visible(access.kind, access.hidden | access.kind.hidden, _ALL_FIELDS))


@lru_cache(maxsize=1024)
def _visible(kind: RecordType[Any], hidden: frozenset[str], projection: Projection) -> Mapping[str, Any]:
    stored = {name: one for name, one in kind.fields.items() if name not in ADDED_ON_READING}
    shown = replace(projection, fields=stored).as_mongo(hidden)
    if (
        not projection.include
        or projection.may_fill
        or all(path == "_id" or path in kind.required for path in shown)
    ):
        return shown
    return {**shown, _NOT_IN_INDEXES: 1}


def build_union_part(
    access: Access[Any], match: Predicate, projection: Projection, at: int, limit: int = 0
) -> Stages:
    """Build the stages for one of several record types; each document gives the number of its type.

    With ``limit`` the first by ``_id``.
    """
    ordered: Stages = [{"$sort": {"_id": 1}}] if limit else []
    return [
        {"$match": widen(access, access.scoped(match))},
        *ordered,
        *decide(access, access.scoped(match)),
        *([{"$limit": limit}] if limit else ()),
        {"$project": build_projection(access, projection)},
        {"$set": {SOURCE: {"$literal": at}}},
    ]


def scope(
    access: Access[Any], match: Predicate, order: Order, within: Predicate = EVERYTHING
) -> Mapping[str, Any]:
    """Bind a match to the scope, for a command with the collation of the order.

    ``within``: a range of the order, which is of the collation; nothing else may be.
    """
    if order.language is None:
        return access.scoped(match & within)
    exact = without_collation(access.scoped(match))
    return {"$and": [exact, under_former_names(within.match, access.renamed)]}


def needs_stages(access: Access[Any], order: Order = UNORDERED) -> bool:
    """Whether no find can answer as the store has it: renamed fields, nulls at the other end, relevance."""
    return bool(access.renamed or spelling_of(access) or order.moved or order.by_score)


def plan_find(
    access: Access[Any],
    match: Predicate,
    order: Order,
    shown: Mapping[str, Any],
    within: Predicate = EVERYTHING,
) -> Reading | None:
    """Plan a find whose rows are decoded; None where it needs stages."""
    if order.moved or order.by_score:
        return None
    return plan_reading(access, scope(access, match, order, within), dict(order.keys), shown)


def require_search(match: Predicate, order: Order) -> None:
    """Raise ``InvalidParameter`` for an order by the relevance of no text search."""
    if order.by_score and not match.has_search:
        message = "sort=-score is the relevance of a text search: filter by text(…) with a whole word"
        raise InvalidParameter(f"{message}, as an operand of the outermost &&", parameter="sort")


def build_collation(order: Order) -> Collation | None:
    """Build the collation of an order: by language, without case. None: octets are compared."""
    if order.language is None:
        return None
    return Collation(order.language, strength=CollationStrength.SECONDARY, caseFirst=CollationCaseFirst.OFF)


def build_page_stages(
    access: Access[Any],
    match: Predicate,
    ranges: Sequence[Predicate],
    order: Order,
    projection: Projection | None,
    limit: int,
    skip: int,
) -> Stages:
    """Build the stages for the first records of each range, ``limit`` in all. ``skip``: in the first."""
    shown = build_projection(access, projection)
    build = partial(build_find_stages, access, match, order, shown, limit=limit)
    unions = [
        {"$unionWith": {"coll": access.kind.collection, "pipeline": build(within=one)}} for one in ranges[1:]
    ]
    return [*build(within=ranges[0], skip=skip), *unions, {"$limit": limit}]


def build_find_stages(
    access: Access[Any],
    match: Predicate,
    order: Order,
    shown: Mapping[str, Any],
    *,
    within: Predicate = EVERYTHING,
    skip: int = 0,
    limit: int = 0,
) -> Stages:
    """Build the stages that return what ``find`` of the store does, with renamed fields under their names."""
    require_search(match, order)
    scored, behind = _build_score(access, within) if order.by_score else ([], [])
    if order.by_score:
        shown, within = {**shown, SCORE: 1}, EVERYTHING
    named = [*decide(access, scope(access, match, order, within)), *behind]
    rows = _build_rows(access, order, named, skip, limit)
    return [
        {"$match": widen(access, scope(access, match, order, within))},
        *scored,
        *rows,
        {"$project": dict(shown)},
    ]


def _build_rows(access: Access[Any], order: Order, named: Stages, skip: int, limit: int) -> Stages:
    """Sort as early and compute as late as can be: an index sorts, and fewer records are computed."""
    sort = _build_sort(order)
    window: Stages = [*([{"$skip": skip}] if skip else ()), *([{"$limit": limit}] if limit else ())]
    changed = access.renamed if access.spelling is None else access.spelling.tops
    if any(top_of(path) in changed for path, _direction in order.keys):
        return [*named, *sort, *window]
    decides = any("$match" in stage for stage in named)
    return [*sort, *named, *window] if decides else [*sort, *window, *named]


def _build_score(access: Access[Any], within: Predicate) -> tuple[Stages, Stages]:
    """Add the relevance; only then can a range of an order by it be asked for, of computed records behind."""
    scored: Stages = [{"$set": {SCORE: {"$meta": "textScore"}}}]
    if spelling_of(access) is not None:
        return scored, [{"$match": within.match}]
    return [*scored, {"$match": under_former_names(within.match, access.renamed)}], []


def _build_sort(order: Order) -> Stages:
    """Sort; before a field that places its nulls, by whether there is a value."""
    if not order.keys:
        return []
    keys: dict[str, int] = {}
    present: dict[str, Any] = {}
    for path, direction in order.keys:
        if path in order.moved:
            name = f"{_PRESENT}{len(present)}"
            present[name] = {"$gt": [f"${path}", None]}  # of any type; a missing value is less than null
            keys[name] = -direction
        keys[path] = direction
    return [*([{"$set": present}] if present else ()), {"$sort": keys}]


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
