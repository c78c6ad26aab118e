"""Client ids that are URLs. Pure."""

import re
from collections.abc import Collection
from typing import NewType
from urllib.parse import unquote

MOST_CHARACTERS = 500

_URL = re.compile(r"https://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([1-9][0-9]{0,4}))?(/[!$&-;=@-Z_a-z~%]+)")
_NAME = re.compile(r"[a-z0-9.-]*[a-z][a-z0-9.-]*")
_DOTS = frozenset({".", ".."})


DocumentUrl = NewType("DocumentUrl", str)
"""An https URL of a client id metadata document, as ``read_url`` has checked it."""


def read_url(client_id: str, hosts: Collection[str]) -> DocumentUrl | None:
    """Read a client id; None for what is not such a URL, exactly, or not at one of ``hosts``.

    It has a name as host and a path; no user, query, fragment or dot segments.
    """
    found = _URL.fullmatch(client_id) if len(client_id) <= MOST_CHARACTERS else None
    if found is None:
        return None
    host, port = found[1], int(found[2] or 443)
    segments = unquote(found[3]).replace("\\", "/").split("/")
    if not _DOTS.isdisjoint(segments) or "" in segments[1:-1] or not _NAME.fullmatch(host) or port > 65535:
        return None
    allowed = (host in hosts and port == 443) or f"{host}:{port}" in hosts
    return DocumentUrl(client_id) if allowed else None
