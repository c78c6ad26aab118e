"""What the service sends by itself: the notifications of a webhook, as a callback of its creation."""

from typing import Final

from generator.model import Endpoint
from generator.openapi.examples import EXAMPLE_ID, EXAMPLE_MOMENT
from generator.openapi.operations import request_body
from generator.openapi.shared import Schema

_CREATION: Final = "webhook_create"
_DATA: Final[Schema] = {
    "type": "object",
    "required": ["id", "op"],
    "properties": {
        "id": {
            "type": "string",
            "pattern": "^[0-9a-f]{24}$",
            "description": "The id of the record; of a test, that of the webhook.",
        },
        "op": {"type": "string", "enum": ["created", "updated", "deleted", "test"]},
        "version": {"type": "integer", "description": "Of the written or deleted record."},
        "record": {
            "type": "object",
            "additionalProperties": True,
            "description": "As it was written, with what the owner of the webhook may view; left out where "
            "it is too large. Its schema is that of the record type.",
        },
    },
}
_NOTIFICATION: Final[Schema] = {
    "type": "object",
    "required": ["type", "timestamp", "data"],
    "properties": {
        "type": {"type": "string", "description": "The record type and the write: `order.updated`."},
        "timestamp": {"type": "string", "format": "date-time", "description": "When the record was written."},
        "data": _DATA,
    },
}
_HEADERS: Final = {
    "webhook-id": "The id of the notification, the same at each attempt.",
    "webhook-timestamp": "When this attempt was sent, in seconds since 1970.",
    "webhook-signature": "`v1,` and the HMAC-SHA256 of id, timestamp and body in base64 (Standard Webhooks); "
    "one for each secret, with blanks between them.",
}
_ANSWERS: Final = {
    "2XX": "Received, within 10 seconds. Any other status is a failed attempt, which is repeated.",
    "410": "No longer wanted: the webhook is paused.",
}


def describe_callbacks(endpoint: Endpoint) -> Schema:
    """Return the member ``callbacks`` of an operation; empty for all but the creation of a webhook."""
    if endpoint.operation_id != _CREATION:
        return {}
    example = {
        "type": "webhook.test",
        "timestamp": EXAMPLE_MOMENT,
        "data": {"id": EXAMPLE_ID, "op": "test"},
    }
    notification = {
        "operationId": "webhook.notify",  # no endpoint of a project can have a dot in its id
        "summary": "Notify of a write",
        "description": "Sent to the address of the webhook for each write that it is about, at least once.",
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": text,
                "schema": {"type": "string"},
            }
            for name, text in _HEADERS.items()
        ],
        "requestBody": request_body(_NOTIFICATION, example),
        "responses": {status: {"description": text} for status, text in _ANSWERS.items()},
    }
    return {"callbacks": {"notification": {"{$request.body#/address}": {"post": notification}}}}
