"""The cookie of a sign-on: ``<realm>.<256 random bits>``; pure.

Over HTTPS its name begins with ``__Host-``: browsers then accept it only with ``Secure`` and for this host
alone, so that neither another host of the domain nor a page without TLS can plant one.
"""

import re
import secrets
from dataclasses import dataclass, field
from typing import Final, Self

_NAME: Final = "recordsmith-sign-on"
_VALUE: Final = re.compile(r"([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})")
_MOST_CHARACTERS: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Cookie:
    """What a browser sends back; ``secret`` is never stored or logged."""

    realm: str
    secret: str = field(repr=False)

    @classmethod
    def create(cls, realm: str) -> Self:
        """Create the cookie of a new sign-on."""
        return cls(realm, secrets.token_urlsafe(32))


def cookie_name(*, is_https: bool) -> str:
    """Return the name of the cookie."""
    return f"__Host-{_NAME}" if is_https else _NAME


def render_cookie(cookie: Cookie, *, is_https: bool) -> str:
    """Render the ``Set-Cookie`` header; it has no date, so the cookie ends with the browser."""
    return _render(f"{cookie.realm}.{cookie.secret}", "", is_https)


def render_removal(*, is_https: bool) -> str:
    """Render the ``Set-Cookie`` header that makes a browser forget the cookie."""
    return _render("", "; Max-Age=0", is_https)


def read_cookie(header: str | None, *, is_https: bool) -> Cookie | None:
    """Find the cookie in a ``Cookie`` header; None without one, or with several, of which one was planted."""
    if header is None or len(header) > _MOST_CHARACTERS:
        return None
    pairs = [pair.strip().partition("=") for pair in header.split(";")]
    found = [value for name, _equals, value in pairs if name == cookie_name(is_https=is_https)]
    match = _VALUE.fullmatch(found[0]) if len(found) == 1 else None
    return None if match is None else Cookie(match[1], match[2])


def _render(value: str, age: str, is_https: bool) -> str:
    secure = "; Secure" if is_https else ""
    return f"{cookie_name(is_https=is_https)}={value}; Path=/{age}; HttpOnly; SameSite=Lax{secure}"
