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


_ALWAYS = (400, 401, 403, 503)

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
        key="save", method="post", path="", function="save", operation="save",
        action="CREATE", summary="Insert or replace {a} {singular}",
        arguments=(("body", "{input}"), ("expected", "IfMatch")),
        answer="{model}", successes=((200, "Replaced"), (201, "Inserted")),
        errors=(*_ALWAYS, 404, 409, 412, 413, 415, 422),
    ),
    StandardOperation(
        key="bulk", method="post", path="/bulk", function="bulk", operation="bulk",
        action="CREATE", summary="Save or delete many {plural}", arguments=(("body", "Bulk"),),
        answer="BulkAnswer", successes=((200, "One result per operation"),),
        errors=(*_ALWAYS, 413, 415, 422),
    ),
    StandardOperation(
        key="delete", method="delete", path="/id/{id}", function="delete_by_id", operation="deleteById",
        action="DELETE", summary="Delete {a} {singular}",
        arguments=(("record_id", "RecordId"), ("expected", "IfMatch")),
        answer="None", successes=((204, "Gone"),), errors=(*_ALWAYS, 404, 409, 412),
    ),
)  # fmt: skip

BY_KEY = {row.key: row for row in STANDARD_OPERATIONS}
