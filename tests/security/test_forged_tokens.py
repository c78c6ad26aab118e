"""Tokens that must not be accepted: each row is one way to forge, damage or misuse one.

Every row begins with a token that would be accepted (``test_the_unforged_token_is_accepted``), changes one
thing, and signs again with whatever key the forger is thought to have.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import Unauthenticated
from runtime.principal import DomainContext, Identity
from runtime.settings import Settings
from runtime.tokens import Keys, Tokens

MISSING = object()
ADA = Identity("Ada", "subject-of-ada", "main", frozenset({"user"}), DomainContext("acme", "main"))
BASE = "http://127.0.0.1:8080"


def encode(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def as_json(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


class Forge:
    """Makes tokens that differ from a good one. It holds our private key: bad ones are well signed."""

    def __init__(self, keys: Keys, tokens: Tokens) -> None:
        self.keys = keys
        self.tokens = tokens
        self.good = tokens.mint_access(ADA, scope="read")
        header, payload, self.signature = self.good.split(".")
        self.header = json.loads(base64.urlsafe_b64decode(header + "=="))
        self.claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        self.now = self.claims["iat"]
        self.stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.public_pem = keys.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def rs256(self, text: bytes) -> bytes:
        return self.keys.private.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def rs512(self, text: bytes) -> bytes:
        return self.keys.private.sign(text, padding.PKCS1v15(), hashes.SHA512())

    def ps256(self, text: bytes) -> bytes:
        salted = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
        return self.keys.private.sign(text, salted, hashes.SHA256())

    def by_stranger(self, text: bytes) -> bytes:
        return self.stranger.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def hs256(self, key: bytes) -> Callable[[bytes], bytes]:
        return lambda text: hmac.new(key, text, hashlib.sha256).digest()

    def raw(self, header: Any, payload: Any, sign: Callable[[bytes], bytes] | None = None) -> str:
        """Signed over whatever the two parts are."""
        text = f"{encode(as_json(header))}.{encode(as_json(payload))}"
        return f"{text}.{encode((sign or self.rs256)(text.encode()))}"

    def with_header(self, sign: Callable[[bytes], bytes] | None = None, **changes: Any) -> str:
        return self.raw(_changed(self.header, changes), self.claims, sign)

    def with_claims(self, **changes: Any) -> str:
        return self.raw(self.header, _changed(self.claims, changes))

    def with_text(self, old: str, new: str) -> str:
        """With a piece of the payload's JSON text replaced."""
        text = json.dumps(self.claims)
        assert old in text
        return self.raw(self.header, text.replace(old, new, 1).encode())

    def refresh_token(self) -> str:
        return self.tokens.mint_refresh(
            "subject-of-ada", realm="main", family="f", token_id="t", epoch=0, ends_at=self.now + 10**6
        )


def _changed(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (values | changes).items() if value is not MISSING}


Case = Callable[[Forge], str]

SHAPES: dict[str, Case] = {
    "empty": lambda f: "",
    "blanks": lambda f: "   ",
    "one part": lambda f: f.good.split(".")[0],
    "two parts": lambda f: f.good.rpartition(".")[0],
    "four parts": lambda f: f.good + ".e30",
    "five parts, as encrypted ones have": lambda f: "e30.e30.e30.e30.e30",
    "only dots": lambda f: "..",
    "line break at the end": lambda f: f.good + "\n",
    "blank in front": lambda f: " " + f.good,
    "padding": lambda f: f.good + "=",
    "not ASCII": lambda f: f.good + "é",
    "half a surrogate pair": lambda f: f.good + "\ud800",
    "NUL at the end": lambda f: f.good + "\0",
    "plain base64 alphabet": lambda f: "+/+/." + f.good.partition(".")[2],
    "longer than 8 KiB, well signed": lambda f: f.with_claims(scope="x" * 8192),
    "a million characters": lambda f: "A" * 10**6,
    "header not JSON": lambda f: f.raw(b"alg=RS256", f.claims),
    "header a list": lambda f: f.raw([f.header], f.claims),
    "header null": lambda f: f.raw(None, f.claims),
    "header nested 5,000 deep": lambda f: f.raw(b"[" * 5000, {}),
    "header not UTF-8": lambda f: f.raw(b'{"alg":"\xff"}', f.claims),
    "payload not JSON": lambda f: f.raw(f.header, b"sub=ada"),
    "payload a text": lambda f: f.raw(f.header, "ada"),
    "payload a list": lambda f: f.raw(f.header, [f.claims]),
    "payload nested 5,000 deep": lambda f: f.raw(f.header, b'{"a":' * 1200),
    "payload with a byte order mark": lambda f: f.raw(f.header, b"\xef\xbb\xbf" + as_json(f.claims)),
    "payload in UTF-16": lambda f: f.raw(f.header, json.dumps(f.claims).encode("utf-16")),
    "payload with more after it": lambda f: f.raw(f.header, as_json(f.claims) + b"{}"),
    "payload with NaN": lambda f: f.with_claims(exp=float("nan")),
    "payload with Infinity": lambda f: f.with_claims(exp=float("inf")),
    "payload with a number of 5,000 digits": lambda f: f.with_text(
        f'"exp": {f.now + 3600}', '"exp": ' + "9" * 5000
    ),
}

ALGORITHMS: dict[str, Case] = {
    "alg none, no signature": lambda f: f.with_header(lambda _: b"", alg="none"),
    "alg none, some signature": lambda f: f.with_header(lambda _: b"x", alg="none"),
    "alg None": lambda f: f.with_header(lambda _: b"x", alg="None"),
    "alg nOnE": lambda f: f.with_header(lambda _: b"x", alg="nOnE"),
    "alg empty": lambda f: f.with_header(alg=""),
    "alg missing": lambda f: f.with_header(alg=MISSING),
    "alg null": lambda f: f.with_header(alg=None),
    "alg a list": lambda f: f.with_header(alg=["RS256"]),
    "alg in lower case": lambda f: f.with_header(alg="rs256"),
    "HS256 with the public key": lambda f: f.with_header(f.hs256(f.public_pem), alg="HS256"),
    "HS256 with the modulus": lambda f: f.with_header(
        f.hs256(f.tokens.key_set()["keys"][0]["n"].encode()), alg="HS256"
    ),
    "HS256 with our own secret": lambda f: f.with_header(f.hs256(f.keys.secret), alg="HS256"),
    "HS256 signature under RS256": lambda f: f.with_header(f.hs256(f.public_pem)),
    "RS512 with our own key": lambda f: f.with_header(f.rs512, alg="RS512"),
    "PS256 with our own key": lambda f: f.with_header(f.ps256, alg="PS256"),
    "PS256 signature under RS256": lambda f: f.with_header(f.ps256),
    "signature missing": lambda f: f.good.rpartition(".")[0] + ".",
    "signature cut": lambda f: f.good[:-8],
    "signature of another token": lambda f: (
        f.good.rpartition(".")[0] + "." + f.with_claims(sub="x").split(".")[2]
    ),
    "signature of zeros": lambda f: f.with_header(lambda _: bytes(256)),
    "signature one byte longer": lambda f: f.with_header(lambda text: f.rs256(text) + b"\0"),
    "claims of another token": lambda f: ".".join(
        (f.good.split(".")[0], f.with_claims(sub="root").split(".")[1], f.signature)
    ),
    "last character of the signature, same bits": lambda f: f.good[:-1] + chr(ord(f.good[-1]) + 1),
}

KEY_IDS: dict[str, Case] = {
    "signed by a stranger under our kid": lambda f: f.with_header(f.by_stranger),
    "signed by a stranger under its own kid": lambda f: f.with_header(f.by_stranger, kid="stranger"),
    "kid missing": lambda f: f.with_header(kid=MISSING),
    "kid unknown": lambda f: f.with_header(kid="unknown"),
    "kid empty": lambda f: f.with_header(kid=""),
    "kid null": lambda f: f.with_header(kid=None),
    "kid a number": lambda f: f.with_header(kid=0),
    "kid a list": lambda f: f.with_header(kid=[f.keys.kid]),
    "kid an object": lambda f: f.with_header(kid={"kid": f.keys.kid}),
    "kid a path": lambda f: f.with_header(f.hs256(b""), kid="../../../dev/null"),
    "kid SQL": lambda f: f.with_header(kid="' UNION SELECT 'key' -- "),
    "own key inside (jwk)": lambda f: f.with_header(
        f.by_stranger, jwk={"kty": "RSA", "n": "AQAB", "e": "AQAB"}
    ),
    "own key by address (jku)": lambda f: f.with_header(f.by_stranger, jku="https://evil.example/jwks"),
    "own certificate (x5u)": lambda f: f.with_header(f.by_stranger, x5u="https://evil.example/c.pem"),
    "own certificate inside (x5c)": lambda f: f.with_header(f.by_stranger, x5c=["MIIB"]),
    "crit, well signed": lambda f: f.with_header(crit=["exp"], exp=1),
    "b64 false, well signed": lambda f: f.with_header(b64=False, crit=["b64"]),
    "compressed (zip), well signed": lambda f: f.with_header(zip="DEF"),
}

KINDS: dict[str, Case] = {
    "typ missing": lambda f: f.with_header(typ=MISSING),
    "typ JWT": lambda f: f.with_header(typ="JWT"),
    "typ in upper case": lambda f: f.with_header(typ="AT+JWT"),
    "typ with a media type": lambda f: f.with_header(typ="application/at+jwt"),
    "typ a list": lambda f: f.with_header(typ=["at+jwt"]),
    "typ of refresh tokens, claims of an access token": lambda f: f.with_header(typ="rt+jwt"),
    "a refresh token": lambda f: f.refresh_token(),
    "a one-purpose token": lambda f: f.tokens.mint_purpose("password-change", "subject-of-ada", 60),
}

DUPLICATES: dict[str, Case] = {
    "alg twice": lambda f: f.raw(
        b'{"alg":"none","alg":"RS256","typ":"at+jwt","kid":"' + f.keys.kid.encode() + b'"}', f.claims
    ),
    "kid twice": lambda f: f.raw(
        b'{"alg":"RS256","typ":"at+jwt","kid":"x","kid":"' + f.keys.kid.encode() + b'"}', f.claims
    ),
    "sub twice": lambda f: f.with_text('"sub"', '"sub": "root", "sub"'),
    "exp twice": lambda f: f.with_text('"exp"', '"exp": 99999999999, "exp"'),
    "groups twice": lambda f: f.with_text('"groups"', '"groups": ["system"], "groups"'),
    "sub twice, once escaped": lambda f: f.with_text('"sub"', '"\\u0073ub": "root", "sub"'),
    "twice within a claim": lambda f: f.with_text('"sub"', '"extra": {"a": 1, "a": 2}, "sub"'),
}

CLAIMS: dict[str, Case] = {
    "iss missing": lambda f: f.with_claims(iss=MISSING),
    "iss of a stranger": lambda f: f.with_claims(iss="https://evil.example"),
    "iss with a slash more": lambda f: f.with_claims(iss=BASE + "/"),
    "iss in upper case": lambda f: f.with_claims(iss=BASE.upper()),
    "iss a list": lambda f: f.with_claims(iss=[BASE]),
    "aud missing": lambda f: f.with_claims(aud=MISSING),
    "aud null": lambda f: f.with_claims(aud=None),
    "aud of another service": lambda f: f.with_claims(aud=["https://other.example"]),
    "aud of the MCP door only": lambda f: f.with_claims(aud=[BASE + "/mcp"]),
    "aud of refresh tokens": lambda f: f.with_claims(aud=[BASE + "/oauth/refresh"]),
    "aud empty": lambda f: f.with_claims(aud=[]),
    "aud a list with a number": lambda f: f.with_claims(aud=[BASE, 1]),
    "aud an object": lambda f: f.with_claims(aud={BASE: True}),
    "aud that contains ours": lambda f: f.with_claims(aud=BASE + ".evil.example"),
    "aud that ours contains": lambda f: f.with_claims(aud="http"),
    "sub missing": lambda f: f.with_claims(sub=MISSING),
    "sub empty": lambda f: f.with_claims(sub=""),
    "sub a number": lambda f: f.with_claims(sub=1),
    "sub an operator": lambda f: f.with_claims(sub={"$ne": None}),
    "jti missing": lambda f: f.with_claims(jti=MISSING),
    "jti a number": lambda f: f.with_claims(jti=1),
    "exp missing": lambda f: f.with_claims(exp=MISSING),
    "exp null": lambda f: f.with_claims(exp=None),
    "exp text": lambda f: f.with_claims(exp=str(f.now + 3600)),
    "exp a fraction": lambda f: f.with_claims(exp=f.now + 0.5),
    "exp true": lambda f: f.with_claims(exp=True),
    "exp past": lambda f: f.with_claims(exp=f.now - 60, iat=f.now - 120, nbf=f.now - 120),
    "exp negative": lambda f: f.with_claims(exp=-1),
    "exp before iat": lambda f: f.with_claims(exp=f.now, iat=f.now + 3),
    "exp beyond what numbers keep": lambda f: f.with_claims(exp=2**53),
    "nbf missing": lambda f: f.with_claims(nbf=MISSING),
    "nbf future": lambda f: f.with_claims(nbf=f.now + 60),
    "nbf text": lambda f: f.with_claims(nbf="0"),
    "nbf false": lambda f: f.with_claims(nbf=False),
    "iat missing": lambda f: f.with_claims(iat=MISSING),
    "iat text": lambda f: f.with_claims(iat="0"),
    "iat a list": lambda f: f.with_claims(iat=[f.now]),
    "upn missing": lambda f: f.with_claims(upn=MISSING),
    "upn an object": lambda f: f.with_claims(upn={"name": "root"}),
    "realm missing": lambda f: f.with_claims(realm=MISSING),
    "realm a list": lambda f: f.with_claims(realm=["main"]),
    "groups missing": lambda f: f.with_claims(groups=MISSING),
    "groups a text": lambda f: f.with_claims(groups="system"),
    "groups with a number": lambda f: f.with_claims(groups=["user", 1]),
    "groups an object": lambda f: f.with_claims(groups={"system": True}),
    "scope a list": lambda f: f.with_claims(scope=["read"]),
    "scope an empty list": lambda f: f.with_claims(scope=[]),
    "client_id a number": lambda f: f.with_claims(client_id=1),
    "tokenEpoch missing": lambda f: f.with_claims(tokenEpoch=MISSING),
    "tokenEpoch text": lambda f: f.with_claims(tokenEpoch="0"),
    "tokenEpoch negative": lambda f: f.with_claims(tokenEpoch=-1),
    "tokenEpoch false": lambda f: f.with_claims(tokenEpoch=False),
}

FORGED = {**SHAPES, **ALGORITHMS, **KEY_IDS, **KINDS, **DUPLICATES, **CLAIMS}


@pytest.fixture(scope="module")
def forge(data_folder: Path) -> Forge:
    settings = Settings.read({}, environment="development", data_folder=data_folder)
    fixed = Tokens.from_settings(settings).clock()
    return Forge(Keys.from_settings(settings), Tokens.from_settings(settings, lambda: fixed))


def test_the_unforged_token_is_accepted(forge: Forge) -> None:
    for token in (forge.good, forge.with_header(), forge.with_claims(), forge.with_claims(aud=BASE)):
        assert forge.tokens.verify_access(token).user_id == "Ada"


@pytest.mark.parametrize("case", FORGED.values(), ids=FORGED.keys())
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


@pytest.mark.parametrize(
    "case",
    [case for name, case in FORGED.items() if name != "a refresh token"],
    ids=[name for name in FORGED if name != "a refresh token"],
)
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
        forge.tokens.verify_refresh(forge.raw(parts[0], _changed(parts[1], changes)))


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
