"""QueryPredicatesRequest, from runtime/system/specs/gateway/query_predicates_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryPredicatesRequest(Strict):
    """Which predicates of the ontology."""

    domain_filter: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    range_filter: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
