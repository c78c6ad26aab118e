"""The shared parameters of the standard operations."""

from __future__ import annotations

from collections.abc import Mapping

from generator.openapi import import_bodies
from generator.openapi.csv_files import (
    CSV_PARAMETERS,
    EXPORT_PARAMETERS,
    IMPORT_PARAMETERS,
    PROFILE_PARAMETERS,
)
from generator.openapi.shared import Schema

COUNT_MODES = (
    "`exact` counts all matches; `estimated` counts to 10000 at most, so that 10000 says: this many or more."
)

_USER: Schema = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$"}

PARAMETERS: Mapping[str, Schema] = {
    "Realm": {
        "name": "X-Realm",
        "in": "header",
        "description": "The realm to act in. Default: the caller's own.",
        "schema": {"type": "string"},
    },
    "ImpersonateSubject": {
        "name": "X-Impersonate-Subject",
        "in": "header",
        "description": "Act as the user with this subject, with its rights only, where your credential "
        "allows it.",
        "schema": _USER,
    },
    "ImpersonateUserId": {
        "name": "X-Impersonate-UserId",
        "in": "header",
        "description": "The same by user id, in place of `X-Impersonate-Subject`.",
        "schema": _USER,
    },
    "ActingOnBehalfOfSubject": {
        "name": "X-Acting-On-Behalf-Of-Subject",
        "in": "header",
        "description": "The subject of whom you act for. Only recorded, in `auditInfo` of what is written.",
        "schema": _USER,
    },
    "ActingOnBehalfOfUserId": {
        "name": "X-Acting-On-Behalf-Of-UserId",
        "in": "header",
        "description": "The user id of whom you act for. Only recorded, in `auditInfo` of what is written.",
        "schema": _USER,
    },
    "SetId": {
        "name": "id",
        "in": "query",
        "required": True,
        "description": "The record's id.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$"},
    },
    "Pairs": {
        "name": "pairs",
        "in": "query",
        "required": True,
        "description": (
            "Dotted fields and their values, `a:1,b.c:x`. Double quotes hold commas, `[a,b]` is a list, "
            "`@@` and an id a reference; `null` clears."
        ),
        "schema": {"type": "string", "minLength": 1, "maxLength": 16384},
        "example": 'displayName:"Lisbon, main"',
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": 'Write only this version: the ETag of the record, such as "3".',
        "schema": {"type": "string"},
    },
    "DryRun": {
        "name": "dryRun",
        "in": "query",
        "description": "Check everything and answer as if it was done, but store nothing.",
        "schema": {"type": "boolean", "default": False},
    },
    "Prefer": {
        "name": "Prefer",
        "in": "header",
        "description": "`return=minimal`: the answer is without the record (RFC 7240).",
        "schema": {"type": "string"},
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A name for this request: sent again within 24 hours it has no second effect.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
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
        "schema": {"type": "string", "enum": ["none", "exact", "estimated"], "default": "none"},
    },
    "CountAll": {
        "name": "count",
        "in": "query",
        "description": "Whether to tell `totalCount`.",
        "schema": {"type": "string", "enum": ["none", "exact"], "default": "none"},
    },
    "Actions": {
        "name": "actions",
        "in": "query",
        "description": "Whether each row tells what the caller may do with it (`actionList`).",
        "schema": {"type": "boolean", "default": False},
    },
    **CSV_PARAMETERS,
    **import_bodies.IMPORT_PARAMETERS,
}
"""The shared parameters of ``components/parameters``."""

CALLER_PARAMETERS = (
    *("Realm", "ImpersonateSubject", "ImpersonateUserId"),
    *("ActingOnBehalfOfSubject", "ActingOnBehalfOfUserId"),
)
"""The parameters of every operation that needs a token: who is calling, and where it acts."""

PARAMETERS_OF: Mapping[str, tuple[str, ...]] = {
    "ListQuery": ("Skip", "Limit", "Filter", "Sort", "Projection", "Cursor", "Count", "Actions"),
    "ReferenceQuery": ("Skip", "Limit", "Filter", "Sort"),
    "CountQuery": ("Filter",),
    "SetQuery": ("SetId", "Pairs"),
    "HistoryQuery": ("Skip", "Limit", "CountAll"),
    "RecordId": ("RecordId",),
    "RefName": ("RefName",),
    "WriteTerms": ("IfMatch", "DryRun", "Prefer", "IdempotencyKey"),
    "BulkTerms": ("DryRun", "IdempotencyKey"),
    "KeyTerms": ("IdempotencyKey",),
    "ExportQuery": EXPORT_PARAMETERS,
    "ImportQuery": IMPORT_PARAMETERS,
    "ProfileQuery": PROFILE_PARAMETERS,
    "ImportRowsQuery": ("Skip", "Limit", "OnlyErrors", "RowIntent"),
    "SessionId": ("SessionId",),
    "IfNoneMatch": ("IfNoneMatch",),
}
"""The type of an argument of a route → the parameters it reads."""


def parameter(name: str) -> Schema:
    """A reference to a shared parameter."""
    return {"$ref": f"#/components/parameters/{name}"}
