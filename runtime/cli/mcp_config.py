"""What to paste into the usual MCP clients, so that they connect to this service. Pure."""

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final

Snippet = tuple[str, str]
"""Where it goes, and what."""


def render_snippets(name: str, url: str, token: str | None, client: str | None = None) -> dict[str, Snippet]:
    """Render the configuration of each client, or of one, by its name.

    Without a ``token`` a client signs its user in by OAuth when it connects.
    """
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    chosen = CLIENTS if client is None else {client: CLIENTS[client]}
    return {one: render(name, url, headers) for one, render in chosen.items()}


def _claude(name: str, url: str, headers: Mapping[str, str]) -> Snippet:
    command = ["claude", "mcp", "add", "--transport", "http", name, url]
    return "in a shell", shlex.join([*command, *_options(headers)])


def _vscode(name: str, url: str, headers: Mapping[str, str]) -> Snippet:
    return ".vscode/mcp.json", _render({"servers": {name: {"type": "http", "url": url, **_members(headers)}}})


def _cursor(name: str, url: str, headers: Mapping[str, str]) -> Snippet:
    return ".cursor/mcp.json", _render({"mcpServers": {name: {"url": url, **_members(headers)}}})


def _inspector(_name: str, url: str, headers: Mapping[str, str]) -> Snippet:
    command = ["npx", "@modelcontextprotocol/inspector", "--cli", url, "--transport", "http"]
    return "in a shell", shlex.join([*command, "--method", "tools/list", *_options(headers)])


def _options(headers: Mapping[str, str]) -> list[str]:
    return [part for name, value in headers.items() for part in ("--header", f"{name}: {value}")]


def _members(headers: Mapping[str, str]) -> dict[str, Any]:
    return {"headers": dict(headers)} if headers else {}


def _render(value: Any) -> str:
    return json.dumps(value, indent=2)


CLIENTS: Final[Mapping[str, Callable[[str, str, Mapping[str, str]], Snippet]]] = {
    "claude": _claude,
    "vscode": _vscode,
    "cursor": _cursor,
    "inspector": _inspector,
}
