"""QueryImportEnd, from runtime/system/specs/gateway/query_import_end.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import ObjectIdText, Strict


class QueryImportEnd(Strict):
    """An import session that has ended."""

    session_id: ObjectIdText
    status: Literal["COMMITTED", "DISCARDED"]
    inserted: int | None = None
    updated: int | None = None
