"""ToolUse, from runtime/system/specs/gateway/tool_use.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class ToolUse(Strict):
    """A tool to run, and its arguments."""

    tool: Annotated[str, Field(max_length=64, min_length=1, description="The name of the tool.")]
    arguments: Annotated[dict[str, Any] | None, Field(description="Its arguments by name.")] = None
