"""``/oauth/logout``: whom an application may sign out, who is asked first, and where the browser goes then."""

from collections.abc import Iterator
from dataclasses import replace

import httpx2
import jwt
import pytest
from pymongo import MongoClient

from runtime.identity.users.users import create_user
from runtime.oauth.logout import LOGOUT_SECONDS
from runtime.realm_setup import create_realm, set_realm_active
from runtime.seams import NewUser
from tests.http.world import PASSWORD, Document, World
from tests.oauth.applications import manage, register
from tests.oauth.sign_ins import REDIRECT, is_accepted, tokens_of
from tests.oauth.signed_on import SignedOnBrowser, form_of, sign_on

LOGOUT = "/oauth/logout"
AFTER = "https://app.example/goodbye?from=depot"
FIELDS: Document = {
    "clientName": "Depot <app>",
    "redirectUris": [REDIRECT],
    "postLogoutRedirectUris": [AFTER],
    "allowedGrantTypes": ["authorization_code", "refresh_token"],
    "allowedScopes": ["openid"],
}
OTHER_USER = "nobody@acme.example"


@pytest.fixture(scope="module")
def secrets(world: World) -> dict[str, str]:
    return {name: register(world, name, **FIELDS) for name in ("depot", "shop")}


@pytest.fixture
def browser(world: World, secrets: dict[str, str]) -> SignedOnBrowser:
    return sign_on(world)


@pytest.fixture
def north(world: World, mongo_client: MongoClient[Document]) -> Iterator[str]:
    """Another realm, with the user ``ida``."""
    database = f"{world.realm}-north"
    try:
        manage(world, create_realm, "north", database)
        manage(world, create_user, NewUser("ida", PASSWORD, "acme", frozenset({"user"}), realm="north"))
        yield "north"
    finally:
        mongo_client.drop_database(database)
        world.documents["realms"].delete_many({"refName": "north"})


def tokens(browser: SignedOnBrowser, secrets: dict[str, str], client: str = "depot") -> Document:
    """What an application got in this browser."""
    return tokens_of(browser.world, client, secrets[client], sign_on=browser.signed_on.ref_name)


def check_page(answer: httpx2.Response, status: int, title: str) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8"), (
        answer.text
    )
    assert f"<h1>{title}</h1>" in answer.text
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "location" not in answer.headers


def check_redirected(answer: httpx2.Response, location: str) -> None:
    assert (answer.status_code, answer.headers["location"]) == (303, location), answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"


class TestWhatIsTheUsers:
    """A request with an ID token that came of this sign-on."""

    def test_ends_the_sign_on_and_the_tokens_of_the_client(
        self, browser: SignedOnBrowser, secrets: dict[str, str]
    ) -> None:
        own, other = tokens(browser, secrets), tokens(browser, secrets, "shop")
        query = {"id_token_hint": own["id_token"], "post_logout_redirect_uri": AFTER, "state": "a b&c=/é"}
        answer = browser.get(LOGOUT, **query)
        check_redirected(answer, f"{AFTER}&state=a+b%26c%3D%2F%C3%A9")
        assert answer.headers["set-cookie"].startswith("recordsmith-sign-on=; Path=/; Max-Age=0; HttpOnly")
        assert not browser.cookies
        assert not browser.world.documents["signOns"].count_documents(
            {"refName": browser.signed_on.ref_name, "revoked": False}
        )
        assert not is_accepted(browser.world, own["access_token"])
        assert is_accepted(browser.world, other["access_token"])

    def test_as_a_form_too(self, browser: SignedOnBrowser, secrets: dict[str, str]) -> None:
        own = tokens(browser, secrets)
        answer = browser.post(LOGOUT, {"id_token_hint": own["id_token"], "client_id": "depot"})
        check_page(answer, 200, "You are signed out")
        assert not browser.is_signed_on

    def test_with_an_id_token_that_has_expired(
        self, browser: SignedOnBrowser, secrets: dict[str, str]
    ) -> None:
        hint = tokens(browser, secrets)["id_token"]
        service = browser.world.app.state.service
        clock = service.tokens.clock
        service.tokens.clock = lambda: clock() + 7200
        try:
            check_page(browser.get(LOGOUT, id_token_hint=hint), 200, "You are signed out")
        finally:
            service.tokens.clock = clock

    def test_after_the_client_has_ended_its_tokens(
        self, browser: SignedOnBrowser, secrets: dict[str, str]
    ) -> None:
        own = tokens(browser, secrets)
        browser.world.documents["refreshFamilies"].update_many({}, {"$set": {"revoked": True}})
        check_page(browser.get(LOGOUT, id_token_hint=own["id_token"]), 200, "You are signed out")

    def test_only_in_its_browser(self, browser: SignedOnBrowser, secrets: dict[str, str]) -> None:
        other = sign_on(browser.world)
        own = tokens(browser, secrets)
        check_page(browser.get(LOGOUT, id_token_hint=own["id_token"]), 200, "You are signed out")
        assert (browser.is_signed_on, other.is_signed_on) == (False, True)


class TestWhoIsAsked:
    """Whatever anybody could send leads to the page that asks."""

    def queries(self, browser: SignedOnBrowser, secrets: dict[str, str]) -> dict[str, dict[str, str]]:
        elsewhere = sign_on(browser.world)
        stranger = sign_on(browser.world, OTHER_USER)
        return {
            "nothing": {},
            "a client": {"client_id": "depot"},
            "a client and an address": {"client_id": "depot", "post_logout_redirect_uri": AFTER},
            "an ID token of another browser": {"id_token_hint": tokens(elsewhere, secrets)["id_token"]},
            "an ID token without a sign-on": {
                "id_token_hint": tokens_of(browser.world, "depot", secrets["depot"])["id_token"]
            },
            "an ID token of another user": {
                "id_token_hint": tokens_of(
                    browser.world, "depot", secrets["depot"], user_id=OTHER_USER,
                    sign_on=stranger.signed_on.ref_name,
                )["id_token"]
            },
        }  # fmt: skip

    @pytest.mark.parametrize("is_form", [False, True], ids=["query", "form"])
    def test_before_anything_ends(
        self, browser: SignedOnBrowser, secrets: dict[str, str], is_form: bool
    ) -> None:
        own = tokens(browser, secrets)
        for name, query in self.queries(browser, secrets).items():
            answer = browser.post(LOGOUT, query) if is_form else browser.get(LOGOUT, **query)
            check_page(answer, 200, "Sign out?")
            assert ("Depot &lt;app&gt;" in answer.text) is (name != "nothing"), name
            assert "user@acme.example" in answer.text
            assert (browser.is_signed_on, is_accepted(browser.world, own["access_token"])) == (True, True), (
                name
            )

    def test_yes_ends_it(self, browser: SignedOnBrowser, secrets: dict[str, str]) -> None:
        own, other = tokens(browser, secrets), tokens(browser, secrets, "shop")
        page = browser.get(LOGOUT, client_id="depot", post_logout_redirect_uri=AFTER, state="s")
        form = form_of(page)
        assert (form.method, form.action) == ("post", LOGOUT)
        assert form.buttons == [("decision", "logout"), ("decision", "stay")]
        check_redirected(browser.answer(page, decision="logout"), f"{AFTER}&state=s")
        assert not browser.is_signed_on
        accepted = [is_accepted(browser.world, one["access_token"]) for one in (own, other)]
        assert accepted == [False, True]

    def test_without_a_client_all_that_came_of_it_ends(
        self, browser: SignedOnBrowser, secrets: dict[str, str]
    ) -> None:
        own, other = tokens(browser, secrets), tokens(browser, secrets, "shop")
        elsewhere = tokens(sign_on(browser.world), secrets)
        answer = browser.answer(browser.get(LOGOUT), decision="logout")
        check_page(answer, 200, "You are signed out")
        accepted = [is_accepted(browser.world, one["access_token"]) for one in (own, other, elsewhere)]
        assert accepted == [False, False, True]

    def test_without_a_client_it_is_about_the_realm_of_the_browser(self, world: World, north: str) -> None:
        for query, is_form in ({}, False), ({"realm": "nowhere"}, False), ({}, True):
            browser = sign_on(world, "ida", realm=north)
            page = (
                browser.post(LOGOUT, query, is_from_elsewhere=True)
                if is_form
                else browser.get(LOGOUT, **query)
            )
            check_page(page, 200, "Sign out?")
            assert ("ida" in page.text, browser.is_signed_on) == (not is_form, True)
            check_page(browser.answer(page, decision="logout"), 200, "You are signed out")
            assert not browser.is_signed_on, query

    def test_a_sign_on_ends_while_its_realm_is_switched_off(
        self, world: World, north: str, mongo_client: MongoClient[Document]
    ) -> None:
        families = mongo_client[f"{world.realm}-north"]["refreshFamilies"]
        for decision, title in ("stay", "You are still signed in"), ("logout", "You are signed out"):
            browser = sign_on(world, "ida", realm=north)
            own = {"signOn": browser.signed_on.ref_name, "subject": browser.signed_on.subject}
            families.insert_one({"refName": decision, "revoked": False, **own})
            manage(world, set_realm_active, north, False)
            page = browser.get(LOGOUT)
            check_page(page, 200, "Sign out?")
            assert "ida" not in page.text
            check_page(browser.answer(page, decision=decision), 200, title)
            manage(world, set_realm_active, north, True)
            assert browser.is_signed_on == (decision == "stay")
            assert families.count_documents({**own, "revoked": False}) == (decision == "stay")

    def test_a_sign_on_since_in_a_realm_that_is_switched_off_is_asked_about(
        self, world: World, north: str
    ) -> None:
        browser = sign_on(world, "ida", realm=north)
        page = browser.get(LOGOUT)
        browser.cookies |= sign_on(world, "ida", realm=north).cookies
        manage(world, set_realm_active, north, False)
        check_page(browser.answer(page, decision="logout"), 200, "Sign out?")
        manage(world, set_realm_active, north, True)
        assert browser.is_signed_on

    def test_a_client_ends_no_sign_on_of_another_realm_and_does_not_say_so(
        self, world: World, secrets: dict[str, str], north: str
    ) -> None:
        browser = sign_on(world, "ida", realm=north)
        check_page(browser.get(LOGOUT, client_id="depot"), 200, "You are still signed in")
        page = browser.post(LOGOUT, {"client_id": "depot"}, is_from_elsewhere=True)
        check_page(browser.answer(page, decision="logout"), 200, "You are still signed in")
        manage(world, set_realm_active, north, False)
        check_page(browser.get(LOGOUT, client_id="depot"), 200, "You are still signed in")
        manage(world, set_realm_active, north, True)
        assert browser.is_signed_on
        check_page(browser.answer(browser.get(LOGOUT), decision="logout"), 200, "You are signed out")
        check_page(browser.get(LOGOUT, client_id="depot"), 200, "You are signed out")

    @pytest.mark.parametrize("decision", ["stay", "", "LOGOUT", "yes"])
    def test_anything_else_ends_nothing(
        self, browser: SignedOnBrowser, secrets: dict[str, str], decision: str
    ) -> None:
        own = tokens(browser, secrets)
        page = browser.get(LOGOUT, client_id="depot", post_logout_redirect_uri=AFTER)
        check_page(browser.answer(page, decision=decision), 200, "You are still signed in")
        assert browser.is_signed_on
        assert is_accepted(browser.world, own["access_token"])

    def test_a_form_of_another_site_has_no_cookie_and_still_works(
        self, browser: SignedOnBrowser, secrets: dict[str, str]
    ) -> None:
        own = tokens(browser, secrets)
        page = browser.post(
            LOGOUT,
            {"id_token_hint": own["id_token"], "post_logout_redirect_uri": AFTER},
            is_from_elsewhere=True,
        )
        check_page(page, 200, "Sign out?")
        assert "user@acme.example" not in page.text
        assert browser.is_signed_on
        check_redirected(browser.answer(page, decision="logout"), AFTER)
        assert not browser.is_signed_on


class TestTheFormOfThePage:
    def test_is_good_in_its_browser_only(self, browser: SignedOnBrowser) -> None:
        page = browser.get(LOGOUT)
        victim = sign_on(browser.world, OTHER_USER)
        victim.get(LOGOUT)  # it has a name of its own
        form = form_of(page)
        check_page(victim.post(LOGOUT, form.values | {"decision": "logout"}), 400, "This page has expired")
        names = [name for name in victim.cookies if name.startswith("recordsmith-browser-")]
        assert names
        for name in names:
            victim.cookies.pop(name)
        check_page(victim.post(LOGOUT, form.values | {"decision": "logout"}), 400, "This page has expired")
        assert victim.is_signed_on

    def test_is_not_sent_by_another_site(self, browser: SignedOnBrowser) -> None:
        form = form_of(browser.get(LOGOUT))
        answer = browser.post(LOGOUT, form.values | {"decision": "logout"}, is_from_elsewhere=True)
        check_page(answer, 400, "This page has expired")
        assert browser.is_signed_on

    def test_asks_again_after_another_user_has_signed_in(self, browser: SignedOnBrowser) -> None:
        page = browser.get(LOGOUT)
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        other = sign_on(browser.world, OTHER_USER, cookie)
        browser.cookies |= other.cookies
        again = browser.answer(page, decision="logout")
        check_page(again, 200, "Sign out?")
        assert OTHER_USER in again.text
        assert other.is_signed_on

    def test_expires(self, browser: SignedOnBrowser) -> None:
        page = browser.get(LOGOUT)
        service = browser.world.app.state.service
        clock = service.tokens.clock
        service.tokens.clock = lambda: clock() + LOGOUT_SECONDS + 10
        try:
            check_page(browser.answer(page, decision="logout"), 400, "This page has expired")
        finally:
            service.tokens.clock = clock
        assert browser.is_signed_on

    @pytest.mark.parametrize("change", ["flip", "cut", "another purpose", "an ID token", "made up"])
    def test_cannot_be_made_up(self, browser: SignedOnBrowser, secrets: dict[str, str], change: str) -> None:
        field = form_of(browser.get(LOGOUT)).values["request"]
        service = browser.world.app.state.service
        head, body, signature = field.split(".")
        says = jwt.decode(field, options={"verify_signature": False})
        changed = {
            "flip": ".".join([head, body, ("B" if signature[0] == "A" else "A") + signature[1:]]),
            "cut": f"{head}.{body}.",
            "another purpose": service.tokens.mint_purpose("password-change", "x", 600, says["details"]),
            "an ID token": tokens(browser, secrets)["id_token"],
            "made up": jwt.encode(says, "x" * 32, headers=jwt.get_unverified_header(field)),
        }[change]
        answer = browser.post(LOGOUT, {"request": changed, "decision": "logout"})
        check_page(answer, 400, "This page has expired")
        assert browser.is_signed_on

    def test_does_not_lead_to_an_address_that_was_taken_back(
        self, browser: SignedOnBrowser, world: World
    ) -> None:
        register(world, "moved", **FIELDS)
        page = browser.get(LOGOUT, client_id="moved", post_logout_redirect_uri=AFTER)
        world.documents["oauth_clients"].update_one(
            {"clientId": "moved"}, {"$set": {"postLogoutRedirectUris": []}}
        )
        check_page(browser.answer(page, decision="logout"), 400, "You were not signed out")
        assert browser.is_signed_on


WRONG: dict[str, dict[str, str]] = {
    "an address without a client": {"post_logout_redirect_uri": AFTER},
    "an address that is not registered": {
        "client_id": "depot", "post_logout_redirect_uri": "https://evil.example/",
    },
    "a prefix": {"client_id": "depot", "post_logout_redirect_uri": "https://app.example/goodbye"},
    "more of it": {"client_id": "depot", "post_logout_redirect_uri": AFTER + "&x=1"},
    "a redirect URI": {"client_id": "depot", "post_logout_redirect_uri": REDIRECT},
    "other letters": {"client_id": "depot", "post_logout_redirect_uri": AFTER.upper()},
    "a user in it": {"client_id": "depot", "post_logout_redirect_uri": AFTER.replace("//", "//x@")},
    "a fragment": {"client_id": "depot", "post_logout_redirect_uri": AFTER + "#x"},
    "a line break": {"client_id": "depot", "post_logout_redirect_uri": AFTER + "\r\nSet-Cookie: a=b"},
    "dots": {"client_id": "depot", "post_logout_redirect_uri": "https://app.example/x/../goodbye?from=depot"},
    "an unknown client": {"client_id": "nobody-has-it"},
    "an unknown client and an address": {"client_id": "nobody-has-it", "post_logout_redirect_uri": AFTER},
    "an operator as client": {"client_id": '{"$ne": 1}', "post_logout_redirect_uri": AFTER},
    "a client of another realm": {"client_id": "depot", "realm": "nowhere"},
    "an ID token that is none": {"id_token_hint": "a.b.c"},
    "an ID token that is none, and a client": {"id_token_hint": "x", "client_id": "depot"},
}  # fmt: skip


class TestWhatIsRefused:
    @pytest.mark.parametrize("is_form", [False, True], ids=["query", "form"])
    @pytest.mark.parametrize("name", WRONG)
    def test_with_a_page_and_never_a_redirect(
        self, browser: SignedOnBrowser, name: str, is_form: bool
    ) -> None:
        answer = browser.post(LOGOUT, WRONG[name]) if is_form else browser.get(LOGOUT, **WRONG[name])
        check_page(answer, 400, "You were not signed out")
        assert "evil" not in answer.text
        assert browser.is_signed_on

    def test_id_tokens_of_others(self, browser: SignedOnBrowser, secrets: dict[str, str]) -> None:
        own = tokens(browser, secrets)
        header = jwt.get_unverified_header(own["id_token"])
        says = jwt.decode(own["id_token"], options={"verify_signature": False})
        wrong: dict[str, dict[str, str]] = {
            "another client": {"id_token_hint": own["id_token"], "client_id": "shop"},
            "another realm": {"id_token_hint": own["id_token"], "realm": "elsewhere"},
            "an access token": {"id_token_hint": own["access_token"]},
            "a refresh token": {"id_token_hint": own["refresh_token"]},
            "no signature": {
                "id_token_hint": jwt.encode(says, None, algorithm="none", headers=header | {"alg": "none"})
            },
            "another key": {"id_token_hint": jwt.encode(says, "x" * 32, algorithm="HS256")},
        }
        for name, query in wrong.items():
            check_page(browser.get(LOGOUT, **query), 400, "You were not signed out")
            assert browser.is_signed_on, name

    @pytest.mark.parametrize(
        "parameter", ["client_id", "id_token_hint", "post_logout_redirect_uri", "state", "unknown"]
    )
    def test_repeated_parameters(self, browser: SignedOnBrowser, parameter: str) -> None:
        answer = browser.world.ask(f"GET {LOGOUT}?{parameter}=depot&{parameter}=depot", None)
        check_page(answer, 400, "You were not signed out")

    def test_a_disabled_client(self, browser: SignedOnBrowser, world: World) -> None:
        register(world, "stopped", **FIELDS)
        world.documents["oauth_clients"].update_one({"clientId": "stopped"}, {"$set": {"active": False}})
        answer = browser.get(LOGOUT, client_id="stopped", post_logout_redirect_uri=AFTER)
        check_page(answer, 400, "You were not signed out")

    @pytest.mark.parametrize(("content", "status"), [("a=%zz", 400), ("a", 400), ("a=" + "b" * 70_000, 413)])
    def test_what_is_no_form(self, browser: SignedOnBrowser, content: str, status: int) -> None:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = browser.world.ask(f"POST {LOGOUT}", None, content=content, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
        assert browser.world.ask(f"POST {LOGOUT}", None, json={}).status_code == 415

    def test_other_methods(self, world: World) -> None:
        for method in ("PUT", "DELETE", "PATCH"):
            assert world.ask(f"{method} {LOGOUT}", None).status_code == 405


class TestWhoIsNotSignedIn:
    def test_returns_to_the_client_at_once(self, world: World, secrets: dict[str, str]) -> None:
        answer = world.ask(f"GET {LOGOUT}?client_id=depot&state=x&post_logout_redirect_uri=" + AFTER, None)
        check_redirected(answer, f"{AFTER}&state=x")
        check_page(world.ask(f"GET {LOGOUT}", None), 200, "You are signed out")

    def test_an_id_token_alone_ends_nothing(self, browser: SignedOnBrowser, secrets: dict[str, str]) -> None:
        own = tokens(browser, secrets)
        stranger = replace(browser, cookies={})
        check_page(stranger.get(LOGOUT, id_token_hint=own["id_token"]), 200, "You are signed out")
        assert browser.is_signed_on
        assert is_accepted(browser.world, own["access_token"])
        page = stranger.post(LOGOUT, {"id_token_hint": own["id_token"]})
        check_page(stranger.answer(page, decision="logout"), 200, "You are signed out")
        assert browser.is_signed_on
        assert is_accepted(browser.world, own["access_token"])


def test_unknown_parameters_are_ignored(browser: SignedOnBrowser) -> None:
    answer = browser.get(LOGOUT, client_id="depot", ui_locales="pt de", logout_hint="x", theme="dark")
    check_page(answer, 200, "Sign out?")
