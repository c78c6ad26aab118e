"""The files of CSV routes in the document: sent in a form, returned, and refused in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generator.openapi.problems import MEDIA_TYPE
from generator.openapi.shared import Schema, ref

_LINE_STATUSES: Final = frozenset({400, 500})


_FILES: Mapping[str, str] = {
    "text/csv": "refName,displayName\r\nA-1,First\r\n",
    "text/event-stream": 'data: {"status":"COMMITTING","totalRows":1200,"errorRows":0,"inserted":500}\n\n',
}
"""The example of each kind of file."""


def file_body() -> Schema:
    """The form that a file is sent in."""
    form: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"file": {"type": "string", "contentMediaType": "text/csv"}},
        "required": ["file"],
    }
    example = {"file": "refName,displayName\r\nA-1,First\r\n"}
    return {"required": True, "content": {"multipart/form-data": {"schema": form, "example": example}}}


def file_content(media_type: str) -> Schema:
    """The content of an answer that is a file."""
    return {media_type: {"schema": {"type": "string"}, "example": _FILES[media_type]}}


def is_line(path: str, status: int) -> bool:
    """Whether a refusal is one line of text: 400 and 500 of CSV routes; others are problems."""
    return "csv" in path.split("/") and status in _LINE_STATUSES


def line_response(headers: Schema) -> Schema:
    """The refusal as one line of text; a request that no route could read is a problem as everywhere."""
    return {
        "description": "What is wrong, in one line.",
        "headers": headers,
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            MEDIA_TYPE: {"schema": ref("Problem")},
        },
    }
