"""QueryImportEnd, from runtime/system/specs/gateway/query_import_end.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryImportEnd(Strict):
    """An import session that has ended."""

    session_id: Annotated[ObjectIdText, Field(description="The import session.")]
    status: Annotated[
        Literal["DISCARDED"],
        Field(description="Discarded: its data is deleted, and records that were stored remain."),
    ]
