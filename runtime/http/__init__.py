"""Everything a generated router names: who is calling, what is asked, how it is answered."""

from runtime.http.calling import Anonymous, Calling
from runtime.http.parameters import (
    CountQuery,
    ExportQuery,
    HistoryQuery,
    IfNoneMatch,
    ImportQuery,
    ImportRowsQuery,
    ListQuery,
    MergePatch,
    ProfileQuery,
    RecordId,
    ReferenceQuery,
    RefName,
    SessionId,
    SetQuery,
)
from runtime.http.route import RecordRouter, answer, nothing
from runtime.http.terms import BulkTerms, KeyTerms, WriteTerms
from runtime.http.upload import Upload
from runtime.record import EntityReference, Page
from runtime.records.queries import (
    Bulk,
    BulkAnswer,
    BulkSet,
    Count,
    FindBody,
    JsonSchema,
    RecordHistory,
    RecordStates,
    RecordTransitions,
)
from runtime.security.guard import admit
from runtime.stream import Stream
from runtime.transfer.import_terms import CommitResult, ImportAnswer, ImportResult, ImportRows
from runtime.wire import Json

__all__ = [
    "Anonymous",
    "Bulk",
    "BulkAnswer",
    "BulkSet",
    "BulkTerms",
    "Calling",
    "CommitResult",
    "Count",
    "CountQuery",
    "EntityReference",
    "ExportQuery",
    "FindBody",
    "HistoryQuery",
    "IfNoneMatch",
    "ImportAnswer",
    "ImportQuery",
    "ImportResult",
    "ImportRows",
    "ImportRowsQuery",
    "Json",
    "JsonSchema",
    "KeyTerms",
    "ListQuery",
    "MergePatch",
    "Page",
    "ProfileQuery",
    "RecordHistory",
    "RecordId",
    "RecordRouter",
    "RecordStates",
    "RecordTransitions",
    "RefName",
    "ReferenceQuery",
    "SessionId",
    "SetQuery",
    "Stream",
    "Upload",
    "WriteTerms",
    "admit",
    "answer",
    "nothing",
]
