"""Tokens that must not be accepted: each row of ``forging`` is one way to forge, damage or misuse one.

Every row begins with a token that would be accepted (``test_the_unforged_token_is_accepted``). All are tried
with one key, and after a rotation: with the key that came before, and with the new one.
"""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import Unauthenticated
from runtime.settings import Settings
from runtime.tokens import Tokens, remove_key, rotate_keys
from tests.rows import for_each_row
from tests.security.forging import ADA, BASE, FORGED, MISSING, Case, Forge, changed, encode


@pytest.fixture(scope="module", params=["the only key", "the key before a rotation", "the key after it"])
def forge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Forge:
    folder, now = tmp_path_factory.mktemp("forged"), time.time()
    settings = Settings.read({}, environment="development", data_folder=folder)
    before = Tokens(settings, lambda: now)
    if request.param == "the only key":
        return Forge(before.ring.keys, before)
    good = before.mint_access(ADA, scope="read")
    rotate_keys(settings, now, at_once=True)
    after = Tokens(settings, lambda: now)
    if request.param == "the key before a rotation":
        return Forge(before.ring.keys, after, good)
    return Forge(after.ring.keys, after)


def test_the_unforged_token_is_accepted(forge: Forge) -> None:
    for token in (forge.good, forge.with_header(), forge.with_claims(), forge.with_claims(aud=BASE)):
        assert forge.tokens.verify_access(token).user_id == "Ada"


@for_each_row("case", FORGED)
def test_forged_token_is_refused(forge: Forge, case: Case) -> None:
    token = case(forge)
    for verify in (
        forge.tokens.verify_access,
        forge.tokens.verify_access,  # nothing of a refused token is remembered
        lambda text: forge.tokens.verify_purpose("other", text),
    ):
        with pytest.raises(Unauthenticated) as refusal:
            verify(token)
        assert refusal.value.bad_token
        assert refusal.value.headers["WWW-Authenticate"].endswith('error="invalid_token"')


@for_each_row("case", {name: case for name, case in FORGED.items() if name != "a refresh token"})
def test_forged_token_is_no_refresh_token(forge: Forge, case: Case) -> None:
    with pytest.raises(Unauthenticated):
        forge.tokens.verify_refresh(case(forge))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"fam": MISSING}, id="fam missing"),
        pytest.param({"fam": {"$gt": ""}}, id="fam an operator"),
        pytest.param({"realm": 1}, id="realm a number"),
        pytest.param({"end": MISSING}, id="end missing"),
        pytest.param({"tokenEpoch": None}, id="tokenEpoch null"),
        pytest.param({"aud": [BASE]}, id="aud of access tokens"),
        pytest.param({"jti": ["t"]}, id="jti a list"),
    ],
)
def test_forged_refresh_token_is_refused(forge: Forge, changes: dict[str, Any]) -> None:
    header, payload, _signature = forge.refresh_token().split(".")
    parts = [json.loads(base64.urlsafe_b64decode(part + "==")) for part in (header, payload)]
    assert forge.tokens.verify_refresh(forge.raw(*parts)).family == "f"
    with pytest.raises(Unauthenticated):
        forge.tokens.verify_refresh(forge.raw(parts[0], changed(parts[1], changes)))


def test_access_token_is_no_refresh_token(forge: Forge) -> None:
    with pytest.raises(Unauthenticated, match="typ"):
        forge.tokens.verify_refresh(forge.good)


@given(st.one_of(st.text(), st.binary(max_size=200).map(lambda octets: octets.decode("latin-1"))))
def test_any_text_is_refused(forge: Forge, text: str) -> None:
    with pytest.raises(Unauthenticated):
        forge.tokens.verify_access(text)


_alphabet = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


@given(parts=st.lists(st.binary(max_size=60), min_size=3, max_size=3))
def test_any_three_parts_are_refused(forge: Forge, parts: list[bytes]) -> None:
    with pytest.raises(Unauthenticated):
        forge.tokens.verify_access(".".join(map(encode, parts)))


@given(
    payload=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    name=st.sampled_from(
        ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "realm", "upn", "groups", "tokenEpoch"]
    ),
)
def test_any_value_of_a_claim_is_refused_or_right(forge: Forge, payload: Any, name: str) -> None:
    """With our own signature: an odd claim ends in a refusal or in well-typed claims, never in a fault."""
    try:
        claims = forge.tokens.verify_access(forge.with_claims(**{name: payload}))
    except Unauthenticated:
        return
    assert isinstance(claims.subject, str)
    assert all(isinstance(role, str) for role in claims.roles)
    assert type(claims.epoch) is int


@given(where=st.integers(min_value=0), character=_alphabet)
def test_any_changed_character_is_refused(forge: Forge, where: int, character: str) -> None:
    where %= len(forge.good)
    changed = forge.good[:where] + character + forge.good[where + 1 :]
    if changed == forge.good:
        return
    with pytest.raises(Unauthenticated):
        forge.tokens.verify_access(changed)


def test_the_token_of_a_removed_key_is_refused(tmp_path: Path) -> None:
    settings = Settings.read({}, environment="development", data_folder=tmp_path)
    before = Tokens(settings)
    forge = Forge(before.ring.keys, before)
    rotate_keys(settings, time.time(), at_once=True)
    remove_key(settings, forge.keys.kid, time.time())
    after = Tokens(settings)
    for token in (forge.good, forge.with_header(kid=after.ring.keys.kid), forge.with_header(jwk=forge.jwk())):
        with pytest.raises(Unauthenticated):
            after.verify_access(token)
