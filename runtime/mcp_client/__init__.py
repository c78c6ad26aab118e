"""The client of MCP servers elsewhere: their tools and resources."""

from runtime.mcp_client.headers import check_forwarding
from runtime.mcp_client.opening import open_remote_tools
from runtime.mcp_client.options import ClientOptions, read_options

__all__ = ["ClientOptions", "check_forwarding", "open_remote_tools", "read_options"]
