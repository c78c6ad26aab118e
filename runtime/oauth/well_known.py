"""Documents at well-known places (RFC 8615): what everybody may read, found by the path of a URL.

The path of an issuer or a resource follows the well-known one, as in
``/.well-known/oauth-authorization-server/tenant`` for ``https://auth.example/tenant`` (RFC 8414 §3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from runtime.errors import NotFound
from runtime.storage.wire import Json, to_json

_HEADERS: Final = {"Cache-Control": "public, max-age=300"}


def find_described(described: Mapping[str, str], path: str | None) -> str:
    """Return the URL that is described below a well-known path; ``described``: path → URL.

    Raises ``NotFound``.
    """
    found = described.get((path or "").strip("/"))
    if found is None:
        raise NotFound("there is nothing at this path")
    return found


def path_of(url: str) -> str:
    """Return the path of a URL without slashes around it; ``""`` for none."""
    return urlsplit(url).path.strip("/")


def render_public(document: Any) -> Json[Any]:
    """Render a document that caches may keep for five minutes."""
    return Json(to_json(document), headers=_HEADERS)
