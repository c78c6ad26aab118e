"""Client assertions: good ones, and whatever else a client or a forger may sign."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from tests.security.forging import as_json, changed, encode

ISSUER = "http://127.0.0.1:8080"
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

Sign = Callable[[bytes], bytes]
Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | Ed25519PrivateKey

RSA, STRANGER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
SHORT = rsa.generate_private_key(public_exponent=65537, key_size=1024)
EC, EC_384 = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP384R1())
ED = Ed25519PrivateKey.generate()


def number(value: int, length: int | None = None) -> str:
    return encode(value.to_bytes(length or (value.bit_length() + 7) // 8))


def jwk(key: Private, **members: Any) -> dict[str, Any]:
    """The public half of a key as a JSON Web Key."""
    if isinstance(key, rsa.RSAPrivateKey):
        numbers = key.public_key().public_numbers()
        return {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e), **members}
    if isinstance(key, Ed25519PrivateKey):
        return {"kty": "OKP", "crv": "Ed25519", "x": encode(key.public_key().public_bytes_raw()), **members}
    point, size = key.public_key().public_numbers(), (key.curve.key_size + 7) // 8
    curve = {"secp256r1": "P-256", "secp384r1": "P-384"}[key.curve.name]
    return {"kty": "EC", "crv": curve, "x": number(point.x, size), "y": number(point.y, size), **members}


def rs256(text: bytes, key: rsa.RSAPrivateKey = RSA) -> bytes:
    return key.sign(text, padding.PKCS1v15(), hashes.SHA256())


def rs512(text: bytes) -> bytes:
    return RSA.sign(text, padding.PKCS1v15(), hashes.SHA512())


def by_stranger(text: bytes) -> bytes:
    return rs256(text, STRANGER)


def by_short(text: bytes) -> bytes:
    return rs256(text, SHORT)


def ps256(text: bytes) -> bytes:
    salted = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
    return RSA.sign(text, salted, hashes.SHA256())


def es256(text: bytes, key: ec.EllipticCurvePrivateKey = EC) -> bytes:
    r, s = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
    size = (key.curve.key_size + 7) // 8
    return r.to_bytes(size) + s.to_bytes(size)


def es256_by_384(text: bytes) -> bytes:
    return es256(text, EC_384)


def hs256(key: bytes) -> Sign:
    return lambda text: hmac.new(key, text, hashlib.sha256).digest()


def raw(header: Any, claims: Any, sign: Sign) -> str:
    """Signed over whatever the two parts are."""
    text = f"{encode(as_json(header))}.{encode(as_json(claims))}"
    return f"{text}.{encode(sign(text.encode()))}"


@dataclass(frozen=True)
class Signer:
    """Signs as one client, with the key named ``rsa`` unless told otherwise."""

    client_id: str

    def claims(self, **changes: Any) -> dict[str, Any]:
        now = int(time.time())
        own = {
            "iss": self.client_id, "sub": self.client_id, "aud": ISSUER, "jti": secrets.token_urlsafe(8),
            "iat": now, "exp": now + 60,
        }  # fmt: skip
        return changed(own, changes)

    def with_claims(self, **changes: Any) -> str:
        return raw({"alg": "RS256", "typ": "JWT", "kid": "rsa"}, self.claims(**changes), rs256)

    def with_header(self, sign: Sign = rs256, **changes: Any) -> str:
        header = changed({"alg": "RS256", "typ": "JWT", "kid": "rsa"}, changes)
        return raw(header, self.claims(), sign)


def form(assertion: str, **more: str) -> dict[str, str]:
    """The parameters of a request that authenticates by an assertion."""
    return {"client_assertion_type": ASSERTION_TYPE, "client_assertion": assertion, **more}
