"""Shared problem responses, one for each status, built from ``runtime.errors``.

The document therefore has exactly the codes and titles that the service sends (RFC 9457).
"""

from collections.abc import Mapping
from typing import Any

from generator.openapi.shared import Schema, members_of, ref
from runtime.contract.problems import Problem
from runtime.errors import RequestError, ServiceError, leaves
from runtime.errors.phrases import reason_phrase
from runtime.model.problems import build_problem_body

MEDIA_TYPE = "application/problem+json"
TOO_MANY = 429
"""The status of every route that needs a token, where requests are limited."""

_NAMES: Mapping[int, str] = {
    400: "BadRequest",
    401: "Unauthenticated",
    403: "Denied",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    410: "Gone",
    412: "PreconditionFailed",
    413: "TooLarge",
    415: "UnsupportedMediaType",
    422: "Unprocessable",
    429: "Throttled",
    500: "Fault",
    501: "NotOffered",
    503: "Unavailable",
}
_HEADERS: Mapping[int, tuple[str, ...]] = {
    400: ("WWW-Authenticate",),
    401: ("WWW-Authenticate",),
    403: ("WWW-Authenticate",),
    404: ("Idempotency-Replayed",),
    409: ("Idempotency-Replayed", "Retry-After"),
    412: ("Idempotency-Replayed",),
    415: ("Accept-Encoding", "Accept-Patch"),
    422: ("Idempotency-Replayed",),
    429: ("RateLimit", "RateLimit-Policy", "Retry-After"),
    503: ("Retry-After",),
}

_HEADER_ROWS: Mapping[str, tuple[str, Schema]] = {
    "Accept-Encoding": ("The content codings that a body may have.", {}),
    "Accept-Patch": ("The media type that `PATCH` takes (RFC 5789).", {}),
    "ETag": ("The version of the record, in quotes.", {}),
    "Content-Disposition": ("`attachment`, with the file name.", {}),
    "X-Import-Success-Count": ("Rows that were stored.", {}),
    "X-Import-Failed-Count": ("Rows with errors.", {}),
    "X-Import-Message": ("The result in one line.", {}),
    "Dry-Run": ("`true`: the request was validated; nothing was stored.", {"const": "true"}),
    "Idempotency-Replayed": (
        "`true`: the stored response to an earlier request with the same `Idempotency-Key`.",
        {"const": "true"},
    ),
    "Preference-Applied": ("The preference of `Prefer` that was applied.", {"const": "return=minimal"}),
    "Location": (
        "The path of the new record; of a redirect, where to continue.",
        {"format": "uri-reference"},
    ),
    "RateLimit": (
        "The requests left of each limit, and the seconds until its window ends:"
        ' `"user";r=12;t=30`. On every response where the service limits requests '
        "(draft-ietf-httpapi-ratelimit-headers).",
        {},
    ),
    "RateLimit-Policy": (
        'The limits: so many requests in so many seconds, for the user and the tenant: `"user";q=100;w=60`.',
        {},
    ),
    "Retry-After": ("Seconds to wait before the next attempt.", {"pattern": "^[0-9]+$"}),
    "WWW-Authenticate": (
        "The challenge: Bearer (RFC 6750), with a 403 for a missing scope; of OAuth routes Basic (RFC 7617).",
        {},
    ),
    "X-Request-Id": ("The id of the request, from the caller or generated; also in the log.", {}),
}
HEADERS: Mapping[str, Schema] = {
    name: {"description": text, "schema": {"type": "string", **words}}
    for name, (text, words) in _HEADER_ROWS.items()
}
"""The shared headers of ``components/headers``."""


def headers(*names: str) -> Schema:
    """Return references to shared headers. Every response has the request id."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in sorted({"X-Request-Id", *names})}


def problem_schema() -> Schema:
    """Return the component of all problems, which stays open (RFC 9457 section 3.2)."""
    properties, required = members_of(Problem)
    codes = sorted({leaf.code for leaf in _list_leaves()})
    return {
        "type": "object",
        "description": Problem.__doc__,
        "properties": {**properties, "code": {**properties["code"], "enum": codes}},
        "required": required,
    }


def problem_reference(status: int) -> Schema:
    """Return a reference to the shared response of a status."""
    return {"$ref": f"#/components/responses/{_name(status)}"}


def problem_responses(statuses: set[int]) -> dict[str, Schema]:
    """Build the shared responses of these statuses, by component name."""
    return {_name(status): _response(status) for status in sorted(statuses)}


def line_reference(status: int) -> Schema:
    """Return a reference to the shared response of a status that is one line of text."""
    return {"$ref": f"#/components/responses/{_line_name(status)}"}


def line_responses(statuses: frozenset[int]) -> dict[str, Schema]:
    """Build the responses of one line; they are problems if the request did not reach the route."""
    line: Schema = {
        "description": "The error in one line.",
        "headers": headers(),
        "content": {"text/plain": {"schema": {"type": "string"}}, MEDIA_TYPE: {"schema": ref("Problem")}},
    }
    return {_line_name(status): line for status in sorted(statuses)}


def _line_name(status: int) -> str:
    return f"{_name(status)}Line"


def _name(status: int) -> str:
    return _NAMES.get(status, f"Status{status}")


def _response(status: int) -> Schema:
    errors = [one for one in _list_leaves() if one.status == status]
    content: dict[str, Any] = {"schema": ref("Problem")}
    if errors:
        example = errors[0](errors[0].title)
        content["example"] = build_problem_body(
            example, instance="/path/of/the/request", request_id="4f2a9c01b7d3e865"
        )
    return {
        "description": _description(status, errors),
        "headers": headers(*_HEADERS.get(status, ())),
        "content": {MEDIA_TYPE: content},
    }


def _list_leaves() -> list[type[ServiceError]]:
    """List the errors of the tree itself, not those that others have added to it."""
    tree = RequestError.__module__.rpartition(".")[0]
    return [one for one in leaves() if one.__module__.startswith(f"{tree}.")]


def _description(status: int, errors: list[type[ServiceError]]) -> str:
    if not errors:
        return reason_phrase(status)
    return "\n".join(f"- `{one.code}`: {one.title}" for one in errors)
