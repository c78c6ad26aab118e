"""How records are connected, for programs and agents: on the functions of the ontology routes."""

from collections.abc import Mapping
from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.ontology import EdgeParameters
from runtime.errors import NotFound
from runtime.gateway.root_types import find_root_type, may_view
from runtime.model.mappings import without_nones
from runtime.model.ontology import Relationship
from runtime.model.record_type import RecordType
from runtime.ontology import read_edge_page, require_ontology
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json
from runtime.system.models.query_predicates_request import QueryPredicatesRequest
from runtime.system.models.query_relationships_request import QueryRelationshipsRequest


async def list_relationships(call: Call, body: QueryRelationshipsRequest) -> Json[Any]:
    """Return a page of the edges of a record, of whatever type it is. Raises ``NotFound``."""
    require_ontology(call)
    asked = {
        "direction": body.direction, "predicate": body.predicate, "limit": body.limit, "skip": body.skip,
    }  # fmt: skip
    query = EdgeParameters.model_validate(without_nones(asked))
    page = await read_edge_page(call, _list_connected_types(call), body.entity_id, query)
    if page is None:
        raise NotFound(f"no record of the ontology has the id {body.entity_id}")
    return page


async def list_predicates(call: Call, body: QueryPredicatesRequest) -> Json[Any]:
    """List the predicates between record types that the caller may view. Raises ``NotFound``."""
    require_ontology(call)
    shown = {kind.name: kind.shown_name for kind in _list_connected_types(call)}
    domain = body.domain_filter and find_root_type(call, body.domain_filter).name
    range_ = body.range_filter and find_root_type(call, body.range_filter).name
    relationships = call.service.catalog.relationships
    ways_back = {one.inverse: one.name for one in relationships}
    found = [
        _render(one, one.inverse or ways_back.get(one.name), shown)
        for one in relationships
        if {one.domain, one.range} <= shown.keys()
        and domain in (None, one.domain)
        and range_ in (None, one.range)
    ]
    return Json(to_json({"predicates": found}))


def _list_connected_types(call: Call) -> list[RecordType[Any]]:
    """List the record types at the ends of predicates that the caller may view; at least one.

    Raises ``Denied``.
    """
    catalog = call.service.catalog
    names = sorted({end for one in catalog.relationships for end in (one.domain, one.range)})
    kinds = [catalog[name] for name in names if may_view(call, catalog[name])]
    if not kinds:
        allow(call, catalog[names[0]], Action.VIEW)
    return kinds


def _render(one: Relationship, inverse: str | None, shown: Mapping[str, str]) -> dict[str, Any]:
    """Render a predicate.

    ``inverse``: the way back, at whichever of the two it is declared. ``shown``: what callers call each type.
    """
    named = {
        "inverse": inverse,
        "subPropertyOf": one.sub_property_of,
        "chain": list(one.chain) or None,
        "description": one.description,
    }
    own = {"name": one.name, "domain": shown[one.domain], "range": shown[one.range]}
    return {**own, "transitive": one.transitive, "symmetric": one.symmetric, **without_nones(named)}
