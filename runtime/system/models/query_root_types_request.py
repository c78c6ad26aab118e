"""QueryRootTypesRequest, from runtime/system/specs/gateway/query_root_types_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryRootTypesRequest(Strict):
    """Where to look for record types."""

    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
