"""The pages of a sign-in as a person meets them: at a telephone and a desktop, in light and dark, by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import HURRIED, Look
from tests.oauth.browsing import query_of
from tests.oauth.served import USER

NEW_PASSWORD = "a much longer horse battery"


def sign_in(look: Look) -> None:
    look.fill(username=USER.user_id, password=USER.password)
    look.press()


def test_log_in(look: Look) -> None:
    look.authorize()
    look.check()
    assert look.page.locator(":focus").get_attribute("name") == "username"
    sign_in(look)
    assert look.is_back()
    assert query_of(look.page.url)["state"] == "a state"


def test_a_wrong_password(look: Look) -> None:
    look.authorize()
    look.fill(username=USER.user_id, password="wrong")
    look.press()
    assert not look.is_back()
    look.check()
    assert look.page.locator("[role=alert]").is_visible()
    assert look.page.input_value("input[name=password]") == ""
    assert look.page.input_value("input[name=username]") == USER.user_id
    look.fill(password=USER.password)
    look.press()
    assert look.is_back()


def test_consent(look: Look) -> None:
    look.authorize("careful", prompt="consent")
    sign_in(look)
    look.check()
    assert "Careful" in look.page.inner_text("main")
    look.press("button[value=deny]")
    assert query_of(look.page.url)["error"] == "access_denied"
    look.authorize("careful", prompt="consent")
    look.press("button[value=allow]")
    assert look.is_back()
    assert "code" in query_of(look.page.url)


def test_a_second_sign_in_needs_no_password(look: Look) -> None:
    look.authorize()
    sign_in(look)
    look.authorize(state="again")
    assert query_of(look.page.url)["state"] == "again"


def test_logout(look: Look) -> None:
    look.authorize()
    sign_in(look)
    look.page.goto(f"{look.served.url}/oauth/logout")
    look.check()
    look.press()
    look.check()
    look.authorize(prompt="none")
    assert query_of(look.page.url)["error"] == "login_required"


def test_an_unknown_address_to_return_to(look: Look) -> None:
    look.authorize(redirect_uri="https://elsewhere.example/callback")
    assert look.page.url.startswith(look.served.url)
    look.check()
    assert look.page.locator("form").count() == 0
    (fault,) = look.faults
    assert "400" in fault, "the status of the page, which Chromium reports"
    look.faults.clear()


def test_a_forced_change_of_the_password(open_look: Callable[..., Look]) -> None:
    look = open_look("telephone", "dark")
    look.authorize()
    look.fill(username=HURRIED.user_id, password=HURRIED.password)
    look.press()
    assert not look.is_back()
    look.check()
    look.fill(new_password="short")
    look.press()
    assert not look.is_back()
    look.check()
    assert look.page.locator("[role=alert]").is_visible()
    look.fill(new_password=NEW_PASSWORD)
    look.press()
    assert look.is_back()
    other = open_look("desktop", "light")
    other.authorize()
    other.fill(username=HURRIED.user_id, password=NEW_PASSWORD)
    other.press()
    assert other.is_back()


FOCUSED = """() => { const e = document.activeElement, s = getComputedStyle(e);
  return [e.tagName, e.value, s.outlineStyle + s.boxShadow] }"""
"""What has the focus: its tag, its value and how it shows it."""
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Chromium drops keys pressed on a page that it has loaded and not painted yet: nobody presses any so early."""


def test_by_keyboard_alone(open_look: Callable[..., Look]) -> None:
    look = open_look()
    look.authorize("careful", prompt="consent")
    look.page.evaluate(PAINTED)
    keyboard = look.page.keyboard
    keyboard.type(USER.user_id)
    keyboard.press("Tab")
    assert look.page.locator(":focus").get_attribute("name") == "password"
    keyboard.type(USER.password)
    assert look.page.input_value("input[name=username]") == USER.user_id
    with look.page.expect_navigation():
        keyboard.press("Enter")
    look.page.evaluate(PAINTED)
    for _ in range(20):  # with each round the focus leaves the page once
        keyboard.press("Tab")
        name, value, style = look.page.evaluate(FOCUSED)
        if name in ("BODY", "HTML"):
            continue
        assert style != "nonenone", "the focus cannot be seen"
        if value == "allow":
            break
    else:
        pytest.fail("the focus never came to the button that allows")
    with look.page.expect_navigation():
        keyboard.press("Enter")
    assert look.is_back()


@pytest.mark.parametrize("device", ["telephone", "desktop"])
def test_without_scripts(open_look: Callable[..., Look], device: str) -> None:
    look = open_look(device, java_script_enabled=False)
    look.authorize()
    sign_in(look)
    assert look.is_back()


def test_no_page_can_be_framed(open_look: Callable[..., Look]) -> None:
    look = open_look()
    look.authorize()
    address = look.page.url
    look.page.goto(look.application.url)
    look.page.set_content(f'<iframe src="{address.replace("&", "&amp;")}"></iframe>')
    look.page.wait_for_timeout(500)
    inside = look.page.frames[1]
    assert inside.locator("input").count() == 0
    assert any("frame" in fault for fault in look.faults)
    look.faults.clear()
