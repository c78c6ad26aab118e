"""QueryImportCommit, from runtime/system/specs/gateway/query_import_commit.yaml. Written by the generator; do not edit."""

from runtime.model.record import ObjectIdText, Strict


class QueryImportCommit(Strict):
    """What a commit did, of all rows of the file."""

    session_id: ObjectIdText
    inserted: int
    updated: int
    skipped: int
    failed: int
