"""The public keys that OAuth clients register, as a JSON Web Key Set (RFC 7517).

The key and its type decide by which algorithms it verifies; a token only chooses among those. Keys that could
not be used safely are not used: private and symmetric ones, short ones, those meant for encryption.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicNumbers
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

from runtime.tokens.compact import PublicKey
from runtime.tokens.key_files import LEAST_RSA_BITS

CLIENT_ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")

_MOST_RSA_BITS = 8192
_MOST_EXPONENT_BITS = 32
_MOST_KEYS = 50
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})

Jwk = Mapping[str, Any]


def find_client_key(jwks: Any, kid: object, algorithm: object) -> PublicKey | None:
    """Return the key that ``kid`` names and that verifies ``algorithm``; None if there is not exactly one.

    Without a ``kid`` (None) it is the only key for the algorithm.
    """
    fitting = [
        jwk for jwk in _keys(jwks)
        if (kid is None or jwk.get("kid") == kid) and algorithm in _algorithms(jwk)
    ]  # fmt: skip
    if len(fitting) != 1:
        return None
    built = _build(fitting[0])
    return None if isinstance(built, str) else built


def find_key_set_fault(jwks: Any) -> str | None:
    """Describe what is wrong with a key set that a client registers; None if each of its keys can be used."""
    if not isinstance(jwks, Mapping) or not isinstance(jwks.get("keys"), list):
        return 'must be a JSON Web Key Set: {"keys": [...]}'
    keys = jwks["keys"]
    if not 0 < len(keys) <= _MOST_KEYS:
        return f"must have 1 to {_MOST_KEYS} keys"
    for at, jwk in enumerate(keys):
        built = _build(jwk) if isinstance(jwk, Mapping) else "must be an object"
        if isinstance(built, str):
            return f"keys[{at}] {built}"
    kids = [jwk.get("kid") for jwk in keys]
    if len(keys) > 1 and not all(kids):
        return "must name each key by a kid of its own"
    return "names two keys by the same kid" if len(set(kids)) < len(kids) else None


def _keys(jwks: Any) -> list[Jwk]:
    keys = jwks.get("keys") if isinstance(jwks, Mapping) else None
    return [jwk for jwk in keys[:_MOST_KEYS] if isinstance(jwk, Mapping)] if isinstance(keys, list) else []


def _algorithms(jwk: Jwk) -> tuple[str, ...]:
    """Return the algorithms that a key is for; none for one that must not verify signatures."""
    kind = (jwk.get("kty"), jwk.get("crv"))
    of_kind = _ALGORITHMS.get(kind, ()) if all(map(_is_text_or_none, kind)) else ()
    if jwk.get("use", "sig") != "sig" or _PRIVATE & jwk.keys():
        return ()
    operations = jwk.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        return ()
    return tuple(one for one in of_kind if jwk.get("alg", one) == one)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _build(jwk: Jwk) -> PublicKey | str:
    """Return the key, or what is wrong with it."""
    if _PRIVATE & jwk.keys():
        return "has private members: register the public key alone"
    kid = jwk.get("kid")
    if kid is not None and not (isinstance(kid, str) and kid):
        return "has a kid that is not text"
    if not _algorithms(jwk):
        return f"is not a key for signatures by {', '.join(CLIENT_ALGORITHMS)}"
    try:
        return _BUILDERS[jwk["kty"]](jwk)
    except (binascii.Error, KeyError, TypeError, ValueError, UnsupportedAlgorithm):
        return f"is not a public key of type {jwk['kty']}"


def _build_rsa(jwk: Jwk) -> PublicKey | str:
    modulus, exponent = (int.from_bytes(_octets(jwk[name])) for name in ("n", "e"))
    bits = modulus.bit_length()
    if not LEAST_RSA_BITS <= bits <= _MOST_RSA_BITS:
        return f"has {bits} bits: an RSA key must have {LEAST_RSA_BITS} to {_MOST_RSA_BITS}"
    if modulus % 2 == 0 or exponent.bit_length() > _MOST_EXPONENT_BITS:
        raise ValueError
    return RSAPublicNumbers(exponent, modulus).public_key()


def _build_ec(jwk: Jwk) -> PublicKey | str:
    x, y = (_octets(jwk[name], 32) for name in ("x", "y"))
    return EllipticCurvePublicNumbers(int.from_bytes(x), int.from_bytes(y), SECP256R1()).public_key()


def _build_ed25519(jwk: Jwk) -> PublicKey | str:
    return Ed25519PublicKey.from_public_bytes(_octets(jwk["x"], 32))


def _octets(value: str, length: int | None = None) -> bytes:
    """Decode base64url without padding. Raises ``ValueError`` and ``TypeError``."""
    if "=" in value:
        raise ValueError
    octets = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_", validate=True)
    if length not in (None, len(octets)):
        raise ValueError
    return octets


_ALGORITHMS: Final[Mapping[tuple[object, object], tuple[str, ...]]] = {
    ("RSA", None): ("RS256", "PS256"),
    ("EC", "P-256"): ("ES256",),
    ("OKP", "Ed25519"): ("EdDSA",),
}

_BUILDERS: Final[Mapping[str, Callable[[Jwk], PublicKey | str]]] = {
    "RSA": _build_rsa,
    "EC": _build_ec,
    "OKP": _build_ed25519,
}
