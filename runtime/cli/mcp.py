"""``recordsmith mcp``: how clients connect to this service, and the MCP servers elsewhere that it uses."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import orjson
import typer
from rich.console import Console

from runtime import logs
from runtime.call import Service
from runtime.cli.chosen_realm import InRealm
from runtime.cli.command import command_of
from runtime.cli.mcp_config import CLIENTS, render_snippets
from runtime.cli.opening import Local, alongside, quiet, read_settings
from runtime.cli.output import CommandFailed, ExitCode, print_table
from runtime.cli.token import seconds_of
from runtime.identity.login.service_tokens import create_token
from runtime.mcp_client.answers import RemoteTool
from runtime.mcp_client.clients import McpClients, open_clients_of_servers

T = TypeVar("T")

mcp = typer.Typer(help="Connect MCP clients; use MCP servers elsewhere.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Its name in the settings mcp.client.<name>.*")]


@command_of(mcp, "config")
def show_config(
    client: Annotated[
        str | None, typer.Option("--client", help=f"One of {', '.join(CLIENTS)}.", show_default="all")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", help="Create a token of this user, in place of a sign-in by OAuth."),
    ] = None,
    ttl: Annotated[str, typer.Option("--ttl", help="Lifetime of the token, such as 30d.")] = "30d",
    name: Annotated[str, typer.Option("--name", help="What the client calls this service.")] = "recordsmith",
    *,
    local: InRealm,
) -> None:
    """Print what to paste into MCP clients to connect them to this service.

    Without --user they sign their user in by OAuth, for which oauth.registration must be open to them.
    """
    if client is not None and client not in CLIENTS:
        known = ", ".join(CLIENTS)
        raise CommandFailed("mcp.client", f"--client {client}: choose one of {known}", ExitCode.USAGE)
    settings = alongside(read_settings(local.data))
    token = None if user is None else _create_token(local, user, ttl)
    url = f"{settings.base_url.rstrip('/')}/mcp"
    snippets = render_snippets(name, url, token, client)
    facts = {one: {"where": where, "text": text} for one, (where, text) in snippets.items()}
    texts = [f"{one} ({where}):\n{text}" for one, (where, text) in snippets.items()]
    local.report({"url": url, "clients": facts}, "\n\n".join(texts))


@command_of(mcp, "tools")
def list_tools(name: Name, local: Local) -> None:
    """List the tools of a server."""
    tools = _run(local, lambda clients: clients.list_tools(name))
    local.report([_render(tool) for tool in tools], lambda out: _show_tools(out, tools))


@command_of(mcp, "call")
def call_tool(
    name: Name,
    tool: Annotated[str, typer.Argument(help="The name of the tool.")],
    arguments: Annotated[str, typer.Option("--args", help="Its arguments, a JSON object.")] = "{}",
    *,
    local: Local,
) -> None:
    """Call a tool of a server and print its answer, with exit code 1 if that is an error."""
    sent = _read_arguments(arguments)
    answer = _run(local, lambda clients: clients.call_tool(name, tool, sent))
    text = orjson.dumps(answer.content, option=orjson.OPT_INDENT_2).decode()
    if answer.is_error:
        raise CommandFailed("mcp.tool_error", f"the tool {tool} reports an error: {text}")
    local.report(answer.content, text)


def _create_token(local: InRealm, user: str, ttl: str) -> str:
    seconds = seconds_of(ttl)

    async def create(service: Service, realm: str) -> str:
        return (await create_token(service, realm, user, seconds, "MCP client")).token

    return local.with_realm(create)


def _run(local: Local, work: Callable[[McpClients], Awaitable[T]]) -> T:
    settings = read_settings(local.data)
    logs.configure(quiet(settings))

    async def open_and_work() -> T:
        async with open_clients_of_servers(settings) as clients:
            return await work(clients)

    return asyncio.run(open_and_work())


def _read_arguments(text: str) -> dict[str, Any]:
    try:
        read = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise CommandFailed("mcp.arguments", f"--args is not JSON: {error}", ExitCode.USAGE) from None
    if not isinstance(read, dict):
        raise CommandFailed("mcp.arguments", '--args is a JSON object, as in {"a": 1}', ExitCode.USAGE)
    return read


def _render(tool: RemoteTool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "arguments": tool.arguments}


def _show_tools(out: Console, tools: list[RemoteTool]) -> None:
    rows = ((tool.name, tool.description, ", ".join(tool.arguments.get("properties", ()))) for tool in tools)
    print_table(out, ("tool", "what it does", "arguments"), rows)
