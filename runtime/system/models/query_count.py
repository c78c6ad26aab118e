"""QueryCount, from runtime/system/specs/gateway/query_count.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryCount(Strict):
    """How many records match."""

    count: Annotated[int, Field(ge=0)]
