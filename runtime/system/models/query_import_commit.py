"""QueryImportCommit, from runtime/system/specs/gateway/query_import_commit.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryImportCommit(Strict):
    """What a commit did, of all rows of the file."""

    session_id: Annotated[ObjectIdText, Field(description="The import session.")]
    inserted: Annotated[int, Field(description="Records that were inserted.")]
    updated: Annotated[int, Field(description="Records that were updated.")]
    skipped: Annotated[int, Field(description="Rows that changed nothing.")]
    failed: Annotated[int, Field(description="Rows with errors, from the analysis or the commit.")]
