"""ToolList, from runtime/system/specs/gateway/tool_list.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class ToolListToolAnnotation(Strict):
    """Part of ToolList."""

    read_only_hint: Annotated[bool, Field(description="Whether it changes nothing.")]
    destructive_hint: Annotated[bool, Field(description="Whether it may replace or delete data.")]
    idempotent_hint: Annotated[bool, Field(description="Whether repeating it changes nothing more.")]


class ToolListTool(Strict):
    """Part of ToolList."""

    name: Annotated[str, Field(description="The name by which it is used.")]
    area: Annotated[str, Field(description="The functional area whose specifications have it.")]
    description: Annotated[str, Field(description="What it does and when to use it.")]
    input_schema: Annotated[dict[str, Any], Field(description="The JSON Schema of its arguments.")]
    output_schema: Annotated[
        dict[str, Any] | None,
        Field(
            description="The JSON Schema of its answer; absent where the endpoint that it calls describes none."
        ),
    ] = None
    annotations: Annotated[ToolListToolAnnotation, Field(description="Hints about what it does.")]


class ToolList(Strict):
    """The tools that the caller may use."""

    tools: Annotated[list[ToolListTool], Field(description="In a fixed order.")]
