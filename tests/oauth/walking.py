"""A browser without scripts: it keeps cookies, reads the form of a page, and follows no redirect to a client."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from tests.http.world import PASSWORD, World
from tests.oauth.applications import FORM

USER = "user@acme.example"
AUTHORIZE = "/oauth/authorize"
HEADERS = {"cache-control": "no-store", "x-frame-options": "DENY", "referrer-policy": "no-referrer"}

Pairs = Mapping[str, str] | Sequence[tuple[str, str]] | str

_HIDDEN = re.compile(r'<input type="hidden" name="([a-z_]+)" value="([^"]*)">')


@dataclass
class Walker:
    """A browser; ``cookies`` by name."""

    world: World
    cookies: dict[str, str] = field(default_factory=dict)

    def open(self, query: Pairs) -> httpx2.Response:
        """GET an authorization request."""
        return self._send("GET", AUTHORIZE + "?" + _encode(query))

    def post(self, form: Pairs, **headers: str) -> httpx2.Response:
        """POST a form, and follow a redirect to the same page."""
        answer = self.send(form, AUTHORIZE, **headers)
        location = answer.headers.get("location", "")
        return self.follow(location) if location.startswith(f"{AUTHORIZE}?") else answer

    def send(self, form: Pairs, path: str = AUTHORIZE, **headers: str) -> httpx2.Response:
        """POST a form."""
        return self._send("POST", path, content=_encode(form), headers={"Content-Type": FORM} | headers)

    def follow(self, location: str) -> httpx2.Response:
        """GET where an answer leads, at the service."""
        return self._send("GET", location)

    def fill(self, page: httpx2.Response, *, path: str = AUTHORIZE, **fields: str) -> httpx2.Response:
        """Fill in the form of a page and send it."""
        return self.send(hidden_fields(page) | fields, path)

    def log_in(self, page: httpx2.Response, user_id: str = USER, password: str = PASSWORD) -> httpx2.Response:
        """Log in on a login page."""
        return self.fill(page, username=user_id, password=password)

    def _send(self, method: str, path: str, headers: Mapping[str, str] | None = None, **options: Any) -> Any:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {**(headers or {}), **({"Cookie": cookies} if cookies else {})}
        answer = self.world.ask(f"{method} {path}", None, headers=sent, **options)
        for header in answer.headers.get_list("set-cookie"):
            name, _equals, value = header.partition(";")[0].partition("=")
            self.cookies[name] = value
        check_headers(answer)
        return answer


def check_headers(answer: httpx2.Response) -> None:
    """What every answer of these routes has, and what none has."""
    assert HEADERS.items() <= dict(answer.headers).items()
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert answer.status_code in (200, 303, 400, 405, 413, 415, 429, 503), answer.text
    if answer.status_code == 303:
        assert answer.content == b""
    else:
        assert "location" not in answer.headers
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


def hidden_fields(page: httpx2.Response) -> dict[str, str]:
    assert page.status_code in (200, 429, 503), page.text
    found = {name: html.unescape(value) for name, value in _HIDDEN.findall(page.text)}
    assert "request" in found, page.text
    return found


def title_of(page: httpx2.Response) -> str:
    found = re.search(r"<h1[^>]*>([^<]*)</h1>", page.text)
    assert found is not None, page.text
    return html.unescape(found[1])


def answer_at(answer: httpx2.Response, uri: str) -> dict[str, str]:
    """What a redirect to this URI tells the client, each parameter once."""
    assert answer.status_code == 303, answer.text
    location = answer.headers["location"]
    base, _query, own = uri.partition("?")
    assert location.startswith(f"{base}?{own}"), location
    pairs = parse_qsl(urlsplit(location).query, keep_blank_values=True, strict_parsing=True)
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def _encode(pairs: Pairs) -> str:
    return pairs if isinstance(pairs, str) else urlencode(pairs)
