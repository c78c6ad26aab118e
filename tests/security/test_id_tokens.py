"""ID tokens: what they say, where they are refused, and which are good as a hint."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest

from runtime.errors import Unauthenticated
from runtime.settings import Settings
from runtime.tokens import Keys, Tokens, mint_id_token, read_id_token_hint, user_claims
from runtime.tokens.claims import LEEWAY_SECONDS
from tests.security.forging import MISSING, Forge


@pytest.fixture
def settings(data_folder: Path) -> Settings:
    return Settings.read({}, environment="development", data_folder=data_folder)


@pytest.fixture
def tokens(settings: Settings, clock: Callable[[], float]) -> Tokens:
    return Tokens(settings, clock)


def mint(tokens: Tokens, **changes: Any) -> str:
    values: dict[str, Any] = {
        "subject": "subject-of-ada", "realm": "main", "client_id": "shop", "session": "f1", "access_token": "at",
    }  # fmt: skip
    return mint_id_token(tokens, **(values | changes))


def test_it_says_what_the_standard_asks_for(tokens: Tokens, clock: Any) -> None:
    token, now = mint(tokens), int(clock.seconds)
    key = tokens.key_set()["keys"][0]
    assert jwt.get_unverified_header(token) == {"alg": "RS256", "typ": "JWT", "kid": key["kid"]}
    half = hashlib.sha256(b"at").digest()[:16]
    said = jwt.decode(
        token,
        jwt.PyJWK(dict(key)),
        algorithms=["RS256"],
        audience="shop",
        options={"verify_exp": False, "verify_iat": False},
    )
    assert said == {
        "iss": "http://127.0.0.1:8080",
        "sub": "subject-of-ada",
        "aud": "shop",
        "iat": now,
        "exp": now + 3600,
        "at_hash": base64.urlsafe_b64encode(half).rstrip(b"=").decode(),
        "sid": "f1",
        "realm": "main",
    }


def test_nonce_time_and_user_are_there_when_given(tokens: Tokens) -> None:
    user = user_claims(("openid", "profile", "email"), "Ada", "ada@acme.example")
    token = mint(tokens, nonce="n", auth_time=1234, user=user | {"sub": "somebody", "iss": "else"})
    said = jwt.decode(token, options={"verify_signature": False})
    assert (said["nonce"], said["auth_time"]) == ("n", 1234)
    assert (said["preferred_username"], said["email"]) == ("Ada", "ada@acme.example")
    assert (said["sub"], said["iss"]) == ("subject-of-ada", "http://127.0.0.1:8080")


@pytest.mark.parametrize(
    ("scopes", "email", "expected"),
    [
        (("openid",), "a@b.example", {}),
        (("openid", "profile"), "a@b.example", {"preferred_username": "Ada"}),
        (("openid", "email"), "a@b.example", {"email": "a@b.example"}),
        (("openid", "email"), None, {}),
        (("openid", "emails", "profiles"), "a@b.example", {}),
    ],
)
def test_claims_of_a_user_follow_the_scopes(
    scopes: tuple[str, ...], email: str | None, expected: dict[str, str]
) -> None:
    assert user_claims(scopes, "Ada", email) == expected


def test_it_is_neither_an_access_nor_a_refresh_token(tokens: Tokens) -> None:
    for client_id in ("shop", tokens.audience, tokens.refresh_audience):
        token = mint(tokens, client_id=client_id)
        for verify in (tokens.verify_access, tokens.verify_refresh):
            with pytest.raises(Unauthenticated, match="typ"):
                verify(token)


def test_a_hint_comes_back_as_claims_also_after_its_time(tokens: Tokens, clock: Any) -> None:
    token = mint(tokens)
    clock.advance(10**6)
    hint = read_id_token_hint(tokens, token)
    assert hint is not None
    assert (hint.subject, hint.client_id, hint.realm, hint.session) == (
        "subject-of-ada",
        "shop",
        "main",
        "f1",
    )


WRONG_CLAIMS: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://else.example"},
    "an issuer with a slash more": {"iss": "http://127.0.0.1:8080/"},
    "no issuer": {"iss": MISSING},
    "no subject": {"sub": MISSING},
    "a subject that is a number": {"sub": 1},
    "no audience": {"aud": MISSING},
    "several audiences": {"aud": ["shop", "other"]},
    "no realm": {"realm": MISSING},
    "no time of issue": {"iat": MISSING},
    "a time that is text": {"iat": "1"},
    "from the future": {"iat": 2**40, "exp": 2**41},
    "over before it begins": {"exp": 1},
    "a session that is a number": {"sid": 1},
}


@pytest.mark.parametrize("name", WRONG_CLAIMS)
def test_wrong_claims(settings: Settings, tokens: Tokens, name: str) -> None:
    forge = Forge(Keys.from_settings(settings), tokens, mint(tokens))
    claims = {k: v for k, v in (forge.claims | WRONG_CLAIMS[name]).items() if v is not MISSING}
    assert read_id_token_hint(tokens, forge.raw(forge.header, claims, forge.rs256)) is None
    assert read_id_token_hint(tokens, forge.raw(forge.header, forge.claims, forge.rs256)) is not None


@pytest.mark.parametrize(("more", "is_accepted"), [(0, True), (1, False)])
def test_a_hint_may_be_from_a_clock_a_few_seconds_ahead(
    settings: Settings, tokens: Tokens, clock: Any, more: int, is_accepted: bool
) -> None:
    clock.seconds = int(clock.seconds)
    forge = Forge(Keys.from_settings(settings), tokens, mint(tokens))
    claims = forge.claims | {"iat": clock.seconds + LEEWAY_SECONDS + more}
    hint = read_id_token_hint(tokens, forge.raw(forge.header, claims, forge.rs256))
    assert (hint is not None) is is_accepted


def test_tokens_of_other_kinds_and_broken_ones_are_no_hints(settings: Settings, tokens: Tokens) -> None:
    good = mint(tokens)
    forge = Forge(Keys.from_settings(settings), tokens, good)
    wrong = {
        "an access token": Forge(forge.keys, tokens).good,
        "a refresh token": tokens.mint_refresh(
            "s", realm="main", family="f", token_id="t", epoch=0, ends_at=2**40
        ),
        "signed by a stranger": forge.raw(forge.header, forge.claims, forge.by_stranger),
        "another algorithm": forge.raw(forge.header | {"alg": "PS256"}, forge.claims, forge.ps256),
        "HMAC with the public key": forge.raw(
            forge.header | {"alg": "HS256"}, forge.claims, forge.hs256(forge.public())
        ),
        "no signature": forge.raw(forge.header | {"alg": "none"}, forge.claims),
        "an unknown key": forge.raw(forge.header | {"kid": "other"}, forge.claims, forge.rs256),
        "no key named": forge.raw({"alg": "RS256", "typ": "JWT"}, forge.claims, forge.rs256),
        "a changed signature": good[:-6] + "AAAAAA",
        "nothing": "",
        "a word": "hint",
        "too long": good + "A" * 9000,
    }
    assert {name for name, token in wrong.items() if read_id_token_hint(tokens, token) is not None} == set()
