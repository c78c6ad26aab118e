"""The hidden field of the pages, and the cookie of the browser that it belongs to."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.oauth.browser import Browser, find_browser, name_browser
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
    return Tokens.from_settings(Settings.read({}, environment="development", data_folder=key_folder), clock)


def test_a_field_says_what_was_put_into_it(tokens: Tokens) -> None:
    journey = replace(JOURNEY, sign_on="s", is_fresh=True, wanted=("openid", "b"))
    for one in (JOURNEY, journey, Journey(())):
        assert read_journey(tokens, sign_journey(tokens, one, HERE), HERE) == one


def test_it_expires(tokens: Tokens, clock: Clock) -> None:
    text = sign_journey(tokens, JOURNEY, HERE)
    begun = clock.now
    clock.now = begun + FIELD_SECONDS - 1
    assert read_journey(tokens, text, HERE) == JOURNEY
    clock.now = begun + FIELD_SECONDS
    assert read_journey(tokens, text, HERE) is None


def test_it_is_good_in_one_browser(tokens: Tokens) -> None:
    text = sign_journey(tokens, JOURNEY, HERE)
    assert read_journey(tokens, text, THERE) is None
    assert read_journey(tokens, text, None) is None
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
        assert read_journey(tokens, text, HERE) is None, text


@given(st.text(max_size=80))
def test_any_other_text_is_not_ours(tokens: Tokens, text: str) -> None:
    assert read_journey(tokens, text, HERE) is None


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
    assert value == f"{name}={browser.nonce}"
    assert set(found) == attributes
    sent = f"a=b; {value};c=d"
    assert find_browser(sent, is_https=is_https) == Browser(browser.nonce)
    assert name_browser(sent, is_https=is_https) == Browser(browser.nonce)
    assert find_browser(sent, is_https=not is_https) is None
    assert browser.nonce not in repr(browser)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "recordsmith-browser",
        "recordsmith-browser=",
        "recordsmith-browser=" + "a" * 42,
        "recordsmith-browser=" + "a" * 44,
        "recordsmith-browser=" + "a" * 42 + "!",
        'recordsmith-browser="' + "a" * 43 + '"',
        "other=" + "a" * 43,
        "Recordsmith-Browser=" + "a" * 43,
        "recordsmith-browser=" + "a" * 43 + "; recordsmith-browser=" + "b" * 43,
        "recordsmith-browser=" + "a" * 43 + "; recordsmith-browser=" + "a" * 43,
        "x=y; " * 20000 + "recordsmith-browser=" + "a" * 43,
    ],
)
def test_what_names_no_browser(header: str | None) -> None:
    assert find_browser(header, is_https=False) is None
    assert name_browser(header, is_https=False).cookie is not None
