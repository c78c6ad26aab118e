"""``recordsmith mcp``: the tools of servers elsewhere, by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from runtime.cli import commands
from runtime.cli.output import ExitCode
from tests.mcp_client.servers import Small, run_http

PROGRAM = Path(__file__).parents[1] / "mcp_client" / "servers.py"
STDIO = {
    "MCP_CLIENT_SMALL_TRANSPORT_TYPE": "stdio",
    "MCP_CLIENT_SMALL_COMMAND": f"{sys.executable},{PROGRAM}",
}


@pytest.fixture(scope="module")
def http() -> Iterator[dict[str, str]]:
    """Settings for the same server in this process: as a program it loads for a second."""
    with run_http(Small()) as port:
        yield {
            "MCP_CLIENT_SMALL_TRANSPORT_TYPE": "streamable-http",
            "MCP_CLIENT_SMALL_URL": f"http://127.0.0.1:{port}/mcp",
            "MCP_CLIENT_SMALL_ALLOW_PRIVATE_ADDRESSES": "true",
        }


def run(server: Mapping[str, str], *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(commands.app, ["mcp", *words], env=server)
    return done.exit_code, done.output


def test_tools_are_listed_and_called() -> None:
    code, listed = run(STDIO, "tools", "small")
    assert (code, "add" in listed, "Adds." in listed) == (0, True, True)
    code, tools = run(STDIO, "tools", "small", "--json")
    assert {tool["name"] for tool in json.loads(tools)} >= {"add", "later"}
    code, answer = run(STDIO, "call", "small", "add", "--args", '{"a": 1, "b": 2}', "--json")
    assert (code, json.loads(answer)) == (0, {"sum": 3})


WRONG = (
    (("tools", "smal"), ExitCode.FAILED, "small"),
    (("call", "small", "ad"), ExitCode.FAILED, "add"),
    (("call", "small", "add", "--args", "{"), ExitCode.USAGE, "--args is not JSON"),
    (("call", "small", "add", "--args", "[]"), ExitCode.USAGE, "JSON object"),
    (("call", "small", "add", "--args", "{}"), ExitCode.FAILED, "'a' is a required property"),
    (("call", "small", "refuse"), ExitCode.FAILED, "not today"),
)


@pytest.mark.parametrize(("words", "code", "reason"), WRONG)
def test_the_output_says_what_goes_wrong(
    http: dict[str, str], words: tuple[str, ...], code: ExitCode, reason: str
) -> None:
    found, output = run(http, *words)
    assert (found, reason in output) == (code, True), output
