"""Client assertions: tokens by which OAuth clients prove that they hold a key (RFC 7523 §2.2 and §3).

They come from others, so their headers have members that ours have not; those that could steer how a
signature is checked are refused, as everywhere.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from runtime.errors import Unauthenticated
from runtime.tokens import claims as read
from runtime.tokens.claims import LEEWAY_SECONDS
from runtime.tokens.compact import Claims, check_signature, read_header, read_payload, refused, split
from runtime.tokens.public_keys import CLIENT_ALGORITHMS, find_key

LONGEST_SECONDS = 300
"""How far ahead an assertion may expire: for as long its id has to be remembered."""

_HEADER_MEMBERS = frozenset({"alg", "typ", "kid", "x5t", "x5t#S256"})
_TYPES = ("jwt", "client-authentication+jwt")


@dataclass(frozen=True, slots=True)
class AssertionClaims:
    """An assertion with a good signature. ``expires_at``: seconds since 1970."""

    token_id: str
    expires_at: float


def read_claimed_client(assertion: str) -> str | None:
    """Return the client id that an assertion names, which nothing has proved yet; None without any."""
    try:
        return read.text(read_payload(split(assertion)), "sub")
    except Unauthenticated:
        return None


def check_assertion_signature(assertion: str, jwks: Any) -> Claims:
    """Return the claims of an assertion that one of the keys signed. Raises ``Unauthenticated``."""
    parts = split(assertion)
    header = read_header(parts)
    if not header.keys() <= _HEADER_MEMBERS:
        raise refused(f"its header may have no members but {', '.join(sorted(_HEADER_MEMBERS))}")
    if "typ" in header and str(header["typ"]).lower() not in _TYPES:
        raise refused("its header says another typ than JWT")
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in CLIENT_ALGORITHMS:
        raise refused(f"its header must say alg {', '.join(CLIENT_ALGORITHMS)}")
    kid = read.optional_text(header, "kid")
    key = find_key(jwks, kid, algorithm)
    if key is None:
        raise refused("its signing key is not registered")
    check_signature(assertion, key, algorithm)
    return read_payload(parts)


def check_assertion_claims(
    claims: Claims, client_id: str, audiences: Collection[str], now: float
) -> AssertionClaims:
    """Check whom an assertion is from and for, and when. Raises ``Unauthenticated``."""
    for name in ("iss", "sub"):
        if read.text(claims, name) != client_id:
            raise refused(f"its claim {name} is not the client id")
    named = read.audience(claims)
    if not named or not set(named) <= set(audiences):
        raise refused("its claim aud must be the issuer, or the URL of this endpoint, alone")
    _check_time(claims, now)
    return AssertionClaims(read.text(claims, "jti"), _read_date(claims, "exp"))


def _check_time(claims: Claims, now: float) -> None:
    ends = _read_date(claims, "exp")
    if ends > now + LONGEST_SECONDS + LEEWAY_SECONDS:
        raise refused(f"its claim exp is more than {LONGEST_SECONDS} seconds ahead")
    if now >= ends + LEEWAY_SECONDS:
        raise refused("it has expired")
    for name in ("iat", "nbf"):
        if name in claims and _read_date(claims, name) > now + LEEWAY_SECONDS:
            raise refused(f"its claim {name} is in the future")


def _read_date(claims: Claims, name: str) -> float:
    """Return a claim that is a number of seconds since 1970, with a fraction or without (RFC 7519 §2)."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise refused(f"its claim {name} is missing or not a number of seconds since 1970")
    return float(value)
