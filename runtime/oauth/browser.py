"""The cookie that names a browser, for as long as it is open: forms of one browser are refused from another.

Otherwise somebody could have the browser of another person send in a form that they began themselves, so
that this person continues under a foreign account (login CSRF, RFC 9700 §4.7). Pure.
"""

import re
import secrets
from dataclasses import dataclass, field
from typing import Final

_NAME: Final = "recordsmith-browser"
_NONCE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_MOST_CHARACTERS: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser by its ``nonce``; ``cookie`` is the Set-Cookie header that gives it, None if it was sent."""

    nonce: str = field(repr=False)
    cookie: str | None = field(default=None, repr=False)


def find_browser(header: str | None, *, is_https: bool) -> Browser | None:
    """Return the browser that a Cookie header names; None also for two names, of which one was planted."""
    if header is None or len(header) > _MOST_CHARACTERS:
        return None
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    found = [value for name, _equals, value in pairs if name == _cookie_name(is_https)]
    return Browser(found[0]) if len(found) == 1 and _NONCE.fullmatch(found[0]) else None


def name_browser(header: str | None, *, is_https: bool) -> Browser:
    """Return the browser that a Cookie header names, or give it a name."""
    found = find_browser(header, is_https=is_https)
    if found is not None:
        return found
    nonce = secrets.token_urlsafe(32)
    secure = "; Secure" if is_https else ""
    cookie = f"{_cookie_name(is_https)}={nonce}; Path=/; HttpOnly; SameSite=Lax{secure}"
    return Browser(nonce, cookie)


def _cookie_name(is_https: bool) -> str:
    """With ``__Host-`` browsers accept it with ``Secure`` and from this host alone."""
    return f"__Host-{_NAME}" if is_https else _NAME
