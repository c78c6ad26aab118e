"""A posted message, answered as a request of its own to the streamable door."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message, Scope

from runtime.mcp.entering import replay_body
from runtime.mcp.exchange import IN_SCOPE, Exchange

_KEPT: Final = frozenset({b"host", b"user-agent"})
_TYPES: Final = ((b"accept", b"application/json"), (b"content-type", b"application/json"))


async def answer_message(
    answer: ASGIApp,
    scope: Scope,
    exchange: Exchange,
    body: bytes,
    message: Mapping[str, Any],
    version: str | None,
) -> bytes:
    """Return the answer to a message; empty for a notification. ``version``: what the session agreed on."""
    headers = [(name, value) for name, value in scope["headers"] if name in _KEPT]
    own = {**_describe(message, version)}
    headers += [*_TYPES, *((name.encode(), value.encode("latin-1")) for name, value in own.items())]
    inner: Scope = {**scope, "method": "POST", "headers": headers, "query_string": b"", IN_SCOPE: exchange}
    parts: list[bytes] = []

    async def keep_part(sent: Message) -> None:
        if sent["type"] == "http.response.body":
            parts.append(sent.get("body", b""))

    await answer(inner, replay_body(body, _report_end), keep_part)
    return b"".join(parts) if "id" in message else b""


def find_agreed_version(message: Mapping[str, Any], answer: bytes) -> str | None:
    """Return the version that an answer to ``initialize`` agrees on; None for other messages."""
    if message["method"] != "initialize" or not answer:
        return None
    agreed = orjson.loads(answer).get("result", {}).get("protocolVersion")
    return agreed if isinstance(agreed, str) else None


def _describe(message: Mapping[str, Any], version: str | None) -> Mapping[str, str]:
    """Return the headers by which a message is routed: those of its own era."""
    params = message.get("params") or {}
    meta = params.get("_meta")
    named = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, Mapping) else None
    if not isinstance(named, str):
        legacy = version if version is not None and version not in MODERN_PROTOCOL_VERSIONS else None
        return {} if legacy is None else {MCP_PROTOCOL_VERSION_HEADER: legacy}
    headers = {
        MCP_PROTOCOL_VERSION_HEADER: encode_header_value(named),
        MCP_METHOD_HEADER: encode_header_value(message["method"]),
    }
    name = params.get(NAME_BEARING_METHODS.get(message["method"], ""))
    return headers | ({MCP_NAME_HEADER: encode_header_value(name)} if isinstance(name, str) else {})


async def _report_end() -> Message:
    return {"type": "http.disconnect"}
