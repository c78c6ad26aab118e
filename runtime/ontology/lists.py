"""The ontology routes of a record type: its records by what they are connected with, the edges of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.ontology import ConnectedParameters, Direction, EdgePage, EdgeParameters
from runtime.errors import InvalidParameter, NotFound, TooWide
from runtime.filter import Predicate, Projection, by_id, equals, none_of, parse_filter, refers_to
from runtime.filter.print import print_filter
from runtime.filter.searches import MAX_EDGES, count_edges
from runtime.filter.syntax import EdgeKind, HasEdge, conjunction
from runtime.filter.syntax_literals import Text
from runtime.model.documents import tenant_of
from runtime.model.mappings import without_nones
from runtime.model.nearest import hint
from runtime.model.problems import no_record
from runtime.model.record import Page, Record
from runtime.model.record_type import RecordType
from runtime.ontology.answers import EdgeAnswers
from runtime.ontology.edges import EdgeStore
from runtime.ontology.rules import STATED, Rules
from runtime.ontology.visible import Viewer, VisibleEdge, ends_of, list_visible
from runtime.records.document.page_size import page_limit
from runtime.records.operations.listing import list_records
from runtime.records.relations import check_callers_filter
from runtime.records.time_zone import enter_time_zone
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json

R = TypeVar("R", bound=Record)

_PAIR: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*)\s*:\s*([0-9a-fA-F]{24})\s*")
_READ_AT_ONCE: Final = 200
_PLACE: Final = Projection(include=("dataDomain",))


async def list_connected(call: Call, kind: RecordType[R], query: ConnectedParameters) -> Json[Page[R]]:
    """Return a page of the records that have an edge to each destination in ``constraints``."""
    rules = require_ontology(call).rules
    if query.expand and not call.service.settings.ontology_list_expands:
        message = "expand is off in this list: feature.ontologyList.aggregation.enabled switches it on"
        raise InvalidParameter(message, parameter="expand")
    access = allow(call, kind, Action.VIEW)
    if query.filter:  # its own faults first: places in it are other ones once it is joined with edges
        zoned = enter_time_zone(call, query.time_zone)
        check_callers_filter(zoned, access, query.filter)
    edges = list(_read_edges(call, rules, kind, query.constraints))
    if not edges:
        return await list_records(call, kind, query)
    own = [parse_filter(query.filter).expression] if query.filter else []
    asked = count_edges(own)
    if asked and len(edges) + asked > MAX_EDGES:
        both = f"constraints and filter ask for {len(edges)} and {asked} edges"
        raise InvalidParameter(f"{both}: at most {MAX_EDGES} together", parameter="constraints")
    text = print_filter(conjunction([*own, *edges]))
    return await list_records(call, kind, query, whole_filter=text)


def _read_edges(call: Call, rules: Rules, kind: RecordType[Any], text: str | None) -> Iterator[HasEdge]:
    """Read the pairs of ``constraints``. Raises ``InvalidParameter`` for one that cannot hold."""
    pairs = text.split(",") if text else []
    if len(pairs) > MAX_EDGES:
        raise InvalidParameter(f"constraints has at most {MAX_EDGES} pairs", parameter="constraints")
    for pair in pairs:
        found = _PAIR.fullmatch(pair)
        if found is None:
            named = next(iter(_list_leaving(call, rules, kind)), "predicate")
            advice = f"write {named}:65f1c0de65f1c0de65f1c0de"
            message = f"{pair[:80]!r} is not a pair of a predicate and an id: {advice}"
            raise InvalidParameter(message, parameter="constraints")
        if found[1] not in rules.relationships or ends_of(rules, found[1])[0] != kind.name:
            raise _refuse_predicate(call, rules, kind, found[1])
        yield HasEdge(EdgeKind.OUTGOING, found[1], Text(found[2].lower()))


def _list_leaving(call: Call, rules: Rules, kind: RecordType[Any]) -> list[str]:
    return [name for name in list_visible(call, rules) if ends_of(rules, name)[0] == kind.name]


def _refuse_predicate(call: Call, rules: Rules, kind: RecordType[Any], name: str) -> InvalidParameter:
    leaving = _list_leaving(call, rules, kind)
    if name in list_visible(call, rules):
        domain, range_ = (call.service.catalog[one].shown_name for one in ends_of(rules, name))
        message = f"{name} leads from {domain} to {range_}, not from {kind.shown_name}"
        message += f": name one of {', '.join(leaving)}" if leaving else ""
    else:
        message = f"no predicate is called {name[:80]}{hint(name, leaving)}"
    return InvalidParameter(message, parameter="constraints")


async def list_edges(
    call: Call, kind: RecordType[Any], record_id: str, query: EdgeParameters
) -> Json[EdgePage]:
    """Return a page of the edges from and to one record that the caller may know of."""
    require_ontology(call)
    page = await read_edge_page(call, [kind], record_id, query)
    if page is None:
        raise no_record(kind.shown_name, record_id)
    return page


async def read_edge_page(
    call: Call, kinds: Sequence[RecordType[Any]], record_id: str, query: EdgeParameters
) -> Json[EdgePage] | None:
    """Return a page of the edges of a record that is of one of some types; None where there is none."""
    answers = require_ontology(call)
    if query.predicate is not None and query.predicate not in answers.rules.relationships:
        known = list_visible(call, answers.rules)
        message = f"no predicate {query.predicate[:80]}{hint(query.predicate, known)}"
        raise InvalidParameter(message, parameter="predicate")
    limit = page_limit(call, query.limit)
    for kind in kinds:
        access = allow(call, kind, Action.VIEW)
        record = await call.store.find_one(access.to_decide(), by_id(record_id), projection=_PLACE)
        if record is not None:
            edges = EdgeStore(answers.rules, call.store, call.database, tenant_of(record))
            viewer = Viewer(call, edges, call.service.settings.ontology_max_edges)
            segments = list(_list_segments(viewer, kind, record_id, query.direction, query.predicate))
            found = await _read_visible(viewer, segments, query.skip + limit + 1)
            shown = found[query.skip : query.skip + limit]
            page = {
                "offset": query.skip,
                "limit": limit,
                "rows": [_render(one, viewer) for one in shown],
                "rowCount": len(shown),
                "hasMore": len(found) > query.skip + limit,
            }
            return Json(to_json(page))
    return None


def require_ontology(call: Call) -> EdgeAnswers:
    """Return the edges of the service. Raises ``NotFound`` where the ontology is off."""
    if not isinstance(call.service.edges, EdgeAnswers):
        raise NotFound("the ontology is off: the setting ontology.enabled switches it on")
    return call.service.edges


class _Segment(NamedTuple):
    """Edges of one predicate that leave or reach a record, in the order of the other ``end``."""

    match: Predicate
    end: str


def _list_segments(
    viewer: Viewer, kind: RecordType[Any], record_id: str, direction: Direction, predicate: str | None
) -> Iterator[_Segment]:
    """Yield the ranges of an index in which the edges of a record are, in the order of the page."""
    rules = viewer.edges.rules
    for name in sorted(rules.relationships) if predicate is None else [predicate]:
        domain, range_ = ends_of(rules, name)
        leaving = "out", domain, range_, "source.id", "destination.id"
        reaching = "in", range_, domain, "destination.id", "source.id"
        for way, own, other, key, end in (leaving, reaching):
            if direction not in (way, "both") or own != kind.name or viewer.find_access(other) is None:
                continue
            match = equals(predicate=name) & refers_to([key], [record_id])
            if way == "in" and direction == "both":  # an edge to itself leaves, too
                match &= none_of([refers_to([end], [record_id])])
            yield _Segment(match, end)


async def _read_visible(viewer: Viewer, segments: Sequence[_Segment], wanted: int) -> list[VisibleEdge]:
    """Read edges until as many as wanted may know. Raises ``TooWide`` if that takes too many."""
    found: list[VisibleEdge] = []
    read = 0
    for segment in segments:
        skip = 0
        while len(found) < wanted:
            if read >= viewer.most:
                message = f"the page needs more than the first {viewer.most} edges of the record"
                advice = "name a predicate and a direction, or lower skip and limit"
                raise TooWide(f"{message}: {advice}", field="skip")
            order, limit = ((segment.end, 1),), _READ_AT_ONCE
            rows = await viewer.call.store.find(
                viewer.edges.access(), segment.match, order=order, skip=skip, limit=limit
            )
            found += await viewer.find_visible(rows)
            skip, read = skip + len(rows), read + len(rows)
            if len(rows) < _READ_AT_ONCE:
                break
    return found


def _render(one: VisibleEdge, viewer: Viewer) -> dict[str, Any]:
    domain, range_ = ends_of(viewer.edges.rules, one.edge.predicate)
    return {
        "source": _render_end(domain, one.source),
        "predicate": one.edge.predicate,
        "destination": _render_end(range_, one.destination),
        "inferred": one.reason.rule != STATED,
        "provenance": {"rule": one.reason.rule, "of": list(one.reason.of)},
        "timestamp": one.row["timestamp"],
    }


def _render_end(name: str, record: Any) -> dict[str, Any]:
    named = {"refName": record.get("refName"), "displayName": record.get("displayName")}
    return without_nones({"type": name, "id": record["_id"], **named})
