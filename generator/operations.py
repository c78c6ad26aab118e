"""The standard operations of a record resource (spec 2 §4.1, decisions §1): one row each.

To add an operation for all records: one row here and one function in ``runtime.records``. Routes, the
OpenAPI document and the word in a record's ``endpoints`` are all drawn from the row.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StandardOperation:
    """``key`` is the word used in ``endpoints: [list, save]`` of a record.

    ``arguments`` are the parameters of the route function behind ``call``: (Python name, type as
    written in generated code, what is handed on). ``{input}``, ``{model}`` stand for the record's classes.
    ``answer`` is the type in ``Json[…]``; ``successes`` maps statuses to what the document says.
    ``only_with``: a key of ``NEEDED``; only record types that say so have it. ``module``: where in the
    runtime the function is. An answer that is no ``Json`` is a ``Stream`` of ``file_type``.
    """

    key: str
    method: str
    path: str
    function: str
    operation: str
    action: str
    summary: str
    arguments: tuple[tuple[str, str], ...]
    answer: str
    successes: tuple[tuple[int, str], ...]
    errors: tuple[int, ...]
    only_with: str = ""
    module: str = "records"
    file_type: str = "text/csv"


FILE_ANSWER = "Stream"
"""The answer of an operation that sends a file."""

_ALWAYS = (400, 401, 403, 503)

NEEDED = {
    "revisions": "audited: true, which keep revisions",
    "states": "a field that has states",
    "archive": "onDelete: archive, which keep what was deleted",
}
"""What some operations ask of a record type → how to say it."""

STANDARD_OPERATIONS: tuple[StandardOperation, ...] = (
    StandardOperation(
        key="list", method="get", path="/list", function="list_records", operation="listRecords",
        action="VIEW", summary="List {plural}", arguments=(("query", "ListQuery"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),), errors=_ALWAYS,
    ),
    StandardOperation(
        key="find", method="post", path="/find", function="find_records", operation="find",
        action="VIEW", summary="Find {plural}, asked for in a body", arguments=(("body", "FindBody"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),), errors=(*_ALWAYS, 413, 415, 422),
    ),
    StandardOperation(
        key="entityref", method="get", path="/entityref", function="list_references",
        operation="listReferences", action="VIEW", summary="List references to {plural}",
        arguments=(("query", "ReferenceQuery"),), answer="list[EntityReference]",
        successes=((200, "References to {plural}"),), errors=_ALWAYS,
    ),
    StandardOperation(
        key="count", method="get", path="/count", function="count_records", operation="count",
        action="VIEW", summary="Count {plural}", arguments=(("query", "CountQuery"),),
        answer="Count", successes=((200, "How many {plural} match"),), errors=_ALWAYS,
    ),
    StandardOperation(
        key="export", method="get", path="/csv", function="export_csv", operation="exportCsv",
        action="VIEW", summary="Export {plural} as CSV", arguments=(("query", "ExportQuery"),),
        answer="Stream", successes=((200, "The {plural}, streamed"),), errors=(*_ALWAYS, 500),
        module="transfer",
    ),
    StandardOperation(
        key="import", method="post", path="/csv", function="import_csv", operation="importCsv",
        action="CREATE", summary="Import {plural} from a CSV file",
        arguments=(("query", "ImportQuery"), ("file", "Upload"), ("terms", "KeyTerms")),
        answer="ImportAnswer",
        successes=((200, "What was stored, and the rows that were not"),),
        errors=(*_ALWAYS, 409, 413, 415, 422, 500), module="transfer",
    ),
    StandardOperation(
        key="importSession", method="post", path="/csv/session", function="open_session",
        operation="openImportSession", action="CREATE",
        summary="Analyse a CSV file of {plural} and store nothing yet",
        arguments=(("query", "ImportQuery"), ("file", "Upload"), ("terms", "KeyTerms")),
        answer="ImportResult",
        successes=((200, "What was found, and the session to commit"),),
        errors=(*_ALWAYS, 409, 413, 415, 422, 500), module="transfer",
    ),
    StandardOperation(
        key="importProfileSession", method="post", path="/csv/session/profile",
        function="open_profile_session", operation="openProfileSession", action="CREATE",
        summary="Analyse a CSV file of {plural} as an import profile reads it",
        arguments=(("query", "ProfileQuery"), ("file", "Upload"), ("terms", "KeyTerms")),
        answer="ImportResult",
        successes=((200, "What was found, and the session to commit"),),
        errors=(*_ALWAYS, 404, 409, 413, 415, 422, 500), module="transfer",
    ),
    StandardOperation(
        key="importRows", method="get", path="/csv/session/{sessionId}/rows", function="list_rows",
        operation="listImportRows", action="VIEW", summary="The analysed rows of an import session",
        arguments=(("session_id", "SessionId"), ("query", "ImportRowsQuery")), answer="ImportRows",
        successes=((200, "A page of rows"),), errors=(*_ALWAYS, 404, 500), module="transfer",
    ),
    StandardOperation(
        key="importErrors", method="get", path="/csv/session/{sessionId}/errors", function="export_errors",
        operation="exportImportErrors", action="VIEW", summary="The rows with errors as CSV",
        arguments=(("session_id", "SessionId"),), answer="Stream",
        successes=((200, "The rows and what is wrong with them"),), errors=(*_ALWAYS, 404, 500),
        module="transfer",
    ),
    StandardOperation(
        key="importProgress", method="get", path="/csv/session/{sessionId}/progress",
        function="follow_progress", operation="followImport", action="VIEW",
        summary="How far an import session is, as events", arguments=(("session_id", "SessionId"),),
        answer="Stream", successes=((200, "Server-sent events until the end of the commit"),),
        errors=(*_ALWAYS, 404, 500), module="transfer", file_type="text/event-stream",
    ),
    StandardOperation(
        key="importCommit", method="post", path="/csv/session/{sessionId}/commit",
        function="commit_session", operation="commitImportSession", action="CREATE",
        summary="Store the error-free rows of an import session",
        arguments=(("session_id", "SessionId"), ("terms", "KeyTerms")),
        answer="CommitResult", successes=((200, "What was done"),), errors=(*_ALWAYS, 404, 409, 422, 500),
        module="transfer",
    ),
    StandardOperation(
        key="importDiscard", method="delete", path="/csv/session/{sessionId}", function="discard_session",
        operation="discardImportSession", action="DELETE", summary="Discard an import session",
        arguments=(("session_id", "SessionId"),), answer="None",
        successes=((204, "It is gone, if it was there"),), errors=(*_ALWAYS, 500), module="transfer",
    ),
    StandardOperation(
        key="schema", method="get", path="/schema", function="get_schema", operation="schema",
        action="VIEW", summary="The JSON Schema of {a} {singular}", arguments=(),
        answer="JsonSchema", successes=((200, "JSON Schema 2020-12"),), errors=_ALWAYS,
    ),
    StandardOperation(
        key="id", method="get", path="/id/{id}", function="get_by_id", operation="getById",
        action="VIEW", summary="Get {a} {singular} by id",
        arguments=(("record_id", "RecordId"), ("unless", "IfNoneMatch")),
        answer="{model}", successes=((200, "The {singular}"), (304, "Not changed")), errors=(*_ALWAYS, 404),
    ),
    StandardOperation(
        key="refName", method="get", path="/refName/{refName}", function="get_by_ref_name",
        operation="getByRefName", action="VIEW", summary="Get {a} {singular} by reference name",
        arguments=(("ref_name", "RefName"), ("unless", "IfNoneMatch")),
        answer="{model}", successes=((200, "The {singular}"), (304, "Not changed")), errors=(*_ALWAYS, 404),
    ),
    StandardOperation(
        key="history", method="get", path="/id/{id}/history", function="get_history",
        operation="getHistory", action="VIEW", summary="The writes of {a} {singular}, newest first",
        arguments=(("record_id", "RecordId"), ("query", "HistoryQuery")),
        answer="RecordHistory", successes=((200, "A page of writes"),), errors=(*_ALWAYS, 404),
        only_with="revisions",
    ),
    StandardOperation(
        key="states", method="get", path="/states", function="get_states", operation="states",
        action="VIEW", summary="The state graphs of {plural}", arguments=(),
        answer="RecordStates", successes=((200, "State field and its graph"),), errors=_ALWAYS,
        only_with="states",
    ),
    StandardOperation(
        key="transitions", method="get", path="/id/{id}/transitions", function="get_transitions",
        operation="transitions", action="VIEW", summary="Where {a} {singular} may go from its state",
        arguments=(("record_id", "RecordId"),), answer="RecordTransitions",
        successes=((200, "State field and the states that you may choose next"),), errors=(*_ALWAYS, 404),
        only_with="states",
    ),
    StandardOperation(
        key="save", method="post", path="", function="save", operation="save",
        action="CREATE", summary="Insert or replace {a} {singular}",
        arguments=(("body", "{input}"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Replaced"), (201, "Inserted")),
        errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422),
    ),
    StandardOperation(
        key="set", method="put", path="/set", function="set_fields", operation="setFields",
        action="UPDATE", summary="Set some fields of {a} {singular}",
        arguments=(("query", "SetQuery"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Changed"),), errors=(*_ALWAYS, 404, 409, 412, 422),
    ),
    StandardOperation(
        key="patch", method="patch", path="/id/{id}", function="patch", operation="patch",
        action="UPDATE", summary="Change {a} {singular} by a merge patch",
        arguments=(("record_id", "RecordId"), ("body", "MergePatch"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Changed"),), errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422),
    ),
    StandardOperation(
        key="bulk", method="post", path="/bulk", function="bulk", operation="bulk",
        action="CREATE", summary="Save or delete many {plural}",
        arguments=(("body", "Bulk"), ("terms", "BulkTerms")),
        answer="BulkAnswer", successes=((200, "One result per operation"),),
        errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422),
    ),
    StandardOperation(
        key="bulkSet", method="put", path="/bulk/set", function="bulk_set", operation="bulkSet",
        action="UPDATE", summary="Set the same fields of many {plural}",
        arguments=(("body", "BulkSet"), ("terms", "BulkTerms")),
        answer="BulkAnswer", successes=((200, "One result per record"),),
        errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422),
    ),
    StandardOperation(
        key="restore", method="post", path="/id/{id}/restore", function="restore", operation="restore",
        action="UPDATE", summary="Take an archived {singular} back into use",
        arguments=(("record_id", "RecordId"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "In use again"),), errors=(*_ALWAYS, 404, 409, 412, 422),
        only_with="archive",
    ),
    StandardOperation(
        key="delete", method="delete", path="/id/{id}", function="delete_by_id", operation="deleteById",
        action="DELETE", summary="Delete {a} {singular}",
        arguments=(("record_id", "RecordId"), ("terms", "WriteTerms")),
        answer="None", successes=((204, "Gone"),), errors=(*_ALWAYS, 404, 409, 412, 422),
    ),
)  # fmt: skip

BY_KEY = {row.key: row for row in STANDARD_OPERATIONS}
