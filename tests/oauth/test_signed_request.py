"""The hidden field of the pages, and the cookie of the browser that it belongs to."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.oauth.browser import Browser, find_browsers, name_browser
from runtime.oauth.signed_request import FIELD_SECONDS, Journey, read_journey, sign_journey
from runtime.settings import Settings
from runtime.tokens import Tokens

JOURNEY = Journey((("client_id", "web"), ("state", "a\u00e9&<"), ("resource", "a"), ("resource", "b")))
HERE, THERE = Browser("a" * 43), Browser("b" * 43)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def tokens(key_folder: Path, clock: Clock) -> Tokens:
    return Tokens(Settings.read({}, environment="development", data_folder=key_folder), clock)


def test_a_field_says_what_was_put_into_it(tokens: Tokens) -> None:
    journey = replace(JOURNEY, sign_on="s", is_fresh=True, wanted=("openid", "b"))
    for one in (JOURNEY, journey, Journey(())):
        assert read_journey(tokens, sign_journey(tokens, one, HERE), [HERE]) == one


def test_it_expires(tokens: Tokens, clock: Clock) -> None:
    text = sign_journey(tokens, JOURNEY, HERE)
    begun = clock.now
    clock.now = begun + FIELD_SECONDS - 1
    assert read_journey(tokens, text, [THERE, HERE]) == JOURNEY
    clock.now = begun + FIELD_SECONDS
    assert read_journey(tokens, text, [THERE, HERE]) is None


def test_it_is_good_in_one_browser(tokens: Tokens) -> None:
    text = sign_journey(tokens, JOURNEY, HERE)
    assert read_journey(tokens, text, [THERE]) is None
    assert read_journey(tokens, text, []) is None
    assert HERE.nonce not in base64.urlsafe_b64decode(text.partition(".")[0] + "==").decode()


def test_a_changed_field_is_not_ours(tokens: Tokens) -> None:
    body, _dot, signature = sign_journey(tokens, JOURNEY, HERE).partition(".")
    other, _dot, of_other = sign_journey(tokens, Journey(()), HERE).partition(".")
    wrong = [
        "", ".", body, f"{body}.", f".{signature}", f"{body}.{of_other}", f"{other}.{signature}",
        f"{body}.{signature}=", f"{body}=.{signature}", f"{body}.{signature}.", f" {body}.{signature}",
        f"{body[:-4]}.{signature}", f"{body}.{signature[:-2]}AA", f"{body}A.{signature}",
    ]  # fmt: skip
    for text in wrong:
        assert read_journey(tokens, text, [THERE, HERE]) is None, text


@given(st.text(max_size=80))
def test_any_other_text_is_not_ours(tokens: Tokens, text: str) -> None:
    assert read_journey(tokens, text, [THERE, HERE]) is None


def cookie_of(nonce: str) -> str:
    return f"recordsmith-browser-{Browser(nonce).digest[:8]}={nonce}"


@pytest.mark.parametrize(
    ("is_https", "name", "attributes"),
    [
        (False, "recordsmith-browser", {"Path=/", "HttpOnly", "SameSite=Lax"}),
        (True, "__Host-recordsmith-browser", {"Path=/", "HttpOnly", "SameSite=Lax", "Secure"}),
    ],
)
def test_a_browser_gets_a_name_and_keeps_it(is_https: bool, name: str, attributes: set[str]) -> None:
    browser = name_browser(None, is_https=is_https)
    assert browser.cookie is not None
    value, *found = browser.cookie.split("; ")
    assert value == f"{name}-{browser.digest[:8]}={browser.nonce}"
    assert set(found) == attributes
    sent = f"a=b; {value};c=d"
    assert find_browsers(sent, is_https=is_https) == (Browser(browser.nonce),)
    assert name_browser(sent, is_https=is_https) == Browser(browser.nonce)
    assert find_browsers(sent, is_https=not is_https) == ()
    assert browser.nonce not in repr(browser)


def test_a_browser_with_two_names(tokens: Tokens) -> None:
    """Two tabs that were opened before either had an answer."""
    header = f"{cookie_of('a' * 43)}; {cookie_of('b' * 43)}"
    browsers = find_browsers(header, is_https=False)
    assert browsers == (HERE, THERE)
    for one in browsers:
        assert read_journey(tokens, sign_journey(tokens, JOURNEY, one), browsers) == JOURNEY
    third = sign_journey(tokens, JOURNEY, Browser("c" * 43))
    assert read_journey(tokens, third, browsers) is None
    assert name_browser(header, is_https=False).cookie is None


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "recordsmith-browser",
        "recordsmith-browser=" + "a" * 43,
        "recordsmith-browser-=" + "a" * 43,
        "recordsmith-browser-00000000=" + "a" * 43,
        cookie_of("a" * 42),
        cookie_of("a" * 44),
        cookie_of("a" * 42 + "!"),
        cookie_of("a" * 43).replace("=", '="') + '"',
        cookie_of("a" * 43).upper(),
        cookie_of("a" * 43) + "; " + cookie_of("a" * 43),
        cookie_of("a" * 43) + "; " + cookie_of("a" * 43)[:-1] + "b",
        "x=y; " * 20000 + cookie_of("a" * 43),
    ],
)
def test_what_names_no_browser(header: str | None) -> None:
    assert find_browsers(header, is_https=False) == ()
    assert name_browser(header, is_https=False).cookie is not None
