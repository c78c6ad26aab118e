"""Server-sent events as the content of a response.

OpenAPI 3.1 describes a body as a whole, so the schema is that of the text, and the one of an event is a
component to which it points: ``x-event-schema``, with the members that OpenAPI 3.2 gives an event.
"""

from typing import Final

from generator.openapi.shared import Schema

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
