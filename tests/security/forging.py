"""Ways to forge, damage or misuse a token, as tables: name → what a forger makes of a good one.

Each changes one thing and signs again, with our own key where the forger would need it: the check at
stake is then the only one that can refuse.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from runtime.principal import DomainContext, Identity
from runtime.tokens import Keys, Tokens

MISSING = object()
ADA = Identity("Ada", "subject-of-ada", "main", frozenset({"user"}), DomainContext("acme", "main"))
BASE = "http://127.0.0.1:8080"


def encode(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def as_json(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@cache
def generate_stranger() -> rsa.RSAPrivateKey:
    """Generate the key that is nobody's here, the same for all forges: it takes a tenth of a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Forge:
    """Makes tokens that differ from a good one. It holds our private key: bad ones are well signed."""

    def __init__(self, keys: Keys, tokens: Tokens, good: str | None = None) -> None:
        self.keys = keys
        self.tokens = tokens
        self.good = good or tokens.mint_access(ADA, scope="read")
        header, payload, self.signature = self.good.split(".")
        self.header = json.loads(base64.urlsafe_b64decode(header + "=="))
        self.claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        self.now = self.claims["iat"]
        self.stranger = generate_stranger()

    def public(self, encoding: str = "PEM", shape: str = "SubjectPublicKeyInfo") -> bytes:
        """The public key as anybody may have it."""
        key = self.keys.private.public_key()
        return key.public_bytes(
            getattr(serialization.Encoding, encoding), getattr(serialization.PublicFormat, shape)
        )

    def jwk(self) -> dict[str, str]:
        """The same as a JSON Web Key."""
        (found,) = [key for key in self.tokens.key_set()["keys"] if key["kid"] == self.keys.kid]
        return found

    def rs256(self, text: bytes) -> bytes:
        return self.keys.private.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def rs512(self, text: bytes) -> bytes:
        return self.keys.private.sign(text, padding.PKCS1v15(), hashes.SHA512())

    def rs1(self, text: bytes) -> bytes:
        return self.keys.private.sign(text, padding.PKCS1v15(), hashes.SHA1())

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
        return self.raw(changed(self.header, changes), self.claims, sign)

    def with_claims(self, **changes: Any) -> str:
        return self.raw(self.header, changed(self.claims, changes))

    def with_text(self, old: str, new: str) -> str:
        """With a piece of the payload's JSON text replaced."""
        text = json.dumps(self.claims)
        assert old in text
        return self.raw(self.header, text.replace(old, new, 1).encode())

    def unencoded(self) -> str:
        """RFC 7797: the signature is over the bytes of the payload, not over their base64."""
        header = encode(as_json(self.header | {"b64": False, "crit": ["b64"]}))
        payload = encode(as_json(self.claims))
        return f"{header}.{payload}.{encode(self.rs256(header.encode() + b'.' + as_json(self.claims)))}"

    def retyped(self, token: str) -> str:
        """Another kind of token, well signed under the header of access tokens."""
        return self.raw(self.header, base64.urlsafe_b64decode(token.split(".")[1] + "=="))

    def in_json(self) -> dict[str, str]:
        """The good token in the other serialization of RFC 7515."""
        header, payload, signature = self.good.split(".")
        return {"protected": header, "payload": payload, "signature": signature}

    def refresh_token(self) -> str:
        token = self.tokens.mint_refresh(
            "subject-of-ada", realm="main", family="f", token_id="t", epoch=0, ends_at=self.now + 10**6
        )
        header, payload = (json.loads(base64.urlsafe_b64decode(p + "==")) for p in token.split(".")[:2])
        return self.raw(header | {"kid": self.keys.kid}, payload)


def changed(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
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
    "padding within": lambda f: f.good.replace(".", "=.", 1),
    "blank within": lambda f: f.good.replace(".", " .", 1),
    "line break within": lambda f: f.good[:40] + "\n" + f.good[40:],
    "full-width letters": lambda f: f.good.replace("e", "\uff45", 1),
    "full stops of another script": lambda f: f.good.replace(".", "\u3002"),
    "zero-width blank": lambda f: f.good[:20] + "\u200b" + f.good[20:],
    "right to left": lambda f: "\u202e" + f.good,
    "percent-encoded": lambda f: f.good.replace(".", "%2E"),
    "twice, with a comma": lambda f: f"{f.good},{f.good}",
    "with the scheme once more": lambda f: f"Bearer {f.good}",
    "in quotes": lambda f: f'"{f.good}"',
    "header empty": lambda f: f.raw(b"", f.claims),
    "payload empty": lambda f: f.raw(f.header, b""),
    "header an empty object": lambda f: f.raw({}, f.claims),
    "payload an empty object": lambda f: f.raw(f.header, {}),
    "header with a byte order mark": lambda f: f.raw(b"\xef\xbb\xbf" + as_json(f.header), f.claims),
    "header with a comment": lambda f: f.raw(as_json(f.header) + b"//", f.claims),
    "payload with a half surrogate pair": lambda f: f.with_claims(sub="\ud800"),
    "payload with NUL": lambda f: f.raw(f.header, as_json(f.claims) + b"\0"),
    "payload with NaN": lambda f: f.with_claims(exp=float("nan")),
    "payload with NaN in a claim that nobody reads": lambda f: f.with_claims(extra=float("nan")),
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
    "HS256 with the public key": lambda f: f.with_header(f.hs256(f.public()), alg="HS256"),
    "HS256 with the public key, no line end": lambda f: f.with_header(
        f.hs256(f.public().rstrip()), alg="HS256"
    ),
    "HS256 with the public key in PKCS 1": lambda f: f.with_header(
        f.hs256(f.public("PEM", "PKCS1")), alg="HS256"
    ),
    "HS256 with the public key in DER": lambda f: f.with_header(f.hs256(f.public("DER")), alg="HS256"),
    "HS256 with the JSON Web Key": lambda f: f.with_header(f.hs256(as_json(f.jwk())), alg="HS256"),
    "HS256 with an empty key": lambda f: f.with_header(f.hs256(b""), alg="HS256"),
    "HS256 with the public key, typ of one-purpose tokens": lambda f: f.with_header(
        f.hs256(f.public()), alg="HS256", typ="purpose+jwt", kid=MISSING
    ),
    "HS384 with the public key": lambda f: f.with_header(f.hs256(f.public()), alg="HS384"),
    "ES256": lambda f: f.with_header(lambda _: bytes(64), alg="ES256"),
    "EdDSA": lambda f: f.with_header(lambda _: bytes(64), alg="EdDSA"),
    "RS1, SHA-1 with our own key": lambda f: f.with_header(f.rs1, alg="RS1"),
    "SHA-1 signature under RS256": lambda f: f.with_header(f.rs1),
    "alg with a blank": lambda f: f.with_header(alg="RS256 "),
    "alg with a NUL": lambda f: f.with_header(alg="RS256\0"),
    "alg with a look-alike letter": lambda f: f.with_header(alg="\u211bS256"),
    "alg a number": lambda f: f.with_header(alg=256),
    "alg an object": lambda f: f.with_header(alg={"RS256": True}),
    "alg twice by case": lambda f: f.with_header(ALG="none"),
    "HS256 with the modulus": lambda f: f.with_header(f.hs256(f.jwk()["n"].encode()), alg="HS256"),
    "HS256 with our own secret": lambda f: f.with_header(f.hs256(f.keys.secret), alg="HS256"),
    "HS256 signature under RS256": lambda f: f.with_header(f.hs256(f.public())),
    "RS512 with our own key": lambda f: f.with_header(f.rs512, alg="RS512"),
    "PS256 with our own key": lambda f: f.with_header(f.ps256, alg="PS256"),
    "PS256 signature under RS256": lambda f: f.with_header(f.ps256),
    "signature missing": lambda f: f.good.rpartition(".")[0] + ".",
    "signature cut": lambda f: f.good[:-8],
    "signature of another token": lambda f: (
        f.good.rpartition(".")[0] + "." + f.with_claims(sub="x").split(".")[2]
    ),
    "signature of zeros": lambda f: f.with_header(lambda _: bytes(256)),
    "signature all ones": lambda f: f.with_header(lambda _: b"\xff" * 256),
    "signature plus the modulus": lambda f: f.with_header(
        lambda text: (
            int.from_bytes(f.rs256(text), "big") + f.keys.private.public_key().public_numbers().n
        ).to_bytes(257, "big")
    ),
    "signature with a zero in front": lambda f: f.with_header(lambda text: b"\0" + f.rs256(text)),
    "signature back to front": lambda f: f.with_header(lambda text: f.rs256(text)[::-1]),
    "signature in hexadecimal": lambda f: f.good.rpartition(".")[0] + "." + "ab" * 256,
    "signature with padding": lambda f: f.good + "==",
    "signature in the plain alphabet": lambda f: (
        f.good.rpartition(".")[0] + "." + f.signature.replace("-", "+").replace("_", "/") + "+/"
    ),
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
    "kid an absolute path": lambda f: f.with_header(f.hs256(b""), kid="/proc/sys/kernel/randomize_va_space"),
    "kid our own private file": lambda f: f.with_header(f.by_stranger, kid="keys/private.pem"),
    "kid a path with NUL": lambda f: f.with_header(f.by_stranger, kid="private.pem\0.pub"),
    "kid an address": lambda f: f.with_header(f.by_stranger, kid="https://evil.example/key.pem"),
    "kid a file address": lambda f: f.with_header(f.hs256(b""), kid="file:///dev/null"),
    "kid a command": lambda f: f.with_header(f.by_stranger, kid="$(touch /tmp/x)|x"),
    "kid an operator": lambda f: f.with_header(f.by_stranger, kid={"$ne": ""}),
    "kid a template": lambda f: f.with_header(f.by_stranger, kid="{{7*7}}${7*7}"),
    "kid with a line break": lambda f: f.with_header(f.by_stranger, kid="a\r\nX-Injected: 1"),
    "kid with half a surrogate pair": lambda f: f.with_header(f.by_stranger, kid="\ud800"),
    "kid of 5,000 characters": lambda f: f.with_header(f.by_stranger, kid="k" * 5000),
    "kid true": lambda f: f.with_header(kid=True),
    "kid in upper case": lambda f: f.with_header(kid=f.keys.kid.swapcase()),
    "kid with a blank": lambda f: f.with_header(kid=f.keys.kid + " "),
    "kid with padding": lambda f: f.with_header(kid=f.keys.kid + "="),
    "kid cut": lambda f: f.with_header(kid=f.keys.kid[:-1]),
    "kid of the key set": lambda f: f.with_header(f.by_stranger, kid="keys"),
    "kid SQL": lambda f: f.with_header(kid="' UNION SELECT 'key' -- "),
    "own key inside (jwk)": lambda f: f.with_header(
        f.by_stranger, jwk={"kty": "RSA", "n": "AQAB", "e": "AQAB"}
    ),
    "own key by address (jku)": lambda f: f.with_header(f.by_stranger, jku="https://evil.example/jwks"),
    "own certificate (x5u)": lambda f: f.with_header(f.by_stranger, x5u="https://evil.example/c.pem"),
    "our own key inside (jwk), well signed": lambda f: f.with_header(jwk=f.jwk()),
    "our own address (jku), well signed": lambda f: f.with_header(jku=BASE + "/oauth/jwks"),
    "own address with our host in it (jku)": lambda f: f.with_header(
        f.by_stranger, jku=BASE + "@evil.example/jwks"
    ),
    "an inner address (jku)": lambda f: f.with_header(f.by_stranger, jku="http://169.254.169.254/latest"),
    "thumbprint of a certificate (x5t)": lambda f: f.with_header(**{"x5t#S256": "AQAB"}),
    "no kid, own key inside": lambda f: f.with_header(f.by_stranger, kid=MISSING, jwk=f.jwk()),
    "own certificate inside (x5c)": lambda f: f.with_header(f.by_stranger, x5c=["MIIB"]),
    "crit, well signed": lambda f: f.with_header(crit=["exp"], exp=1),
    "b64 false, well signed": lambda f: f.with_header(b64=False, crit=["b64"]),
    "b64 false, payload as it is": lambda f: f.unencoded(),
    "crit empty": lambda f: f.with_header(crit=[]),
    "crit unknown": lambda f: f.with_header(crit=["http://example.com/UNDEFINED"]),
    "any other member, well signed": lambda f: f.with_header(note="x"),
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
    "typ with a NUL": lambda f: f.with_header(typ="at+jwt\0"),
    "typ empty": lambda f: f.with_header(typ=""),
    "typ of one-purpose tokens, claims of an access token": lambda f: f.with_header(
        f.hs256(f.keys.secret), typ="purpose+jwt", alg="HS256", kid=MISSING
    ),
    "typ of an ID token": lambda f: f.with_header(typ="id+jwt"),
    "typ of a logout token": lambda f: f.with_header(typ="logout+jwt"),
    "typ of a DPoP proof": lambda f: f.with_header(typ="dpop+jwt"),
    "a refresh token under typ of access tokens": lambda f: f.retyped(f.refresh_token()),
    "a nested token": lambda f: f.raw(f.header | {"cty": "JWT"}, f.good.encode()),
    "a nested token, not announced": lambda f: f.raw(f.header, f.good.encode()),
    "a nested token as JSON text": lambda f: f.raw(f.header, f.good),
    "JSON serialization": lambda f: json.dumps(f.in_json()),
    "JSON serialization in base64": lambda f: encode(as_json(f.in_json())),
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
    "sid empty": lambda f: f.with_claims(sid=""),
    "sid null": lambda f: f.with_claims(sid=None),
    "sid a number": lambda f: f.with_claims(sid=1),
    "sid an operator": lambda f: f.with_claims(sid={"$ne": ""}),
    "tokenEpoch missing": lambda f: f.with_claims(tokenEpoch=MISSING),
    "tokenEpoch text": lambda f: f.with_claims(tokenEpoch="0"),
    "tokenEpoch negative": lambda f: f.with_claims(tokenEpoch=-1),
    "tokenEpoch false": lambda f: f.with_claims(tokenEpoch=False),
}

SESSIONS: dict[str, Case] = {
    "sid missing": lambda f: f.with_claims(sid=MISSING),
    "sid unknown": lambda f: f.with_claims(sid="0" * 32),
    "sid in upper case": lambda f: f.with_claims(sid=f.claims["sid"].upper() + "A"),
    "a service token without a record": lambda f: f.with_claims(serviceToken=True),
    "a service token without a record or session": lambda f: f.with_claims(serviceToken=True, sid=MISSING),
    "a client that is not registered": lambda f: f.with_claims(client_id="nobody", sid=MISSING),
    "a client named like the user": lambda f: f.with_claims(client_id=f.claims["upn"], sid=MISSING),
    "a client and a session unknown": lambda f: f.with_claims(client_id="nobody", sid="0" * 32),
    "a service token of a client": lambda f: f.with_claims(
        client_id="nobody", serviceToken=True, sid=MISSING
    ),
}
"""What only those refuse who know the sessions."""

STRIPPED_BY_HTTP = {"line break at the end", "blank in front"}
"""White space around the token of a header does not belong to it."""

FORGED = {**SHAPES, **ALGORITHMS, **KEY_IDS, **KINDS, **DUPLICATES, **CLAIMS}
