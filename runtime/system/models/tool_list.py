"""ToolList, from runtime/system/specs/gateway/tool_list.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import Strict


class ToolListToolAnnotation(Strict):
    """Part of ToolList."""

    read_only_hint: bool
    destructive_hint: bool
    idempotent_hint: bool


class ToolListTool(Strict):
    """Part of ToolList."""

    name: str
    area: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    annotations: ToolListToolAnnotation


class ToolList(Strict):
    """The tools that the caller may use."""

    tools: list[ToolListTool]
