"""The files of CSV routes: form uploads, file responses and one-line errors."""

from collections.abc import Mapping
from typing import Final

from generator.openapi.shared import Schema

LINE_STATUSES: Final = frozenset({400, 500})
"""The errors that operations with ``line_errors`` answer in one line; others are problems."""

_FILES: Mapping[str, str] = {
    "text/csv": "refName,displayName\r\nA-1,First\r\n",
    "text/event-stream": 'data: {"status":"COMMITTING","totalRows":1200,"errorRows":0,"inserted":500}\n\n',
}
"""An example of each media type."""


def file_body() -> Schema:
    """Return the form for a file upload."""
    form: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"file": {"type": "string", "contentMediaType": "text/csv"}},
        "required": ["file"],
    }
    example = {"file": "refName,displayName\r\nA-1,First\r\n"}
    return {"required": True, "content": {"multipart/form-data": {"schema": form, "example": example}}}


def file_content(media_type: str) -> Schema:
    """Return the content of a response that is a file."""
    return {media_type: {"schema": {"type": "string"}, "example": _FILES[media_type]}}
