"""McpMessage, from runtime/system/specs/gateway/mcp_message.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class McpMessageFields(Strict):
    """The fields that are both sent and read."""

    session: Annotated[str, Field(description="The refName of the session.")]
    expires_at: Moment


class McpMessageInput(McpMessageFields, RecordInput):
    """An answer that waits for the worker which holds the stream of its session (as sent)."""

    text: Annotated[str, Field(description="The JSON-RPC message.")]


class McpMessage(McpMessageFields, Record):
    """An answer that waits for the worker which holds the stream of its session."""
