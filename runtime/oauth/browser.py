"""The cookies that name a browser, for as long as it is open: forms of one browser are refused from another.

Otherwise somebody could have the browser of another person send in a form that they began themselves, so
that this person continues under a foreign account (login CSRF, RFC 9700 §4.7). A browser gets a second name
where it sends two requests before the first answer is there, as with two tabs at its start; the form of each
goes with its own name. Pure.
"""

import hashlib
import re
import secrets
from collections import Counter
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

    @property
    def digest(self) -> str:
        """The hash by which the forms of pages refer to it."""
        return hashlib.sha256(self.nonce.encode()).hexdigest()


def find_browsers(header: str | None, *, is_https: bool) -> tuple[Browser, ...]:
    """Return the names that a Cookie header gives a browser; none that came twice: one was planted."""
    if header is None or len(header) > _MOST_CHARACTERS:
        return ()
    pairs = [pair.strip().partition("=") for pair in header.split(";")]
    counts = Counter(name for name, _equals, _value in pairs)
    named = [(name, Browser(value)) for name, _equals, value in pairs if _NONCE.fullmatch(value)]
    return tuple(one for name, one in named if name == _cookie_name(one, is_https) and counts[name] == 1)


def name_browser(header: str | None, *, is_https: bool) -> Browser:
    """Return the browser that a Cookie header names, or give it a name."""
    found = find_browsers(header, is_https=is_https)
    if found:
        return found[0]
    browser = Browser(secrets.token_urlsafe(32))
    secure = "; Secure" if is_https else ""
    cookie = f"{_cookie_name(browser, is_https)}={browser.nonce}; Path=/; HttpOnly; SameSite=Lax{secure}"
    return Browser(browser.nonce, cookie)


def _cookie_name(browser: Browser, is_https: bool) -> str:
    """Return the name of a cookie, which differs from that of others.

    With ``__Host-`` browsers accept it with ``Secure`` and from this host alone.
    """
    name = f"{_NAME}-{browser.digest[:8]}"
    return f"__Host-{name}" if is_https else name
