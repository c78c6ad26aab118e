"""QuerySaved, from runtime/system/specs/gateway/query_saved.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QuerySaved(Strict):
    """A record that was saved."""

    id: Annotated[ObjectIdText, Field(description="The id of the record.")]
    version: Annotated[int, Field(ge=1, description="Its version.")]
    inserted: Annotated[bool, Field(description="Whether the record is new.")]
    record: Annotated[
        dict[str, Any] | None,
        Field(description="The record as the caller sees it; absent where the caller may not view it."),
    ] = None
