"""``recordsmith mcp config``: what clients are given to connect with."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import jwt
import pytest
from typer.testing import CliRunner

from runtime.cli import commands
from runtime.cli.mcp_config import CLIENTS, render_snippets
from runtime.cli.output import ExitCode

URL = "https://records.example/mcp"


def run(folder: Path, *words: str) -> tuple[int, str]:
    environment = {"SERVICE_BASE_URL": "https://records.example/"}
    done = CliRunner().invoke(commands.app, ["mcp", "config", "--data", str(folder), *words], env=environment)
    return done.exit_code, done.output


def test_all_clients_get_the_address(tmp_path: Path) -> None:
    code, text = run(tmp_path)
    assert code == 0
    assert text.count(URL) == len(CLIENTS)
    assert "Authorization" not in text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("client", CLIENTS)
def test_one_client_gets_its_own(tmp_path: Path, client: str) -> None:
    code, text = run(tmp_path, "--client", client, "--name", "records", "--json")
    assert code == 0
    said = json.loads(text)
    assert said["url"] == URL
    assert said["clients"].keys() == {client}


@pytest.mark.parametrize("token", [None, "eyJhbGciOi.eyJ.sig"])
def test_what_is_pasted_can_be_read(token: str | None) -> None:
    snippets = render_snippets("my records", URL, token)
    headers = None if token is None else {"Authorization": f"Bearer {token}"}
    vscode, cursor = (json.loads(snippets[one][1]) for one in ("vscode", "cursor"))
    assert vscode["servers"]["my records"]["type"] == "http"
    assert vscode["servers"]["my records"].get("headers") == headers
    assert cursor["mcpServers"]["my records"]["url"] == URL
    assert cursor["mcpServers"]["my records"].get("headers") == headers
    for one in ("claude", "inspector"):
        words = shlex.split(snippets[one][1])
        assert URL in words
        assert (f"Authorization: Bearer {token}" in words) is (token is not None)


WRONG = (
    (("--client", "emacs"), ExitCode.USAGE, "claude, vscode, cursor, inspector"),
    (("--user", "a@acme.example", "--ttl", "soon"), ExitCode.USAGE, "--ttl soon"),
    (("--user", "a@acme.example"), ExitCode.USAGE, "contains no database"),
)


@pytest.mark.parametrize(("words", "code", "told"), WRONG)
def test_what_goes_wrong_is_told(tmp_path: Path, words: tuple[str, ...], code: ExitCode, told: str) -> None:
    failed, text = run(tmp_path, *words)
    assert failed == code
    assert told in " ".join(text.split())


def test_a_token_is_created_when_it_is_asked_for(command: Any, emptied_realm: str) -> None:
    options = ("--user", "ann@acme", "--tenant", "acme", "--roles", "user", "--password-stdin")
    assert command("users", "create", *options, stdin="correct horse battery").exit_code == 0
    done = command("mcp", "config", "--user", "ann@acme", "--client", "claude")
    assert done.exit_code == 0, done.output
    _title, line = done.stdout.splitlines()
    header = shlex.split(line)[-1]
    assert header.startswith("Authorization: Bearer ")
    said = jwt.decode(header.rpartition(" ")[2], options={"verify_signature": False})
    assert any(audience.endswith("/mcp") for audience in said["aud"])
    (listed,) = json.loads(command("token", "list", "--json").stdout)
    assert (listed["userId"], listed["description"]) == ("ann@acme", "MCP client")
