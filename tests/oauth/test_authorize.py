"""Signing in to applications: the pages a user sees on the way, what the client gets, and what nobody gets."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.identity.users.users import NewUser
from runtime.oauth.authorize.pushed import REQUEST_URI
from runtime.oauth.authorize.steps import EVERYTHING, THIS_SERVICE
from runtime.oauth.management import set_active
from tests.http.world import PASSWORD, Document, World, open_world
from tests.log_lines import capture_logs
from tests.oauth.applications import basic, manage, register, send
from tests.oauth.sign_ins import challenge_of, claims_of, is_accepted
from tests.oauth.signing import ISSUER
from tests.oauth.walking import USER, Walker, answer_at, hidden_fields, title_of

CALLBACK = "https://app.example/callback"
OTHER = "https://app.example/other?tenant=a%20b"
DEVICE = "http://127.0.0.1/cb"
STOCK = "https://stock.example/api"
VERIFIER = secrets.token_urlsafe(48)
PKCE = {"code_challenge": challenge_of(VERIFIER), "code_challenge_method": "S256"}
NORTH = "north@acme.example"

CODE_FLOW: Document = {
    "redirectUris": [CALLBACK, OTHER],
    "allowedGrantTypes": ["authorization_code", "refresh_token"],
    "allowedScopes": ["openid", "profile", "email"],
    "allowedResources": [STOCK],
}
CLIENTS: dict[str, Document] = {
    "web": CODE_FLOW | {"clientName": "Depot <b>web</b>"},
    "other": CODE_FLOW,
    "public": CODE_FLOW | {"publicClient": True},
    "careful": CODE_FLOW | {"requirePkce": True},
    "asking": CODE_FLOW | {"requireConsent": True},
    "asking-for-any": CODE_FLOW | {"requireConsent": True, "allowedScopes": []},
    "device": CODE_FLOW | {"publicClient": True, "applicationType": "native", "redirectUris": [DEVICE]},
    "device-page": CODE_FLOW | {"publicClient": True, "redirectUris": ["http://localhost:51000/cb"]},
    "everywhere": CODE_FLOW | {"allTenants": True},
    "of-an-organisation": CODE_FLOW | {"dataDomain.orgRefName": "north"},
    "of-a-segment": CODE_FLOW | {"dataDomain.dataSegment": 7},
    "no-code": CODE_FLOW | {"allowedGrantTypes": ["client_credentials"]},
    "no-uri": CODE_FLOW | {"redirectUris": []},
    "disabled": CODE_FLOW | {"active": False},
    "archived": CODE_FLOW | {"activeStatus": "ARCHIVED"},
}
SECRETS: dict[str, str] = {}
BASE = {
    "response_type": "code",
    "client_id": "web",
    "redirect_uri": CALLBACK,
    "state": "s t&<é",
    "scope": "openid",
}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    SECRETS.update({client_id: register(world, client_id, **more) for client_id, more in CLIENTS.items()})
    northern = NewUser("northern@acme.example", PASSWORD, "acme", frozenset({"user"}), org_ref_name="north")
    world.sign_in("northern", northern)
    for segment in (0, 7):
        user_id = f"segment-{segment}@acme.example"
        user = NewUser(user_id, PASSWORD, "acme", frozenset({"user"}), data_segment=segment)
        world.sign_in(user_id, user)
    return world


@pytest.fixture
def walker(world: World) -> Walker:
    return Walker(world)


@pytest.fixture
def signed_on(world: World) -> Walker:
    """A browser in which the user is signed on."""
    walker = Walker(world)
    walker.log_in(walker.open(BASE))
    return walker


@pytest.fixture
def clock(world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets time pass by so many seconds."""
    tokens = world.app.state.service.tokens
    sign_ons = world.app.state.service.sign_ons
    real, passed = tokens.clock, [0.0]

    def now() -> float:
        return float(real() + passed[0])

    monkeypatch.setattr(tokens, "clock", now)
    monkeypatch.setattr(sign_ons, "_clock", now)

    def wait(seconds: float) -> None:
        passed[0] += seconds

    return wait


def changed(**changes: str | None) -> dict[str, str]:
    return {name: value for name, value in {**BASE, **changes}.items() if value is not None}


def codes(world: World) -> int:
    return world.documents["oauth_authorization_codes"].count_documents({})


def exchange(world: World, code: str, client_id: str = "web", **more: str) -> Any:
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK} | more
    return send(world, form, basic(client_id, SECRETS[client_id]))


# The flow ------------------------------------------------------------------------------------------


def test_a_user_signs_in_to_an_application(world: World, walker: Walker) -> None:
    page = walker.open(BASE | PKCE | {"nonce": "n-1", "login_hint": 'ann"<'})
    assert page.status_code == 200
    assert title_of(page) == "Sign in"
    assert "Depot &lt;b&gt;web&lt;/b&gt;" in page.text
    assert 'value="ann&#34;&lt;"' in page.text
    answer = answer_at(walker.log_in(page), CALLBACK)
    assert answer.keys() == {"code", "state", "iss"}
    assert answer["state"] == BASE["state"]
    assert answer["iss"] == world.app.state.service.tokens.issuer
    issued = exchange(world, answer["code"], code_verifier=VERIFIER)
    assert issued.status_code == 200, issued.text
    tokens = issued.json()
    assert tokens["scope"] == "openid"
    assert is_accepted(world, tokens["access_token"])
    claims = claims_of(tokens["id_token"])
    assert (claims["aud"], claims["nonce"], claims["iss"]) == ("web", "n-1", answer["iss"])
    assert exchange(world, answer["code"], code_verifier=VERIFIER).json()["error"] == "invalid_grant"


def test_the_code_is_bound_to_what_was_requested(world: World, walker: Walker) -> None:
    request = changed(redirect_uri=OTHER, resource=STOCK, state=None, max_age="600")
    answer = answer_at(walker.log_in(walker.open(request)), OTHER)
    assert answer.keys() == {"tenant", "code", "iss"}
    form = {"grant_type": "authorization_code", "code": answer["code"], "redirect_uri": OTHER}
    for changes, client_id in (
        ({"redirect_uri": CALLBACK}, "web"),
        ({}, "other"),
        ({"code_verifier": VERIFIER}, "web"),
    ):
        refused = send(world, form | changes, basic(client_id, SECRETS[client_id]))
        assert refused.json()["error"] == "invalid_grant"
    issued = send(world, form, basic("web", SECRETS["web"])).json()
    assert claims_of(issued["access_token"])["aud"] in (STOCK, [STOCK])
    assert "auth_time" in claims_of(issued["id_token"])


def test_the_same_by_post(world: World, walker: Walker) -> None:
    page = walker.post(BASE)
    assert title_of(page) == "Sign in"
    assert "code" in answer_at(walker.log_in(page), CALLBACK)


@pytest.mark.parametrize("prompt", [None, "none"])
def test_a_form_on_a_page_of_the_application(world: World, signed_on: Walker, prompt: str | None) -> None:
    """Browsers send no Lax cookie with it, but with the redirect to the same request by GET."""
    elsewhere, request = Walker(world), changed(prompt=prompt, max_age="600", **PKCE)
    answer = elsewhere.send(request)
    location = answer.headers["location"]
    assert answer.status_code == 303
    assert elsewhere.cookies == {}
    assert location.startswith("/oauth/authorize?client_id=web&request_uri=urn%3Aietf")
    assert "s+t" not in location
    arrived = answer_at(signed_on.follow(location), CALLBACK)
    assert arrived["state"] == BASE["state"]
    assert exchange(world, arrived["code"], code_verifier=VERIFIER).status_code == 200
    assert title_of(signed_on.follow(location)) == "The request has expired"
    again = elsewhere.follow(elsewhere.send(request).headers["location"])
    if prompt == "none":
        assert answer_at(again, CALLBACK)["error"] == "login_required"
    else:
        assert title_of(again) == "Sign in"


def test_what_is_wrong_with_such_a_form_is_refused_at_once(world: World, walker: Walker) -> None:
    before = world.documents["pushedRequests"].count_documents({})
    assert answer_at(walker.send(changed(response_type=None)), CALLBACK)["error"] == "invalid_request"
    assert walker.send(changed(client_id="nobody")).status_code == 400
    assert walker.send(changed(redirect_uri="https://evil.example/")).status_code == 400
    assert walker.send(BASE | {"state": "s" * 8192, "login_hint": "h" * 8192}).status_code == 413
    assert world.documents["pushedRequests"].count_documents({}) == before


def test_a_request_has_one_name(world: World, walker: Walker) -> None:
    form = {"response_type": "code", "redirect_uri": CALLBACK}
    pushed = send(world, form, basic("web", SECRETS["web"]), "/oauth/par").json()["request_uri"]
    twice = walker.open([("client_id", "web"), ("request_uri", pushed), ("request_uri", pushed)])
    assert (twice.status_code, title_of(twice)) == (400, "Unknown request")
    assert title_of(walker.open({"client_id": "web", "request_uri": pushed})) == "Sign in"


def test_the_next_application_needs_no_login(world: World, signed_on: Walker) -> None:
    for request in (BASE, BASE | {"prompt": "none"}, BASE | {"client_id": "other"}):
        assert "code" in answer_at(signed_on.open(request), CALLBACK)
    assert "code" in answer_at(signed_on.post(BASE), CALLBACK)


def test_a_pushed_request_is_used_once(world: World, walker: Walker) -> None:
    pushed = send(world, changed(client_id=None) | PKCE, basic("web", SECRETS["web"]), "/oauth/par").json()
    request = {"client_id": "web", "request_uri": pushed["request_uri"]}
    more = {"scope": "profile", "state": "other", "redirect_uri": "https://evil.example/"}
    page = walker.open(request | more)
    answer = answer_at(walker.log_in(page), CALLBACK)
    assert answer["state"] == BASE["state"]
    assert exchange(world, answer["code"], code_verifier=VERIFIER).json()["scope"] == "openid"
    again = walker.open(request)
    assert again.status_code == 400
    assert "invalid_request_uri" in again.text


# What is shown to the user, and reported to nobody -------------------------------------------------

PAGES: list[tuple[str, Any]] = [
    ("no parameters", {}),
    ("unknown client", changed(client_id="nobody")),
    ("client of another case", changed(client_id="WEB")),
    ("client that is an operator", changed(client_id='{"$ne": 1}')),
    ("disabled client", changed(client_id="disabled")),
    ("archived client", changed(client_id="archived")),
    ("no client_id", changed(client_id=None)),
    ("empty client_id", changed(client_id="")),
    ("client without addresses", changed(client_id="no-uri")),
    ("another realm", changed(realm="nowhere")),
    ("no redirect_uri", changed(redirect_uri=None)),
    ("empty redirect_uri", changed(redirect_uri="")),
    ("unregistered", changed(redirect_uri="https://evil.example/callback")),
    ("prefix", changed(redirect_uri=CALLBACK + "/more")),
    ("extra query", changed(redirect_uri=CALLBACK + "?a=b")),
    ("dots", changed(redirect_uri="https://app.example/x/../callback")),
    ("fragment", changed(redirect_uri=CALLBACK + "#a")),
    ("user information", changed(redirect_uri="https://app.example@evil.example/callback")),
    ("backslash", changed(redirect_uri="https://app.example\\@evil.example/callback")),
    ("script", changed(redirect_uri="javascript:alert(1)")),
    ("two clients", [*BASE.items(), ("client_id", "web")]),
    ("two targets", [*BASE.items(), ("redirect_uri", CALLBACK)]),
    ("two targets, one evil", [*BASE.items(), ("redirect_uri", "https://evil.example")]),
    ("empty second target", [*BASE.items(), ("redirect_uri", "")]),
    ("port of a web client", changed(client_id="web", redirect_uri="http://127.0.0.1:5000/cb")),
    ("other path on the device", changed(client_id="device", redirect_uri="http://127.0.0.1:5000/other")),
    ("pushed by nobody", {"client_id": "web", "request_uri": REQUEST_URI + "a" * 43}),
    ("pushed, without a client", {"request_uri": REQUEST_URI + "a" * 43}),
    ("broken escape", "client_id=web&redirect_uri=%"),
    ("not UTF-8", "client_id=%FF"),
    ("too many", "&".join(f"a{number}=1" for number in range(101))),
]


@pytest.mark.parametrize("request_", [row[1] for row in PAGES], ids=[row[0] for row in PAGES])
@pytest.mark.parametrize("method", ["open", "post"])
def test_nobody_is_sent_to_an_unknown_place(
    world: World, signed_on: Walker, method: str, request_: Any
) -> None:
    before = codes(world)
    page = getattr(signed_on, method)(request_)
    assert page.status_code == 400, page.text
    assert "evil.example" not in page.text
    assert "script" not in page.text
    assert codes(world) == before


# What is reported to the client --------------------------------------------------------------------

REPORTED: list[tuple[str, Any, str]] = [
    ("no response_type", changed(response_type=None), "invalid_request"),
    ("token", changed(response_type="token"), "unsupported_response_type"),
    ("hybrid", changed(response_type="code id_token"), "unsupported_response_type"),
    ("fragment", changed(response_mode="fragment"), "invalid_request"),
    ("public without PKCE", changed(client_id="public"), "invalid_request"),
    ("required PKCE", changed(client_id="careful"), "invalid_request"),
    ("plain", changed(**PKCE | {"code_challenge_method": "plain"}), "invalid_request"),
    ("no method", changed(code_challenge=PKCE["code_challenge"]), "invalid_request"),
    ("short challenge", changed(**PKCE | {"code_challenge": "a" * 42}), "invalid_request"),
    ("grant not allowed", changed(client_id="no-code"), "unauthorized_client"),
    ("unknown scope", changed(scope="openid launch"), "invalid_scope"),
    ("scope not allowed", changed(scope="records:write"), "invalid_scope"),
    ("unknown resource", changed(resource="https://evil.example"), "invalid_target"),
    ("relative resource", changed(resource="/api"), "invalid_target"),
    ("resource with a fragment", changed(resource=STOCK + "#a"), "invalid_target"),
    ("request object", changed(request="e30.e30."), "request_not_supported"),
    ("foreign request_uri", changed(request_uri="https://app.example/r"), "request_uri_not_supported"),
    ("registration", changed(registration="{}"), "registration_not_supported"),
    ("none and login", changed(prompt="none login"), "invalid_request"),
    ("unknown prompt", changed(prompt="create"), "invalid_request"),
    ("bad max_age", changed(max_age="-1"), "invalid_request"),
    ("bad hint", changed(id_token_hint="a.b.c"), "invalid_request"),
    ("repeated scope", [*BASE.items(), ("scope", "openid")], "invalid_request"),
    ("repeated nonce", [*BASE.items(), ("nonce", "a"), ("nonce", "b")], "invalid_request"),
]


@pytest.mark.parametrize(
    ("request_", "error"), [row[1:] for row in REPORTED], ids=[row[0] for row in REPORTED]
)
@pytest.mark.parametrize("method", ["open", "post"])
def test_what_is_wrong_is_reported_to_the_client(
    world: World, signed_on: Walker, method: str, request_: Any, error: str
) -> None:
    before = codes(world)
    answer = answer_at(getattr(signed_on, method)(request_), CALLBACK)
    assert answer.keys() == {"error", "error_description", "state", "iss"}
    assert (answer["error"], answer["state"]) == (error, BASE["state"])
    assert answer["iss"] == world.app.state.service.tokens.issuer
    assert codes(world) == before


def test_a_repeated_state_is_not_returned(signed_on: Walker) -> None:
    answer = answer_at(signed_on.open([*BASE.items(), ("state", "b")]), CALLBACK)
    assert answer.keys() == {"error", "error_description", "iss"}
    assert answer["error"] == "invalid_request"


def test_unknown_parameters_are_ignored(signed_on: Walker) -> None:
    assert "code" in answer_at(
        signed_on.open(BASE | {"colour": "red", "ui_locales": "fr", "display": "page"}), CALLBACK
    )


def test_a_fault_is_reported_too(world: World, signed_on: Walker, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_arguments: object) -> None:
        raise RuntimeError("secret reason")

    monkeypatch.setattr(world.app.state.service.sign_ons, "find", fail)
    answer = answer_at(signed_on.open(BASE), CALLBACK)
    assert (answer["error"], answer["state"]) == ("server_error", BASE["state"])
    assert "secret" not in answer["error_description"]


# Logins --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user_id", "password"),
    [
        (USER, "quite another one"),
        ("stranger@acme.example", PASSWORD),
        ("admin@globex.example", f"{PASSWORD}!"),
        (USER, f"{PASSWORD} "),
        (USER, "long " * 20),
    ],
)
def test_a_wrong_password_shows_the_form_again(
    world: World, walker: Walker, user_id: str, password: str
) -> None:
    before = codes(world)
    page = walker.log_in(walker.open(BASE), user_id, password)
    assert page.status_code == 200
    assert "The user id or the password is wrong." in page.text
    assert password not in page.text
    assert "recordsmith-sign-on" not in walker.cookies
    assert codes(world) == before
    assert "code" in answer_at(walker.log_in(page), CALLBACK)


@pytest.mark.parametrize(
    "fields", [{}, {"username": USER}, {"password": PASSWORD}, {"username": "", "password": ""}]
)
def test_an_incomplete_form_is_shown_again(walker: Walker, fields: dict[str, str]) -> None:
    page = walker.fill(walker.open(BASE), **fields)
    assert "Enter your user id and your password." in page.text
    assert "code" in answer_at(walker.log_in(page), CALLBACK)


def test_too_many_attempts(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> None:
    values = {"credential_cache_seconds": 0, "login_failures": 3, "data_folder": key_folder}
    with open_world(mongo_uri, mongo_client, **values) as world:
        register(world, "web", **CODE_FLOW)
        walker = Walker(world)
        page = walker.open(BASE)
        for _attempt in range(3):
            assert walker.log_in(page, USER, "wrong").status_code == 200
        refused = walker.log_in(page)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert "too many attempts" in refused.text
        assert codes(world) == 0
        assert [name[:-9] for name in walker.cookies] == ["recordsmith-browser"]


def test_a_password_that_must_be_changed(world: World, walker: Walker) -> None:
    world.documents["credentials"].update_one({"userId": NORTH}, {"$set": {"forceChangePassword": True}})
    page = walker.log_in(walker.open(BASE), NORTH)
    assert title_of(page) == "Choose a new password"
    assert "recordsmith-sign-on" not in walker.cookies
    weak = walker.fill(page, new_password="short")
    assert title_of(weak) == "Choose a new password"
    assert "12 characters" in weak.text
    before = codes(world)
    answer = answer_at(walker.fill(weak, new_password="a new horse battery"), CALLBACK)
    assert "code" in answer
    assert codes(world) == before + 1
    late = walker.fill(weak, new_password="another horse battery")
    assert "Sign in again" in late.text
    assert codes(world) == before + 1


def test_no_log_line_has_a_secret(world: World, walker: Walker) -> None:
    with capture_logs() as lines:
        page = walker.open(BASE)
        walker.log_in(page, USER, "quite another one")
        code = answer_at(walker.log_in(page), CALLBACK)["code"]
        walker.open(BASE | {"scope": "launch"})
        walker.open(BASE | {"client_id": "stranger"})
    for secret in (
        PASSWORD,
        "quite another one",
        code,
        hidden_fields(page)["request"],
        *walker.cookies.values(),
    ):
        assert secret not in str(lines)
    events = [line["event"] for line in lines]
    assert events.count("oauth.authorized") == 1
    assert events.count("oauth.refused") == 2


# Whose form it is ----------------------------------------------------------------------------------


def test_a_form_is_refused_from_another_browser(world: World, walker: Walker) -> None:
    """Somebody begins in their own browser, and has that of another person send in the form."""
    page = walker.open(BASE)
    victim = Walker(world)
    other = Walker(world)
    other.open(BASE)
    for cookies in ({}, other.cookies):
        victim.cookies = dict(cookies)
        refused = victim.log_in(page)
        assert (refused.status_code, title_of(refused)) == (400, "This page has expired")
        assert "recordsmith-sign-on" not in victim.cookies
    victim.open(BASE)
    assert victim.log_in(page).status_code == 400
    assert "code" in answer_at(walker.log_in(page), CALLBACK)


def test_two_tabs_of_a_new_browser(world: World) -> None:
    """Both requests are on their way before either answer, with its cookie, is there."""
    first, second = Walker(world), Walker(world)
    pages = [first.open(BASE), second.open(changed(client_id="other"))]
    browser = Walker(world, first.cookies | second.cookies)
    assert "code" in answer_at(browser.log_in(pages[0]), CALLBACK)
    assert "code" in answer_at(browser.log_in(pages[1]), CALLBACK)
    assert "set-cookie" not in browser.open(changed(prompt="login")).headers
    assert first.log_in(pages[1]).status_code == 400  # of another browser


def test_a_form_expires(walker: Walker, clock: Any) -> None:
    page = walker.open(BASE)
    clock(601)
    assert walker.log_in(page).status_code == 400


@pytest.mark.parametrize("field", ["", "x", "e30.e30", "a" * 43 + "." + "a" * 43])
def test_a_form_that_is_not_ours(world: World, walker: Walker, field: str) -> None:
    walker.open(BASE)
    before = codes(world)
    assert walker.post({"request": field, "username": USER, "password": PASSWORD}).status_code == 400
    assert codes(world) == before


def test_what_a_form_adds_to_the_request_is_ignored(walker: Walker) -> None:
    page = walker.open(BASE)
    more = {
        "scope": "profile",
        "state": "evil",
        "redirect_uri": "https://evil.example/",
        "realm": "x",
        "prompt": "none",
    }
    answer = answer_at(walker.fill(page, username=USER, password=PASSWORD, **more), CALLBACK)
    assert answer["state"] == BASE["state"]


def test_a_password_with_a_client_id_is_no_login(world: World, walker: Walker) -> None:
    page = walker.open(BASE)
    before = codes(world)
    form = hidden_fields(page) | BASE | {"username": USER, "password": PASSWORD}
    assert answer_at(walker.post(form), CALLBACK)["error"] == "request_not_supported"
    assert title_of(walker.post(BASE | {"username": USER, "password": PASSWORD})) == "Sign in"
    assert title_of(walker.open(BASE | {"username": USER, "password": PASSWORD})) == "Sign in"
    assert codes(world) == before


def test_a_repeated_field_is_refused(walker: Walker) -> None:
    page = walker.open(BASE)
    pairs = [*hidden_fields(page).items(), ("username", USER), ("password", PASSWORD), ("password", "x")]
    assert walker.post(pairs).status_code == 400


def test_a_client_that_is_disabled_on_the_way(world: World, walker: Walker) -> None:
    page = walker.open(BASE | {"client_id": "other"})
    before = codes(world)
    manage(world, set_active, world.realm, "other", False)
    try:
        assert walker.log_in(page).status_code == 400
    finally:
        manage(world, set_active, world.realm, "other", True)
    assert codes(world) == before


def test_an_address_that_is_removed_on_the_way(world: World, walker: Walker) -> None:
    page = walker.open(BASE | {"client_id": "other"})
    stored = world.documents["oauth_clients"]
    stored.update_one({"clientId": "other"}, {"$set": {"redirectUris": [OTHER]}})
    try:
        assert walker.log_in(page).status_code == 400
    finally:
        stored.update_one({"clientId": "other"}, {"$set": {"redirectUris": CODE_FLOW["redirectUris"]}})


def test_the_cookies(world: World, walker: Walker) -> None:
    page = walker.open(BASE)
    header = page.headers["set-cookie"]
    assert header.startswith("recordsmith-browser-")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(header.split("; "))
    assert "set-cookie" not in walker.open(BASE).headers
    sent = walker.log_in(page).headers["set-cookie"]
    assert sent.startswith("recordsmith-sign-on=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(sent.split("; "))


def test_the_cookies_over_https(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    """Neither a page without TLS nor another host of the domain can plant one."""
    values = {"base_url": "https://id.example", "data_folder": key_folder}
    with open_world(mongo_uri, mongo_client, **values) as world:
        register(world, "web", **CODE_FLOW)
        walker = Walker(world)
        page = walker.open(BASE)
        signed_in = walker.log_in(page)
        assert answer_at(signed_in, CALLBACK)["iss"] == "https://id.example"
        for answer in (page, signed_in):
            assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(
                answer.headers["set-cookie"].split("; ")
            )
        names = sorted(walker.cookies)
        assert names == [f"__Host-recordsmith-browser-{names[0][-8:]}", "__Host-recordsmith-sign-on"]
        assert "code" in answer_at(walker.open(BASE), CALLBACK)
        walker.cookies = {name.removeprefix("__Host-"): value for name, value in walker.cookies.items()}
        assert title_of(walker.open(BASE)) == "Sign in"
        assert walker.log_in(page).status_code == 400


def test_a_cookie_that_was_sent_twice_names_nobody(world: World, signed_on: Walker) -> None:
    """One of the two was planted."""
    twice = "; ".join(f"{name}={value}; {name}={value}" for name, value in signed_on.cookies.items())
    answer = world.ask(
        "GET /oauth/authorize", None, params=BASE | {"prompt": "none"}, headers={"Cookie": twice}
    )
    assert answer_at(answer, CALLBACK)["error"] == "login_required"


# prompt, max_age and id_token_hint -----------------------------------------------------------------


@pytest.mark.parametrize("changes", [{"prompt": "login"}, {"prompt": "select_account"}, {"max_age": "0"}])
def test_a_client_may_want_a_login(world: World, signed_on: Walker, changes: Mapping[str, str]) -> None:
    before = codes(world)
    page = signed_on.open(BASE | changes)
    assert title_of(page) == "Sign in"
    assert codes(world) == before
    assert "code" in answer_at(signed_on.log_in(page), CALLBACK)
    assert title_of(signed_on.open(BASE | changes)) == "Sign in"


def test_without_a_user_nothing_is_silent(world: World, walker: Walker) -> None:
    before = codes(world)
    answer = answer_at(walker.open(BASE | {"prompt": "none"}), CALLBACK)
    assert (answer["error"], answer["state"]) == ("login_required", BASE["state"])
    assert walker.cookies == {}
    assert codes(world) == before


@pytest.fixture(params=["UTC", "America/New_York", "Pacific/Kiritimati"])
def _time_zone_of_the_machine(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_time_zone_of_the_machine")
def test_max_age_and_the_time_of_the_login(world: World, signed_on: Walker, clock: Any) -> None:
    clock(100)
    assert "code" in answer_at(signed_on.open(BASE | {"max_age": "200"}), CALLBACK)
    assert (
        answer_at(signed_on.open(BASE | {"max_age": "50", "prompt": "none"}), CALLBACK)["error"]
        == "login_required"
    )
    page = signed_on.open(BASE | {"max_age": "50"})
    code = answer_at(signed_on.log_in(page), CALLBACK)["code"]
    claims = claims_of(exchange(world, code).json()["id_token"])
    assert abs(claims["auth_time"] - world.app.state.service.tokens.clock()) < 30


def test_a_hint_names_the_only_user(world: World, signed_on: Walker, walker: Walker) -> None:
    code = answer_at(signed_on.open(BASE), CALLBACK)["code"]
    request = BASE | {"id_token_hint": exchange(world, code).json()["id_token"]}
    assert "code" in answer_at(signed_on.open(request | {"prompt": "none"}), CALLBACK)
    foreign = answer_at(signed_on.open(request | {"client_id": "other"}), CALLBACK)
    assert foreign["error"] == "invalid_request"
    before = codes(world)
    page = walker.open(request)
    assert title_of(page) == "Sign in"
    assert answer_at(walker.log_in(page, "admin@acme.example"), CALLBACK)["error"] == "login_required"
    assert answer_at(walker.open(request | {"prompt": "none"}), CALLBACK)["error"] == "login_required"
    assert codes(world) == before
    assert "code" in answer_at(walker.log_in(walker.open(request)), CALLBACK)


# Consent -------------------------------------------------------------------------------------------

ASKING = BASE | {"client_id": "asking"}


@pytest.fixture
def asking(world: World, signed_on: Walker) -> Iterator[Walker]:
    yield signed_on
    world.documents["consents"].delete_many({})


def test_a_user_is_asked_once(world: World, asking: Walker) -> None:
    before = codes(world)
    page = asking.open(ASKING)
    assert title_of(page) == "Allow access?"
    assert USER in page.text
    assert answer_at(asking.open(ASKING | {"prompt": "none"}), CALLBACK)["error"] == "consent_required"
    assert codes(world) == before
    assert "code" in answer_at(asking.fill(page, decision="allow"), CALLBACK)
    for request in (ASKING, ASKING | {"prompt": "none"}):
        assert "code" in answer_at(asking.open(request), CALLBACK)
    assert title_of(asking.open(ASKING | {"scope": "openid profile"})) == "Allow access?"
    assert title_of(asking.open(ASKING | {"resource": STOCK})) == "Allow access?"
    assert title_of(asking.open(ASKING | {"prompt": "consent"})) == "Allow access?"
    (stored,) = world.documents["consents"].find()
    assert stored["clientId"] == "asking"
    assert stored["grants"] == [{"resource": THIS_SERVICE, "scopes": [EVERYTHING, "openid"]}]


def test_consents_add_up_for_each_resource(world: World, asking: Walker) -> None:
    """What a user allows at one resource is allowed at no other."""
    granted = [{"scope": "openid"}, {"scope": "profile"}, {"scope": "openid", "resource": STOCK}]
    for changes in granted:
        assert "code" in answer_at(asking.fill(asking.open(ASKING | changes), decision="allow"), CALLBACK)
    both = ASKING | {"scope": "openid profile"}
    for request in (both, ASKING | granted[2]):
        assert "code" in answer_at(asking.open(request), CALLBACK)
    mixed = both | {"resource": STOCK}
    assert answer_at(asking.open(mixed | {"prompt": "none"}), CALLBACK)["error"] == "consent_required"
    page = asking.open(mixed)
    assert title_of(page) == "Allow access?"
    assert "code" in answer_at(asking.fill(page, decision="allow"), CALLBACK)
    assert "code" in answer_at(asking.open(mixed), CALLBACK)
    (stored,) = world.documents["consents"].find()
    all_scopes = [EVERYTHING, "openid", "profile"]
    assert stored["grants"] == [{"resource": one, "scopes": all_scopes} for one in (STOCK, THIS_SERVICE)]


@pytest.mark.parametrize(
    ("granted", "wider"),
    [
        pytest.param({"scope": "openid records:read"}, {"scope": "openid"}, id="not narrowed"),
        pytest.param({"scope": "openid records:read"}, {"scope": ""}, id="without any scope"),
        pytest.param({"resource": STOCK}, {}, id="this service"),
        pytest.param({"resource": f"{ISSUER}/mcp"}, {}, id="both doors of this service"),
    ],
)
def test_a_consent_covers_nothing_wider(
    asking: Walker, granted: dict[str, str], wider: dict[str, str]
) -> None:
    first, second = (ASKING | {"client_id": "asking-for-any"} | one for one in (granted, wider))
    for request in (first, second):
        page = asking.open(request)
        assert title_of(page) == "Allow access?"
        assert "code" in answer_at(asking.fill(page, decision="allow"), CALLBACK)
    for request in (first, second):
        assert "code" in answer_at(asking.open(request), CALLBACK)


@pytest.mark.parametrize("decision", ["deny", "Allow", "yes"])
def test_a_user_refuses(world: World, asking: Walker, decision: str) -> None:
    before = codes(world)
    answer = answer_at(asking.fill(asking.open(ASKING), decision=decision), CALLBACK)
    assert (answer["error"], answer["state"]) == ("access_denied", BASE["state"])
    assert (codes(world), world.documents["consents"].count_documents({})) == (before, 0)


def test_a_login_comes_before_the_question(world: World, walker: Walker) -> None:
    page = walker.log_in(walker.open(ASKING | {"prompt": "login consent"}))
    assert title_of(page) == "Allow access?"
    assert "recordsmith-sign-on" in walker.cookies
    assert "code" in answer_at(walker.fill(page, decision="allow"), CALLBACK)
    world.documents["consents"].delete_many({})


def test_a_decision_is_that_of_the_user_who_was_asked(world: World, asking: Walker) -> None:
    page = asking.open(ASKING)
    before = codes(world)
    asking.log_in(asking.open(BASE | {"prompt": "login"}), "admin@acme.example")
    again = asking.fill(page, decision="allow")
    assert title_of(again) == "Allow access?"
    assert "admin@acme.example" in again.text
    assert codes(world) == before + 1  # that of the other application
    assert world.documents["consents"].count_documents({}) == 0


def test_the_form_of_a_login_decides_nothing(world: World, walker: Walker) -> None:
    page = walker.open(ASKING)
    walker.log_in(walker.open(BASE))
    before = codes(world)
    assert title_of(walker.fill(page, decision="allow")) == "Allow access?"
    assert codes(world) == before


def test_a_decision_after_the_sign_on_has_ended(world: World, asking: Walker) -> None:
    page = asking.open(ASKING)
    world.documents["signOns"].update_many({}, {"$set": {"revoked": True}})
    before = codes(world)
    assert title_of(asking.fill(page, decision="allow")) == "Sign in"
    assert codes(world) == before


def test_a_decision_is_not_a_password(world: World, asking: Walker, clock: Any) -> None:
    """The password was young enough when the page was shown, and is too old when it is answered."""
    before = codes(world)
    page = asking.open(ASKING | {"max_age": "200"})
    assert title_of(page) == "Allow access?"
    clock(300)
    assert title_of(asking.fill(page, decision="allow")) == "Sign in"
    assert codes(world) == before


def test_one_consent_of_many_at_once(world: World, asking: Walker) -> None:
    page = asking.open(ASKING)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _number: asking.fill(page, decision="allow"), range(8)))
    assert all("code" in answer_at(one, CALLBACK) for one in answers)
    assert world.documents["consents"].count_documents({}) == 1


@pytest.mark.parametrize(
    ("client_id", "uri"),
    [("device", "http://127.0.0.1:51000/cb"), ("device-page", "http://localhost:51000/cb")],
)
def test_an_application_on_the_device_gets_nothing_silently(
    world: World, signed_on: Walker, client_id: str, uri: str
) -> None:
    """Any program there can pretend to be a public client, and listen on the address."""
    request = changed(client_id=client_id, redirect_uri=uri, **PKCE)
    before = codes(world)
    silent = answer_at(signed_on.open(request | {"prompt": "none"}), uri)
    assert silent["error"] == "consent_required"
    page = signed_on.open(request)
    assert title_of(page) == "Allow access?"
    assert codes(world) == before
    assert "code" in answer_at(signed_on.fill(page, decision="allow"), uri)
    assert title_of(signed_on.open(request)) == "Allow access?"
    fresh = Walker(world)
    assert "code" in answer_at(fresh.log_in(fresh.open(request)), uri)


@pytest.mark.parametrize(
    ("user", "client_id", "error"),
    [
        ("admin@globex.example", "web", "access_denied"),
        ("admin@globex.example", "asking", "access_denied"),
        ("operator@service.example", "web", "access_denied"),
        ("user@acme.example", "of-an-organisation", "access_denied"),
        ("south@acme.example", "of-an-organisation", "access_denied"),
        ("northern@acme.example", "of-an-organisation", None),
        ("user@acme.example", "of-a-segment", "access_denied"),
        ("segment-0@acme.example", "of-a-segment", "access_denied"),
        ("segment-7@acme.example", "of-a-segment", None),
        ("segment-7@acme.example", "web", None),
        ("admin@globex.example", "everywhere", None),
        ("user@acme.example", "everywhere", None),
    ],
)
def test_who_manages_a_client_gets_no_tokens_of_others(
    world: World, walker: Walker, user: str, client_id: str, error: str | None
) -> None:
    """A client belongs to a tenant, whose administrators can read what it gets."""
    request, before = changed(client_id=client_id), codes(world)
    answer = answer_at(walker.log_in(walker.open(request), user), CALLBACK)
    assert answer.get("error") == error
    assert ("code" in answer) is (error is None)
    assert codes(world) == before + (error is None)
    silent = answer_at(walker.open(request | {"prompt": "none"}), CALLBACK)
    assert silent.get("error") == (None if error is None else "login_required")
    if error is not None:  # another user may log in in the same browser
        assert title_of(walker.open(request)) == title_of(Walker(world).open(request))


@pytest.mark.parametrize(
    "rights",
    [
        {"roles": ["user", "system"]},
        {"realmRoles": {"elsewhere": ["system"]}},
        {"realmRoles": {"elsewhere": ["user"]}},
        {"realms": ["elsewhere"]},
        {"realmRegEx": "else.*"},
    ],
    ids=lambda rights: str(rights),
)
def test_a_user_with_rights_beyond_one_tenant_is_asked_by_the_client_of_one(
    world: World, walker: Walker, rights: Document
) -> None:
    """Also one who may act in another realm, which the token opens as well; rules may name users there."""
    credentials, user = world.documents["credentials"], {"loginName": "user@acme.example"}
    before = credentials.find_one(user)
    assert before is not None
    credentials.update_one(user, {"$set": rights})
    try:
        page = walker.log_in(walker.open(BASE))
        assert title_of(page) == "Allow access?"
        assert "code" in answer_at(walker.fill(page, decision="allow"), CALLBACK)
        assert title_of(walker.open(BASE)) == "Allow access?"
        assert "code" in answer_at(walker.open(changed(client_id="everywhere")), CALLBACK)
    finally:
        credentials.replace_one(user, before)


def test_the_sign_on_of_one_realm_is_none_in_another(world: World, signed_on: Walker) -> None:
    assert signed_on.open(BASE | {"realm": "elsewhere"}).status_code == 400
    assert "code" in answer_at(signed_on.open(BASE | {"realm": world.realm}), CALLBACK)


@pytest.mark.parametrize(
    "change",
    [{"disabled": True}, {"$inc": {"tokenEpoch": 1}}, {"activeStatus": "ARCHIVED"}],
)
def test_a_user_who_was_signed_on(world: World, change: Document) -> None:
    """A new password and other roles raise the epoch."""
    match = {"userId": "south@acme.example"}
    before = world.documents["credentials"].find_one(match)
    assert before is not None
    walker = Walker(world)
    assert "code" in answer_at(walker.log_in(walker.open(BASE), match["userId"]), CALLBACK)
    update = change if "$inc" in change else {"$set": change}
    world.documents["credentials"].update_one(match, update)
    try:
        assert answer_at(walker.open(BASE | {"prompt": "none"}), CALLBACK)["error"] == "login_required"
    finally:
        world.documents["credentials"].replace_one(match, before)


# The route -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD"])
def test_other_methods(world: World, method: str) -> None:
    answer = world.ask(f"{method} /oauth/authorize", None)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")


@pytest.mark.parametrize("media_type", ["application/json", "multipart/form-data; boundary=a", "text/plain"])
def test_other_media_types(walker: Walker, media_type: str) -> None:
    assert walker.post(json.dumps(BASE), **{"Content-Type": media_type}).status_code == 415


def test_the_form_of_a_page_has_no_query(world: World) -> None:
    answer = world.ask("POST /oauth/authorize?client_id=web", None, data=BASE)
    assert answer.status_code == 400
    assert "unknown parameter client_id: this path takes no query parameters" in answer.text
