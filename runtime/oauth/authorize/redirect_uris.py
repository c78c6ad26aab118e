"""Where browsers may be sent: only to what a client has registered. Pure.

URIs are compared as text, so no spelling of one can be read as another. The one exception is the port of a
loopback address, which the operating system chooses for an application on the device of its user
(RFC 8252 §7.3); it is for public native clients only.
"""

import re
from dataclasses import dataclass
from typing import Final

from runtime.client import Client

_URI: Final = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20"#<>\\^`{|}\x7f-\U0010ffff]+')
_LOOPBACK: Final = re.compile(
    r"http://(?P<host>127(?:\.[0-9]{1,3}){3}|\[::1\])(?::(?P<port>[0-9]{1,5}))?(?P<rest>(?:[/?].*)?)"
)
_OF_BROWSERS: Final = frozenset({"about", "blob", "data", "file", "filesystem", "javascript", "vbscript"})
_MOST_PORT: Final = 65535


@dataclass(frozen=True, slots=True)
class RedirectTarget:
    """A redirect URI that its client has registered; only the functions that find one create it.

    Nothing sends a browser elsewhere, since the responses that redirect want one of these.
    """

    uri: str

    @property
    def is_on_device(self) -> bool:
        """Whether it stays on the device of the user, where any application may answer to it."""
        return not self.uri.lower().startswith("https:")


def find_target(client: Client, uri: str) -> RedirectTarget | None:
    """Return where the client wants the browser to go, if it has registered that; else None."""
    if not _is_safe(uri):
        return None
    if uri in client.redirect_uris:
        return RedirectTarget(uri)
    own = _without_port(uri) if client.is_native and client.is_public else None
    if own is not None and own in map(_without_port, client.redirect_uris):
        return RedirectTarget(uri)
    return None


def find_logout_target(client: Client, uri: str) -> RedirectTarget | None:
    """Return where the client wants the browser after a logout, if it has registered that; else None."""
    is_registered = uri in client.post_logout_redirect_uris
    return RedirectTarget(uri) if is_registered and _is_safe(uri) else None


def _is_safe(uri: str) -> bool:
    """Whether it is an absolute URI without a fragment, and opens nothing within the browser."""
    return _URI.fullmatch(uri) is not None and uri.partition(":")[0].lower() not in _OF_BROWSERS


def _without_port(uri: str) -> tuple[str, str] | None:
    """Split the URI of a loopback address into host and rest; None for any other URI."""
    found = _LOOPBACK.fullmatch(uri)
    if found is None or not 0 < int(found["port"] or 80) <= _MOST_PORT:
        return None
    return found["host"], found["rest"]
