"""Authorization codes: what is stored of one, who may exchange it, and what a second use ends."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.oauth.codes import Granted, PresentedCode, exchange_code, find_code, issue_code
from runtime.oauth.pkce import challenge_of, check_verifier
from tests.http.world import Document, World
from tests.oauth.applications import manage, register
from tests.oauth.sign_ins import REDIRECT, USER, SignIn, count, find_client, grant, sign_in
from tests.profiling import most_examined, profiled

WEB = {"allowedGrantTypes": ["authorization_code", "refresh_token"], "redirectUris": [REDIRECT]}
CLIENTS: dict[str, Document] = {
    "shop": WEB,
    "other": WEB,
    "short": WEB | {"allowedGrantTypes": ["authorization_code"]},
    "app": WEB | {"publicClient": True},
}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    for client_id, fields in CLIENTS.items():
        register(world, client_id, **fields)
    return world


@pytest.fixture(autouse=True)
def clean(world: World) -> None:
    for name in ("refreshFamilies", "oauth_authorization_codes", "signOns"):
        world.documents[name].delete_many({"clientId": {"$exists": True}})


def present(signed_in: SignIn, **changes: Any) -> PresentedCode:
    return replace(PresentedCode(signed_in.code, signed_in.redirect_uri, signed_in.verifier), **changes)


def find(world: World, signed_in: SignIn, client_id: str = "shop", **changes: Any) -> Document | None:
    found: Document | None = manage(
        world, find_code, find_client(world, client_id), present(signed_in, **changes)
    )
    return found


def exchange(world: World, signed_in: SignIn, client_id: str = "shop") -> Any:
    stored = find(world, signed_in, client_id)
    return stored and manage(world, exchange_code, find_client(world, client_id), stored)


def stored_codes(world: World) -> list[Document]:
    return list(world.documents["oauth_authorization_codes"].find())


def test_only_the_hash_of_a_code_is_stored(world: World) -> None:
    begun = datetime.now(UTC).replace(tzinfo=None)
    signed_in = sign_in(
        world, "shop", nonce="n-1", resources=("https://stock.example/api",), scope="openid email"
    )
    assert len(signed_in.code) == 43  # 256 bits
    (stored,) = stored_codes(world)
    assert signed_in.code not in repr(stored)
    assert stored["refName"] == hashlib.sha256(signed_in.code.encode()).hexdigest()
    kept = ("clientId", "redirectUri", "scope", "resources", "nonce", "used", "showAuthTime")
    assert [stored[name] for name in kept] == [
        "shop", REDIRECT, "openid email", ["https://stock.example/api"], "n-1", False, False,
    ]  # fmt: skip
    assert stored["dataDomain"]["tenantId"] == "acme"
    lasts = stored["validUntil"] - begun
    assert timedelta(minutes=4, seconds=59) < lasts < timedelta(minutes=5, seconds=10)
    assert stored["expiresAt"] - stored["validUntil"] == timedelta(minutes=1)
    assert not {"signOn", "code"} & stored.keys()


def test_codes_differ(world: World) -> None:
    granted, _verifier = grant(world, "shop")
    codes = {manage(world, issue_code, granted) for _ in range(20)}
    assert len(codes) == 20


def test_an_exchange_uses_the_code_up_and_begins_one_session(world: World) -> None:
    link = exchange(world, sign_in(world, "shop", scope="openid records:read"))
    (code,) = stored_codes(world)
    (family,) = world.documents["refreshFamilies"].find({"clientId": "shop"})
    assert (family["refName"], family["code"], family["revoked"]) == (link.family, code["refName"], False)
    assert (family["scope"], family["resources"], family["subject"]) == (
        "openid records:read", [], code["subject"],
    )  # fmt: skip
    assert family["authTime"] == code["authTime"]
    assert code["used"]
    assert code["expiresAt"] >= family["expiresAt"]  # a second use is noticed for as long as its tokens live


def test_a_client_without_refresh_tokens_has_a_session_as_long_as_its_access_token(world: World) -> None:
    link = exchange(world, sign_in(world, "short"), "short")
    assert abs(link.ends_at - datetime.now(UTC).timestamp() - 3600) < 10
    (family,) = world.documents["refreshFamilies"].find({"clientId": "short"})
    assert family["expiresAt"] - family["rotatedAt"] < timedelta(minutes=62)


NOT_PROVEN: dict[str, tuple[str, Document]] = {
    "another code": ("shop", {"code": "A" * 43}),
    "an empty code": ("shop", {"code": ""}),
    "an operator": ("shop", {"code": '{"$ne": ""}'}),
    "another client": ("other", {}),
    "another redirect URI": ("shop", {"redirect_uri": REDIRECT + "/"}),
    "the redirect URI in capitals": ("shop", {"redirect_uri": REDIRECT.upper()}),
    "another verifier": ("shop", {"verifier": "v" * 43}),
    "no verifier": ("shop", {"verifier": None}),
    "a verifier that is too short": ("shop", {"verifier": "v" * 42}),
    "the challenge as verifier": ("shop", {"verifier": "$challenge"}),
}


@pytest.mark.parametrize("name", NOT_PROVEN)
def test_what_proves_less_neither_uses_a_code_nor_ends_its_tokens(world: World, name: str) -> None:
    client_id, changes = NOT_PROVEN[name]
    signed_in = sign_in(world, "shop")
    changes = {
        k: challenge_of(str(signed_in.verifier)) if v == "$challenge" else v for k, v in changes.items()
    }
    assert find(world, signed_in, client_id, **changes) is None
    assert exchange(world, signed_in) is not None
    assert find(world, signed_in, client_id, **changes) is None
    assert count(world, clientId="shop", revoked=False) == 1


def test_a_code_without_a_challenge_takes_no_verifier(world: World) -> None:
    """Otherwise an attacker could remove the challenge of a request, and the client would not notice."""
    signed_in = sign_in(world, "shop", challenge=None)
    assert find(world, signed_in, verifier="v" * 43) is None
    assert exchange(world, signed_in) is not None


def test_a_public_client_needs_a_challenge(world: World) -> None:
    assert find(world, sign_in(world, "app", challenge=None), "app") is None
    assert exchange(world, sign_in(world, "app"), "app") is not None


def test_a_second_use_ends_the_session(world: World) -> None:
    signed_in, another = sign_in(world, "shop"), sign_in(world, "shop")
    assert exchange(world, signed_in) is not None
    assert exchange(world, another) is not None
    assert exchange(world, signed_in) is None
    assert count(world, clientId="shop", revoked=True) == 1
    assert count(world, clientId="shop", revoked=False) == 1
    assert exchange(world, signed_in) is None


def test_a_use_between_finding_and_exchanging_ends_the_session(world: World) -> None:
    signed_in = sign_in(world, "shop")
    stored = find(world, signed_in)
    client = find_client(world, "shop")
    assert manage(world, exchange_code, client, stored) is not None
    assert manage(world, exchange_code, client, stored) is None
    assert count(world, clientId="shop", revoked=False) == 0


def test_a_code_ends_after_five_minutes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = world.app.state.service.tokens
    used, unused = sign_in(world, "shop"), sign_in(world, "shop")
    assert exchange(world, used) is not None
    at = tokens.clock()
    monkeypatch.setattr(tokens, "clock", lambda: at + 299)
    assert find(world, unused) is not None
    monkeypatch.setattr(tokens, "clock", lambda: at + 301)
    assert exchange(world, unused) is None
    assert exchange(world, used) is None
    assert count(world, clientId="shop", revoked=False) == 0, "a second use counts after that time as well"


def begin_sign_on(world: World, name: str, **changes: str) -> str:
    credential = world.documents["credentials"].find_one({"userId": USER})
    assert credential is not None
    fields = {"subject": credential["subject"], "revoked": False, "cookie": name} | changes
    world.documents["signOns"].insert_one({"refName": name, "dataDomain": {"tenantId": "acme"}} | fields)
    return name


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_logout_ends_codes_that_wait(world: World, is_deleted: bool) -> None:
    signed_in = sign_in(world, "shop", sign_on=begin_sign_on(world, f"browser-{is_deleted}"))
    stored = find(world, signed_in)
    sign_ons = world.documents["signOns"]
    if is_deleted:
        sign_ons.delete_many({})
    else:
        sign_ons.update_many({}, {"$set": {"revoked": True}})
    assert manage(world, exchange_code, find_client(world, "shop"), stored) is None
    assert count(world, clientId="shop") == 0
    assert find(world, signed_in) is None


def test_the_session_remembers_its_sign_on(world: World) -> None:
    assert exchange(world, sign_in(world, "shop", sign_on=begin_sign_on(world, "browser"))) is not None
    assert count(world, clientId="shop", signOn="browser", revoked=False) == 1


def test_an_exchange_reads_no_sign_on_of_another_user(world: World) -> None:
    world.documents["signOns"].delete_many({})
    for number in range(20):
        begin_sign_on(world, f"other-{number}", subject=f"other-{number}")
    signed_in = sign_in(world, "shop", sign_on=begin_sign_on(world, "own"))
    with profiled(world.documents, "signOns") as commands:
        assert exchange(world, signed_in) is not None
    assert most_examined(commands) == 1


UNRESERVED = st.text("ABCXYZabcxyz0189-._~", min_size=43, max_size=128)


@given(UNRESERVED, UNRESERVED)
def test_a_verifier_belongs_to_its_own_challenge_alone(one: str, other: str) -> None:
    assert check_verifier(challenge_of(one), one)
    assert check_verifier(challenge_of(one), other) is (one == other)
    assert not check_verifier(None, one)
    assert not check_verifier(challenge_of(one), None)
    assert check_verifier(None, None)


@given(st.text())
def test_any_text_is_compared_without_an_error(text: str) -> None:
    assert not check_verifier("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", text)
    assert not check_verifier(text, "v" * 43)


def test_the_example_of_the_standard() -> None:
    """RFC 7636, appendix B."""
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert challenge_of(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    assert check_verifier("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", verifier)


def test_what_is_secret_is_not_shown(world: World) -> None:
    granted, verifier = grant(world, "shop")
    assert isinstance(granted, Granted)
    assert verifier not in repr(PresentedCode("the-code", REDIRECT, verifier))
    assert "the-code" not in repr(PresentedCode("the-code", REDIRECT, verifier))
