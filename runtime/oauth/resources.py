"""Resource indicators (RFC 8707): which resource servers a token can be for."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!$&-;=?-Z_a-z~%\[\]]+")


def fault_of_resource(uri: str) -> str | None:
    """Describe what is wrong with the URI of a resource server; None if nothing is."""
    if "#" in uri:
        return "has a fragment: remove what follows #"
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "is not a URI"
    if not _URI.fullmatch(uri) or (parts.scheme in ("http", "https") and not parts.hostname):
        return "is not an absolute URI: write one such as https://api.example/orders"
    return None
