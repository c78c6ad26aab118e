"""Where notifications may be sent: what is wrong with the address of a webhook. Pure.

What a name leads to is looked at when the connection is made (``runtime.outbound``), each time again.
"""

import re
from typing import Final
from urllib.parse import urlsplit

from runtime.outbound import is_public

_ALLOWED: Final = frozenset(map(chr, range(0x21, 0x7F))) - frozenset('"<>\\^`{|}')
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-f]*")


def fault_of_address(address: str, *, allows_private: bool) -> str | None:
    """Describe what is wrong with an address; None if nothing is.

    ``allows_private``: whether it may be in a private network, and without TLS.
    """
    if not _ALLOWED.issuperset(address):
        return "has characters that a URL cannot have: percent-encode them"
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "is not a URL: write https://host/path"
    if parts.scheme != "https" and not (allows_private and parts.scheme == "http"):
        return "must begin with https://"
    if not host or "%" in host:
        return "has no host, or one with escapes: write https://host/path"
    if port == 0:
        return "has the port 0, to which nothing can connect"
    if "@" in parts.netloc:
        return "must not hold a user name or password: requests are signed instead"
    if "#" in address:
        return "must not have a fragment (#), which is never sent"
    if not allows_private and _is_private(host):
        return "must be on the public network"
    return None


def _is_private(host: str) -> bool:
    """Whether a host is an address that is not public, or a name that only ever is this machine's."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith((".localhost", ".local", ".internal")):
        return True
    return (":" in name or _ends_in_number(name)) and not is_public(name)


def _ends_in_number(name: str) -> bool:
    """Whether a host is an IPv4 address to some library: also one in hexadecimal, octal or fewer parts."""
    last = name.rpartition(".")[2]
    return last.isdigit() or _HEXADECIMAL.fullmatch(last) is not None
