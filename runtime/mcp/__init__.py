"""The MCP server: the tools and hints of the gateway, for AI assistants."""

from runtime.mcp.door import McpDoor

__all__ = ["McpDoor"]
