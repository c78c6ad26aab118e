"""The shared parameters of the standard operations."""

from __future__ import annotations

from collections.abc import Mapping

from generator.openapi.shared import Schema

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

PARAMETERS_OF: Mapping[str, tuple[str, ...]] = {
    "ListQuery": ("Skip", "Limit", "Filter", "Sort", "Projection", "Cursor", "Count", "Actions"),
    "ReferenceQuery": ("Skip", "Limit", "Filter", "Sort"),
    "CountQuery": ("Filter",),
    "RecordId": ("RecordId",),
    "RefName": ("RefName",),
    "IfMatch": ("IfMatch",),
    "IfNoneMatch": ("IfNoneMatch",),
}
"""The type of an argument of a route → the parameters it reads."""


def parameter(name: str) -> Schema:
    """A reference to a shared parameter."""
    return {"$ref": f"#/components/parameters/{name}"}
