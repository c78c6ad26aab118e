"""The settings ``mcp.client.<name>.*`` → ``ClientOptions``. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, cast, get_args
from urllib.parse import urlsplit

from pydantic import SecretStr

from runtime.errors import Misconfigured
from runtime.settings import MCP_CLIENT, Groups, split_items

Transport: TypeAlias = Literal["streamable-http", "http", "stdio", "websocket"]

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_SCHEMES: Final[Mapping[str, tuple[str, ...]]] = {
    "streamable-http": ("https", "http"),
    "http": ("https", "http"),
    "websocket": ("wss", "ws"),
}
_SECONDS = (0.1, 600.0)


@dataclass(frozen=True, slots=True)
class OAuthOptions:
    """How this service signs in at the authorization server of another: by client credentials."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How one MCP server is reached. ``url`` is empty for stdio, ``command`` for all others."""

    name: str
    transport: Transport
    url: str = ""
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    seconds: float = 30.0
    allows_private: bool = False
    forwards_token: bool = False
    oauth: OAuthOptions | None = None


def read_options(groups: Groups) -> dict[str, ClientOptions]:
    """Read the servers that settings describe, by name. Raises ``Misconfigured``."""
    return {name: _build(name, _reveal(group)) for name, group in sorted(groups.items())}


def _reveal(group: Mapping[str, Any]) -> dict[str, Any]:
    return {
        word: value.get_secret_value() if isinstance(value, SecretStr) else value
        for word, value in group.items()
    }


def _build(client: str, words: Mapping[str, Any]) -> ClientOptions:
    def refuse(word: str, text: str) -> Misconfigured:
        return Misconfigured(f"{MCP_CLIENT.prefix}{client}.{word}: {text}")

    transport = str(words.get("transport-type", ""))
    if transport not in get_args(Transport):
        raise refuse("transport-type", f"write one of {', '.join(get_args(Transport))}")
    url, command = str(words.get("url", "")), split_items(str(words.get("command", "")))
    if transport == "stdio":
        if url or not command:
            raise refuse("command", "a stdio server has a command and no url")
    elif command or _scheme_of(url) not in _SCHEMES[transport]:
        wanted = " or ".join(f"{scheme}://…" for scheme in _SCHEMES[transport])
        advice = "without a user, which belongs into header.Authorization"
        raise refuse("url", f"a {transport} server has no command but a url, {wanted}, {advice}")
    allows_private = _truth(words.get("allow-private-addresses", False), "allow-private-addresses", refuse)
    if _scheme_of(url) in ("http", "ws") and not allows_private:
        raise refuse("url", "without TLS a server may only be in a private network: allow-private-addresses")
    headers = _family(words, "header")
    for name, value in headers.items():
        if transport == "stdio" or not _HEADER.fullmatch(name) or not value.isprintable():
            raise refuse(f"header.{name}", "headers are for servers with a url: one name, one line")
    return ClientOptions(
        client,
        cast(Transport, transport),
        url,
        command,
        _family(words, "environment"),
        headers,
        _seconds(words.get("timeout-seconds", 30), refuse),
        allows_private,
        _truth(words.get("forward-token", False), "forward-token", refuse),
        _oauth(words, transport, refuse),
    )


def _family(words: Mapping[str, Any], family: str) -> dict[str, str]:
    start = f"{family}."
    return {word.removeprefix(start): str(value) for word, value in words.items() if word.startswith(start)}


def _scheme_of(url: str) -> str:
    try:
        parts = urlsplit(url)
        return parts.scheme if parts.hostname and "@" not in parts.netloc and not parts.fragment else ""
    except ValueError:
        return ""


def _seconds(value: Any, refuse: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if not _SECONDS[0] <= seconds <= _SECONDS[1]:
        raise refuse("timeout-seconds", f"write a number from {_SECONDS[0]} to {_SECONDS[1]:g}")
    return seconds


def _truth(value: Any, word: str, refuse: Any) -> bool:
    text = str(value).lower()
    if text not in ("true", "false"):
        raise refuse(word, "write true or false")
    return text == "true"


def _oauth(words: Mapping[str, Any], transport: str, refuse: Any) -> OAuthOptions | None:
    said = {word.removeprefix("oauth."): str(words[word]) for word in words if word.startswith("oauth.")}
    if not said:
        return None
    if transport not in ("streamable-http", "http"):
        raise refuse("oauth", f"a {transport} server is not signed in at by OAuth")
    for word in ("issuer", "client-id", "client-secret"):
        if not said.get(word):
            raise refuse(f"oauth.{word}", "issuer, client-id and client-secret belong together")
    return OAuthOptions(said["issuer"], said["client-id"], said["client-secret"], said.get("scope"))
