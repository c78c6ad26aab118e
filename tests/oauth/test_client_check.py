"""What can be registered as a client, without a store: redirect URIs, keys, grants, scopes, hashes."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from hypothesis import given
from hypothesis import strategies as st

from runtime.oauth.client_check import find_faults
from runtime.oauth.redirect_uris import fault_of_redirect_uri
from runtime.system.documents import OauthClientDocument
from runtime.tokens.public_keys import MOST_KEYS, find_key_faults

SCOPES = ("openid", "profile", "records:read", "logistics:read", "logistics:write")
PAGE = "https://app.example/callback"

GOOD_URIS = [
    PAGE,
    "https://app.example",
    "https://app.example:8443/a/b?c=d&e=%20f",
    "https://192.0.2.1/",
    "https://[2001:db8::1]/callback",
    "http://127.0.0.1/callback",
    "http://127.0.0.1:49152/",
    "http://[::1]:8080/callback",
    "http://localhost:3000/callback",
]
PRIVATE_URIS = ["com.example.app:/callback", "com.example.app://callback", "net.loginapp:/a?b=c"]

BAD_URIS = {
    "": "not an absolute URI",
    "/callback": "not an absolute URI",
    "app.example/callback": "not an absolute URI",
    "//app.example/callback": "not an absolute URI",
    "https:": "not an absolute URI",
    "https://": "host",
    "https:///callback": "host",
    "https:callback": "host",
    "https://-/": "host",
    "https://a_b.example/": "host",
    "https://app.example/#": "fragment",
    f"{PAGE}#a": "fragment",
    "https://*.app.example/": "wildcard",
    "https://app.example/*": "wildcard",
    "https://ada@app.example/": "user information",
    "https://ada:pass@app.example/": "user information",
    "https://app.example@evil.example/": "user information",
    "com.example.app://ada@callback": "user information",
    "https://app.example:0/": "port",
    "https://app.example:/": "port",
    "https://app.example:70000/": "not a URI",
    "https://app.example:8o/": "not a URI",
    "https://[::1/": "not a URI",
    "https://app.example/a/../b": "dot segments",
    "https://app.example/./b": "dot segments",
    "https://app.example/%2e%2E/b": "dot segments",
    "https://app.example/ a": "not an absolute URI",
    "https://app.example/\n": "not an absolute URI",
    " https://app.example/": "not an absolute URI",
    "https://app.example/\tb": "not an absolute URI",
    "https://app.example\\evil": "not an absolute URI",
    'https://app.example/"': "not an absolute URI",
    "https://app.example/<b>": "not an absolute URI",
    "https://app.example/ü": "not an absolute URI",
    "https://äpp.example/": "not an absolute URI",
    "https://app.example/%zz": "not an absolute URI",
    "https://app.example/%4": "not an absolute URI",
    "http://app.example/callback": "must use https",
    "http://127.0.0.1.evil.example/": "must use https",
    "http://localhost.evil.example/": "must use https",
    "http://127.1/": "must use https",
    "http://0x7f000001/": "must use https",
    "http://2130706433/": "must use https",
    "http://10.0.0.1/": "must use https",
    "http://[::ffff:10.0.0.1]/": "must use https",
    "http://0.0.0.0/": "must use https",
    "javascript:alert(1)": "must use https",
    "JavaScript:alert(1)": "must use https",
    "data:text/html,a": "must use https",
    "file:///etc/passwd": "must use https",
    "vbscript:a": "must use https",
    "ftp://app.example/": "must use https",
    "myapp:/callback": "must use https",
    "urn:ietf:wg:oauth:2.0:oob": "must use https",
    ".app:/callback": "not an absolute URI",
    "com..app:/callback": "must use https",
    "com.:/callback": "must use https",
}  # fmt: skip


@pytest.mark.parametrize("is_native", [True, False])
@pytest.mark.parametrize("uri", GOOD_URIS)
def test_uris_of_any_client(uri: str, is_native: bool) -> None:
    assert fault_of_redirect_uri(uri, is_native=is_native) is None


@pytest.mark.parametrize("uri", PRIVATE_URIS)
def test_uris_of_native_clients_alone(uri: str) -> None:
    assert fault_of_redirect_uri(uri, is_native=True) is None
    assert "only native" in str(fault_of_redirect_uri(uri, is_native=False))


@pytest.mark.parametrize("is_native", [True, False])
@pytest.mark.parametrize("uri", BAD_URIS)
def test_uris_of_no_client(uri: str, is_native: bool) -> None:
    fault = fault_of_redirect_uri(uri, is_native=is_native)
    assert fault is not None
    assert BAD_URIS[uri] in fault


@given(st.text(max_size=60) | st.from_regex(r"[a-zA-Z.]{1,12}:[ -~]{0,40}", fullmatch=True), st.booleans())
def test_what_is_accepted_is_safe_to_redirect_to(uri: str, is_native: bool) -> None:
    if fault_of_redirect_uri(uri, is_native=is_native) is not None:
        return
    parts = urlsplit(uri)
    assert parts.scheme in ("https", "http") or (is_native and "." in parts.scheme)
    assert (
        parts.scheme != "http" or parts.hostname in ("localhost", "::1") or str(parts.hostname)[:4] == "127."
    )
    assert uri.isascii()
    assert uri.isprintable()
    assert not set(uri) & set(" #*\"'\\<>") - {"'"}
    assert "@" not in parts.netloc


def encoded(number: int, length: int | None = None) -> str:
    octets = number.to_bytes(length or (number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def rsa_key(bits: int, **more: Any) -> dict[str, Any]:
    numbers = rsa.generate_private_key(65537, bits).public_key().public_numbers()
    return {"kty": "RSA", "n": encoded(numbers.n), "e": encoded(numbers.e), **more}


def ec_key(curve: ec.EllipticCurve, name: str, length: int, **more: Any) -> dict[str, Any]:
    numbers = ec.generate_private_key(curve).public_key().public_numbers()
    return {
        "kty": "EC",
        "crv": name,
        "x": encoded(numbers.x, length),
        "y": encoded(numbers.y, length),
        **more,
    }


RSA = rsa_key(2048)
EC = ec_key(ec.SECP256R1(), "P-256", 32)
ED = {
    "kty": "OKP",
    "crv": "Ed25519",
    "x": encoded(
        int.from_bytes(ed25519.Ed25519PrivateKey.generate().public_key().public_bytes_raw(), "big"), 32
    ),
}


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [RSA],
        [EC],
        [ED],
        [
            RSA | {"kid": "1", "use": "sig", "alg": "PS256"},
            EC | {"kid": "2", "alg": "ES256"},
            ED | {"alg": "EdDSA"},
        ],
        [RSA | {"x5t": "unknown members are ignored"}],
    ],
)
def test_keys(keys: list[Any]) -> None:
    assert list(find_key_faults({"keys": keys})) == []


BAD_KEYS: dict[str, tuple[Any, str]] = {
    "no object": (["a"], "keys[0]"),
    "no type": ({}, "keys[0].kty"),
    "a list as type": ({"kty": ["RSA"]}, "keys[0].kty"),
    "symmetric": ({"kty": "oct", "k": "YWJj"}, "keys[0].kty"),
    "RSA of 1024 bits": (rsa_key(1024), "keys[0].n"),
    "RSA of 16384 bits": (RSA | {"n": encoded((1 << 16383) + 1)}, "keys[0].n"),
    "an even modulus": (RSA | {"n": encoded(1 << 2047)}, "keys[0].e"),
    "exponent 1": (RSA | {"e": "AQ"}, "keys[0].e"),
    "an even exponent": (RSA | {"e": "Ag"}, "keys[0].e"),
    "a long exponent": (RSA | {"e": encoded((1 << 64) + 1)}, "keys[0].e"),
    "no exponent": ({name: RSA[name] for name in ("kty", "n")}, "keys[0].e"),
    "a number as modulus": (RSA | {"n": 5}, "keys[0].n"),
    "padding": (RSA | {"e": "AQAB="}, "keys[0].e"),
    "base64 that is not base64url": (RSA | {"e": "AQ+B"}, "keys[0].e"),
    "a modulus beyond any length": (RSA | {"n": "A" * 100_000}, "keys[0].n"),
    "another curve": (ec_key(ec.SECP384R1(), "P-384", 48), "keys[0].crv"),
    "a curve that lies": (ec_key(ec.SECP384R1(), "P-256", 48), "keys[0].x"),
    "a point off the curve": (EC | {"y": EC["x"]}, "keys[0].x"),
    "a short coordinate": (EC | {"x": "AQ"}, "keys[0].x"),
    "Ed448": (ED | {"crv": "Ed448"}, "keys[0].crv"),
    "X25519": (ED | {"crv": "X25519"}, "keys[0].crv"),
    "a short Ed25519 key": (ED | {"x": "AQ"}, "keys[0].x"),
    "for encryption": (RSA | {"use": "enc"}, "keys[0].use"),
    "HS256": (RSA | {"alg": "HS256"}, "keys[0].alg"),
    "none": (RSA | {"alg": "none"}, "keys[0].alg"),
    "the algorithm of another type": (EC | {"alg": "RS256"}, "keys[0].alg"),
    "a kid that is no string": (RSA | {"kid": 5}, "keys[0].kid"),
    "an empty kid": (RSA | {"kid": ""}, "keys[0].kid"),
    **{
        f"private {name}": (key | {name: "AQ"}, f"keys[0].{name}")
        for key, names in ((RSA, ("d", "p", "q", "dp", "dq", "qi", "oth", "k")), (EC, ("d",)), (ED, ("d",)))
        for name in names
    },
}


@pytest.mark.parametrize("name", BAD_KEYS)
def test_keys_that_are_refused(name: str) -> None:
    key, path = BAD_KEYS[name]
    found = list(find_key_faults({"keys": [key]}))
    assert [at for at, _message in found] == [path]


@pytest.mark.parametrize(
    ("key_set", "path"),
    [
        (None, ""),
        ([], ""),
        ("keys", ""),
        ({}, ""),
        ({"keys": {}}, ""),
        ({"keys": [RSA] * (MOST_KEYS + 1)}, "keys"),
        ({"keys": [RSA | {"kid": "a"}, EC | {"kid": "a"}]}, "keys[1].kid"),
    ],
)
def test_key_sets_that_are_refused(key_set: Any, path: str) -> None:
    assert [at for at, _message in find_key_faults(key_set)] == [path]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(["kty", "n", "e", "crv", "x", "y", "d", "use", "alg", "kid"]), json_values
    )
    | st.fixed_dictionaries(
        {"kty": st.sampled_from(["RSA", "EC", "OKP"])},
        optional={"x": json_values, "n": json_values, "crv": json_values},
    )
)
def test_no_key_is_too_strange_to_be_refused(key: Any) -> None:
    assert all(at.startswith("keys[0]") and said for at, said in find_key_faults({"keys": [key]}))


CODE: OauthClientDocument = {"allowedGrantTypes": ["authorization_code"], "redirectUris": [PAGE]}
HASH = "$2b$12$" + "a" * 53

CLIENTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, []),
    "code": ({**CODE}, []),
    "code and refresh": ({**CODE, "allowedGrantTypes": ["authorization_code", "refresh_token"]}, []),
    "code without a redirect URI": ({"allowedGrantTypes": ["authorization_code"]}, ["redirectUris"]),
    "refresh alone": ({"allowedGrantTypes": ["refresh_token"]}, ["allowedGrantTypes[0]"]),
    "refresh with client_credentials": (
        {"allowedGrantTypes": ["client_credentials", "refresh_token"]}, ["allowedGrantTypes[1]"]
    ),
    "public": ({**CODE, "publicClient": True, "tokenEndpointAuthMethod": "none"}, []),
    "public without a method": ({**CODE, "publicClient": True}, []),
    "public with client_credentials": (
        {"publicClient": True, "allowedGrantTypes": ["client_credentials"]}, ["allowedGrantTypes[0]"]
    ),
    "public with a secret": ({"publicClient": True, "clientSecretHash": HASH}, ["clientSecretHash"]),
    "none that is not public": ({"tokenEndpointAuthMethod": "none"}, ["tokenEndpointAuthMethod"]),
    **{
        f"public with {method}": (
            {"publicClient": True, "tokenEndpointAuthMethod": method, "jwks": {"keys": [RSA]}},
            ["tokenEndpointAuthMethod"],
        )
        for method in ("client_secret_basic", "client_secret_post", "private_key_jwt")
    },
    "a key": ({"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [EC]}}, []),
    "a key that is not used yet": ({"jwks": {"keys": [EC]}}, []),
    "no keys": ({"tokenEndpointAuthMethod": "private_key_jwt"}, ["jwks"]),
    "no key in the set": ({"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": []}}, ["jwks"]),
    "a private key": (
        {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [RSA | {"d": "AQ"}]}}, ["jwks.keys[0].d"]
    ),
    "no key set": ({"jwks": "a"}, ["jwks"]),
    "a key and a secret": (
        {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [EC]}, "clientSecretHash": HASH},
        ["clientSecretHash"],
    ),
    "a hash": ({"clientSecretHash": HASH}, []),
    "scopes": ({"allowedScopes": ["openid", "logistics:write"]}, []),
    "unknown scopes": ({"allowedScopes": ["openid", "logistic:read", "admin"]}, ["allowedScopes[1]", "allowedScopes[2]"]),
    "two scopes in one": ({"allowedScopes": ["openid profile"]}, ["allowedScopes[0]"]),
    "resources": ({"allowedResources": ["https://a.example/", "api", "https://:pw@a.example"]}, ["allowedResources[1]", "allowedResources[2]"]),
    "redirect URIs": ({"redirectUris": [PAGE, "a", f"{PAGE}#"]}, ["redirectUris[1]", "redirectUris[2]"]),
    "after a logout": ({"postLogoutRedirectUris": [PAGE, "javascript:a"]}, ["postLogoutRedirectUris[1]"]),
    "a private scheme": ({"redirectUris": [PRIVATE_URIS[0]]}, ["redirectUris[0]"]),
    "a private scheme of a native client": ({"applicationType": "native", "redirectUris": [PRIVATE_URIS[0]]}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CLIENTS)
def test_fields_of_a_client(name: str) -> None:
    document, paths = CLIENTS[name]
    whole: Any = {"clientId": "a", **document}
    assert [path for path, _message in find_faults(whole, SCOPES)] == paths


def test_the_nearest_scope_is_named() -> None:
    whole: Any = {"clientId": "a", "allowedScopes": ["logistic:raed"]}
    [(path, message)] = find_faults(whole, SCOPES)
    assert path == "allowedScopes[0]"
    assert "did you mean logistics:read" in message
