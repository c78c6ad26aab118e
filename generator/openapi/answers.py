"""The success responses of the standard operations, each once.

One that is the same for all record types is a component named after the first operation that has it,
``BulkDelete200``; one that several operations of a record type have is a component of the type,
``AirportGetById200``. Others are written where they are.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from functools import cache

from generator.model import Record
from generator.openapi.answer_examples import example_of_answer
from generator.openapi.csv_files import file_content
from generator.openapi.events import change_content
from generator.openapi.examples import Examples
from generator.openapi.operation_texts import phrases
from generator.openapi.problems import headers
from generator.openapi.shared import Schema, ref
from generator.operations import EVENTS_ANSWER, FILE_ANSWER, STANDARD_OPERATIONS, StandardOperation

_SCHEMA_MEDIA_TYPE = "application/schema+json"
_OF_RECORD = ("{model}", "Page[{model}]", "list[EntityReference]", EVENTS_ANSWER)
_WITHOUT_BODY = (204, 304)
_LINKS_OF_A_RECORD = {"id": ("id", "id"), "refName": ("refName", "refName"), "delete": ("id", "id")}
_LINKS_OF_A_PAGE = {"id": ("id", "rows/0/id")}
"""Word of an operation → its parameter, and where in the answer the value is."""


def answer(record: Record, row: StandardOperation, status: int, text: str, examples: Examples) -> Schema:
    """Return a success response of an operation, or a reference to it."""
    name = _component_name(record, row, status)
    if name is None:
        return _describe(record, row, status, text, examples)
    return {"$ref": f"#/components/responses/{name}"}


def shared_responses(records: Iterable[Record], examples: Examples) -> dict[str, Schema]:
    """Build the success responses that are the same for all record types, by component name."""
    first = {row.key: (record, row) for record in records for row in record.operations}
    return {
        name: response
        for record, row in first.values()
        for name, response in _list_components(record, [row], examples, is_own=False)
    }


def record_responses(record: Record, examples: Examples) -> dict[str, Schema]:
    """Build the success responses that several operations of a record type have, by component name."""
    return dict(_list_components(record, record.operations, examples, is_own=True))


def _list_components(
    record: Record, rows: Iterable[StandardOperation], examples: Examples, *, is_own: bool
) -> Iterator[tuple[str, Schema]]:
    """Yield the components among the responses of operations: those of the record type, or the others."""
    seen: set[str] = set()
    for row in rows:
        for status, text in row.successes:
            name = _component_name(record, row, status)
            if name is not None and name not in seen and _is_of_record(row, status) is is_own:
                seen.add(name)
                yield name, _describe(record, row, status, text, examples)


def _component_name(record: Record, row: StandardOperation, status: int) -> str | None:
    """Return the name of the component that a response is; None for one that only this operation has."""
    first, number = _list_equal()[row.key, status]
    name = f"{first[0].upper()}{first[1:]}{status}"
    if _is_of_record(row, status):
        return f"{record.name}{name}" if number > 1 else None
    return name


@cache
def _list_equal() -> dict[tuple[str, int], tuple[str, int]]:
    """Map each response to the first operation that has the same one, and how many operations have it."""
    groups: defaultdict[Hashable, list[str]] = defaultdict(list)
    for key, row, _status in _list_keys():
        groups[key].append(row.operation)
    return {(row.key, status): (groups[key][0], len(groups[key])) for key, row, status in _list_keys()}


def _list_keys() -> Iterator[tuple[Hashable, StandardOperation, int]]:
    """Yield what tells the responses of the operations apart."""
    for row in STANDARD_OPERATIONS:
        for status, text in row.successes:
            body = (
                ()
                if status in _WITHOUT_BODY
                else (row.answer, row.file_type, row.key == "save", _expands(row))
            )
            yield (status, text, *body, *_headers(row, status)), row, status


def _is_of_record(row: StandardOperation, status: int) -> bool:
    is_own = row.answer in _OF_RECORD and status not in _WITHOUT_BODY
    return is_own or any("{" in text for one, text in row.successes if one == status)


def _describe(record: Record, row: StandardOperation, status: int, text: str, examples: Examples) -> Schema:
    found: Schema = {
        "description": text.format(**phrases(record)),
        "headers": headers(*_headers(row, status)),
    }
    if status in _WITHOUT_BODY:
        return found
    if row.answer == FILE_ANSWER:
        return found | {"content": file_content(row.file_type)}
    if row.answer == EVENTS_ANSWER:
        return found | {"content": change_content(record, examples)}
    media_type = _SCHEMA_MEDIA_TYPE if row.answer == "JsonSchema" else "application/json"
    shown = example_of_answer(record, row, examples)
    content = {media_type: {"schema": _schema(record, row), **_describe_expanded(record, row), **shown}}
    return found | {"content": content} | _links(record, row, status)


def _expands(row: StandardOperation) -> bool:
    return ("expand", "Expand") in row.arguments


def _describe_expanded(record: Record, row: StandardOperation) -> Schema:
    """Name the schema of an answer to ``expand``, which JSON Schema cannot choose by the request."""
    return {"x-expanded-schema": ref(f"{record.name}Row")} if _expands(row) else {}


def _headers(row: StandardOperation, status: int) -> list[str]:
    if row.answer == FILE_ANSWER:
        return ["Content-Disposition"] if row.file_type == "text/csv" else []
    if row.answer == EVENTS_ANSWER:
        return []
    location = ["Location"] if status == 201 else []
    etag = ["ETag"] if row.answer in ("{model}", "RecordTransitions") else []
    return [*etag, *location, *_of_writes(row)]


def _of_writes(row: StandardOperation) -> list[str]:
    """List the headers that report how a write was handled."""
    kinds = {kind for _name, kind in row.arguments}
    if "KeyTerms" in kinds:
        counts = ["X-Import-Success-Count", "X-Import-Failed-Count", "X-Import-Message"]
        return ["Idempotency-Replayed", *(counts if row.answer == "ImportAnswer" else [])]
    found = ["Dry-Run", "Idempotency-Replayed"] if kinds & {"WriteTerms", "BulkTerms"} else []
    return [*found, *(["Preference-Applied"] if "WriteTerms" in kinds and row.answer != "None" else [])]


def _schema(record: Record, row: StandardOperation) -> Schema:
    if row.answer == "JsonSchema":
        return {"type": "object", "additionalProperties": True}
    if row.answer == "Page[{model}]":
        return ref(f"{record.name}Page")
    if row.answer == "list[EntityReference]":
        return {"type": "array", "items": ref("EntityReference"), "maxItems": 1000}
    return ref(row.answer.format(model=record.name))


def _links(record: Record, row: StandardOperation, status: int) -> Schema:
    """Build the member ``links``: what a response says leads to these operations; empty if to none."""
    table = (
        _LINKS_OF_A_PAGE if row.answer == "Page[{model}]" else _LINKS_OF_A_RECORD if row.key == "save" else {}
    )
    found = {
        one.operation: {
            "operationId": f"{record.domain}_{one.operation}",
            "parameters": {table[one.key][0]: f"$response.body#/{table[one.key][1]}"},
        }
        for one in record.operations
        if one.key in table and status in (200, 201)
    }
    return {"links": found} if found else {}
