"""``recordsmith mcp``: the MCP servers elsewhere that this service is set up to use. No store is needed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import orjson
import typer
from rich.console import Console
from rich.table import Table

from runtime import logs
from runtime.cli.command import command_of
from runtime.cli.opening import Local, quiet, read_settings
from runtime.cli.output import CommandFailed, ExitCode
from runtime.mcp_client import McpClients, RemoteTool, read_options

T = TypeVar("T")

mcp = typer.Typer(help="Use the MCP servers that the settings name.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Its name in the settings mcp.client.<name>.*")]


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


def _run(local: Local, work: Callable[[McpClients], Awaitable[T]]) -> T:
    settings = read_settings(local.data)
    logs.configure(quiet(settings))

    async def open_and_work() -> T:
        clients = McpClients(
            read_options(settings.mcp_client), exposes_resources=settings.mcp_exposes_resources
        )
        try:
            return await work(clients)
        finally:
            await clients.close()

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
    table = Table("tool", "what it does", "arguments")
    for tool in tools:
        table.add_row(tool.name, tool.description, ", ".join(tool.arguments.get("properties", ())))
    out.print(table)
