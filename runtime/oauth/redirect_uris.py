"""Redirect URIs that a client may register (RFC 9700 §4.1, RFC 8252 §7). Pure."""

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote, urlsplit

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[!$&-;=?-Z\[\]_a-z~]|%[0-9A-Fa-f]{2})+")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_PRIVATE = re.compile(r"[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+")
_DOTS = frozenset({".", ".."})


def fault_of_redirect_uri(uri: str, *, is_native: bool) -> str | None:
    """Describe why a client cannot register a redirect URI; None if it can.

    ``is_native``: the client runs on the device of its user, so it may have a private-use scheme.
    """
    if "#" in uri:
        return "has a fragment: remove what follows #"
    if "*" in uri:
        return "has a wildcard: register each URI, they are compared exactly"
    try:
        parts = urlsplit(uri)
        if parts.port == 0 or parts.netloc.endswith(":"):
            return "has an invalid port"
    except ValueError:
        return "is not a URI"
    if not _URI.fullmatch(uri):
        return "is not an absolute URI: write one such as https://app.example/callback"
    return _fault_of_parts(parts, is_native)


def is_loopback(host: str | None) -> bool:
    """Whether a host is an address of the machine itself; a name such as ``localhost`` is not."""
    try:
        return host is not None and ip_address(host).is_loopback
    except ValueError:
        return False


def _fault_of_parts(parts: SplitResult, is_native: bool) -> str | None:
    if "@" in parts.netloc:
        return "has user information: remove what precedes @"
    if not _DOTS.isdisjoint(unquote(parts.path).split("/")):
        return "has a path with dot segments, which browsers rewrite"
    if parts.scheme == "https":
        return None if _is_host(parts) else "has no valid host"
    if parts.scheme == "http":
        is_local = parts.hostname == "localhost" or is_loopback(parts.hostname)
        return None if is_local else "must use https; http is for localhost and loopback addresses"
    if not _PRIVATE.fullmatch(parts.scheme):
        also = "; native clients may also use a scheme such as com.example.app"
        return f"must use https, not {parts.scheme[:100]}{also}"
    return None if is_native else "has a private-use scheme, which only native clients may use"


def _is_host(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    return bool(_NAME.fullmatch(host)) or f"[{host}]" in parts.netloc.lower()
