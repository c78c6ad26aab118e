"""Server-sent events as the content of a response.

OpenAPI 3.1 describes a body as a whole, so the schema is that of the text, and the one of an event is a
component to which it points: ``x-event-schema``, with the members that OpenAPI 3.2 gives an event.
"""

import json
from typing import Final

from generator.model import Record
from generator.openapi.examples import EXAMPLE_ID, Examples
from generator.openapi.shared import Schema, View, ref

_ID: Final = "wpc3fFZpAmMBEJbtgmUhPO0AAAAB"


def event_content(data: Schema, example: str = "task:6b0433d907e20f09f5ceff5c:SUCCESS") -> Schema:
    """Describe a stream of events; ``data`` is the schema of the data of one."""
    is_text = data.get("type") == "string"
    inner = (
        data if is_text else {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    )
    event = {
        "type": "object",
        "required": ["data"],
        "properties": {
            "id": {"type": "string", "description": "What `Last-Event-ID` names, to go on behind the event."},
            "event": {"type": "string", "description": "The type of the event, where it is not `message`."},
            "data": inner,
        },
    }
    text = {
        "type": "string",
        "description": "Events of the lines `id:`, `event:` and `data:` and an empty one; lines of comments.",
        "x-event-schema": event,
    }
    return {"text/event-stream": {"schema": text, "example": f"id: {_ID}\ndata: {example}\n\n"}}


def change_content(record: Record, examples: Examples) -> Schema:
    """Describe the changes of a record type, as events and as a page."""
    known = examples.record(record, View.READ)
    shown = {} if known is None else {"record": known}
    example = {"id": EXAMPLE_ID, "op": "updated", "version": 2, **shown}
    change: Schema = {
        "type": "object",
        "required": ["id", "op"],
        "properties": {
            "id": {"type": "string", "pattern": "^[0-9a-f]{24}$"},
            "op": {
                "type": "string",
                "enum": ["created", "updated", "deleted", "gone"],
                "description": "`gone`: it no longer matches the filter, or the caller no longer sees it.",
            },
            "version": {
                "type": "integer",
                "description": "Of the written or deleted record.",
            },
            "record": {**ref(record.name), "description": "As it was written, where it can still be seen."},
        },
    }
    page: Schema = {
        "type": "object",
        "required": ["changes", "cursor", "hasMore"],
        "properties": {
            "changes": {"type": "array", "items": change, "maxItems": 1000},
            "cursor": {"type": "string", "description": "The `since` of the next page."},
            "hasMore": {"type": "boolean", "description": "Whether more is known already."},
        },
    }
    text = json.dumps(example, separators=(",", ":"), ensure_ascii=False)
    pages = {"schema": page, "example": {"changes": [example], "cursor": _ID, "hasMore": False}}
    return event_content(change, text) | {"application/json": pages}
