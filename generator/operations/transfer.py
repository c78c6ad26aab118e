"""The rows of exports and imports."""

from generator.operations.operation import ALWAYS, StandardOperation

TRANSFER_OPERATIONS: tuple[StandardOperation, ...] = (
    StandardOperation(
        key="export", method="get", path="/csv", function="export_csv", operation="exportCsv",
        action="VIEW", summary="Export {plural} as CSV",
        description="Streams the {plural} as a CSV file. `requestedColumns` names the fields; the file can be"
        " imported again.",
        arguments=(("query", "ExportQuery"),),
        answer="Stream", successes=((200, "The records, streamed"),), errors=(*ALWAYS, 422, 500),
        module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="import", method="post", path="/csv", function="import_csv", operation="importCsv",
        action="CREATE", summary="Import {plural} from a CSV file",
        description="Stores the rows of a CSV file without a session. Rows with errors are reported and "
        "skipped. A row updates the record with its `refName`, or inserts a new one.",
        arguments=(("query", "ImportQuery"), ("file", "Upload"), ("terms", "KeyTerms")),
        answer="ImportAnswer",
        successes=((200, "The counts, and the rows with errors"),),
        errors=(*ALWAYS, 409, 413, 415, 422, 500), module="transfer", line_errors=True,
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
        errors=(*ALWAYS, 409, 413, 415, 422, 500), module="transfer", line_errors=True,
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
        errors=(*ALWAYS, 404, 409, 413, 415, 422, 500), module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importRows", method="get", path="/csv/session/{sessionId}/rows", function="list_rows",
        operation="listImportRows", action="VIEW", summary="List the analysed rows of an import session",
        description="Returns one page of the analysed rows of a session, with their errors.",
        arguments=(("session_id", "SessionId"), ("query", "ImportRowsQuery")), answer="ImportRows",
        successes=((200, "A page of rows"),), errors=(*ALWAYS, 404, 500),
        module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importErrors", method="get", path="/csv/session/{sessionId}/errors", function="export_errors",
        operation="exportImportErrors", action="VIEW", summary="Export the rows with errors as CSV",
        description="Returns the rows with errors as a CSV file with the column `errors`. Correct it and send"
        " it again.",
        arguments=(("session_id", "SessionId"),), answer="Stream",
        successes=((200, "The rows with their errors"),), errors=(*ALWAYS, 404, 500),
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
        errors=(*ALWAYS, 404, 500), module="transfer", line_errors=True, file_type="text/event-stream",
    ),
    StandardOperation(
        key="importCommit", method="post", path="/csv/session/{sessionId}/commit",
        function="commit_session", operation="commitImportSession", action="CREATE",
        summary="Commit an import session",
        description="Stores the rows without errors, each exactly once, even if the request is sent twice.",
        arguments=(("session_id", "SessionId"), ("terms", "KeyTerms")),
        answer="CommitResult", successes=((200, "The counts of the commit"),),
        errors=(*ALWAYS, 404, 409, 422, 500), module="transfer", line_errors=True,
    ),
    StandardOperation(
        key="importDiscard", method="delete", path="/csv/session/{sessionId}", function="discard_session",
        operation="discardImportSession", action="DELETE", summary="Discard an import session",
        description="Ends a session and deletes its data. Records that were stored remain.",
        arguments=(("session_id", "SessionId"),), answer="None",
        successes=((204, "Discarded, or it did not exist"),), errors=(*ALWAYS, 500),
        module="transfer", line_errors=True,
    ),
)  # fmt: skip
