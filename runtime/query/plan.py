"""Text → plan: everything that a query names is checked, and every permission, before the store is asked.

A query is a filter, and directives as operands of its outermost ``&&``: ``fields:[…]`` and
``expand(path, fields:[…], condition)``. Without an expansion the plan is that of a list.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import lru_cache
from typing import Any, Final, TypeAlias

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.filter import Projection, compile_for_all, parse_query, project_marks
from runtime.filter.print import print_filter
from runtime.filter.quoted import spell_path
from runtime.filter.syntax import Filter, Query
from runtime.model.record import Page
from runtime.model.record_type import RecordType
from runtime.records import list_records
from runtime.records.expansion import Embedding, plan_embeddings, show_expanded
from runtime.records.relations import check_callers_filter
from runtime.storage.access import Action
from runtime.storage.wire import Json

KEPT_TEXT: Final = 2048  # characters; longer texts are parsed each time


@dataclass(frozen=True, slots=True)
class FilterPlan:
    """A list of records of one type. ``filter`` and ``projection``: as the parameters of a list."""

    kind: RecordType[Any]
    filter: str | None
    projection: str | None


@dataclass(frozen=True, slots=True)
class AggregationPlan:
    """The same, with records in place of references. ``paths``: as the query has them."""

    kind: RecordType[Any]
    filter: str | None
    projection: str | None
    paths: tuple[str, ...]
    embeddings: tuple[Embedding, ...]


Plan: TypeAlias = FilterPlan | AggregationPlan


def plan_query(call: Call, kind: RecordType[Any], text: str | None) -> Plan:
    """Plan a query of records of one type; without text it finds all of them.

    Raises ``FilterSyntax``, ``FilterType``, ``UnknownField`` and ``InvalidParameter`` (400), ``Denied`` (403)
    for a record type that the caller may not view, ``TooWide`` (422).
    """
    access = allow(call, kind, Action.VIEW)
    text = text or ""
    is_short = len(text) <= KEPT_TEXT
    if is_short and (known := _plan_for_all(kind, text, access.hidden, call.moment.zone)) is not None:
        return known
    query = _parse_kept(text) if is_short else parse_query(text)
    if query.filter is not None:
        check_callers_filter(call, access, _source(query))
    embeddings = plan_embeddings(call, access, query.expansions, text)
    projection = _read_projection(kind, access.hidden, query, embeddings)
    if not embeddings:
        return FilterPlan(kind, _print_filter(query), projection)
    paths = tuple(expansion.path for expansion in query.expansions)
    return AggregationPlan(kind, _print_filter(query), projection, paths, embeddings)


_parse_kept = lru_cache(maxsize=256)(parse_query)


@lru_cache(maxsize=256)
def _plan_for_all(
    kind: RecordType[Any], text: str, hidden: frozenset[str], zone: tzinfo
) -> FilterPlan | None:
    """Plan a query that means the same for all who see the same fields; None where it may not."""
    query = _parse_kept(text)
    if query.expansions:
        return None
    if query.filter is not None and compile_for_all(_source(query), kind, hidden, zone) is None:
        return None
    return FilterPlan(kind, _print_filter(query), _read_projection(kind, hidden, query, ()))


def _source(query: Query) -> str | Filter:
    """Return the filter of a query, as text where it is all of it: what is compiled from text is cached."""
    return query.text if query.filter is None or _is_filter(query) else query.filter


def _is_filter(query: Query) -> bool:
    return not (query.expansions or query.fields)


def _print_filter(query: Query) -> str | None:
    if query.filter is None:
        return None
    return query.text if _is_filter(query) else print_filter(query.filter)


def _read_projection(
    kind: RecordType[Any], hidden: frozenset[str], query: Query, embeddings: Sequence[Embedding]
) -> str | None:
    if not query.fields:
        return None
    projection: Projection = project_marks(query.fields, kind, hidden, query.text, "query")
    show_expanded(projection, embeddings, hidden)
    return ",".join(f"{'+' if mark.include else '-'}{spell_path(mark.path)}" for mark in query.fields)


async def run_plan(call: Call, plan: Plan, page: FindBody) -> Json[Page[Any]]:
    """Return a page of what a plan finds.

    ``page`` has order, size, cursor and count; its filter, projection and paths are replaced by the plan's.
    """
    found = {"filter": plan.filter, "projection": plan.projection, "expand": None}
    embeddings = plan.embeddings if isinstance(plan, AggregationPlan) else ()
    return await list_records(call, plan.kind, page.model_copy(update=found), embeddings, may_omit_id=True)
