"""Documents at well-known places (RFC 8615): what everybody may read, found by the path of a URL.

The path of an issuer or a resource follows the well-known one, as in
``/.well-known/oauth-authorization-server/tenant`` for ``https://auth.example/tenant`` (RFC 8414 §3.1).
"""

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


def fault_of_issuer(issuer: str, base_url: str) -> str | None:
    """Describe why applications cannot discover an issuer here; None where they can.

    OAuth libraries append its path to the well-known one (RFC 8414 §3.1). Those of OpenID Connect append the
    well-known path to the issuer, where the service answers only below its own address.
    """
    parts, base = urlsplit(issuer), urlsplit(base_url)
    if (
        parts.scheme not in ("http", "https")
        or parts.query
        or parts.fragment
        or "?" in issuer
        or "#" in issuer
    ):
        return "it is not an http(s) URL without query and fragment"
    if (parts.scheme, parts.netloc) != (base.scheme, base.netloc):
        return (
            f"its well-known documents are looked for at {parts.scheme}://{parts.netloc}, not at {base_url}"
        )
    own, served = issuer.rstrip("/"), base_url.rstrip("/")
    if own != served:
        path = "/.well-known/openid-configuration"
        return f"OpenID Connect libraries look for {own}{path}, and this service has it at {served}{path}"
    return None


def render_public(document: Any) -> Json[Any]:
    """Render a document that caches may keep for five minutes."""
    return Json(to_json(document), headers=_HEADERS)
