"""Settings → servers elsewhere; what is refused, and what is never shown."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.errors import Misconfigured
from runtime.mcp_client import read_options
from runtime.settings import Settings

HTTP = {"TRANSPORT_TYPE": "streamable-http", "URL": "https://tools.example/mcp"}
STDIO = {"TRANSPORT_TYPE": "stdio", "COMMAND": "node, server.js"}


def read(name: str, **words: str) -> Any:
    environment = {f"MCP_CLIENT_{name}_{word}": value for word, value in words.items()}
    return read_options(Settings.read(environment).mcp_client)


def test_each_setting_has_its_place() -> None:
    signed = {"OAUTH_ISSUER": "https://id.example", "OAUTH_CLIENT_ID": "us", "OAUTH_CLIENT_SECRET": "s3cret"}
    more = {"HEADER_X_KEY": "k1", "TIMEOUT_SECONDS": "2.5", "FORWARD_TOKEN": "true", "OAUTH_SCOPE": "a b"}
    [found] = read("BILLING_EU", **HTTP, **signed, **more).values()
    assert (found.name, found.transport, found.url) == ("billing-eu", "streamable-http", HTTP["URL"])
    assert (found.headers, found.seconds, found.forwards_token) == ({"X-Key": "k1"}, 2.5, True)
    assert (found.oauth.issuer, found.oauth.client_id, found.oauth.scope) == (
        "https://id.example",
        "us",
        "a b",
    )
    assert not found.allows_private
    [program] = read("FILES", **STDIO, ENVIRONMENT_API_KEY="k2").values()
    assert (program.command, program.environment) == (("node", "server.js"), {"API_KEY": "k2"})


def test_files_and_the_environment_come_together(tmp_path: Any) -> None:
    file = tmp_path / "service.toml"
    file.write_text(
        '[mcp.client.billing]\ntransport-type = "http"\nurl = "https://a.example/sse"\nheader.X-Key = "k1"\n'
    )
    settings = Settings.read({"SERVICE_CONFIG": str(file), "MCP_CLIENT_BILLING_URL": "https://b.example/sse"})
    [found] = read_options(settings.mcp_client).values()
    assert (found.url, found.headers) == ("https://b.example/sse", {"X-Key": "k1"})


def test_secrets_are_shown_nowhere() -> None:
    secrets = {
        "OAUTH_CLIENT_SECRET": "s3cret-1",
        "HEADER_AUTHORIZATION": "s3cret-2",
        "ENVIRONMENT_KEY": "s3cret-3",
    }
    environment = {f"MCP_CLIENT_BILLING_{word}": value for word, value in {**HTTP, **secrets}.items()}
    settings = Settings.read(environment)
    shown = settings.printable() + repr(settings) + settings.model_dump_json()
    assert "s3cret" not in shown
    assert "mcp.client.billing.url = https://tools.example/mcp" in shown
    refused = Settings.read(environment | {"MCP_CLIENT_BILLING_URL": "https://ann:s3cret@tools.example/mcp"})
    assert "mcp.client.billing.url = https://***@tools.example/mcp" in refused.printable()
    whole = {**secrets, "OAUTH_ISSUER": "https://id.example", "OAUTH_CLIENT_ID": "us"}
    assert "s3cret" not in repr(read("BILLING", **HTTP, **whole))


WRONG: tuple[tuple[str, dict[str, str], str], ...] = (
    ("no transport", {"URL": "https://a.example"}, "transport-type"),
    ("an unknown transport", {**HTTP, "TRANSPORT_TYPE": "smtp"}, "streamable-http"),
    ("no url", {"TRANSPORT_TYPE": "http"}, "url"),
    ("another scheme", {**HTTP, "URL": "ftp://a.example"}, "https://"),
    ("a websocket by http", {**HTTP, "TRANSPORT_TYPE": "websocket"}, "wss://"),
    ("a user in the url", {**HTTP, "URL": "https://ann:pw@a.example/mcp"}, "without a user"),
    ("a password in the url", {**HTTP, "URL": "https://:pw@a.example/mcp"}, "without a user"),
    ("no TLS", {**HTTP, "URL": "http://a.example/mcp"}, "allow-private-addresses"),
    ("a command for a url", {**HTTP, "COMMAND": "node"}, "command"),
    ("a url for a program", {**STDIO, "URL": "https://a.example"}, "url"),
    ("no command", {"TRANSPORT_TYPE": "stdio"}, "command"),
    ("headers for a program", {**STDIO, "HEADER_X": "1"}, "header"),
    ("a header of two lines", {**HTTP, "HEADER_X": "a\r\nY: b"}, "one line"),
    ("no time", {**HTTP, "TIMEOUT_SECONDS": "0"}, "timeout-seconds"),
    ("endless time", {**HTTP, "TIMEOUT_SECONDS": "nan"}, "timeout-seconds"),
    ("perhaps", {**HTTP, "FORWARD_TOKEN": "perhaps"}, "true or false"),
    ("half of OAuth", {**HTTP, "OAUTH_CLIENT_ID": "us"}, "oauth.issuer"),
    ("OAuth for a program", {**STDIO, "OAUTH_CLIENT_ID": "us"}, "oauth"),
)


@pytest.mark.parametrize(("words", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_cannot_be_is_refused_by_its_name(words: dict[str, str], told: str) -> None:
    with pytest.raises(Misconfigured, match=told) as refused:
        read("BILLING", **words)
    assert "mcp.client.billing." in refused.value.message
    assert "pw" not in refused.value.message


def test_unknown_words_and_names_of_files_are_refused(tmp_path: Any) -> None:
    file = tmp_path / "service.toml"
    for name in (
        "mcp.client.billing.ulr",
        "mcp.client.Billing.url",
        "mcp.client.billing",
        "mcp.client.b.header",
    ):
        file.write_text(f'"{name}" = "x"\n')
        with pytest.raises(Misconfigured, match=r"mcp\.client"):
            Settings.read({"SERVICE_CONFIG": str(file)})


def test_variables_of_others_are_passed_over() -> None:
    assert Settings.read({"MCP_CLIENT_SOMETHING": "x", "MCP_CLIENT_X_COLOUR": "red"}).mcp_client == {}
    assert Settings.read({"MCP_CLIENT_EXPOSE_RESOURCES_AS_TOOLS": "true"}).mcp_exposes_resources
