"""Public keys that OAuth clients register, as a JSON Web Key Set (RFC 7517). Pure.

Accepted are the keys of the algorithms that clients sign with: RSA of at least 2048 bits, P-256 and Ed25519.
The type of a key decides by which algorithms it verifies; a token only chooses among those. A key with a
fault is never used, however it came to be stored.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicNumbers
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

from runtime.tokens.compact import PublicKey

ALGORITHMS: Final[Mapping[str, tuple[str, ...]]] = {
    "RSA": ("RS256", "PS256"),
    "EC": ("ES256",),
    "OKP": ("EdDSA",),
}
"""The signature algorithms of each type of key."""

CLIENT_ALGORITHMS: Final = tuple(chain.from_iterable(ALGORITHMS.values()))

MOST_KEYS: Final = 20

_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
_MOST_BITS = 8192
_MOST_CHARACTERS = 200
_BASE64URL = re.compile(r"[A-Za-z0-9_-]{1,2000}")


class _Fault(ValueError):
    """What is wrong with a member of a key."""

    def __init__(self, member: str, message: str) -> None:
        super().__init__(message)
        self.member = member


def find_key(key_set: object, kid: str | None, algorithm: str) -> PublicKey | None:
    """Return the key that ``kid`` names and that verifies ``algorithm``; None if there is not exactly one.

    Without a ``kid`` it is the only key of that type.
    """
    fitting = [key for key in _keys(key_set) if kid in (None, key.get("kid")) and _is_for(key, algorithm)]
    if len(fitting) != 1:
        return None
    try:
        return _read(fitting[0])
    except _Fault:
        return None


def find_key_faults(key_set: object) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a key set, as pairs of a path into it and a message."""
    keys = key_set.get("keys") if isinstance(key_set, dict) else None
    if not isinstance(keys, list):
        yield "", "must be a JSON Web Key Set: an object with a list keys"
        return
    if len(keys) > MOST_KEYS:
        yield "keys", f"may have at most {MOST_KEYS} keys"
        return
    names = set[str]()
    for at, key in enumerate(keys):
        try:
            _read(key)
            name = key.get("kid")
            if name is not None and name in names:
                raise _Fault("kid", "is the kid of another key too")
            names |= {name} if name is not None else set()
        except _Fault as fault:
            yield f"keys[{at}]{fault.member and '.'}{fault.member}", str(fault)


def _keys(key_set: object) -> list[Mapping[str, Any]]:
    keys = key_set.get("keys") if isinstance(key_set, dict) else None
    return [key for key in keys[:MOST_KEYS] if isinstance(key, dict)] if isinstance(keys, list) else []


def _is_for(key: Mapping[str, Any], algorithm: str) -> bool:
    """Whether a key may verify an algorithm, by its type and by what it says itself."""
    return algorithm in ALGORITHMS.get(str(key.get("kty")), ()) and key.get("alg") in (None, algorithm)


def _read(key: Any) -> PublicKey:
    """Return a key that may verify signatures. Raises ``_Fault``."""
    if not isinstance(key, dict):
        raise _Fault("", "must be a JSON Web Key: an object with kty")
    kind = str(key.get("kty"))
    if kind not in _READ:
        raise _Fault("kty", "must be RSA, EC or OKP")
    if private := sorted(_PRIVATE & key.keys()):
        raise _Fault(private[0], "is a private member: send the public key only")
    if key.get("use") not in (None, "sig"):
        raise _Fault("use", "must be sig, if it is there")
    if key.get("alg") not in (None, *ALGORITHMS[kind]):
        raise _Fault("alg", f"must be {' or '.join(ALGORITHMS[kind])}, if it is there")
    uses = key.get("key_ops", ["verify"])
    if not isinstance(uses, list) or "verify" not in uses:
        raise _Fault("key_ops", "must be a list with verify, if it is there")
    name = key.get("kid")
    if name is not None and not (isinstance(name, str) and 0 < len(name) <= _MOST_CHARACTERS):
        raise _Fault("kid", f"must be a string of 1 to {_MOST_CHARACTERS} characters")
    return _READ[kind](key)


def _read_rsa(key: Mapping[str, Any]) -> PublicKey:
    modulus, exponent = (int.from_bytes(_decode_octets(key, member), "big") for member in ("n", "e"))
    if not 2048 <= modulus.bit_length() <= _MOST_BITS:
        raise _Fault("n", f"must have 2048 to {_MOST_BITS} bits")
    if exponent.bit_length() > 32 or modulus % 2 == 0:
        raise _Fault("e", "is not the exponent of an RSA key")
    try:
        return RSAPublicNumbers(exponent, modulus).public_key()
    except ValueError:
        raise _Fault("e", "is not the exponent of an RSA key") from None


def _read_ec(key: Mapping[str, Any]) -> PublicKey:
    if key.get("crv") != "P-256":
        raise _Fault("crv", "must be P-256")
    first, second = (int.from_bytes(_decode_octets(key, member, 32), "big") for member in ("x", "y"))
    try:
        return EllipticCurvePublicNumbers(first, second, SECP256R1()).public_key()
    except ValueError:
        raise _Fault("x", "is not on the curve, together with y") from None


def _read_okp(key: Mapping[str, Any]) -> PublicKey:
    if key.get("crv") != "Ed25519":
        raise _Fault("crv", "must be Ed25519")
    try:
        return Ed25519PublicKey.from_public_bytes(_decode_octets(key, "x", 32))
    except ValueError:
        raise _Fault("x", "is not a key") from None


def _decode_octets(key: Mapping[str, Any], member: str, length: int | None = None) -> bytes:
    """Decode a member in base64url without padding."""
    text = key.get(member)
    if not isinstance(text, str) or not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        raise _Fault(member, "must be base64url without padding")
    decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if length is not None and len(decoded) != length:
        raise _Fault(member, f"must be {length} bytes long")
    return decoded


_READ: Final[Mapping[str, Callable[[Mapping[str, Any]], PublicKey]]] = {
    "RSA": _read_rsa,
    "EC": _read_ec,
    "OKP": _read_okp,
}
