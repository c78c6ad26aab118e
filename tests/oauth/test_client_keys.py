"""Which keys a client can register, and that a key set of any shape is only read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.tokens import CLIENT_ALGORITHMS, find_key_set_fault
from runtime.tokens.client_keys import find_client_key
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
    "a list": ([jwk(RSA)], "must be a JSON Web Key Set"),
    "a key": (jwk(RSA), "must be a JSON Web Key Set"),
    "nothing": (None, "must be a JSON Web Key Set"),
    "keys an object": ({"keys": {}}, "must be a JSON Web Key Set"),
    "no keys": ({"keys": []}, "must have 1 to 50 keys"),
    "too many": ({"keys": [jwk(EC, kid=str(at)) for at in range(51)]}, "must have 1 to 50 keys"),
    "a text": ({"keys": ["key"]}, "keys[0] must be an object"),
    "the second": ({"keys": [jwk(EC, kid="a"), {}]}, "keys[1] is not a key for signatures"),
    "a private key": ({"keys": [jwk(RSA, d="AQAB")]}, "keys[0] has private members"),
    "a shared key": ({"keys": [{"kty": "oct", "k": "AQAB"}]}, "keys[0] has private members"),
    "a short key": ({"keys": [jwk(SHORT)]}, "keys[0] has 1024 bits"),
    "a huge key": ({"keys": [jwk(RSA) | {"n": number((1 << 8200) + 1)}]}, "keys[0] has 8201 bits"),
    "an even modulus": ({"keys": [jwk(RSA) | {"n": number(1 << 2048)}]}, "keys[0] is not a public key"),
    "exponent 1": ({"keys": [jwk(RSA) | {"e": "AQ"}]}, "keys[0] is not a public key"),
    "a huge exponent": ({"keys": [jwk(RSA) | {"e": number((1 << 40) + 1)}]}, "keys[0] is not a public key"),
    "another curve": ({"keys": [jwk(EC_384)]}, "keys[0] is not a key for signatures"),
    "off the curve": ({"keys": [jwk(EC) | {"x": number(1, 32)}]}, "keys[0] is not a public key"),
    "a coordinate too long": ({"keys": [jwk(EC) | {"x": number(1, 33)}]}, "keys[0] is not a public key"),
    "Ed25519 cut": ({"keys": [jwk(ED) | {"x": "AQAB"}]}, "keys[0] is not a public key"),
    "no modulus": ({"keys": [{"kty": "RSA", "e": "AQAB"}]}, "keys[0] is not a public key"),
    "padding": ({"keys": [jwk(RSA) | {"e": "AQAB="}]}, "keys[0] is not a public key"),
    "for encryption": ({"keys": [jwk(RSA, use="enc")]}, "keys[0] is not a key for signatures"),
    "to sign": ({"keys": [jwk(RSA, key_ops=["sign"])]}, "keys[0] is not a key for signatures"),
    "another algorithm": ({"keys": [jwk(RSA, alg="RS512")]}, "keys[0] is not a key for signatures"),
    "a type of no text": ({"keys": [jwk(RSA) | {"kty": ["RSA"]}]}, "keys[0] is not a key for signatures"),
    "a kid of no text": ({"keys": [jwk(RSA, kid=1)]}, "keys[0] has a kid that is not text"),
    "two without kid": ({"keys": [jwk(RSA), jwk(EC)]}, "must name each key by a kid of its own"),
    "one without kid": ({"keys": [jwk(RSA, kid="a"), jwk(EC)]}, "must name each key by a kid of its own"),
    "one kid twice": ({"keys": [jwk(RSA, kid="a"), jwk(EC, kid="a")]}, "names two keys by the same kid"),
}


@pytest.mark.parametrize("name", USABLE)
def test_usable_keys(name: str) -> None:
    jwks = {"keys": USABLE[name]}
    assert find_key_set_fault(jwks) is None
    for one in USABLE[name]:
        found = [find_client_key(jwks, one.get("kid"), algorithm) for algorithm in CLIENT_ALGORITHMS]
        assert any(found)


@pytest.mark.parametrize("name", FAULTS)
def test_what_cannot_be_registered(name: str) -> None:
    jwks, fault = FAULTS[name]
    assert (find_key_set_fault(jwks) or "").startswith(fault)


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


@given(JSON | st.fixed_dictionaries({"keys": st.lists(nearly_keys() | JSON, max_size=3)}), JSON)
def test_a_key_set_of_any_shape_is_only_read(jwks: Any, kid: Any) -> None:
    fault = find_key_set_fault(jwks)
    found = [
        find_client_key(jwks, named, algorithm) for named in (None, kid) for algorithm in CLIENT_ALGORITHMS
    ]
    if fault is None and len(jwks["keys"]) == 1 and "kid" not in jwks["keys"][0]:
        assert any(found)
