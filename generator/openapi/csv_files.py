"""The files of CSV routes: form uploads, file responses and one-line errors."""

from typing import Final

from generator.openapi.events import event_content
from generator.openapi.shared import Schema, ref

LINE_STATUSES: Final = frozenset({400, 500})
"""The errors that operations with ``line_errors`` answer in one line; others are problems."""

_FILE: Final = "refName,displayName\r\nA-1,First\r\n"
_PROGRESS: Final = (
    '{"status":"COMMITTING","totalRows":1200,"errorRows":0,"inserted":500,"updated":0,"skipped":0,"failed":0,'
    '"doneRows":500}'
)


def file_body() -> Schema:
    """Return the form for a file upload."""
    form: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"file": {"type": "string", "contentMediaType": "text/csv"}},
        "required": ["file"],
    }
    example = {"file": _FILE}
    return {"required": True, "content": {"multipart/form-data": {"schema": form, "example": example}}}


def file_content(media_type: str) -> Schema:
    """Return the content of a response that is a file, or the progress of an import."""
    if media_type == "text/event-stream":
        return event_content(ref("ImportProgress"), _PROGRESS)
    return {media_type: {"schema": {"type": "string"}, "example": _FILE}}
