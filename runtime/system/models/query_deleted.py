"""QueryDeleted, from runtime/system/specs/gateway/query_deleted.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryDeleted(Strict):
    """How many records were deleted."""

    matched: Annotated[int, Field(ge=0)]
    deleted: Annotated[int, Field(ge=0)]
