"""Everything a generated router names: who is calling, what is asked, how it is answered."""

from runtime.access.guard import admit
from runtime.contract.forms import Parameters
from runtime.contract.history import RecordHistory
from runtime.contract.imports import CommitResult, ImportAnswer, ImportResult, ImportRows
from runtime.contract.ontology import EdgePage
from runtime.contract.pages import Count, FindBody
from runtime.contract.states import RecordStates, RecordTransitions
from runtime.contract.values import JsonSchema
from runtime.contract.writes import Bulk, BulkAnswer, BulkSet
from runtime.http.calling import AgentCalling, Anonymous, Calling
from runtime.http.parameters import (
    ChangesQuery,
    ConnectedQuery,
    CountQuery,
    EdgeQuery,
    Expand,
    ExportQuery,
    HistoryQuery,
    IfNoneMatch,
    ImportQuery,
    ImportRowsQuery,
    LastEventId,
    ListQuery,
    MergePatch,
    ProfileQuery,
    RecordId,
    ReferenceQuery,
    RefName,
    SessionId,
    SetQuery,
)
from runtime.http.route import LaterRouter, RecordRouter, answer, nothing
from runtime.http.terms import BulkTerms, KeyTerms, WriteTerms
from runtime.http.upload import Upload
from runtime.model.record import EntityReference, Page
from runtime.records.effects.idempotency import share_key
from runtime.storage.wire import Json
from runtime.stream import Stream

__all__ = [
    "AgentCalling",
    "Anonymous",
    "Bulk",
    "BulkAnswer",
    "BulkSet",
    "BulkTerms",
    "Calling",
    "ChangesQuery",
    "CommitResult",
    "ConnectedQuery",
    "Count",
    "CountQuery",
    "EdgePage",
    "EdgeQuery",
    "EntityReference",
    "Expand",
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
    "LastEventId",
    "LaterRouter",
    "ListQuery",
    "MergePatch",
    "Page",
    "Parameters",
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
    "share_key",
]
