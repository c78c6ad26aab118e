"""McpMessage, from runtime/system/specs/gateway/mcp_message.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class McpMessage(RecordInput):
    """An answer that waits for the worker which holds the stream of its session."""

    session: Annotated[str, Field(description="The refName of the session.")]
    text: Annotated[str, Field(description="The JSON-RPC message.")]
    expires_at: Moment
