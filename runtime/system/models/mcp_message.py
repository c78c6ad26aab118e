"""McpMessage, from runtime/system/specs/gateway/mcp_message.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class McpMessage(RecordInput):
    """An answer that waits for the worker which holds the stream of its session."""

    session: str
    text: str
    expires_at: Moment
