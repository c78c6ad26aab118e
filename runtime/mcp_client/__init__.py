"""The client of MCP servers elsewhere: their tools and resources."""

from runtime.mcp_client.answers import RemoteAnswer, RemoteTool
from runtime.mcp_client.clients import McpClients, open_clients_of_servers
from runtime.mcp_client.headers import check_forwarding
from runtime.mcp_client.options import ClientOptions, read_options

__all__ = [
    "ClientOptions",
    "McpClients",
    "RemoteAnswer",
    "RemoteTool",
    "check_forwarding",
    "open_clients_of_servers",
    "read_options",
]
