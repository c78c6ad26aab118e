"""Everything a generated router names: who is calling, what is asked, how it is answered."""

from runtime.http.calling import Anonymous, Calling
from runtime.http.parameters import CountQuery, IfMatch, IfNoneMatch, ListQuery, RecordId, RefName
from runtime.http.route import RecordRouter, answer, nothing
from runtime.record import Page
from runtime.records.queries import Bulk, BulkAnswer, Count, JsonSchema
from runtime.security.guard import admit
from runtime.wire import Json

__all__ = [
    "Anonymous",
    "Bulk",
    "BulkAnswer",
    "Calling",
    "Count",
    "CountQuery",
    "IfMatch",
    "IfNoneMatch",
    "Json",
    "JsonSchema",
    "ListQuery",
    "Page",
    "RecordId",
    "RecordRouter",
    "RefName",
    "admit",
    "answer",
    "nothing",
]
