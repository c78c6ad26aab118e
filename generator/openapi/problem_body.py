"""The ``Problem`` component: every member that an error of the runtime can have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generator.openapi.shared import Schema
from runtime.errors import leaves

_TEXT: Final[Schema] = {"type": "string"}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_PLACE: Final[Schema] = {"type": "integer", "minimum": 1}


def problem_schema() -> Schema:
    """Return the component. Problems may have further members (RFC 9457 section 3.2), so it stays open."""
    return {
        "type": "object",
        "description": "What went wrong (RFC 9457).",
        "properties": {**_always(), **_of_requests(), **_of_records(), **_of_sign_in()},
        "required": ["type", "title", "status", "detail", "instance", "code", "requestId"],
    }


def _always() -> dict[str, Schema]:
    reference = {"type": "string", "format": "uri-reference"}
    codes = sorted({leaf.code for leaf in leaves() if leaf.__module__ == "runtime.errors"})
    status = {"type": "integer", "minimum": 400, "maximum": 599}
    return {
        "type": _describe(reference, "A stable URN that ends in the code."),
        "title": _describe(_TEXT, "A short name of the kind of problem."),
        "status": _describe(status, "The status of the response."),
        "detail": _describe(_TEXT, "What is wrong with this request, and what would be right."),
        "instance": _describe(reference, "The path of the request."),
        "code": {"type": "string", "enum": codes, "description": "The stable code to program against."},
        "requestId": _describe(_TEXT, "The `X-Request-Id` of the response; also in the log."),
    }


def _of_requests() -> dict[str, Schema]:
    counts = {
        "inserted": _describe(_COUNT, "New records."),
        "updated": _describe(_COUNT, "Records that were changed."),
        "skipped": _describe(_COUNT, "Rows that changed nothing."),
        "failed": _describe(_COUNT, "Rows with errors."),
    }
    return {
        "parameter": _describe(_TEXT, "The parameter or header that cannot be read."),
        "member": _describe(_TEXT, "The member of the body that is unknown or repeated."),
        "field": _describe(_TEXT, "The field that a filter or parameter names."),
        "fieldType": _describe(_TEXT, "The type of that field."),
        "value": _describe(_TEXT, "The value that does not fit."),
        "nearest": _describe(_TEXTS, "Known names with a similar spelling."),
        "expected": _describe(_TEXTS, "What is valid at this position."),
        "row": _describe(_COUNT, "The row of a CSV file; 0 is the header."),
        "column": _describe(_PLACE, "The position of an error in a filter, or the column of a CSV file."),
        "line": _describe(_PLACE, "The line of a filter with several lines."),
        "excerpt": _describe(_TEXT, "That part of the filter, with a marker below it."),
        "matched": _describe(_COUNT, "Number of records that a filter matches, counted up to the limit."),
        "acceptPatch": _describe(_TEXT, "The media type that PATCH accepts."),
        "acceptEncoding": _describe(_TEXT, "The content codings that are accepted."),
        "counts": _describe(_object_of(counts), "For a CSV import that ended early: the results so far."),
        "retryAfter": _describe(_COUNT, "Seconds to wait before the next attempt."),
    }


def _of_records() -> dict[str, Schema]:
    violation: dict[str, Schema] = {
        "path": _describe(_TEXT, "The field, dotted."),
        "message": _describe(_TEXT, "What is wrong with it."),
    }
    referrer: dict[str, Schema] = {
        "type": _describe(_TEXT, "A record type."),
        "count": _describe(_COUNT, "How many records of that type refer to this one."),
        "refNames": _describe(_TEXTS, "Some of their reference names."),
    }
    return {
        "violations": _describe(_list_of(violation), "The constraints that the record breaks, at most 20."),
        "fields": _describe(_TEXTS, "The fields whose values must be unique."),
        "allowed": _describe(_TEXTS, "The states that are allowed instead."),
        "from": _describe(_TEXT, "The current state of the record."),
        "to": _describe(_TEXT, "The state that was refused."),
        "referrers": _describe(_list_of(referrer), "The record types that still refer to the record."),
        "index": _describe(_COUNT, "The position of the refused operation in a bulk request, from 0."),
        "id": _describe(_TEXT, "The id of the refused record."),
    }


def _of_sign_in() -> dict[str, Schema]:
    return {
        "decisionId": _describe(_TEXT, "For a 403: the id by which administrators read the reasons."),
        "reason": _describe(_TEXT, "A stable code for why a login failed."),
        "message": _describe(_TEXT, "Why a login failed, in words."),
        "changeToken": _describe(_TEXT, "The token for setting a new password."),
        "expiresIn": _describe(_COUNT, "Lifetime of the change token in seconds."),
    }


def _describe(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


def _list_of(members: Mapping[str, Schema]) -> Schema:
    return {"type": "array", "items": _object_of(members)}


def _object_of(members: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(members), "required": list(members)}
