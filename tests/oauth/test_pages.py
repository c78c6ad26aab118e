"""The pages of the authorization server: what is on them, what their headers forbid, and that all text stays text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.client import Client
from runtime.errors import Misconfigured
from runtime.oauth.pages import (
    change_page,
    consent_page,
    error_page,
    logged_out_page,
    login_page,
    logout_page,
)
from runtime.oauth.pages.pages import find_host
from runtime.oauth.pages.samples import SAMPLES
from runtime.oauth.pages.templates import require_templates
from runtime.oauth.signed_request import SignedRequest
from runtime.permissions.scope_texts import describe_scopes
from runtime.settings import Settings
from runtime.storage.wire import Json

VOID = {"meta", "link", "input", "br"}


Asked = partial(
    SignedRequest,
    redirect_uri="https://app.example/callback",
    scope="openid logistics:read",
    resources=("https://stock.example/api",),
    hidden_field="eyJ.signed",
    cookie="recordsmith-browser-01234567=nonce; Path=/; HttpOnly",
)
"""An authorization request, as a page shows it."""


def call_of(templates: Path | None = None, **settings: Any) -> Any:
    """What the pages need of a call."""
    seams = SimpleNamespace(page_templates=templates)
    read = Settings.read({}, **settings) if settings else read_default_settings()
    return SimpleNamespace(service=SimpleNamespace(seams=seams, settings=read))


@cache
def read_default_settings() -> Settings:
    return Settings.read({})


def client(text: str = "Depot", client_id: str = "depot-app", **fields: Any) -> Client:
    return Client("id", "main", client_id, name=text, **fields)


Make = Callable[[Any, str], Json[None]]
PAGES: dict[str, Make] = {
    "login": lambda call, text: login_page(call, Asked(client(text), user_id=text)),
    "login with a fault": lambda call, text: login_page(
        call, Asked(client(text)), fault=f"It failed: {text}", user_id=text, status=401
    ),
    "consent": lambda call, text: consent_page(
        call, Asked(client(text, text), scope=f"openid {text}", resources=(text,)), user_id=text
    ),
    "change": lambda call, text: change_page(call, Asked(client(text)), user_id=text, change_token=text),
    "change with a fault": lambda call, text: change_page(
        call, Asked(client(text)), user_id=text, change_token=text, fault=f"Too short: {text}"
    ),
    "logout": lambda call, text: logout_page(call, client=client(text), user_id=text, hidden_field=text),
    "logout without a client": lambda call, text: logout_page(
        call, client=None, user_id=text, hidden_field=text
    ),
    "logged out": lambda call, text: logged_out_page(call),
    "still signed in": lambda call, text: logged_out_page(call, is_signed_in=True),
    "error": lambda call, text: error_page(call.service, 400, f"Title {text}", f"What is wrong: {text}"),
}
"""Each page, with one text in every place where somebody else chooses it."""


class Reader(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _value in attrs}) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    @property
    def outline(self) -> list[tuple[str, tuple[str, ...]]]:
        """Elements and names of attributes: what no text may change."""
        return [(tag, tuple(sorted(attributes))) for tag, attributes in self.elements]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def read(page: Json[None]) -> Reader:
    reader = Reader(page.body.decode())
    assert reader.open == []
    return reader


@cache
def read_usual(name: str) -> tuple[Json[None], Reader]:
    """Render and read a page about an application of a plain name."""
    page = PAGES[name](call_of(), "Depot")
    return page, read(page)


def rules_of(page: Json[None]) -> dict[str, str]:
    rules = (rule.partition(" ") for rule in page.headers["Content-Security-Policy"].split("; "))
    return {name: value for name, _blank, value in rules}


@pytest.mark.parametrize("name", PAGES)
class TestEveryPage:
    def test_its_headers(self, name: str) -> None:
        page = PAGES[name](call_of(), "Depot")
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["X-Frame-Options"] == "DENY"
        rules = rules_of(page)
        style = re.findall(r"<style>(.*?)</style>", page.body.decode(), re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style[0].encode()).digest()).decode()
        assert len(style) == 1
        assert rules.pop("form-action", "'none'") == "'none'"
        assert rules == {
            "default-src": "'none'", "style-src": f"'sha256-{digest}'", "img-src": "data:",
            "base-uri": "'none'", "frame-ancestors": "'none'",
        }  # fmt: skip
        has_form = bool(read(page).all("form"))
        assert ("form-action" in rules_of(page)) is not has_form  # redirects of applications follow a form

    def test_nothing_runs_and_nothing_is_loaded(self, name: str) -> None:
        reader = read(PAGES[name](call_of(), "Depot"))
        allowed = {
            "html",
            "head",
            "meta",
            "title",
            "link",
            "style",
            "body",
            "main",
            "h1",
            "p",
            "strong",
            "bdi",
        }
        allowed |= {"form", "input", "label", "button", "ul", "li", "br"}
        assert {tag for tag, _attributes in reader.elements} <= allowed
        for tag, attributes in reader.elements:
            assert not {"style", "src", "srcset", "background", "ping"} & attributes.keys(), tag
            assert not [attribute for attribute in attributes if attribute.startswith("on")], tag
            assert attributes.get("href", "data:,") == "data:,"
            assert attributes.get("http-equiv") is None
        assert "url(" not in "".join(reader.texts)
        assert "@import" not in "".join(reader.texts)

    def test_it_is_for_everybody(self, name: str) -> None:
        reader = read(PAGES[name](call_of(), "Depot"))
        assert reader.elements[0] == ("html", {"lang": "en"})
        assert len(reader.all("h1")) == len(reader.all("title")) == len(reader.all("main")) == 1
        viewport = next(one for one in reader.all("meta") if one.get("name") == "viewport")
        assert viewport["content"] == "width=device-width, initial-scale=1"
        ids = [attributes["id"] for _tag, attributes in reader.elements if "id" in attributes]
        assert len(set(ids)) == len(ids)
        labels = {attributes["for"] for attributes in reader.all("label")}
        for field in reader.all("input"):
            if field.get("type") != "hidden" and "hidden" not in field:
                assert field["id"] in labels
                assert field["autocomplete"] in ("username", "current-password", "new-password")
        for _tag, attributes in reader.elements:
            for described in (attributes.get("aria-describedby") or "").split():
                assert described in ids
            assert attributes.get("aria-labelledby", ids[0] if ids else "") in [*ids, ""]
        assert len([one for one in reader.all("input") if "autofocus" in one]) <= 1

    @given(text=st.text(min_size=1, max_size=60))
    def test_any_text_stays_text(self, name: str, text: str) -> None:
        check_inert(name, text)

    @pytest.mark.parametrize(
        "text",
        [
            "<script>alert(1)</script>",
            '"><img src=x onerror=alert(1)>',
            "' autofocus onfocus='alert(1)",
            "</title></style><svg onload=alert(1)>",
            "{{ 7 * 7 }}{% include 'error.html' %}",
            "<!-- &lt; &#x3c;b&gt; --><![CDATA[",
            "\u202egnp.exe \u0000 \ud800",
            "javascript:alert(1)",
            "a" * 5000,
        ],
    )
    def test_hostile_text_stays_text(self, name: str, text: str) -> None:
        check_inert(name, text)


def check_inert(name: str, text: str) -> None:
    """A page has the same elements and attributes whatever the text is, and shows it."""
    usual, one = read_usual(name)
    hostile = PAGES[name](call_of(), text)
    other = read(hostile)
    if name != "consent":  # scopes are separated by blanks
        assert other.outline == one.outline
    assert {tag for tag, _attributes in other.elements} <= {tag for tag, _attributes in one.elements}
    assert rules_of(hostile) == rules_of(usual)
    if name not in ("logged out", "still signed in"):
        shown = "".join(other.texts) + "".join(
            str(value) for _tag, own in other.elements for value in own.values()
        )
        plain = (
            text.encode(errors="replace").decode().replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        )
        assert plain.replace("\n", "") in shown.replace("\r", "").replace("\n", "").replace("\0", "")


class TestForms:
    def test_the_login_form(self) -> None:
        reader = read(login_page(call_of(), Asked(client())))
        (form,) = reader.all("form")
        assert form == {"method": "post", "action": "/oauth/authorize"}
        hidden, username, password = reader.all("input")
        assert hidden == {"type": "hidden", "name": "request", "value": "eyJ.signed"}
        assert (username["name"], username["autocomplete"], username["value"]) == ("username", "username", "")
        assert (password["name"], password["type"]) == ("password", "password")
        assert "value" not in password
        assert "autofocus" in username
        assert "aria-invalid" not in username

    def test_a_user_who_is_known_types_the_password(self) -> None:
        reader = read(login_page(call_of(), Asked(client(), user_id="ann")))
        _hidden, username, password = reader.all("input")
        assert username["value"] == "ann"
        assert ("autofocus" in username, "autofocus" in password) == (False, True)

    def test_a_fault_is_announced_where_it_is(self) -> None:
        page = login_page(call_of(), Asked(client()), fault="It is wrong.", user_id="ann", status=401)
        reader = read(page)
        assert page.status == 401
        (fault,) = [one for one in reader.all("p") if one.get("id") == "fault"]
        assert fault["role"] == "alert"
        for field in reader.all("input")[1:]:
            assert (field["aria-describedby"], field["aria-invalid"]) == ("fault", "true")
        assert "Error: Sign in" in reader.texts  # the title, which is read first

    def test_the_form_for_a_new_password(self) -> None:
        asked = Asked(client())
        page = change_page(
            call_of(password_min_length=14), asked, user_id="ann", change_token="token", fault="Too short."
        )
        reader = read(page)
        _request, token, user, new = reader.all("input")
        assert token == {"type": "hidden", "name": "change_token", "value": "token"}
        assert (user["autocomplete"], user["value"]) == ("username", "ann")  # for password managers
        assert (new["name"], new["autocomplete"], new["aria-describedby"]) == (
            "new_password", "new-password", "fault rule",
        )  # fmt: skip
        assert "At least 14 characters, not counting blanks." in reader.texts

    def test_the_consent_form(self) -> None:
        reader = read(
            consent_page(call_of(), Asked(client(scopes=("openid", "logistics:read"))), user_id="ann")
        )
        buttons = [(one["name"], one["value"]) for one in reader.all("button")]
        assert buttons == [("decision", "allow"), ("decision", "deny")]
        text = "".join(reader.texts)
        for shown in (
            "Depot",
            "depot-app",
            "app.example",
            "ann",
            "know who you are",
            "https://stock.example/api",
        ):
            assert shown in text
        assert "everything" not in text

    def test_a_consent_to_everything_says_so(self) -> None:
        page = consent_page(call_of(), Asked(client(), scope="openid"), user_id="ann")
        assert "do everything that you may do" in "".join(read(page).texts)

    def test_behind_the_prefix_of_a_proxy(self) -> None:
        call = call_of(base_url="https://example.com/depot/", root_path="/depot")
        (form,) = read(login_page(call, Asked(client()))).all("form")
        assert form["action"] == "/depot/oauth/authorize"
        (form,) = read(logout_page(call, client=None, user_id="ann", hidden_field="x")).all("form")
        assert form["action"] == "/depot/oauth/logout"

    def test_the_cookie_comes_with_the_page(self) -> None:
        assert login_page(call_of(), Asked(client())).headers["Set-Cookie"].startswith("recordsmith-browser-")
        assert "Set-Cookie" not in login_page(call_of(), Asked(client(), cookie=None)).headers

    def test_a_client_without_a_name_has_its_id(self) -> None:
        page = login_page(call_of(), Asked(Client("id", "main", "depot-app")))
        assert "depot-app" in "".join(read(page).texts)


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("https://app.example/cb", "app.example"),
        ("https://APP.example:8443/cb", "app.example"),
        ("https://app.example@evil.example/cb", "evil.example"),
        ("http://127.0.0.1:9/cb", "127.0.0.1"),
        ("com.example.app:/cb", "com.example.app:"),
    ],
)
def test_where_the_user_returns_to(uri: str, host: str) -> None:
    assert find_host(uri) == host


@pytest.mark.parametrize(
    ("scope", "registered", "texts"),
    [
        ("", None, ["do everything that you may do"]),
        ("openid", None, ["know who you are", "do everything that you may do"]),
        ("openid", ("openid", "records:read"), ["know who you are"]),
        ("records:read", None, ["read records, as far as you may (records:read)"]),
        (
            "logistics:write",
            None,
            ["create, change and delete records of the area logistics, as far as you may (logistics:write)"],
        ),
        ("made-up", None, ["made-up"]),
        ("a:b:read", None, ["a:b:read"]),
    ],
)
def test_what_scopes_mean(scope: str, registered: tuple[str, ...] | None, texts: list[str]) -> None:
    assert describe_scopes(scope, registered) == texts


class TestContrast:
    """WCAG 2.2: text 4.5, the edges of what can be used 3."""

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_of_the_colours(self, scheme: str) -> None:
        style = require_templates(None).render("error", {"title": "", "text": "", "fault": None}).decode()
        light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
        colours = dict(re.findall(r"(--[\w-]+): (#\w+);", light))
        if scheme == "dark":
            assert "@media (prefers-color-scheme: dark)" in style
            colours |= dict(re.findall(r"(--[\w-]+): (#\w+);", dark))
        pairs = [("--text", "--card"), ("--text", "--page"), ("--quiet", "--card"), ("--main", "--card")]
        pairs += [("--on-main", "--main"), ("--fault", "--fault-page")]
        for text, ground in pairs:
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
        assert contrast(colours["--line"], colours["--card"]) >= 3

    def test_targets_are_large_enough(self) -> None:
        style = (
            Path(require_templates.__wrapped__.__code__.co_filename).parent / "templates/style.css"
        ).read_text()
        for element in ("input", "button"):
            (rule,) = re.findall(rf"^{element} \{{(.*?)\}}", style, re.DOTALL | re.MULTILINE)
            assert "min-height: 2.75rem" in rule  # 44 px


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class TestTemplatesOfAnApplication:
    def test_one_file_replaces_ours(self, tmp_path: Path) -> None:
        (tmp_path / "login.html").write_text(
            '{% extends "base.html" %}{% block content %}<p>Welcome to {{ client }}</p>{% endblock %}'
        )
        call = call_of(tmp_path)
        page = login_page(call, Asked(client("<b>")))
        assert b"<p>Welcome to &lt;b&gt;</p>" in page.body
        assert b"Allow" in consent_page(call, Asked(client()), user_id="ann").body

    def test_the_policy_follows_its_style(self, tmp_path: Path) -> None:
        (tmp_path / "style.css").write_bytes(b"h1 { color: teal; }\r\n")
        page = error_page(call_of(tmp_path).service, 400, "Title", "Text")
        digest = base64.b64encode(hashlib.sha256(b"h1 { color: teal; }").digest()).decode()
        assert b"<style>h1 { color: teal; }</style>" in page.body
        assert rules_of(page)["style-src"] == f"'sha256-{digest}'"

    @pytest.mark.parametrize(
        ("name", "text", "reason"),
        [
            pytest.param("login.html", "{{ usr_id }}", "usr_id", id="an unknown variable"),
            pytest.param("login.html", "{% if %}", "login.html line 1: Expected", id="no template"),
            pytest.param("login.html", "{{ client|safe }}", "safe", id="a filter that is not there"),
            pytest.param(
                "part.html",
                "{% autoescape false %}{{ client }}{% endautoescape %}",
                "autoescape",
                id="no escaping",
            ),
            pytest.param("style.css", "</style><script>", "markup", id="markup in the style"),
            pytest.param("error.html", b"\xff", "decode", id="no UTF-8"),
        ],
    )
    def test_what_the_start_refuses(self, tmp_path: Path, name: str, text: str | bytes, reason: str) -> None:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(Misconfigured, match=reason):
            require_templates(tmp_path)

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(Misconfigured, match="is not a directory"):
            require_templates(tmp_path / "nowhere")

    def test_every_page_is_tried(self) -> None:
        folder = Path(require_templates.__wrapped__.__code__.co_filename).parent / "templates"
        assert {path.stem for path in folder.glob("*.html")} - {"base"} == SAMPLES.keys()
        require_templates(folder)
