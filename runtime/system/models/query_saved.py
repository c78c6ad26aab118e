"""QuerySaved, from runtime/system/specs/gateway/query_saved.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QuerySaved(Strict):
    """A record that was saved."""

    id: ObjectIdText
    version: Annotated[int, Field(ge=1)]
    inserted: bool
    record: dict[str, Any] | None = None
