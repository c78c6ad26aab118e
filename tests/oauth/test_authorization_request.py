"""The checks of authorization requests, parameter by parameter, and the redirects that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.client import Client
from runtime.contract.forms import Parameters
from runtime.oauth.authorize.redirect_uris import RedirectTarget, find_target
from runtime.oauth.authorize.request import (
    Asked,
    CheckedRequest,
    Offer,
    check_request,
    find_state,
    read_client_id,
    require_target,
)
from runtime.oauth.authorize.responses import ReturnPath
from runtime.oauth.authorize.steps import (
    EVERYTHING,
    THIS_SERVICE,
    Refusal,
    Situation,
    Step,
    choose_step,
    wanted,
)
from runtime.oauth.refusals import OAuthRefused, PageRefused
from runtime.principal import DomainScope
from runtime.system.models.authorization_request import AuthorizationRequest

CALLBACK = "https://app.example/callback"
STOCK = "https://stock.example/api"
LONG = frozenset(f"https://{number}.example/" + "x" * 1000 for number in range(4))
OWN = "https://service.example"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
OFFER = Offer(("openid", "profile", "email", "records:read", "records:write"), (OWN, f"{OWN}/mcp"))
WEB = Client(
    "1", "main", "web",
    redirect_uris=(CALLBACK,),
    grant_types=frozenset({"authorization_code"}),
    scopes=("openid", "profile", "records:read"),
    resources=frozenset({STOCK}),
)  # fmt: skip
PUBLIC = replace(WEB, is_public=True, needs_pkce=True)
BASE = {"response_type": "code", "client_id": "web", "redirect_uri": CALLBACK}
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}

Pairs = Sequence[tuple[str, str]]


def ask(pairs: Pairs) -> Asked:
    return Parameters.read(AuthorizationRequest, list(pairs))


def check(client: Client, pairs: Pairs) -> CheckedRequest:
    target = find_target(client, CALLBACK)
    assert target is not None
    return check_request(client, target, ask(pairs), OFFER)


def changed(changes: dict[str, Any]) -> Pairs:
    return [(name, value) for name, value in {**BASE, **changes}.items() if value is not None]


REFUSED: list[tuple[str, Client, Pairs, str]] = [
    ("no response_type", WEB, changed({"response_type": None}), "invalid_request"),
    ("empty response_type", WEB, changed({"response_type": ""}), "invalid_request"),
    ("token", WEB, changed({"response_type": "token"}), "unsupported_response_type"),
    ("id_token", WEB, changed({"response_type": "id_token"}), "unsupported_response_type"),
    ("hybrid", WEB, changed({"response_type": "code token"}), "unsupported_response_type"),
    ("response type in capitals", WEB, changed({"response_type": "CODE"}), "unsupported_response_type"),
    ("fragment", WEB, changed({"response_mode": "fragment"}), "invalid_request"),
    ("form_post", WEB, changed({"response_mode": "form_post"}), "invalid_request"),
    ("public without PKCE", PUBLIC, changed({}), "invalid_request"),
    ("public with an empty challenge", PUBLIC, changed({**PKCE, "code_challenge": ""}), "invalid_request"),
    ("required PKCE", replace(WEB, needs_pkce=True), changed({}), "invalid_request"),
    ("plain", WEB, changed({**PKCE, "code_challenge_method": "plain"}), "invalid_request"),
    ("plain by default", WEB, changed({"code_challenge": CHALLENGE}), "invalid_request"),
    ("s256", WEB, changed({**PKCE, "code_challenge_method": "s256"}), "invalid_request"),
    ("method alone", WEB, changed({"code_challenge_method": "S256"}), "invalid_request"),
    ("challenge of 42", WEB, changed({**PKCE, "code_challenge": CHALLENGE[1:]}), "invalid_request"),
    ("challenge of 129", WEB, changed({**PKCE, "code_challenge": "a" * 129}), "invalid_request"),
    ("challenge with padding", WEB, changed({**PKCE, "code_challenge": CHALLENGE + "="}), "invalid_request"),
    ("challenge with a line", WEB, changed({**PKCE, "code_challenge": CHALLENGE + "\n"}), "invalid_request"),
    ("grant not allowed", replace(WEB, grant_types=frozenset({"client_credentials"})), changed({}), "unauthorized_client"),
    ("no grants", replace(WEB, grant_types=frozenset()), changed({}), "unauthorized_client"),
    ("unknown scope", WEB, changed({"scope": "openid launch"}), "invalid_scope"),
    ("scope not allowed", WEB, changed({"scope": "email"}), "invalid_scope"),
    ("two spaces", WEB, changed({"scope": "openid  profile"}), "invalid_scope"),
    ("scope with a quote", WEB, changed({"scope": 'openid "'}), "invalid_scope"),
    ("unknown resource", WEB, changed({"resource": "https://other.example"}), "invalid_target"),
    ("resource with a slash", WEB, changed({"resource": f"{STOCK}/"}), "invalid_target"),
    ("relative resource", WEB, changed({"resource": "/api"}), "invalid_target"),
    ("resource with a fragment", WEB, changed({"resource": f"{STOCK}#a"}), "invalid_target"),
    ("long resources", replace(WEB, resources=LONG), [*changed({}), *(("resource", one) for one in LONG)], "invalid_target"),
    ("one resource of two", WEB, [*changed({"resource": STOCK}), ("resource", "https://x.example")], "invalid_target"),
    ("request object", WEB, changed({"request": "e30.e30."}), "request_not_supported"),
    ("request_uri", WEB, changed({"request_uri": "https://app.example/r"}), "request_uri_not_supported"),
    ("registration", WEB, changed({"registration": "{}"}), "registration_not_supported"),
    ("unknown prompt", WEB, changed({"prompt": "create"}), "invalid_request"),
    ("none and login", WEB, changed({"prompt": "none login"}), "invalid_request"),
    ("none and consent", WEB, changed({"prompt": "consent none"}), "invalid_request"),
    ("max_age in words", WEB, changed({"max_age": "soon"}), "invalid_request"),
    ("negative max_age", WEB, changed({"max_age": "-1"}), "invalid_request"),
    ("fractional max_age", WEB, changed({"max_age": "1.5"}), "invalid_request"),
    ("endless max_age", WEB, changed({"max_age": "9" * 11}), "invalid_request"),
    ("max_age in other digits", WEB, changed({"max_age": "１"}), "invalid_request"),
    ("long nonce", WEB, changed({"nonce": "n" * 1025}), "invalid_request"),
    ("nonce that six characters each are written for", WEB, changed({"nonce": "\1" * 1024}), "invalid_request"),
    ("long state", WEB, changed({"state": "s" * 8193}), "invalid_request"),
] + [
    (f"repeated {name}", WEB, [*changed({name: value}), (name, other)], "invalid_request")
    for name, value, other in [
        ("response_type", "code", "code"),
        ("state", "a", "b"),
        ("scope", "openid", "openid"),
        ("nonce", "a", ""),
        ("code_challenge", CHALLENGE, CHALLENGE),
        ("prompt", "login", "none"),
        ("max_age", "1", "2"),
        ("request", "a", "b"),
        ("realm", "main", "main"),
    ]
] + [("repeated and unknown", WEB, [*changed({}), ("colour", "red"), ("colour", "blue")], "invalid_request")]  # fmt: skip


@pytest.mark.parametrize(
    ("client", "pairs", "error"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_is_reported_to_the_client(client: Client, pairs: Pairs, error: str) -> None:
    with pytest.raises(OAuthRefused) as refused:
        check(client, pairs)
    assert refused.value.error == error


@pytest.mark.parametrize(
    ("resource", "advice"), [(f"{OWN}/mcp/", f"; did you mean {OWN}/mcp or {OWN}?"), ("urn:elsewhere", "")]
)
def test_an_unknown_resource_is_compared_with_those_of_the_service(resource: str, advice: str) -> None:
    with pytest.raises(OAuthRefused) as refused:
        check(WEB, changed({"resource": resource}))
    text = "the client may not request a token for this resource"
    assert refused.value.description == text + advice


def test_a_request_in_order() -> None:
    more = {"scope": "profile openid", "nonce": "n", "prompt": "login consent", "max_age": "60", **PKCE}
    pairs = [*changed(more), ("resource", STOCK), ("resource", f"{OWN}/mcp"), ("resource", STOCK)]
    checked = check(PUBLIC, [*pairs, ("login_hint", "ann"), ("id_token_hint", "a.b.c"), ("ui_locales", "fr")])
    assert checked == CheckedRequest(
        client=PUBLIC,
        target=RedirectTarget(CALLBACK),
        scope="profile openid",
        resources=(STOCK, f"{OWN}/mcp"),
        challenge=CHALLENGE,
        nonce="n",
        prompts=frozenset({"login", "consent"}),
        max_age=60,
        login_hint="ann",
        hint="a.b.c",
    )
    assert checked.shows_auth_time


@pytest.mark.parametrize(
    ("client", "changes", "scope"),
    [
        (WEB, {}, "openid profile records:read"),
        (WEB, {"scope": ""}, "openid profile records:read"),
        (WEB, {"scope": "openid"}, "openid"),
        (WEB, {"scope": "openid openid"}, "openid"),
        (replace(WEB, scopes=None), {}, ""),
        (replace(WEB, scopes=None), {"scope": "records:write email"}, "records:write email"),
        (WEB, {"response_mode": "query", "request": "", "request_uri": "", "prompt": "", "max_age": ""}, "openid profile records:read"),
    ],
)  # fmt: skip
def test_what_may_be_left_out(client: Client, changes: dict[str, str], scope: str) -> None:
    checked = check(client, changed(changes))
    assert (checked.scope, checked.challenge, checked.max_age) == (scope, None, None)
    assert not checked.prompts
    assert not checked.shows_auth_time


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        changed({"client_id": None}),
        changed({"client_id": ""}),
        [*changed({}), ("client_id", "web")],
        [*changed({}), ("client_id", "")],
    ],
)
def test_without_a_client_id_there_is_a_page(pairs: Pairs) -> None:
    with pytest.raises(PageRefused):
        read_client_id(ask(pairs))


@pytest.mark.parametrize(
    ("client", "pairs"),
    [
        (None, changed({})),
        (WEB, changed({"redirect_uri": None})),
        (WEB, changed({"redirect_uri": ""})),
        (WEB, changed({"redirect_uri": "https://evil.example"})),
        (WEB, changed({"redirect_uri": CALLBACK + "/../x"})),
        (WEB, changed({"redirect_uri": CALLBACK + "?a=b"})),
        (WEB, [*changed({}), ("redirect_uri", CALLBACK)]),
        (replace(WEB, redirect_uris=()), changed({})),
    ],
)
def test_without_a_registered_target_there_is_a_page(client: Client | None, pairs: Pairs) -> None:
    with pytest.raises(PageRefused):
        require_target(client, ask(pairs))


@pytest.mark.parametrize(
    ("pairs", "state"),
    [
        ([], None),
        ([("state", "")], None),
        ([("state", "a b&c=d\u00e9\n<")], "a b&c=d\u00e9\n<"),
        ([("state", "a"), ("state", "a")], None),
        ([("state", "s" * 8192)], "s" * 8192),
        ([("state", "s" * 8193)], None),
    ],
)
def test_the_state_of_an_answer(pairs: Pairs, state: str | None) -> None:
    assert find_state(ask(pairs)) == state


NAMES = sorted(AuthorizationRequest.model_fields)
VALUES = st.one_of(
    st.sampled_from(
        [
            "",
            "code",
            "S256",
            CHALLENGE,
            "openid",
            "openid profile",
            "none",
            "login consent",
            STOCK,
            "60",
            "query",
        ]
    ),
    st.text(max_size=12),
)
ANY_PAIRS = st.lists(st.tuples(st.sampled_from([*NAMES, "colour"]), VALUES), max_size=8)


@given(ANY_PAIRS, st.booleans())
def test_whatever_is_sent_is_in_order_or_refused(more: Pairs, is_public: bool) -> None:
    client = PUBLIC if is_public else WEB
    pairs = [*changed(PKCE if is_public else {}), *more]
    try:
        checked = check(client, pairs)
    except OAuthRefused:
        return
    assert not ask(pairs).repeated
    assert {*checked.scope.split()} <= {"openid", "profile", "records:read"}
    assert {*checked.resources} <= {STOCK, *OFFER.audiences}
    assert checked.target.uri == CALLBACK
    assert checked.challenge is not None or not client.needs_pkce
    assert not ("none" in checked.prompts and len(checked.prompts) > 1)


# Redirects ----------------------------------------------------------------------------------------


def test_a_redirect_keeps_the_registered_query() -> None:
    path = ReturnPath(RedirectTarget(f"{CALLBACK}?tenant=a%20b&x"), "s&t", "https://issuer.example/")
    answer = path.redirect_with_code("abc")
    assert (answer.status, answer.body) == (303, b"")
    expected = f"{CALLBACK}?tenant=a%20b&x&code=abc&state=s%26t&iss=https%3A%2F%2Fissuer.example%2F"
    assert answer.headers == {"Location": expected}


@pytest.mark.parametrize("uri", [CALLBACK, f"{CALLBACK}?", f"{CALLBACK}?a=b&", "com.example.app:/cb"])
@given(state=st.none() | st.text(min_size=1, max_size=30), text=st.text(max_size=30))
def test_an_answer_arrives_as_it_was_meant(uri: str, state: str | None, text: str) -> None:
    answer = ReturnPath(RedirectTarget(uri), state, OWN).redirect_with_error("invalid_request", text)
    location = answer.headers["Location"]
    assert location.startswith(uri)
    assert location.isascii()
    assert location.isprintable()
    assert " " not in location
    found = dict(parse_qsl(urlsplit(location).query, keep_blank_values=True, strict_parsing=False))
    assert found["error"] == "invalid_request"
    assert found["iss"] == OWN
    assert found.get("state") == state
    assert not set(found["error_description"]) & {'"', "\\", "\n"}
    assert urlsplit(location).fragment == ""


# Steps --------------------------------------------------------------------------------------------

NOW = 1_000_000.0
HERE = Situation(NOW, "ann", NOW - 100)
ASKS = replace(WEB, needs_consent=True)
SCOPES = frozenset({"openid", "profile", "records:read"})
GRANTED = {THIS_SERVICE: SCOPES}
OF_ACME = replace(WEB, users=DomainScope("acme"))
DEVICE = replace(PUBLIC, is_native=True, redirect_uris=("http://127.0.0.1/cb",))

LOGIN, CONSENT, CODE = Step.LOGIN, Step.CONSENT, Step.CODE
NO_LOGIN, NO_CONSENT, NOT_FOR_IT = "login_required", "consent_required", "access_denied"

STEPS: list[tuple[str, Client, dict[str, str], Situation, Step | str]] = [
    ("nobody", WEB, {}, Situation(NOW), LOGIN),
    ("nobody, none", WEB, {"prompt": "none"}, Situation(NOW), NO_LOGIN),
    ("somebody", WEB, {}, HERE, CODE),
    ("somebody, none", WEB, {"prompt": "none"}, HERE, CODE),
    ("login", WEB, {"prompt": "login"}, HERE, LOGIN),
    ("login done", WEB, {"prompt": "login"}, replace(HERE, is_fresh=True), CODE),
    ("select_account", WEB, {"prompt": "select_account"}, HERE, LOGIN),
    ("select_account done", WEB, {"prompt": "select_account"}, replace(HERE, is_fresh=True), CODE),
    ("young enough", WEB, {"max_age": "100"}, HERE, CODE),
    ("too old", WEB, {"max_age": "99"}, HERE, LOGIN),
    ("too old, none", WEB, {"max_age": "99", "prompt": "none"}, HERE, NO_LOGIN),
    ("max_age 0", WEB, {"max_age": "0"}, replace(HERE, auth_time=NOW), LOGIN),
    ("max_age 0, done", WEB, {"max_age": "0"}, replace(HERE, is_fresh=True), CODE),
    ("hint fits", WEB, {"prompt": "none"}, replace(HERE, expected="ann"), CODE),
    ("hint of another", WEB, {}, replace(HERE, expected="bob"), LOGIN),
    ("hint of another, none", WEB, {"prompt": "none"}, replace(HERE, expected="bob"), NO_LOGIN),
    ("hint of another after a login", WEB, {}, replace(HERE, expected="bob", is_fresh=True), NO_LOGIN),
    ("hint without anybody", WEB, {}, Situation(NOW, expected="bob"), LOGIN),
    ("consent", ASKS, {}, HERE, CONSENT),
    ("consent, none", ASKS, {"prompt": "none"}, HERE, NO_CONSENT),
    ("consent after a login", ASKS, {}, replace(HERE, is_fresh=True), CONSENT),
    ("consented", ASKS, {}, replace(HERE, consented=GRANTED), CODE),
    ("consented, none", ASKS, {"prompt": "none"}, replace(HERE, consented=GRANTED), CODE),
    ("consented to less", ASKS, {}, replace(HERE, consented={THIS_SERVICE: SCOPES - {"profile"}}), CONSENT),
    ("consented to more", ASKS, {"scope": "openid"}, replace(HERE, consented=GRANTED), CODE),
    ("consented without the resource", ASKS, {"resource": STOCK}, replace(HERE, consented=GRANTED), CONSENT),
    ("consented with it", ASKS, {"resource": STOCK}, replace(HERE, consented={STOCK: SCOPES}), CODE),
    ("consented with less at it", ASKS, {"resource": STOCK}, replace(HERE, consented=GRANTED | {STOCK: frozenset({"openid"})}), CONSENT),
    ("consented to nothing", ASKS, {}, replace(HERE, consented={}), CONSENT),
    ("prompt=consent", WEB, {"prompt": "consent"}, replace(HERE, consented=GRANTED), CONSENT),
    ("prompt=consent, decided", WEB, {"prompt": "consent"}, replace(HERE, has_decided=True), CODE),
    ("login and consent", WEB, {"prompt": "login consent"}, HERE, LOGIN),
    ("login done, then consent", WEB, {"prompt": "login consent"}, replace(HERE, is_fresh=True), CONSENT),
    ("both done", WEB, {"prompt": "login consent"}, replace(HERE, is_fresh=True, has_decided=True), CODE),
    ("decided, but too old", ASKS, {"max_age": "1"}, replace(HERE, has_decided=True), LOGIN),
    ("on the device", DEVICE, PKCE, replace(HERE, consented=GRANTED), CONSENT),
    ("on the device, none", DEVICE, {**PKCE, "prompt": "none"}, HERE, NO_CONSENT),
    ("on the device after a login", DEVICE, PKCE, replace(HERE, is_fresh=True), CODE),
    ("on the device, decided", DEVICE, PKCE, replace(HERE, has_decided=True), CODE),
    ("on the device, not native", replace(DEVICE, is_native=False), PKCE, HERE, CONSENT),
    ("on the device, not native, none", replace(DEVICE, is_native=False), {**PKCE, "prompt": "none"}, HERE, NO_CONSENT),
    ("public, elsewhere", replace(DEVICE, redirect_uris=(WEB.redirect_uris[0],)), PKCE, HERE, CODE),
    ("of another tenant", WEB, {}, replace(HERE, is_admitted=False), LOGIN),
    ("of another tenant, none", WEB, {"prompt": "none"}, replace(HERE, is_admitted=False), NO_LOGIN),
    ("of another tenant after a login", WEB, {}, replace(HERE, is_admitted=False, is_fresh=True), NOT_FOR_IT),
    ("of another tenant, decided", ASKS, {}, replace(HERE, is_admitted=False, has_decided=True), LOGIN),
    ("system", OF_ACME, {}, replace(HERE, is_beyond_tenant=True, consented=GRANTED), CONSENT),
    ("system, none", OF_ACME, {"prompt": "none"}, replace(HERE, is_beyond_tenant=True), NO_CONSENT),
    ("system, decided", OF_ACME, {}, replace(HERE, is_beyond_tenant=True, has_decided=True), CODE),
    ("system at a client for all", WEB, {}, replace(HERE, is_beyond_tenant=True), CODE),
    ("beyond the writers", WEB, {}, replace(HERE, is_beyond_writers=True), CONSENT),
    ("beyond the writers, none", WEB, {"prompt": "none"}, replace(HERE, is_beyond_writers=True), NO_CONSENT),
    ("beyond the writers, consented", WEB, {}, replace(HERE, is_beyond_writers=True, consented=GRANTED), CODE),
    ("beyond the writers, decided", WEB, {}, replace(HERE, is_beyond_writers=True, has_decided=True), CODE),
    ("on the device with a secret", replace(DEVICE, is_public=False), PKCE, HERE, CODE),
]  # fmt: skip


@pytest.mark.parametrize(("client", "changes", "situation", "expected"), [row[1:] for row in STEPS], ids=[row[0] for row in STEPS])  # fmt: skip
def test_the_next_step(
    client: Client, changes: dict[str, str], situation: Situation, expected: Step | str
) -> None:
    target = find_target(client, client.redirect_uris[0])
    assert target is not None
    step = choose_step(check_request(client, target, ask(changed(changes)), OFFER), situation)
    assert (step.error if isinstance(step, Refusal) else step) == expected


@given(
    st.sampled_from([WEB, ASKS, DEVICE, OF_ACME]),
    st.sampled_from(["", "none", "login", "consent", "login consent", "select_account"]),
    st.sampled_from(["", "0", "50", "500"]),
    st.builds(
        Situation,
        st.just(NOW),
        subject=st.sampled_from([None, "ann"]),
        auth_time=st.sampled_from([NOW, NOW - 100]),
        is_fresh=st.booleans(),
        expected=st.sampled_from([None, "ann", "bob"]),
        consented=st.sampled_from([None, {}, {STOCK: SCOPES}, GRANTED]),
        has_decided=st.booleans(),
        is_admitted=st.booleans(),
        is_beyond_tenant=st.booleans(),
        is_beyond_writers=st.booleans(),
    ),
)
def test_what_a_step_never_is(client: Client, prompt: str, max_age: str, situation: Situation) -> None:
    target = find_target(client, client.redirect_uris[0])
    assert target is not None
    pairs = changed({**PKCE, "prompt": prompt, "max_age": max_age})
    step = choose_step(check_request(client, target, ask(pairs), OFFER), situation)
    if prompt == "none":
        assert step is CODE or isinstance(step, Refusal)
    if step is not CODE:
        return
    assert situation.subject is not None
    assert situation.is_admitted
    assert situation.has_decided or not situation.is_beyond_tenant or client is not OF_ACME
    assert situation.expected in (None, situation.subject)
    assert situation.is_fresh or not ({"login", "select_account"} & {*prompt.split()} or max_age == "0")
    assert situation.has_decided or "consent" not in prompt
    asks = client is ASKS or situation.is_beyond_writers
    assert situation.has_decided or not asks or situation.consented == GRANTED
    assert situation.has_decided or client is not DEVICE or situation.is_fresh


def test_what_a_consent_is_about() -> None:
    checked = check(WEB, changed({"scope": "openid profile", "resource": STOCK}))
    assert wanted(checked) == {"openid", "profile", STOCK, "for system"}
    assert wanted(check(WEB, changed({"scope": "openid"}))) == {"openid", THIS_SERVICE, "for system"}
    unlimited = check(replace(WEB, scopes=None), changed({"scope": "openid", "resource": STOCK}))
    assert wanted(unlimited) == {"openid", EVERYTHING, STOCK, "for system"}
