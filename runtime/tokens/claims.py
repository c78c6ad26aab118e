"""What a verified token says, as data, and the checks that all kinds of token share (RFC 9068 §4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.tokens.compact import Claims, refused

LEEWAY_SECONDS = 5
"""How far the clocks of two machines may differ."""


@dataclass(frozen=True, slots=True)
class AccessClaims:
    """An access token. Times are seconds since 1970; ``epoch`` is the credential's at the time of issue.

    ``session``: the refresh family that it ends with. ``is_service``: one that lives long, belongs to no
    session, and whose record (by ``token_id``) can be revoked.
    """

    subject: str
    user_id: str
    realm: str
    roles: frozenset[str]
    audience: tuple[str, ...]
    scope: str
    client_id: str | None
    epoch: int
    token_id: str
    issued_at: int
    not_before: int
    expires_at: int
    is_service: bool = False
    session: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True)
class RefreshClaims:
    """A refresh token: one link of the chain (family) that began with one login, and ends at ``ends_at``."""

    subject: str
    realm: str
    family: str
    epoch: int
    token_id: str
    expires_at: int
    ends_at: int
    issued_at: int


@dataclass(frozen=True, slots=True)
class PurposeClaims:
    """A one-purpose token: for whom, and what its maker put into it."""

    subject: str
    details: Mapping[str, Any] = field(default_factory=dict)


def check_origin(claims: Claims, issuer: str) -> None:
    """Require claims of our own, complete, of the right types. Raises ``Unauthenticated``."""
    if text(claims, "iss") != issuer:
        raise refused("it is from another issuer")
    for name in ("sub", "jti"):
        text(claims, name)
    starts, made, ends = (whole(claims, name) for name in ("nbf", "iat", "exp"))
    if not (starts <= ends and made <= ends):
        raise refused("it ends before it begins")
    audience(claims)


def check_time(starts: int, ends: int, now: float) -> None:
    """Require a time that has begun and is not over, within the leeway. Raises ``Unauthenticated``."""
    if now < starts - LEEWAY_SECONDS:
        raise refused("it is not valid yet")
    if now >= ends + LEEWAY_SECONDS:
        raise refused("it has expired: refresh it or log in again")


def check_audience(found: tuple[str, ...], expected: str) -> None:
    """Require a token that was issued for us. Raises ``Unauthenticated``."""
    if expected not in found:
        raise refused("it is for another audience")


def text(claims: Claims, name: str) -> str:
    """Return a claim that must be text, not empty."""
    value = claims.get(name)
    if not isinstance(value, str) or not value or _is_broken(value):
        raise refused(f"its claim {name} is missing or not text")
    return value


def optional_text(claims: Claims, name: str) -> str | None:
    """Return a claim that is text if present."""
    return text(claims, name) if name in claims else None


def whole(claims: Claims, name: str) -> int:
    """Return a claim that must be a whole number, not negative."""
    value = claims.get(name)
    if type(value) is not int or not 0 <= value < 2**53:
        raise refused(f"its claim {name} is missing or not a whole number")
    return value


def texts(claims: Claims, name: str) -> tuple[str, ...]:
    """Return a claim that must be a list of strings."""
    value = claims.get(name)
    if not isinstance(value, list) or not all(
        isinstance(item, str) and not _is_broken(item) for item in value
    ):
        raise refused(f"its claim {name} is missing or not a list of texts")
    return tuple(value)


def audience(claims: Claims) -> tuple[str, ...]:
    """Return ``aud``, which is one string or a list of strings (RFC 7519 §4.1.3)."""
    return (claims["aud"],) if isinstance(claims.get("aud"), str) else texts(claims, "aud")


def _is_broken(value: str) -> bool:
    """Whether it cannot be written again: JSON can name half a surrogate pair."""
    return any("\ud800" <= character <= "\udfff" for character in value)
