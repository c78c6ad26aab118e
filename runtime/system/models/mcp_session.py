"""McpSession, from runtime/system/specs/gateway/mcp_session.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class McpSession(RecordInput):
    """A stream of events that an MCP client of the first era holds open. Its refName is the hash of the session id."""

    subject: str
    actor: str
    protocol_version: str | None = None
    waiting_count: int | None = None
    waiting_bytes: int | None = None
    expires_at: Moment
