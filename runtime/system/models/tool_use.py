"""ToolUse, from runtime/system/specs/gateway/tool_use.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class ToolUse(Strict):
    """A tool to run, and its arguments."""

    tool: Annotated[str, Field(max_length=64, min_length=1)]
    arguments: dict[str, Any] | None = None
