"""Lists of records. ``list_records`` is the flat function to read first: allow → parse → find → page.

Rows are JSON rendered from stored documents; models are not built on the way out. What is outside the
caller's scope is neither listed nor counted, because the scope is part of every command.

A page asks for one row more than it shows, so that ``nextCursor`` is present exactly when more rows follow.
It is absent all the same where a cursor cannot express the position (``Cursors.write``); then ``skip`` goes
on. Records that are too large for one answer of the store come on several pages.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.pages import Count, CountParameters, FindBody, Selection
from runtime.errors import InvalidParameter
from runtime.fast.wire_rows import WireRows
from runtime.filter import (
    EVERYTHING,
    SCORE,
    Order,
    Predicate,
    Projection,
    RowOrder,
    any_of,
    by_ids,
    parse_projection,
    row_order,
)
from runtime.model.mappings import without_nones
from runtime.model.record import EntityReference, Page, Record
from runtime.model.record_type import RecordType
from runtime.records.document.cursor import Cursors
from runtime.records.document.page_size import page_limit, too_large
from runtime.records.expansion import Embedding, embed_records, plan_paths, show_expanded
from runtime.records.operations.actions import Actions
from runtime.records.operations.windows import find_in_windows, has_windows, read_place
from runtime.records.relations import CallersFilter, compile_callers_filter, read_callers_filter
from runtime.records.time_zone import enter_time_zone
from runtime.storage.access import Access, Action
from runtime.storage.wire import Json, ListText, render_list, render_rows, to_json, without

R = TypeVar("R", bound=Record)
Document = dict[str, Any]

MOST_ESTIMATED: Final = 10_000
"""``count=estimated`` counts that far, hence costs little and speaks only of what the caller may see."""

_REFERENCE = Projection(include=("refName", "displayName"))


async def list_records(
    call: Call,
    kind: RecordType[R],
    query: FindBody,
    embeddings: Sequence[Embedding] = (),
    *,
    may_omit_id: bool = False,
    whole_filter: str | None = None,
) -> Json[Page[R]]:
    """Return a page of the records the caller may see, with ``embeddings`` or what ``query`` expands.

    ``may_omit_id``: whether the projection may leave out the id. ``whole_filter``: that of the query with
    what the operation adds; the page shows the former.
    """
    call = enter_time_zone(call, query.time_zone)
    access, text = allow(call, kind, Action.VIEW), whole_filter or query.filter
    asked = read_callers_filter(call, access, text)
    if query.expand:
        embeddings = plan_paths(call, access, query.expand)
    order, limit = order_of(access, query.sort), page_limit(call, query.limit)
    cursors = Cursors.of(call.service.tokens, access, text, order, query.time_zone)
    inside, ranges, passed = _start(query, cursors)
    projection, surplus = _projection(query, access, order, embeddings, may_omit_id)
    wire = WireRows()
    as_text = None if query.actions or embeddings else wire
    if in_windows := has_windows(asked, query, order):
        last = cursors.read(query.cursor).values[0] if query.cursor else None
        found = await find_in_windows(asked, inside, last, projection, limit + 1, wire=as_text)
    else:
        found = await call.store.find_page(
            access, ranges, match=await asked.compile(), order=inside, projection=projection,
            skip=query.skip, limit=limit + 1, wire=as_text,
        )  # fmt: skip
    shown, cursor = found.rows[:limit], None
    if shown and (found.is_cut or len(found.rows) > limit):
        end = read_place(shown[-1]) if in_windows else wire.stored(found.rows, len(shown) - 1)
        cursor = cursors.write(end, passed + len(shown))
    if found.is_cut and cursor is None and len(shown) < limit:
        raise too_large(len(shown))
    page = {
        "offset": passed,
        "limit": limit,
        "rows": await _read_rows(call, access, query, shown, surplus, embeddings, wire),
        "rowCount": len(shown),
        "totalCount": await _count_total(asked, query),
        "filter": query.filter,
        "sort": query.sort,
        "nextCursor": cursor,
    }
    return Json(to_json(without_nones(page)))


async def find_records(call: Call, kind: RecordType[R], body: FindBody) -> Json[Page[R]]:
    """Return the same page, requested in a body: for filters and cursors too long for a URL."""
    return await list_records(call, kind, body)


async def list_references(call: Call, kind: RecordType[Any], query: Selection) -> Json[list[EntityReference]]:
    """Return the same records as references to them, without an envelope."""
    call = enter_time_zone(call, query.time_zone)
    access = allow(call, kind, Action.VIEW)
    match = await compile_callers_filter(call, access, query.filter)
    order = order_of(access, query.sort)
    limit = page_limit(call, query.limit)
    documents = await call.store.find(
        access, match, order=order.order, projection=_REFERENCE, skip=query.skip, limit=limit
    )
    return Json(to_json([_render_reference(kind, document) for document in documents]))


async def count_records(call: Call, kind: RecordType[Any], query: CountParameters) -> Json[Count]:
    """Count the matching records that the caller may see."""
    call = enter_time_zone(call, query.time_zone)
    access = allow(call, kind, Action.VIEW)
    match = await compile_callers_filter(call, access, query.filter)
    number = await call.store.count(access, match)
    return Json(to_json({"count": number}))


def order_of(access: Access, sort: str | None) -> RowOrder:
    """Return the order of the rows that ``access`` opens."""
    return row_order(sort, access.kind, access.hidden, in_one_tenant=access.domain.tenant_id is not None)


def _start(query: FindBody, cursors: Cursors) -> tuple[Order, Sequence[Predicate], int]:
    """Return the ranges the page is in, the order inside each, and how many rows were passed so far.

    Without an index each range would be a scan of the whole collection, so they are combined into one.
    """
    order = cursors.order
    if not query.cursor:
        if query.skip:  # counts rows of all ranges
            return order.order, (EVERYTHING,), query.skip
        return order.inside, order.ranges, 0
    if query.skip:
        raise InvalidParameter(
            "skip and cursor exclude each other: a cursor knows where to go on", parameter="skip"
        )
    position = cursors.read(query.cursor)
    ranges = order.after(position.values)
    return order.inside, ranges if order.is_indexed else (any_of(ranges),), position.passed


def _projection(
    query: FindBody, access: Access, order: RowOrder, embeddings: Sequence[Embedding], may_omit_id: bool
) -> tuple[Projection | None, tuple[str, ...]]:
    """Return the fields to read from the store, and the ones among them that the caller did not request."""
    score = (SCORE,) if order.order.by_score else ()
    if not query.projection:
        return None, score
    needed = tuple(path for path in order.paths if path != SCORE) if order.has_cursors else ()
    if query.actions:
        needed += (*access.kind.states, *access.domain.paths)
    if embeddings:
        projection = parse_projection(query.projection, access.kind, access.hidden, may_omit_id=may_omit_id)
        wider, surplus = show_expanded(projection, embeddings, access.hidden).with_fields(
            needed, access.hidden
        )
    else:
        wider, surplus = _parse_fields(query.projection, access.kind, access.hidden, needed, may_omit_id)
    return wider, (*surplus, *score)


@lru_cache(maxsize=256)
def _parse_fields(
    text: str, kind: RecordType[Any], hidden: frozenset[str], needed: tuple[str, ...], may_omit_id: bool
) -> tuple[Projection, tuple[str, ...]]:
    return parse_projection(text, kind, hidden, may_omit_id=may_omit_id).with_fields(needed, hidden)


async def _read_rows(
    call: Call,
    access: Access,
    query: FindBody,
    documents: list[Document],
    surplus: tuple[str, ...],
    embeddings: Sequence[Embedding],
    wire: WireRows,
) -> list[Document] | ListText:
    """Read what else is shown with the rows of a page, and render them."""

    def leave_out() -> list[Document]:
        return [without(document, surplus) for document in documents] if surplus else documents

    if (written := wire.once(surplus, documents, lambda: render_list(leave_out()))) is not None:
        return written
    shown = leave_out()
    if query.actions:
        lists = await _build_action_lists(call, access, documents)
        shown = [row | {"actionList": actions} for row, actions in zip(shown, lists, strict=True)]
    if embeddings:
        await embed_records(call, shown, embeddings)
    return render_rows(shown)


async def _build_action_lists(call: Call, access: Access, documents: list[Document]) -> list[list[str]]:
    """Build the action lists of a page; rows that lack fields for rules are read once more, whole."""
    actions = Actions.of(call, access.kind)
    if not actions.depend_on_record:
        return [actions.on(document) for document in documents]
    ids = by_ids([str(document["_id"]) for document in documents])
    whole = {row["_id"]: row for row in await call.store.find(access.to_decide(), ids)}
    rows = [whole.get(document["_id"]) for document in documents]
    return [[] if row is None else actions.on(row) for row in rows]  # None: it was removed in the meantime


async def _count_total(asked: CallersFilter, query: FindBody) -> int | None:
    if query.count == "none":
        return None
    most = MOST_ESTIMATED if query.count == "estimated" else None
    return await asked.call.store.count(asked.access, asked.compile_known(), most=most)


async def count_too_many(call: Call, access: Access, match: Predicate) -> tuple[int, str]:
    """Count matching records up to ``MOST_ESTIMATED``; return the number, and a text with it."""
    matched = await call.store.count(access, match, most=MOST_ESTIMATED)
    return matched, f"{matched}{' or more' if matched == MOST_ESTIMATED else ''} records match"


def _render_reference(kind: RecordType[Any], document: Document) -> Document:
    reference = {
        "entityId": document["_id"],
        "entityType": kind.name,
        "entityRefName": document.get("refName"),
        "entityDisplayName": document.get("displayName"),
    }
    return without_nones(reference)
