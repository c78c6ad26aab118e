"""The standard operations of a record as OpenAPI operations, one function for each part of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.english import article, words
from generator.model import Record
from generator.openapi.examples import EXAMPLE_ID, Examples
from generator.openapi.links import links
from generator.openapi.problems import headers, problem_reference
from generator.openapi.shared import Schema, View, nullable, ref
from generator.operations import StandardOperation

COUNT_MODES = (
    "`exact` counts all matches; `estimated` counts to 10000 at most, so that 10000 says: this many or more."
)

PARAMETERS: Mapping[str, Schema] = {
    "Realm": {
        "name": "X-Realm",
        "in": "header",
        "description": "The realm to act in. Default: the caller's own.",
        "schema": {"type": "string"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": 'Write only this version: the ETag of the record, such as "3".',
        "schema": {"type": "string"},
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "Answer 304 while this is still the version.",
        "schema": {"type": "string"},
    },
    "RecordId": {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "The record's id.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$"},
    },
    "RefName": {
        "name": "refName",
        "in": "path",
        "required": True,
        "description": "The record's reference name, in its exact spelling.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    },
    "Skip": {
        "name": "skip",
        "in": "query",
        "description": "Records to pass over.",
        "schema": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 0},
    },
    "Limit": {
        "name": "limit",
        "in": "query",
        "description": "Records to return.",
        "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50},
    },
    "Filter": {
        "name": "filter",
        "in": "query",
        "description": "Which records, in the filter language, such as `refName:A*`.",
        "schema": {"type": "string", "maxLength": 16384},
    },
    "Sort": {
        "name": "sort",
        "in": "query",
        "description": "Comma list of fields; `-` descends.",
        "schema": {"type": "string", "maxLength": 1024},
        "example": "-refName",
    },
    "Projection": {
        "name": "projection",
        "in": "query",
        "description": "Comma list of fields; `+` takes in, `-` leaves out.",
        "schema": {"type": "string", "maxLength": 4096},
        "example": "+refName,+displayName",
    },
    "Cursor": {
        "name": "cursor",
        "in": "query",
        "description": "Go on behind a page: its `nextCursor`, with the same filter and sort and no `skip`.",
        "schema": {"type": "string", "maxLength": 8192, "pattern": "^[A-Za-z0-9_-]*$"},
    },
    "Count": {
        "name": "count",
        "in": "query",
        "description": f"Whether to tell `totalCount`. {COUNT_MODES}",
        "schema": {"enum": ["none", "exact", "estimated"], "default": "none"},
    },
    "Actions": {
        "name": "actions",
        "in": "query",
        "description": "Whether each row tells what the caller may do with it (`actionList`).",
        "schema": {"type": "boolean", "default": False},
    },
}
"""The shared parameters of ``components/parameters``."""

_PARAMETERS_OF: Mapping[str, tuple[str, ...]] = {
    "ListQuery": ("Skip", "Limit", "Filter", "Sort", "Projection", "Cursor", "Count", "Actions"),
    "ReferenceQuery": ("Skip", "Limit", "Filter", "Sort"),
    "CountQuery": ("Filter",),
    "RecordId": ("RecordId",),
    "RefName": ("RefName",),
    "IfMatch": ("IfMatch",),
    "IfNoneMatch": ("IfNoneMatch",),
}
_SCHEMA_MEDIA_TYPE = "application/schema+json"


def parameter(name: str) -> Schema:
    """A reference to a shared parameter."""
    return {"$ref": f"#/components/parameters/{name}"}


def phrases(record: Record) -> dict[str, str]:
    """What summaries are filled in with: ``{plural}``, ``{singular}``, ``{a}``."""
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
        "tags": [record.name],
        "parameters": [parameter(name) for name in _parameters(row)],
    }
    body = _body(record, row, examples)
    if body:
        operation["requestBody"] = body
    answers = {
        str(status): _answer(record, row, status, text.format(**said)) for status, text in row.successes
    }
    failures = {str(status): problem_reference(status) for status in row.errors}
    return operation | {"responses": dict(sorted({**answers, **failures}.items()))}


def request_body(schema: Schema, example: Any) -> Schema:
    """A required JSON body."""
    shown = {} if example is None else {"example": example}
    return {"required": True, "content": {"application/json": {"schema": schema, **shown}}}


def _parameters(row: StandardOperation) -> list[str]:
    named = [one for _name, kind in row.arguments for one in _PARAMETERS_OF.get(kind, ())]
    return [*named, "Realm"]


def _body(record: Record, row: StandardOperation, examples: Examples) -> Schema | None:
    kinds = [kind for _name, kind in row.arguments]
    if "{input}" in kinds:
        return request_body(ref(f"{record.name}Input"), examples.record(record, View.SENT))
    if "FindBody" in kinds:
        return request_body(ref("FindBody"), {"filter": "refName:A*", "sort": "-refName", "limit": 20})
    if "Bulk" in kinds:
        least = examples.smallest_record(record)
        save = [] if least is None else [{"op": "save", "record": least}]
        return request_body(ref("Bulk"), {"operations": [*save, {"op": "delete", "id": EXAMPLE_ID}]})
    return None


def _answer(record: Record, row: StandardOperation, status: int, text: str) -> Schema:
    single = row.answer == "{model}"
    named = [*(["ETag"] if single else []), *(["Location"] if status == 201 else [])]
    answer: Schema = {"description": text, "headers": headers(*named)}
    if status in (204, 304):
        return answer
    media_type = _SCHEMA_MEDIA_TYPE if row.answer == "JsonSchema" else "application/json"
    content = {media_type: {"schema": _answer_schema(record, row)}}
    return answer | {"content": content} | links(record, row, status)


def _answer_schema(record: Record, row: StandardOperation) -> Schema:
    if row.answer == "JsonSchema":
        return {"type": "object"}
    if row.answer == "Page[{model}]":
        return ref(f"{record.name}Page")
    if row.answer == "list[EntityReference]":
        return {"type": "array", "items": ref("EntityReference"), "maxItems": 1000}
    return ref(row.answer.format(model=record.name))


def answer_schemas() -> dict[str, Schema]:
    """The bodies that are the same for all records: ``Bulk``, ``BulkAnswer``, ``Count``, ``FindBody``."""
    number = {"type": "integer", "minimum": 0}
    identifier = {"type": "string", "pattern": "^[0-9a-f]{24}$"}
    word = {"enum": ["save", "delete"]}
    result: dict[str, Schema] = {
        "index": number,
        "op": word,
        "status": {"type": "integer", "description": "What the single request would have answered."},
        "id": identifier,
        "refName": {"type": "string"},
        "version": {"type": "integer", "minimum": 1},
        "error": ref("Problem"),
    }
    return {
        "Count": _closed({"count": number}, ["count"], "How many records match."),
        "FindBody": _closed(_find_body(), [], "What a list may be asked for, as the body of a find."),
        "Bulk": _closed(
            {
                "operations": {
                    "type": "array",
                    "items": _bulk_item(identifier),
                    "minItems": 1,
                    "maxItems": 1000,
                }
            },
            ["operations"],
            "Many writes; each succeeds or fails by itself.",
        ),
        "BulkAnswer": _closed(
            {
                "results": {"type": "array", "items": ref("BulkResult")},
                **dict.fromkeys(("saved", "deleted", "failed"), number),
            },
            ["results", "saved", "deleted", "failed"],
            "One result per operation, in their order, and the totals.",
        ),
        "BulkResult": _closed(result, ["index", "op", "status"], "What came of one operation."),
    }


def _find_body() -> Schema:
    """The parameters of a list as members."""
    members: Schema = {}
    for one in (PARAMETERS[name] for name in _PARAMETERS_OF["ListQuery"]):
        may_be_null = one["name"] not in ("skip", "count", "actions")
        schema = nullable(one["schema"]) if may_be_null else one["schema"]
        members[one["name"]] = {"description": one["description"], **schema}
    return members


def _bulk_item(identifier: Schema) -> Schema:
    save = {"op": {"const": "save"}, "record": {"type": "object"}}
    delete = {"op": {"const": "delete"}, "id": identifier}
    return {"oneOf": [_closed(save, list(save)), _closed(delete, list(delete))]}


def _closed(properties: Mapping[str, Schema], required: list[str], description: str | None = None) -> Schema:
    said = {"description": description} if description else {}
    return {
        **said,
        "type": "object",
        "additionalProperties": False,
        "properties": dict(properties),
        "required": required,
    }
