"""Which keys a client can register, and that a key set of any shape is only read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.tokens import CLIENT_ALGORITHMS, find_key_faults
from runtime.tokens.public_keys import MOST_KEYS, find_key
from tests.oauth.signing import EC, EC_384, ED, RSA, SHORT, jwk, number

USABLE: dict[str, list[Any]] = {
    "RSA": [jwk(RSA)],
    "RSA for signatures": [jwk(RSA, kid="a", use="sig", alg="PS256", key_ops=["verify"])],
    "EC": [jwk(EC, kid="a")],
    "Ed25519": [jwk(ED, alg="EdDSA")],
    "one of each, with what others may add": [
        jwk(RSA, kid="a", x5t="x"), jwk(EC, kid="b", note=1), jwk(ED, kid="c"),
    ],
    "a modulus with a zero in front": [jwk(RSA) | {"n": number(RSA.public_key().public_numbers().n, 257)}],
}  # fmt: skip

FAULTS: dict[str, tuple[Any, str]] = {
    "a list": ([jwk(RSA)], ""),
    "a key": (jwk(RSA), ""),
    "nothing": (None, ""),
    "keys an object": ({"keys": {}}, ""),
    "too many": ({"keys": [jwk(EC, kid=str(at)) for at in range(MOST_KEYS + 1)]}, "keys"),
    "a text": ({"keys": ["key"]}, "keys[0]"),
    "the second": ({"keys": [jwk(EC, kid="a"), {}]}, "keys[1].kty"),
    "a private key": ({"keys": [jwk(RSA, d="AQAB")]}, "keys[0].d"),
    "a shared key": ({"keys": [{"kty": "oct", "k": "AQAB"}]}, "keys[0].kty"),
    "a short key": ({"keys": [jwk(SHORT)]}, "keys[0].n"),
    "a huge key": ({"keys": [jwk(RSA) | {"n": number((1 << 8200) + 1)}]}, "keys[0].n"),
    "an even modulus": ({"keys": [jwk(RSA) | {"n": number(1 << 2048)}]}, "keys[0].e"),
    "exponent 1": ({"keys": [jwk(RSA) | {"e": "AQ"}]}, "keys[0].e"),
    "a huge exponent": ({"keys": [jwk(RSA) | {"e": number((1 << 40) + 1)}]}, "keys[0].e"),
    "another curve": ({"keys": [jwk(EC_384)]}, "keys[0].crv"),
    "off the curve": ({"keys": [jwk(EC) | {"x": number(1, 32)}]}, "keys[0].x"),
    "a coordinate too long": ({"keys": [jwk(EC) | {"x": number(1, 33)}]}, "keys[0].x"),
    "Ed25519 cut": ({"keys": [jwk(ED) | {"x": "AQAB"}]}, "keys[0].x"),
    "no modulus": ({"keys": [{"kty": "RSA", "e": "AQAB"}]}, "keys[0].n"),
    "padding": ({"keys": [jwk(RSA) | {"e": "AQAB="}]}, "keys[0].e"),
    "for encryption": ({"keys": [jwk(RSA, use="enc")]}, "keys[0].use"),
    "to sign": ({"keys": [jwk(RSA, key_ops=["sign"])]}, "keys[0].key_ops"),
    "operations of no list": ({"keys": [jwk(RSA, key_ops="verify")]}, "keys[0].key_ops"),
    "another algorithm": ({"keys": [jwk(RSA, alg="RS512")]}, "keys[0].alg"),
    "an algorithm that tokens name otherwise": ({"keys": [jwk(ED, alg="Ed25519")]}, "keys[0].alg"),
    "a type of no text": ({"keys": [jwk(RSA) | {"kty": ["RSA"]}]}, "keys[0].kty"),
    "a kid of no text": ({"keys": [jwk(RSA, kid=1)]}, "keys[0].kid"),
    "one kid twice": ({"keys": [jwk(RSA, kid="a"), jwk(EC, kid="a")]}, "keys[1].kid"),
}


@pytest.mark.parametrize("name", USABLE)
def test_usable_keys(name: str) -> None:
    jwks = {"keys": USABLE[name]}
    assert list(find_key_faults(jwks)) == []
    for one in USABLE[name]:
        assert any(find_key(jwks, one.get("kid"), algorithm) for algorithm in CLIENT_ALGORITHMS)


@pytest.mark.parametrize("name", FAULTS)
def test_what_cannot_be_registered(name: str) -> None:
    jwks, path = FAULTS[name]
    assert [at for at, _message in find_key_faults(jwks)] == [path]
    if path.startswith("keys[0]"):
        for kid in (None, "a", jwks["keys"][0].get("kid") if isinstance(jwks["keys"][0], dict) else None):
            assert not any(find_key(jwks, kid, algorithm) for algorithm in CLIENT_ALGORITHMS), "stored before"


def test_a_key_is_found_by_its_name_and_type_alone() -> None:
    jwks = {"keys": [jwk(RSA, kid="a"), jwk(EC, kid="b"), jwk(RSA, kid="c", alg="PS256"), jwk(ED)]}
    found = {
        (kid, algorithm)
        for kid in (None, "a", "b", "c", "d", "")
        for algorithm in (*CLIENT_ALGORITHMS, "none", "HS256", "ES384", "")
        if find_key(jwks, kid, algorithm)
    }
    assert found == {
        ("a", "RS256"), ("a", "PS256"), ("b", "ES256"), ("c", "PS256"),
        (None, "RS256"), (None, "ES256"), (None, "EdDSA"),
    }  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(["kty", "crv", "n", "e", "x", "y", "use", "alg", "kid", "key_ops", "d"])


@st.composite
def nearly_keys(draw: st.DrawFn) -> Any:
    """A good key with some members replaced by anything or by those of another."""
    key = dict(draw(st.sampled_from([jwk(RSA), jwk(EC), jwk(ED)])))
    others = JSON | st.sampled_from(["RSA", "EC", "OKP", "P-256", "Ed25519", "AQAB", "sig", "RS256"])
    for name in draw(st.lists(MEMBERS, max_size=3)):
        key[name] = draw(others)
    return key


@given(JSON | st.fixed_dictionaries({"keys": st.lists(nearly_keys() | JSON, max_size=3)}), st.text())
def test_a_key_set_of_any_shape_is_only_read(jwks: Any, kid: str) -> None:
    faults = list(find_key_faults(jwks))
    found = [find_key(jwks, named, algorithm) for named in (None, kid) for algorithm in CLIENT_ALGORITHMS]
    if not faults and len(jwks["keys"]) == 1 and "kid" not in jwks["keys"][0]:
        assert any(found)
    if len(faults) == 1 and len(_keys_of(jwks)) == 1:
        assert not any(found)


def _keys_of(jwks: Any) -> list[Any]:
    keys = jwks.get("keys") if isinstance(jwks, dict) else None
    return keys if isinstance(keys, list) else []
