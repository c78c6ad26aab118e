"""A browser without a screen: it reads the forms of pages, keeps cookies, and follows redirects within the service.

It stops where it would leave the service and returns that address, so callbacks of applications are never called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx2

FORM = "application/x-www-form-urlencoded"
_MOST_REDIRECTS = 5


@dataclass
class Form:
    """A form of a page: its fields with their values, the names of what a user types, and its buttons."""

    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """What a browser shows: where it is, the answer and its forms."""

    url: str
    answer: httpx2.Response
    forms: list[Form]

    @property
    def form(self) -> Form:
        """The one form of the page."""
        assert len(self.forms) == 1, self.answer.text
        return self.forms[0]


class Browser:
    """One user's browser. ``client`` sends its requests; with it closes what it opened."""

    def __init__(self, client: httpx2.Client, base: str) -> None:
        self._client = client
        self.base = base
        self.cookies: dict[str, str] = {}
        self.answers: list[httpx2.Response] = []

    def open(self, url: str) -> Page | str:
        """Open an address; the page, or the address outside the service where the browser was sent."""
        return self._go("GET", url, None)

    def submit(self, page: Page, form: Form | None = None, **typed: str) -> Page | str:
        """Send a form as a browser does: hidden fields as they are, and what the user typed or pressed."""
        form = form or page.form
        values = {**form.values, **typed}
        target = urljoin(page.url, form.action)
        if form.method == "get":
            return self._go("GET", f"{target}?{urlencode(values)}", None)
        return self._go("POST", target, values, origin=page.url)

    def sign_in(self, url: str, user_id: str, password: str, *, decision: str = "allow") -> str:
        """Go through the login and consent pages that are shown; the callback with its parameters."""
        found = self.open(url)
        for _ in range(3):
            if isinstance(found, str):
                return found
            names = found.form.asked
            if "password" in names:
                found = self.submit(found, username=user_id, password=password)
            else:
                assert ("decision", decision) in found.form.buttons, found.answer.text
                found = self.submit(found, decision=decision)
        assert isinstance(found, str), found.answer.text
        return found

    def _go(self, method: str, url: str, values: dict[str, str] | None, origin: str = "") -> Page | str:
        for _ in range(_MOST_REDIRECTS):
            if not self._is_inside(url):
                return url
            answer = self._send(method, url, values, origin)
            if answer.status_code not in (302, 303):
                assert answer.status_code not in (301, 307, 308), "the form would be sent again"
                return Page(url, answer, read_forms(answer.text))
            method, url, values = "GET", urljoin(url, answer.headers["location"]), None
        raise AssertionError("too many redirects")

    def _send(self, method: str, url: str, values: dict[str, str] | None, origin: str) -> httpx2.Response:
        headers = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        options: dict[str, Any] = {}
        if values is not None:
            parts = urlsplit(origin)
            headers |= {"Content-Type": FORM, "Origin": f"{parts.scheme}://{parts.netloc}"}
            options["content"] = urlencode(values)
        self._client.cookies.clear()
        answer = self._client.request(method, url, headers=headers, follow_redirects=False, **options)
        self._client.cookies.clear()
        self._take_cookies(answer)
        self.answers.append(answer)
        return answer

    def _take_cookies(self, answer: httpx2.Response) -> None:
        for line in answer.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(line).items():
                if morsel["max-age"] == "0" or not morsel.value:
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value

    def _is_inside(self, url: str) -> bool:
        return url == self.base or url.startswith((self.base + "/", self.base + "?"))


def read_forms(html: str) -> list[Form]:
    """The forms of a page, in their order."""
    reader = _FormReader()
    reader.feed(html)
    return reader.forms


def query_of(url: str) -> dict[str, str]:
    """The parameters of an address, each sent once."""
    found = parse_qs(urlsplit(url).query, keep_blank_values=True, strict_parsing=True)
    assert all(len(values) == 1 for values in found.values()), url
    return {name: values[0] for name, values in found.items()}


class _FormReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._is_in_form = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(said.get("action", ""), said.get("method", "get").lower()))
            self._is_in_form = True
        elif self._is_in_form and tag in ("input", "button") and "name" in said:
            self._take(tag, said)

    def handle_endtag(self, tag: str) -> None:
        self._is_in_form = self._is_in_form and tag != "form"

    def _take(self, tag: str, said: dict[str, str]) -> None:
        form, name, value = self.forms[-1], said["name"], said.get("value", "")
        if tag == "button" or said.get("type") == "submit":
            form.buttons.append((name, value))
            return
        form.values[name] = value
        if said.get("type") != "hidden":
            form.asked.append(name)
