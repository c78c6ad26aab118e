"""``recordsmith mcp``: the tools of servers elsewhere, by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from runtime.cli import commands
from runtime.cli.output import ExitCode

PROGRAM = Path(__file__).parents[1] / "mcp_client" / "servers.py"
ENVIRONMENT = {
    "MCP_CLIENT_SMALL_TRANSPORT_TYPE": "stdio",
    "MCP_CLIENT_SMALL_COMMAND": f"{sys.executable},{PROGRAM}",
}


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(commands.app, ["mcp", *words], env=ENVIRONMENT)
    return done.exit_code, done.output


def test_tools_are_listed_and_called() -> None:
    code, listed = run("tools", "small")
    assert (code, "add" in listed, "Adds." in listed) == (0, True, True)
    code, tools = run("tools", "small", "--json")
    assert {tool["name"] for tool in json.loads(tools)} >= {"add", "later"}
    code, answer = run("call", "small", "add", "--args", '{"a": 1, "b": 2}', "--json")
    assert (code, json.loads(answer)) == (0, {"sum": 3})


WRONG = (
    (("tools", "smal"), ExitCode.FAILED, "small"),
    (("call", "small", "ad"), ExitCode.FAILED, "add"),
    (("call", "small", "add", "--args", "{"), ExitCode.USAGE, "--args is not JSON"),
    (("call", "small", "add", "--args", "[]"), ExitCode.USAGE, "JSON object"),
    (("call", "small", "add", "--args", "{}"), ExitCode.FAILED, "'a' is a required property"),
    (("call", "small", "refuse"), ExitCode.FAILED, "not today"),
)


@pytest.mark.parametrize(("words", "code", "told"), WRONG)
def test_what_goes_wrong_is_told(words: tuple[str, ...], code: ExitCode, told: str) -> None:
    found, output = run(*words)
    assert (found, told in output) == (code, True), output
