"""The page of ``/docs`` as an application: a user signs in to it, and calls a route."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playwright.sync_api import Page, Response

from tests.browser.conftest import Look
from tests.oauth.served import USER

FLOW = ".auth-container:has-text('authorizationCode')"
LIST = "#operations-Carrier-carrier_listRecords"
SAVE = "#operations-Carrier-carrier_save"


def forget(look: Look, *expected: str) -> None:
    """Forget what Chromium advises about Swagger UI's own dialog, and statuses that are ``expected``."""
    look.page.wait_for_timeout(200)  # reports come late
    known = ("verbose: [DOM] ", *(f"status of {status} " for status in expected))
    look.faults[:] = [fault for fault in look.faults if not any(one in fault for one in known)]


def open_documentation(look: Look) -> Page:
    look.page.goto(f"{look.served.url}/docs#/Carrier")
    look.page.click(".swagger-ui .auth-wrapper button.authorize")
    return look.page


def start(look: Look, scopes: Sequence[str]) -> Page:
    """Ask for scopes in the dialog. Returns the window that opens."""
    page = look.page
    assert (
        page.input_value(f"{FLOW} input[data-name=clientId], {FLOW} input#client_id_authorizationCode")
        == "docs"
    )
    for scope in scopes:
        page.click(f"{FLOW} label[for^='{scope}-authorizationCode-checkbox']")
    with page.expect_popup() as opened:
        page.click(f"{FLOW} button.authorize")
    return opened.value


def log_in(window: Page) -> None:
    window.fill("input[name=username]", USER.user_id)
    window.fill("input[name=password]", USER.password)
    with window.expect_navigation():
        window.click("form button")


def decide(window: Page, decision: str) -> None:
    assert "Docs" in window.inner_text("main")
    with window.expect_event("close"):
        window.click(f"button[value={decision}]", no_wait_after=True)


def call(look: Look, operation: str) -> Response:
    """Press *Execute* of an operation."""
    page = look.page
    if page.locator(f"{operation}.is-open").count() == 0:
        page.click(f"{operation} .opblock-summary-control")
    with page.expect_response(lambda answer: "/logistics/carriers" in answer.url) as answered:
        page.click(f"{operation} button.execute")
    return answered.value


def test_a_user_signs_in_and_calls_a_route(open_look: Callable[..., Look]) -> None:
    look = open_look()
    page = open_documentation(look)
    window = start(look, ["openid", "logistics:read"])
    assert window.url.startswith(f"{look.served.url}/oauth/authorize?")
    assert "code_challenge_method=S256" in window.url
    log_in(window)
    decide(window, "allow")
    page.click(f"{FLOW} >> text=Logout >> visible=true", trial=True)
    page.click(".auth-btn-wrapper .btn-done >> nth=0")
    answer = call(look, LIST)
    assert answer.status == 200, answer.text()
    assert answer.json()["rows"] == []
    refused = call(look, SAVE)
    assert refused.status == 403
    assert 'scope="logistics:write"' in refused.header_value("www-authenticate")
    forget(look, "403")


def test_a_user_refuses(open_look: Callable[..., Look]) -> None:
    look = open_look()
    page = open_documentation(look)
    window = start(look, ["integration:read"])
    log_in(window)
    decide(window, "deny")
    assert "access_denied" in page.inner_text(f"{FLOW} .errors")
    assert page.locator(f"{FLOW} >> text=Logout").count() == 0
    page.click(".auth-btn-wrapper .btn-done >> nth=0")
    assert call(look, LIST).status == 401
    forget(look, "401")


def test_an_answer_to_no_sign_in_of_the_page_is_refused(open_look: Callable[..., Look]) -> None:
    look = open_look()
    page = open_documentation(look)
    sent: list[str] = []
    scopes = ["openid"]
    for query in ("code=made-up&state=made-up", "code=made-up", "error=access_denied&state=x", ""):
        window = start(look, scopes)
        page.on("request", lambda request: sent.append(request.url))
        with window.expect_event("close"):
            window.evaluate("query => { window.location = '/docs/oauth2-redirect?' + query }", query)
        assert "state is another" in page.inner_text(f"{FLOW} .errors")
        assert sent == []
        scopes = []  # chosen already
    forget(look)


def test_another_application_that_opens_the_callback_learns_nothing(open_look: Callable[..., Look]) -> None:
    """It pretends to be Swagger UI, in the window from which it opens this one."""
    look = open_look()
    page = look.page
    page.goto(look.application.url)
    page.evaluate(
        """() => { const learn = (told) => { window.learned.push(told) };
        window.learned = [];
        window.swaggerUIRedirectOauth2 = {
          state: "x", auth: {}, redirectUrl: "/", callback: learn, errCb: learn }; }"""
    )
    with page.expect_popup() as opened:
        address = f"{look.served.url}/docs/oauth2-redirect?code=a-code&state=x"
        page.evaluate("address => { window.open(address) }", address)
    opened.value.wait_for_load_state()
    assert opened.value.title().endswith("signing in")
    assert page.evaluate("window.learned") == []


def test_the_callback_opened_by_itself_does_nothing(open_look: Callable[..., Look]) -> None:
    look = open_look("telephone")
    look.page.goto(f"{look.served.url}/docs/oauth2-redirect?code=a&state=b")
    look.check()
    assert [url for url in look.requested if "/oauth/" in url] == []
