"""Signed tokens in compact form (RFC 7515), read strictly: what could be read in two ways is refused.

A token is at most 8 KiB; header and payload are JSON objects without duplicate members; the header has
exactly the members we write, so ``crit``, ``jwk``, ``jku`` and ``x5u`` cannot steer anything. The
algorithm is the caller's choice, never the token's.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from runtime.errors import Unauthenticated

Claims = dict[str, Any]
Header = Mapping[str, str]
PublicKey = RSAPublicKey | EllipticCurvePublicKey | Ed25519PublicKey

MAX_TOKEN_BYTES = 8192

_JWS = jwt.PyJWS()
"""Without state; to build one takes a twentieth of a millisecond."""

_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+")


def refused(reason: str, cause: BaseException | None = None) -> Unauthenticated:
    """Create the one error for a token that cannot be accepted."""
    return Unauthenticated(f"the token is not accepted: {reason}", bad_token=True, cause=cause)


def sign(claims: Claims, header: Header, key: RSAPrivateKey | bytes) -> str:
    """Sign a compact token; ``header`` is sent as given and names ``alg`` and ``typ``."""
    payload = json.dumps(claims, separators=(",", ":"), ensure_ascii=False).encode()
    return _JWS.encode(payload, key, algorithm=header["alg"], headers=dict(header))


def read_signed(
    token: str, expected: Header, key_for: Callable[[Mapping[str, Any]], RSAPublicKey | bytes | None]
) -> Claims:
    """Return the claims of a token with a good signature; time, issuer and audience are not checked.

    ``expected`` are header members that must be as given; ``key_for`` finds the key by the others. Raises
    ``Unauthenticated`` and nothing else.
    """
    parts = split(token)
    header = read_header(parts)
    if header.keys() != expected.keys() | {"kid"} and header.keys() != expected.keys():
        raise refused("its header has other members than this service writes")
    for name, value in expected.items():
        if header[name] != value:
            raise refused(f"its header says {name} {str(header[name])[:40]!r}, not {value!r}")
    key = key_for(header)
    if key is None:
        raise refused("its signing key is unknown")
    check_signature(token, key, expected["alg"])
    return read_payload(parts)


def split(token: str) -> re.Match[str]:
    """Split a token into its parts. Raises ``Unauthenticated``."""
    if len(token) > MAX_TOKEN_BYTES:
        raise refused(f"it is longer than {MAX_TOKEN_BYTES} bytes")
    parts = _COMPACT.fullmatch(token)
    if parts is None:
        raise refused("it is not a signed JSON Web Token in compact form")
    return parts


def read_header(parts: re.Match[str]) -> Claims:
    """Return the header. Raises ``Unauthenticated``."""
    return _parse_object(parts[1], "header")


def read_payload(parts: re.Match[str]) -> Claims:
    """Return the claims, which nothing has proved yet. Raises ``Unauthenticated``."""
    return _parse_object(parts[2], "payload")


def check_signature(token: str, key: PublicKey | bytes, algorithm: str) -> None:
    """Raise ``Unauthenticated`` unless the key signed the token by this very algorithm."""
    try:
        _JWS.decode(token, key, algorithms=[algorithm])
    except jwt.PyJWTError as error:
        raise refused("its signature does not fit", error) from None


def _parse_object(part: str, which: str) -> Claims:
    try:
        octets = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
        value = json.loads(
            octets.decode(), object_pairs_hook=_refuse_repeated, parse_constant=_refuse_constant
        )
    except (binascii.Error, ValueError, RecursionError) as error:
        raise refused(f"its {which} cannot be read", error) from None
    if not isinstance(value, dict):
        raise refused(f"its {which} is not a JSON object")
    return value


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> Claims:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member is given twice")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
