"""The standard operations of a record as OpenAPI operations, one function for each part of them."""

from functools import cache
from typing import Any

from generator.model import Record
from generator.openapi.answers import answer
from generator.openapi.csv_files import LINE_STATUSES, file_body
from generator.openapi.examples import EXAMPLE_ID, Examples
from generator.openapi.operation_texts import operation_description, phrases
from generator.openapi.parameters import CALLER_PARAMETERS, PARAMETERS_OF, parameter
from generator.openapi.patches import patch_example
from generator.openapi.problems import TOO_MANY, line_reference, problem_reference
from generator.openapi.shared import Schema, View, ref
from generator.operations import BY_KEY, StandardOperation


def operation_id(record: Record, row: StandardOperation) -> str:
    """Return the id of an operation, such as ``airport_listRecords``."""
    return f"{record.domain}_{row.operation}"


def record_operation(record: Record, row: StandardOperation, examples: Examples) -> Schema:
    """Describe one standard operation of a record."""
    said = phrases(record)
    operation: Schema = {
        "operationId": operation_id(record, row),
        "summary": row.summary.format(**said),
        "description": operation_description(record, row, said),
        "tags": [record.name],
        "parameters": _list_parameters(row.key),
    }
    body = _body(record, row, examples)
    if body:
        operation["requestBody"] = body
    answers = {str(status): answer(record, row, status, text, examples) for status, text in row.successes}
    return operation | {"responses": dict(sorted({**answers, **_list_failures(row.key)}.items()))}


@cache
def _list_failures(key: str) -> Schema:
    """List the failures of an operation by status; all record types share them."""
    row = BY_KEY[key]
    return {
        str(status): line_reference(status)
        if row.line_errors and status in LINE_STATUSES
        else problem_reference(status)
        for status in {*row.errors, TOO_MANY}
    }


def request_body(schema: Schema, example: Any, media_type: str = "application/json") -> Schema:
    """Build a required JSON body."""
    shown = {} if example is None else {"example": example}
    return {"required": True, "content": {media_type: {"schema": schema, **shown}}}


def shared_bodies() -> dict[str, Schema]:
    """Build the bodies that are sent for all record types alike, by component name."""
    find = {"filter": "refName:A*", "sort": "-refName", "limit": 20}
    return {"CsvFile": file_body(), "FindBody": request_body(ref("FindBody"), find)}


@cache
def _list_parameters(key: str) -> list[Schema]:
    """List the parameters of an operation; all record types share them."""
    named = [one for _name, kind in BY_KEY[key].arguments for one in PARAMETERS_OF.get(kind, ())]
    return [parameter(name) for name in (*named, *CALLER_PARAMETERS)]


def _body(record: Record, row: StandardOperation, examples: Examples) -> Schema | None:
    kinds = [kind for _name, kind in row.arguments]
    if "Upload" in kinds:
        return {"$ref": "#/components/requestBodies/CsvFile"}
    if "{input}" in kinds:
        return request_body(ref(f"{record.name}Input"), examples.record(record, View.SENT))
    if "MergePatch" in kinds:
        example = patch_example(record, examples)
        return request_body(ref(f"{record.name}Patch"), example, "application/merge-patch+json")
    if "BulkSet" in kinds:
        values = {"filter": "refName:A*", "values": patch_example(record, examples)}
        return request_body(ref("BulkSet"), values)
    if "FindBody" in kinds:
        return {"$ref": "#/components/requestBodies/FindBody"}
    if "Bulk" in kinds:
        least = examples.smallest_record(record)
        save = [] if least is None else [{"op": "save", "record": least}]
        return request_body(
            ref(f"{record.name}Bulk"), {"operations": [*save, {"op": "delete", "id": EXAMPLE_ID}]}
        )
    return None
