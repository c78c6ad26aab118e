"""The table: reads of many records, transfer, reads of one, writes. Routes are in the order of the rows."""

from generator.operations.operation import ALWAYS, StandardOperation
from generator.operations.transfer import TRANSFER_OPERATIONS

_WITHOUT_RECORD = (
    204,
    "Stored; by `Prefer: return=minimal`, or as the caller may not view it, without the record",
)
_INSERTED = (
    201,
    "Inserted; by `Prefer: return=minimal`, or as the caller may not view it, without a body",
)

STANDARD_OPERATIONS: tuple[StandardOperation, ...] = (
    StandardOperation(
        key="list", method="get", path="/list", function="list_records", operation="listRecords",
        action="VIEW", summary="List {plural}",
        description="Returns one page of the {plural} that the caller may see. `filter`, `sort` and "
        "`projection` choose records, order and fields, `expand` embeds the records that these refer to; "
        "follow `nextCursor` to read on.",
        arguments=(("query", "ListQuery"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),), errors=(*ALWAYS, 422),
    ),
    StandardOperation(
        key="find", method="post", path="/find", function="find_records", operation="find",
        action="VIEW", summary="Find {plural} with a JSON body",
        description="Lists {plural} as `list` does, with the parameters in a JSON body. Use it for long "
        "filters.",
        arguments=(("body", "FindBody"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),),
        errors=(*ALWAYS, 413, 415, 422), large_body=("VIEW",),
    ),
    StandardOperation(
        key="entityref", method="get", path="/entityref", function="list_references",
        operation="listReferences", action="VIEW", summary="List references to {plural}",
        description="Returns only the id and the names of each {singular}, in the form of a reference to it.",
        arguments=(("query", "ReferenceQuery"),), answer="list[EntityReference]",
        successes=((200, "References to {plural}"),), errors=(*ALWAYS, 422),
    ),
    StandardOperation(
        key="count", method="get", path="/count", function="count_records", operation="count",
        action="VIEW", summary="Count {plural}",
        description="Counts the {plural} that match a filter, among those that the caller may see.",
        arguments=(("query", "CountQuery"),),
        answer="Count", successes=((200, "Number of matching records"),), errors=(*ALWAYS, 422),
    ),
    StandardOperation(
        key="changes", method="get", path="/changes", function="follow_changes", operation="followChanges",
        action="VIEW", summary="Follow the changes of {plural}",
        description="Sends each change of the {plural} that the caller may see, as server-sent events, "
        "without end; `Last-Event-ID` continues after an event. With `since` it returns a page of the "
        "changes after a place.",
        arguments=(("query", "ChangesQuery"), ("last_event_id", "LastEventId")),
        answer="Events", successes=((200, "Events without end, or with `since` a page"),),
        errors=(*ALWAYS, 410, 422), only_with="changes", module="events", file_type="text/event-stream",
    ),
    *TRANSFER_OPERATIONS,
    StandardOperation(
        key="schema", method="get", path="/schema", function="get_schema", operation="schema",
        action="VIEW", summary="Get the JSON Schema of {a} {singular}",
        description="Returns the JSON Schema of {a} {singular} in responses.",
        arguments=(),
        answer="JsonSchema", successes=((200, "JSON Schema 2020-12"),), errors=ALWAYS,
    ),
    StandardOperation(
        key="id", method="get", path="/id/{id}", function="get_by_id", operation="getById",
        action="VIEW", summary="Get {a} {singular} by id",
        description="Returns one {singular} with its entity tag; 304 if `If-None-Match` has the current one. "
        "With `expand` there is no entity tag, and never a 304.",
        arguments=(("record_id", "RecordId"), ("unless", "IfNoneMatch"), ("expand", "Expand")),
        answer="{model}", successes=((200, "The {singular}"), (304, "Not modified")),
        errors=(*ALWAYS, 404, 422),
    ),
    StandardOperation(
        key="refName", method="get", path="/refName/{refName}", function="get_by_ref_name",
        operation="getByRefName", action="VIEW", summary="Get {a} {singular} by reference name",
        description="Returns one {singular} by its reference name; case matters. With `expand` there is "
        "no entity tag, and never a 304.",
        arguments=(("ref_name", "RefName"), ("unless", "IfNoneMatch"), ("expand", "Expand")),
        answer="{model}", successes=((200, "The {singular}"), (304, "Not modified")),
        errors=(*ALWAYS, 404, 422),
    ),
    StandardOperation(
        key="history", method="get", path="/id/{id}/history", function="get_history",
        operation="getHistory", action="VIEW", summary="List the writes of {a} {singular}, newest first",
        description="Returns who wrote the {singular}, when, and what changed, field by field.",
        arguments=(("record_id", "RecordId"), ("query", "HistoryQuery")),
        answer="RecordHistory", successes=((200, "A page of writes"),), errors=(*ALWAYS, 404),
        only_with="revisions",
    ),
    StandardOperation(
        key="ontology", method="get", path="/ontology", function="list_connected",
        operation="listConnected", action="VIEW", summary="List {plural} by what they are connected with",
        description="Lists {plural} as `list` does, those that have an edge of the ontology to each "
        "destination in `constraints`. `expand` works where the operator has enabled it.",
        arguments=(("query", "ConnectedQuery"),),
        answer="Page[{model}]", successes=((200, "A page of {plural}"),), errors=(*ALWAYS, 404, 422),
        only_with="ontology", module="ontology",
    ),
    StandardOperation(
        key="ontologyOf", method="get", path="/id/{id}/ontology", function="list_edges",
        operation="listEdges", action="VIEW", summary="List what {a} {singular} is connected with",
        description="Returns the edges of the ontology from and to one {singular}, stated and inferred, as "
        "far as the caller may see what they follow from.",
        arguments=(("record_id", "RecordId"), ("query", "EdgeQuery")),
        answer="EdgePage", successes=((200, "A page of edges"),), errors=(*ALWAYS, 404, 422),
        only_with="ontology", module="ontology",
    ),
    StandardOperation(
        key="states", method="get", path="/states", function="get_states", operation="states",
        action="VIEW", summary="Get the state graphs of {plural}",
        description="Returns the state graph of each field that has states.",
        arguments=(),
        answer="RecordStates", successes=((200, "The state graph of each state field"),), errors=ALWAYS,
        only_with="states",
    ),
    StandardOperation(
        key="transitions", method="get", path="/id/{id}/transitions", function="get_transitions",
        operation="transitions", action="VIEW", summary="Get the allowed transitions of {a} {singular}",
        description="Returns the current state of each state field, and the states the caller may set next.",
        arguments=(("record_id", "RecordId"),), answer="RecordTransitions",
        successes=((200, "The current and the next states of each state field"),), errors=(*ALWAYS, 404),
        only_with="states",
    ),
    StandardOperation(
        key="save", method="post", path="", function="save", operation="save",
        action="CREATE", summary="Insert or replace {a} {singular}",
        description="Inserts {a} {singular}, or replaces the one with the same `id`. Members that are absent "
        "are cleared; send `If-Match` or `version` to replace only the version that was read, and "
        "`If-None-Match: *` to replace none.",
        arguments=(("body", "{input}"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Replaced"), _INSERTED, _WITHOUT_RECORD),
        errors=(*ALWAYS, 404, 409, 412, 413, 415, 422), large_body=("CREATE", "UPDATE"),
    ),
    StandardOperation(
        key="set", method="put", path="/set", function="set_fields", operation="setFields",
        action="UPDATE", summary="Set some fields of {a} {singular}",
        description="Sets the named fields of one {singular}; all others keep their values.",
        arguments=(("query", "SetQuery"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Changed"), _WITHOUT_RECORD),
        errors=(*ALWAYS, 404, 409, 412, 422),
    ),
    StandardOperation(
        key="patch", method="patch", path="/id/{id}", function="patch", operation="patch",
        action="UPDATE", summary="Change {a} {singular} with a merge patch",
        description="Applies a JSON merge patch (RFC 7396): absent members keep their values, `null` clears, "
        "objects are merged.",
        arguments=(("record_id", "RecordId"), ("body", "MergePatch"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Changed"), _WITHOUT_RECORD),
        errors=(*ALWAYS, 404, 409, 412, 413, 415, 422), large_body=("UPDATE",),
    ),
    StandardOperation(
        key="bulk", method="post", path="/bulk", function="run_bulk", operation="bulk",
        action="CREATE", summary="Save or delete many {plural}",
        description="Saves and deletes up to 1,000 {plural} in one request. Each operation is validated and "
        "authorized as if it were sent on its own; with `atomic` all of them take effect or none.",
        arguments=(("body", "Bulk"), ("terms", "BulkTerms")),
        answer="BulkAnswer", successes=((200, "One result per operation"),),
        errors=(*ALWAYS, 404, 409, 412, 413, 415, 422),
        large_body=("CREATE", "UPDATE", "DELETE"), is_bulk=True,
    ),
    StandardOperation(
        key="bulkSet", method="put", path="/bulk/set", function="run_bulk_set", operation="bulkSet",
        action="UPDATE", summary="Set the same fields of many {plural}",
        description="Sets the same values on all {plural} selected by a filter or a list of ids. The filter "
        "sees the names in references as they were before the request.",
        arguments=(("body", "BulkSet"), ("terms", "BulkTerms")),
        answer="BulkAnswer", successes=((200, "One result per record"),),
        errors=(*ALWAYS, 404, 409, 412, 413, 415, 422), large_body=("UPDATE",),
    ),
    StandardOperation(
        key="restore", method="post", path="/id/{id}/restore", function="restore", operation="restore",
        action="UPDATE", summary="Restore an archived {singular}",
        description="Restores an archived {singular}.",
        arguments=(("record_id", "RecordId"), ("terms", "WriteTerms")),
        answer="{model}", successes=((200, "Restored"), _WITHOUT_RECORD),
        errors=(*ALWAYS, 404, 409, 412, 422),
        only_with="archive",
    ),
    StandardOperation(
        key="delete", method="delete", path="/id/{id}", function="delete_by_id", operation="deleteById",
        action="DELETE", summary="Delete {a} {singular}",
        description="{deletion} Refused while other records refer to it by a tracked reference.",
        arguments=(("record_id", "RecordId"), ("terms", "WriteTerms")),
        answer="None", successes=((204, "Deleted"),), errors=(*ALWAYS, 404, 409, 412, 422),
    ),
)  # fmt: skip

BY_KEY = {row.key: row for row in STANDARD_OPERATIONS}
