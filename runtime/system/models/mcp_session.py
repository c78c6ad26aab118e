"""McpSession, from runtime/system/specs/gateway/mcp_session.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class McpSession(RecordInput):
    """A stream of events that an MCP client of the first era holds open. Its refName is the hash of the session id."""

    subject: Annotated[str, Field(description="The user whose client it is.")]
    actor: Annotated[str, Field(description="Who acts as that user, if anybody.")]
    protocol_version: Annotated[
        str | None, Field(description="What the client and this service agreed on.")
    ] = None
    waiting_count: Annotated[int | None, Field(description="Answers that wait in the store.")] = None
    waiting_bytes: Annotated[int | None, Field(description="Their size.")] = None
    expires_at: Moment
