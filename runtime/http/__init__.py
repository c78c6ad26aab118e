"""Everything a generated router names: who is calling, what is asked, how it is answered."""

from runtime.http.calling import Anonymous, Calling
from runtime.http.parameters import (
    CountQuery,
    IfMatch,
    IfNoneMatch,
    ListQuery,
    RecordId,
    ReferenceQuery,
    RefName,
)
from runtime.http.route import RecordRouter, answer, nothing
from runtime.record import EntityReference, Page
from runtime.records.queries import Bulk, BulkAnswer, Count, FindBody, JsonSchema
from runtime.security.guard import admit
from runtime.wire import Json

__all__ = [
    "Anonymous",
    "Bulk",
    "BulkAnswer",
    "Calling",
    "Count",
    "CountQuery",
    "EntityReference",
    "FindBody",
    "IfMatch",
    "IfNoneMatch",
    "Json",
    "JsonSchema",
    "ListQuery",
    "Page",
    "RecordId",
    "RecordRouter",
    "RefName",
    "ReferenceQuery",
    "admit",
    "answer",
    "nothing",
]
