"""What other MCP servers offer and answer, as values of ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, Tool

from runtime.model.mappings import without_nones


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool elsewhere. ``is_safe``: it may be called twice.

    ``arguments``, ``answer``: the JSON Schemas it publishes.
    """

    name: str
    description: str
    arguments: Mapping[str, Any]
    is_safe: bool = False
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """What a tool answered: its structured content, or its texts. ``is_error``: as the tool itself says."""

    content: Any
    is_error: bool = False
    is_structured: bool = False


def read_tool(tool: Tool) -> RemoteTool:
    """Read what a server says of a tool."""
    hints = tool.annotations
    is_safe = hints is not None and bool(hints.read_only_hint or hints.idempotent_hint)
    return RemoteTool(tool.name, tool.description or "", tool.input_schema, is_safe, tool.output_schema)


def read_answer(result: CallToolResult) -> RemoteAnswer:
    """Read the result of a call."""
    is_error, content = bool(result.is_error), result.structured_content
    if content is None:
        return RemoteAnswer({"content": show_all(result.content)}, is_error)
    return RemoteAnswer(content, is_error, is_structured=True)


def show_all(models: Sequence[Any]) -> list[dict[str, Any]]:
    """Show values of the protocol as JSON."""
    return [without_nones(one.model_dump(mode="json", by_alias=True, exclude_none=True)) for one in models]
