"""QueryImportSessionRequest, from runtime/system/specs/gateway/query_import_session_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryImportSessionRequest(Strict):
    """An import session."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    session_id: ObjectIdText
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
