"""Checks of a request head: HTTP version, transfer coding, host, and that it asks for no other protocol."""

import ipaddress
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import httptools

from runtime.errors import MalformedRequest

Headers = Sequence[tuple[bytes, bytes]]

_VERSIONS: Final = ("1.1", "1.0")
_BODY_FIELDS: Final = frozenset({b"content-length", b"transfer-encoding"})
_HOST = re.compile(rb"(?:[A-Za-z0-9._~-]{1,255}|\[(?P<v6>[0-9A-Fa-f:.]+)\])(?::(?P<port>[0-9]{0,5}))?")
_MAX_PORT: Final = 65535
_MOST_HOSTS: Final = 32


def head_error(headers: Headers, parser: httptools.HttpRequestParser) -> MalformedRequest | None:
    """Return what is wrong with a head that the parser has read; names are in lower case."""
    version = parser.get_http_version()
    if version not in _VERSIONS:
        return MalformedRequest("this is not an HTTP/1.1 request")
    if parser.should_upgrade() and any(name in _BODY_FIELDS for name, _value in headers):
        # The parser takes the body for another protocol and would read the rest of it as the next request.
        return MalformedRequest("no other protocol is offered here; send the request without Upgrade")
    hosts, codings = list[bytes](), list[bytes]()
    for name, value in headers:
        if name == b"host":
            hosts.append(value)
        elif name == b"transfer-encoding":
            codings.append(value)
    if codings and b",".join(codings).strip().lower() not in (b"", b"chunked"):
        return MalformedRequest("Transfer-Encoding may be chunked alone; send the body itself as it is")
    return _host_error(hosts, is_required=version == "1.1")


def _host_error(hosts: Sequence[bytes], *, is_required: bool) -> MalformedRequest | None:
    """Return what is wrong with the header Host (RFC 9112 §3.2)."""
    if len(hosts) > 1:
        return MalformedRequest(f"the header Host came {len(hosts)} times; send it once")
    if not hosts:
        return MalformedRequest("the header Host is missing; send it once") if is_required else None
    if not _is_host(hosts[0]):
        return MalformedRequest(
            "the header Host must be a host, as in example.com, 192.0.2.1:8080 or [2001:db8::1]"
        )
    return None


@lru_cache(maxsize=_MOST_HOSTS)
def _is_host(value: bytes) -> bool:
    match = _HOST.fullmatch(value)
    if match is None or int(match["port"] or 0) > _MAX_PORT:
        return False
    if match["v6"] is None:
        return True
    try:
        ipaddress.IPv6Address(match["v6"].decode())
    except ValueError:
        return False
    return True
