"""The standard operations of a record as OpenAPI operations, one function for each part of them."""

from typing import Any

from generator.english import article, words
from generator.model import Record
from generator.openapi.answer_examples import example_of_answer
from generator.openapi.csv_files import LINE_STATUSES, file_body, file_content, line_response
from generator.openapi.events import change_content
from generator.openapi.examples import EXAMPLE_ID, Examples
from generator.openapi.links import links
from generator.openapi.operation_texts import operation_description
from generator.openapi.parameters import CALLER_PARAMETERS, PARAMETERS_OF, parameter
from generator.openapi.patches import patch_example
from generator.openapi.problems import TOO_MANY, headers, problem_reference
from generator.openapi.shared import Schema, View, ref
from generator.operations import EVENTS_ANSWER, FILE_ANSWER, StandardOperation

_SCHEMA_MEDIA_TYPE = "application/schema+json"


def phrases(record: Record) -> dict[str, str]:
    """Return the values of the placeholders ``{plural}``, ``{singular}`` and ``{a}``."""
    singular = " ".join(words(record.name))
    return {"plural": record.plural, "singular": singular, "a": article(singular)}


def operation_id(record: Record, row: StandardOperation) -> str:
    """``airport_listRecords``."""
    return f"{record.domain}_{row.operation}"


def record_operation(record: Record, row: StandardOperation, examples: Examples) -> Schema:
    """One standard operation of a record."""
    said = phrases(record)
    operation: Schema = {
        "operationId": operation_id(record, row),
        "summary": row.summary.format(**said),
        "description": operation_description(record, row, said),
        "tags": [record.name],
        "parameters": [parameter(name) for name in _parameters(row)],
    }
    body = _body(record, row, examples)
    if body:
        operation["requestBody"] = body
    answers = {
        str(status): _answer(record, row, status, text.format(**said), examples)
        for status, text in row.successes
    }
    failures = {str(status): _failure(row, status) for status in {*row.errors, TOO_MANY}}
    return operation | {"responses": dict(sorted({**answers, **failures}.items()))}


def _failure(row: StandardOperation, status: int) -> Schema:
    is_line = row.line_errors and status in LINE_STATUSES
    return line_response(headers()) if is_line else problem_reference(status)


def request_body(schema: Schema, example: Any, media_type: str = "application/json") -> Schema:
    """Build a required JSON body."""
    shown = {} if example is None else {"example": example}
    return {"required": True, "content": {media_type: {"schema": schema, **shown}}}


def _parameters(row: StandardOperation) -> list[str]:
    named = [one for _name, kind in row.arguments for one in PARAMETERS_OF.get(kind, ())]
    return [*named, *CALLER_PARAMETERS]


def _body(record: Record, row: StandardOperation, examples: Examples) -> Schema | None:
    kinds = [kind for _name, kind in row.arguments]
    if "Upload" in kinds:
        return file_body()
    if "{input}" in kinds:
        return request_body(ref(f"{record.name}Input"), examples.record(record, View.SENT))
    if "MergePatch" in kinds:
        example = patch_example(record, examples)
        return request_body(ref(f"{record.name}Patch"), example, "application/merge-patch+json")
    if "BulkSet" in kinds:
        values = {"filter": "refName:A*", "values": patch_example(record, examples)}
        return request_body(ref("BulkSet"), values)
    if "FindBody" in kinds:
        return request_body(ref("FindBody"), {"filter": "refName:A*", "sort": "-refName", "limit": 20})
    if "Bulk" in kinds:
        least = examples.smallest_record(record)
        save = [] if least is None else [{"op": "save", "record": least}]
        return request_body(
            ref(f"{record.name}Bulk"), {"operations": [*save, {"op": "delete", "id": EXAMPLE_ID}]}
        )
    return None


def _answer(record: Record, row: StandardOperation, status: int, text: str, examples: Examples) -> Schema:
    single = row.answer == "{model}"
    named = [*(["ETag"] if single else []), *(["Location"] if status == 201 else []), *_of_writes(row)]
    if row.answer == FILE_ANSWER:
        own = headers(*(["Content-Disposition"] if row.file_type == "text/csv" else []))
        return {"description": text, "headers": own, "content": file_content(row.file_type)}
    if row.answer == EVENTS_ANSWER:
        return {"description": text, "headers": headers(), "content": change_content(record, examples)}
    answer: Schema = {"description": text, "headers": headers(*named)}
    if status in (204, 304):
        return answer
    media_type = _SCHEMA_MEDIA_TYPE if row.answer == "JsonSchema" else "application/json"
    shown = example_of_answer(record, row, examples)
    content = {media_type: {"schema": _answer_schema(record, row), **shown}}
    return answer | {"content": content} | links(record, row, status)


def _of_writes(row: StandardOperation) -> list[str]:
    """List the headers that report how a write was handled."""
    kinds = {kind for _name, kind in row.arguments}
    if "KeyTerms" in kinds:
        counts = ["X-Import-Success-Count", "X-Import-Failed-Count", "X-Import-Message"]
        return ["Idempotency-Replayed", *(counts if row.answer == "ImportAnswer" else [])]
    found = ["Dry-Run", "Idempotency-Replayed"] if kinds & {"WriteTerms", "BulkTerms"} else []
    return [*found, *(["Preference-Applied"] if "WriteTerms" in kinds and row.answer != "None" else [])]


def _answer_schema(record: Record, row: StandardOperation) -> Schema:
    if row.answer == "JsonSchema":
        return {"type": "object"}
    if row.answer == "Page[{model}]":
        return ref(f"{record.name}Page")
    if row.answer == "list[EntityReference]":
        return {"type": "array", "items": ref("EntityReference"), "maxItems": 1000}
    return ref(row.answer.format(model=record.name))
