"""The standard operations of a record resource, one row each.

Routes, the OpenAPI document and the key in a record's ``endpoints`` are derived from the row. The README of
the generator lists what else belongs to a new operation.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StandardOperation:
    """One standard operation.

    ``key`` is the word used in ``endpoints: [list, save]`` of a record. ``arguments`` are the parameters of
    the route function after ``call``: (Python name, type in generated code). ``{input}`` and ``{model}``
    stand for the classes of the record. ``answer`` is the type in ``Json[…]``, ``Stream`` for a file of
    ``file_type``, or ``Events``. ``successes`` maps statuses to their descriptions. ``only_with`` is a key of
    ``NEEDED``: only record types with that feature have the operation. ``description`` is one or two
    sentences for the OpenAPI document. ``module`` is the package of the function.
    ``line_errors``: 400 and 500 are one line of text instead of a problem. ``large_body``: callers that may
    do one of these actions may send megabytes, others 64 KiB; the operation checks which of them it needs.
    ``is_bulk``: the body holds many records.
    """

    key: str
    method: str
    path: str
    function: str
    operation: str
    action: str
    summary: str
    description: str
    arguments: tuple[tuple[str, str], ...]
    answer: str
    successes: tuple[tuple[int, str], ...]
    errors: tuple[int, ...]
    only_with: str = ""
    module: str = "records"
    file_type: str = "text/csv"
    line_errors: bool = False
    large_body: tuple[str, ...] = ()
    is_bulk: bool = False

    @property
    def facts(self) -> dict[str, str | tuple[str, ...] | bool]:
        """Arguments of the route's decorator (``runtime.http.facts``), those that apply."""
        names = {name for name, _type in self.arguments}
        facts = {
            "terms": "terms" in names and "terms",
            "upload": "file" in names and "file",
            "streams": self.answer == FILE_ANSWER,
            "watches": self.answer == EVENTS_ANSWER,
            "errors": self.line_errors and "line",
            "large_body": self.large_body,
            "is_bulk": self.is_bulk,
        }
        return {name: value for name, value in facts.items() if value}


FILE_ANSWER = "Stream"
"""The ``answer`` of operations that return a file."""

EVENTS_ANSWER = "Events"
"""The ``answer`` of operations that return events without end, or a page of them."""

_ALWAYS = (400, 401, 403, 503)

NEEDED = {
    "revisions": "audited: true, which keep revisions",
    "states": "a field that has states",
    "changes": "changes: true, which show what is written",
    "archive": "onDelete: archive, which keep deleted records",
    "ontology": "ontology: true, which are connected with others",
}
"""What a record type needs for some operations, as shown in messages."""

STANDARD_OPERATIONS: tuple[StandardOperation, ...] = (
    StandardOperation(
        key="list", method="get", path="/list", function="list_records", operation="listRecords",
        action="VIEW", summary="List {plural}",
        description="Returns one page of the {plural} that the caller may see. `filter`, `sort` and "
        "`projection` choose records, order and fields, `expand` embeds the records that these refer to; "
        "follow `nextCursor` to read on.",
        arguments=(("query", "ListQuery"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),), errors=(*_ALWAYS, 422),
    ),
    StandardOperation(
        key="find", method="post", path="/find", function="find_records", operation="find",
        action="VIEW", summary="Find {plural} with a JSON body",
        description="Lists {plural} as `list` does, with the parameters in a JSON body. Use it for long "
        "filters.",
        arguments=(("body", "FindBody"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),),
        errors=(*_ALWAYS, 413, 415, 422), large_body=("VIEW",),
    ),
    StandardOperation(
        key="entityref", method="get", path="/entityref", function="list_references",
        operation="listReferences", action="VIEW", summary="List references to {plural}",
        description="Returns only the id and the names of each {singular}, in the form of a reference to it.",
        arguments=(("query", "ReferenceQuery"),), answer="list[EntityReference]",
        successes=((200, "References to {plural}"),), errors=(*_ALWAYS, 422),
    ),
    StandardOperation(
        key="count", method="get", path="/count", function="count_records", operation="count",
        action="VIEW", summary="Count {plural}",
        description="Counts the {plural} that match a filter, among those that the caller may see.",
        arguments=(("query", "CountQuery"),),
        answer="Count", successes=((200, "Number of matching records"),), errors=(*_ALWAYS, 422),
    ),
    StandardOperation(
        key="changes", method="get", path="/changes", function="follow_changes", operation="followChanges",
        action="VIEW", summary="Follow the changes of {plural}",
        description="Sends each change of the {plural} that the caller may see, as server-sent events, "
        "without end; `Last-Event-ID` goes on behind an event. With `since` it returns a page of the "
        "changes behind a place.",
        arguments=(("query", "ChangesQuery"), ("last_event_id", "LastEventId")),
        answer="Events", successes=((200, "Events without end, or with `since` a page"),),
        errors=(*_ALWAYS, 410, 422), only_with="changes", module="events", file_type="text/event-stream",
    ),
    StandardOperation(
        key="export", method="get", path="/csv", function="export_csv", operation="exportCsv",
        action="VIEW", summary="Export {plural} as CSV",
        description="Streams the {plural} as a CSV file. `requestedColumns` names the fields; the file can be"
        " imported again.",
        arguments=(("query", "ExportQuery"),),
        answer="Stream", successes=((200, "The records, streamed"),), errors=(*_ALWAYS, 422, 500),
        module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="import", method="post", path="/csv", function="import_csv", operation="importCsv",
        action="CREATE", summary="Import {plural} from a CSV file",
        description="Stores the rows of a CSV file without a session. Rows with errors are reported and "
        "skipped. A row updates the record with its `id` or `refName`, or inserts a new one.",
        arguments=(("query", "ImportQuery"), ("file", "Upload"), ("terms", "KeyTerms")),
        answer="ImportAnswer",
        successes=((200, "The counts, and the rows with errors"),),
        errors=(*_ALWAYS, 409, 413, 415, 422, 500), module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importSession", method="post", path="/csv/session", function="open_session",
        operation="openImportSession", action="CREATE",
        summary="Open an import session for a CSV file of {plural}",
        description="Validates a CSV file and reports what each row would do. Nothing is stored until the "
        "session is committed.",
        arguments=(("query", "ImportQuery"), ("file", "Upload"), ("terms", "KeyTerms")),
        answer="ImportResult",
        successes=((200, "The analysis, with the id of the session"),),
        errors=(*_ALWAYS, 409, 413, 415, 422, 500), module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importProfileSession", method="post", path="/csv/session/profile",
        function="open_profile_session", operation="openProfileSession", action="CREATE",
        summary="Open an import session for {plural} with an import profile",
        description="Validates a CSV file with an import profile, which maps its columns to fields. Otherwise"
        " like a session without a profile.",
        arguments=(("query", "ProfileQuery"), ("file", "Upload"), ("terms", "KeyTerms")),
        answer="ImportResult",
        successes=((200, "The analysis, with the id of the session"),),
        errors=(*_ALWAYS, 404, 409, 413, 415, 422, 500), module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importRows", method="get", path="/csv/session/{sessionId}/rows", function="list_rows",
        operation="listImportRows", action="VIEW", summary="List the analysed rows of an import session",
        description="Returns one page of the analysed rows of a session, with their errors.",
        arguments=(("session_id", "SessionId"), ("query", "ImportRowsQuery")), answer="ImportRows",
        successes=((200, "A page of rows"),), errors=(*_ALWAYS, 404, 500),
        module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importErrors", method="get", path="/csv/session/{sessionId}/errors", function="export_errors",
        operation="exportImportErrors", action="VIEW", summary="Export the rows with errors as CSV",
        description="Returns the rows with errors as a CSV file with the column `errors`. Correct it and send"
        " it again.",
        arguments=(("session_id", "SessionId"),), answer="Stream",
        successes=((200, "The rows with their errors"),), errors=(*_ALWAYS, 404, 500),
        module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importProgress", method="get", path="/csv/session/{sessionId}/progress",
        function="follow_progress", operation="followImport", action="VIEW",
        summary="Follow an import session as server-sent events",
        description="Sends the state of the session as server-sent events until it is committed or "
        "discarded.",
        arguments=(("session_id", "SessionId"),),
        answer="Stream", successes=((200, "Events until the session is committed or discarded"),),
        errors=(*_ALWAYS, 404, 500), module="transfer", line_errors=True, file_type="text/event-stream",
    ),
    StandardOperation(
        key="importCommit", method="post", path="/csv/session/{sessionId}/commit",
        function="commit_session", operation="commitImportSession", action="CREATE",
        summary="Commit an import session",
        description="Stores the rows without errors, each exactly once, even if the request is sent twice.",
        arguments=(("session_id", "SessionId"), ("terms", "KeyTerms")),
        answer="CommitResult", successes=((200, "The counts of the commit"),),
        errors=(*_ALWAYS, 404, 409, 422, 500), module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importDiscard", method="delete", path="/csv/session/{sessionId}", function="discard_session",
        operation="discardImportSession", action="DELETE", summary="Discard an import session",
        description="Ends a session and deletes its data. Records that were stored remain.",
        arguments=(("session_id", "SessionId"),), answer="None",
        successes=((204, "Discarded, or it did not exist"),), errors=(*_ALWAYS, 500),
        module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="schema", method="get", path="/schema", function="get_schema", operation="schema",
        action="VIEW", summary="Get the JSON Schema of {a} {singular}",
        description="Returns the JSON Schema of {a} {singular} in responses.",
        arguments=(),
        answer="JsonSchema", successes=((200, "JSON Schema 2020-12"),), errors=_ALWAYS,
    ),
    StandardOperation(
        key="id", method="get", path="/id/{id}", function="get_by_id", operation="getById",
        action="VIEW", summary="Get {a} {singular} by id",
        description="Returns one {singular} with its entity tag; 304 if `If-None-Match` has the current one. "
        "With `expand` there is no entity tag, and never a 304.",
        arguments=(("record_id", "RecordId"), ("unless", "IfNoneMatch"), ("expand", "Expand")),
        answer="{model}", successes=((200, "The {singular}"), (304, "Not modified")),
        errors=(*_ALWAYS, 404, 422),
    ),
    StandardOperation(
        key="refName", method="get", path="/refName/{refName}", function="get_by_ref_name",
        operation="getByRefName", action="VIEW", summary="Get {a} {singular} by reference name",
        description="Returns one {singular} by its reference name; case matters. With `expand` there is "
        "no entity tag, and never a 304.",
        arguments=(("ref_name", "RefName"), ("unless", "IfNoneMatch"), ("expand", "Expand")),
        answer="{model}", successes=((200, "The {singular}"), (304, "Not modified")),
        errors=(*_ALWAYS, 404, 422),
    ),
    StandardOperation(
        key="history", method="get", path="/id/{id}/history", function="get_history",
        operation="getHistory", action="VIEW", summary="List the writes of {a} {singular}, newest first",
        description="Returns who wrote the {singular}, when, and what changed, field by field.",
        arguments=(("record_id", "RecordId"), ("query", "HistoryQuery")),
        answer="RecordHistory", successes=((200, "A page of writes"),), errors=(*_ALWAYS, 404),
        only_with="revisions",
    ),
    StandardOperation(
        key="ontology", method="get", path="/ontology", function="list_connected",
        operation="listConnected", action="VIEW", summary="List {plural} by what they are connected with",
        description="Lists {plural} as `list` does, those that have an edge of the ontology to each "
        "destination in `constraints`. `expand` works where the operator has enabled it.",
        arguments=(("query", "ConnectedQuery"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),), errors=(*_ALWAYS, 404, 422),
        only_with="ontology", module="ontology",
    ),
    StandardOperation(
        key="ontologyOf", method="get", path="/id/{id}/ontology", function="list_edges",
        operation="listEdges", action="VIEW", summary="List what {a} {singular} is connected with",
        description="Returns the edges of the ontology from and to one {singular}, stated and inferred, as "
        "far as the caller may see what they follow from.",
        arguments=(("record_id", "RecordId"), ("query", "EdgeQuery")),
        answer="EdgePage", successes=((200, "A page of edges"),), errors=(*_ALWAYS, 404, 422),
        only_with="ontology", module="ontology",
    ),
    StandardOperation(
        key="states", method="get", path="/states", function="get_states", operation="states",
        action="VIEW", summary="Get the state graphs of {plural}",
        description="Returns the state graph of each field that has states.",
        arguments=(),
        answer="RecordStates", successes=((200, "The state graph of each state field"),), errors=_ALWAYS,
        only_with="states",
    ),
    StandardOperation(
        key="transitions", method="get", path="/id/{id}/transitions", function="get_transitions",
        operation="transitions", action="VIEW", summary="Get the allowed transitions of {a} {singular}",
        description="Returns the current state of each state field, and the states the caller may set next.",
        arguments=(("record_id", "RecordId"),), answer="RecordTransitions",
        successes=((200, "The current and the next states of each state field"),), errors=(*_ALWAYS, 404),
        only_with="states",
    ),
    StandardOperation(
        key="save", method="post", path="", function="save", operation="save",
        action="CREATE", summary="Insert or replace {a} {singular}",
        description="Inserts {a} {singular}, or replaces the one with the same `id`. Members that are absent "
        "are cleared; send `If-Match` or `version` to replace only the version that was read.",
        arguments=(("body", "{input}"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Replaced"), (201, "Inserted")),
        errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422), large_body=("CREATE", "UPDATE"),
    ),
    StandardOperation(
        key="set", method="put", path="/set", function="set_fields", operation="setFields",
        action="UPDATE", summary="Set some fields of {a} {singular}",
        description="Sets the named fields of one {singular}; all others keep their values.",
        arguments=(("query", "SetQuery"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Changed"),), errors=(*_ALWAYS, 404, 409, 412, 422),
    ),
    StandardOperation(
        key="patch", method="patch", path="/id/{id}", function="patch", operation="patch",
        action="UPDATE", summary="Change {a} {singular} with a merge patch",
        description="Applies a JSON merge patch (RFC 7396): absent members keep their values, `null` clears, "
        "objects are merged.",
        arguments=(("record_id", "RecordId"), ("body", "MergePatch"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Changed"),), errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422),
        large_body=("UPDATE",),
    ),
    StandardOperation(
        key="bulk", method="post", path="/bulk", function="run_bulk", operation="bulk",
        action="CREATE", summary="Save or delete many {plural}",
        description="Saves and deletes up to 1,000 {plural} in one request. Each operation is validated and "
        "authorized as if it were sent on its own; with `atomic` all of them take effect or none.",
        arguments=(("body", "Bulk"), ("terms", "BulkTerms")),
        answer="BulkAnswer", successes=((200, "One result per operation"),),
        errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422),
        large_body=("CREATE", "UPDATE", "DELETE"), is_bulk=True,
    ),
    StandardOperation(
        key="bulkSet", method="put", path="/bulk/set", function="run_bulk_set", operation="bulkSet",
        action="UPDATE", summary="Set the same fields of many {plural}",
        description="Sets the same values on all {plural} selected by a filter or a list of ids.",
        arguments=(("body", "BulkSet"), ("terms", "BulkTerms")),
        answer="BulkAnswer", successes=((200, "One result per record"),),
        errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422), large_body=("UPDATE",),
    ),
    StandardOperation(
        key="restore", method="post", path="/id/{id}/restore", function="restore", operation="restore",
        action="UPDATE", summary="Restore an archived {singular}",
        description="Restores an archived {singular}.",
        arguments=(("record_id", "RecordId"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Restored"),), errors=(*_ALWAYS, 404, 409, 412, 422),
        only_with="archive",
    ),
    StandardOperation(
        key="delete", method="delete", path="/id/{id}", function="delete_by_id", operation="deleteById",
        action="DELETE", summary="Delete {a} {singular}",
        description="Deletes the {singular}, or archives it if the record type has `onDelete: archive`. "
        "Refused while other records refer to it by a tracked reference.",
        arguments=(("record_id", "RecordId"), ("terms", "WriteTerms")),
        answer="None", successes=((204, "Deleted"),), errors=(*_ALWAYS, 404, 409, 412, 422),
    ),
)  # fmt: skip

BY_KEY = {row.key: row for row in STANDARD_OPERATIONS}
