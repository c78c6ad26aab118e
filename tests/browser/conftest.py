"""Debian's Chromium, driven by Playwright, in front of a service that runs as a process of its own.

A message on the console, a fault of a script, and a request to a host other than the service and the application
fail a test, and so does whatever axe-core finds on a page that the test checks.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pymongo import MongoClient

from runtime.identity.users.users import NewUser
from tests.oauth.served import Served, serve_applications

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
DEVICES: Final = {
    "telephone": {"viewport": {"width": 320, "height": 640}, "is_mobile": True, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
}

HURRIED: Final = NewUser(
    "bob@acme.example", "correct horse battery", "acme", frozenset({"user"}), force_change_password=True
)


class Application:
    """The application that browsers return to; it answers every request with a page."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def callback(self) -> str:
        """Where a sign-in ends."""
        return f"{self.url}/callback"

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        text = (
            b"<!doctype html><html lang=en><title>Application</title><link rel=icon href=data:,><h1>Back</h1>"
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser; each test has a profile of its own in it."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def application() -> Iterator[Application]:
    """Where browsers are sent back to."""
    opened = Application()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def served(
    chromium: Browser, application: Application, mongo_uri: str, mongo_client: MongoClient[dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:  # fmt: skip
    """The service, which is not started where there is no browser."""
    folder = tmp_path_factory.mktemp("served")
    with serve_applications(
        mongo_uri, mongo_client, folder, callback=application.callback, users=[HURRIED]
    ) as opened:
        yield opened


@dataclass
class Look:
    """A user in front of a browser."""

    page: Page
    served: Served
    application: Application
    faults: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    def authorize(self, client_id: str = "web", **parameters: str) -> None:
        """Open an authorization request of an application."""
        values = {
            "response_type": "code", "client_id": client_id, "redirect_uri": self.application.callback,
            "scope": "openid profile", "state": "a state", "nonce": "n",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        } | parameters  # fmt: skip
        self.page.goto(f"{self.served.url}/oauth/authorize?{urlencode(values)}")

    def fill(self, **values: str) -> None:
        """Type into fields by their names."""
        for name, value in values.items():
            self.page.fill(f"input[name={name}]", value)

    def press(self, button: str = "form button >> nth=0") -> None:
        """Press a button of the form, the first one unless named, and wait for the page that follows."""
        with self.page.expect_navigation():
            self.page.click(button)

    def check(self) -> None:
        """Check what every page of the service must be, whatever it shows."""
        page = self.page
        assert page.title(), "a page without a title"
        assert page.get_attribute("html", "lang"), "a page without a language"
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found] == []

    def is_back(self) -> bool:
        """Whether the browser is at the application again."""
        return self.page.url.startswith(self.application.callback)


def _watch(context: BrowserContext, look: Look) -> None:
    context.on("console", lambda message: look.faults.append(f"{message.type}: {message.text}"))
    context.on("weberror", lambda error: look.faults.append(str(error.error)))
    context.on("requestfailed", lambda request: look.faults.append(f"failed: {request.url}"))
    context.on("request", lambda request: look.requested.append(request.url))


@pytest.fixture
def open_look(chromium: Browser, served: Served, application: Application) -> Iterator[Callable[..., Look]]:
    """Open browsers with empty profiles, and check at the end what they requested and reported."""
    looks: list[Look] = []

    def start(device: str = "desktop", scheme: str = "light", **options: Any) -> Look:
        context = chromium.new_context(**DEVICES[device], color_scheme=scheme, **options)
        context.set_default_timeout(30_000)
        look = Look(context.new_page(), served, application)
        _watch(context, look)
        looks.append(look)
        return look

    yield start
    known = {urlsplit(served.url).netloc, urlsplit(application.url).netloc}
    for look in looks:
        look.page.context.close()
        hosts = {urlsplit(url).netloc for url in look.requested if not url.startswith("data:")}
        assert hosts <= known, "a request to another host"
        assert look.faults == []


@pytest.fixture(params=[(device, scheme) for device in DEVICES for scheme in ("light", "dark")], ids="-".join)
def look(request: pytest.FixtureRequest, open_look: Callable[..., Look]) -> Look:
    """A browser of each size and colour scheme."""
    return open_look(*request.param)
