"""QueryImportCommitRequest, from runtime/system/specs/gateway/query_import_commit_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryImportCommitRequest(Strict):
    """The import session to commit."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    session_id: ObjectIdText
    confirm: Annotated[int | None, Field(ge=0, le=2147483647)] = None
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
