"""ID tokens (OpenID Connect Core §2): what a client learns of a sign-in. They open no door of this service.

Signed like access tokens, but with the type ``JWT``, which nothing else accepts here.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.base64url import encode_base64url
from runtime.errors import Unauthenticated
from runtime.model.mappings import without_nones
from runtime.tokens import claims as read
from runtime.tokens.compact import Claims, read_signed, refused, sign
from runtime.tokens.issue import Tokens

_HEADER = {"alg": "RS256", "typ": "JWT"}


@dataclass(frozen=True, slots=True)
class IdTokenClaims:
    """An ID token; ``session`` is the refresh family of the sign-in."""

    subject: str
    client_id: str
    realm: str
    session: str | None = None


def mint_id_token(
    tokens: Tokens,
    *,
    subject: str,
    realm: str,
    client_id: str,
    session: str,
    access_token: str,
    nonce: str | None = None,
    auth_time: int | None = None,
    user: Mapping[str, Any] | None = None,
) -> str:
    """Create an ID token, valid as long as a usual access token.

    ``access_token``: the one it is issued with. ``user``: the claims of the scopes that were granted, by
    ``user_claims``.
    """
    now, keys = int(tokens.clock()), tokens.ring.keys
    says: dict[str, Any] = {
        **(user or {}),
        "iss": tokens.issuer,
        "sub": subject,
        "aud": client_id,
        "exp": now + tokens.access_seconds,
        "iat": now,
        "nonce": nonce,
        "auth_time": auth_time,
        "at_hash": at_hash_of(access_token),
        "sid": session,
        "realm": realm,
    }
    return sign(without_nones(says), {**_HEADER, "kid": keys.kid}, keys.private)


def user_claims(scopes: tuple[str, ...], user_id: str, email: str | None) -> dict[str, str]:
    """Return the claims about a user that the scopes ``profile`` and ``email`` ask for."""
    found: dict[str, str] = {}
    if "profile" in scopes:
        found["preferred_username"] = user_id
    if "email" in scopes and email is not None:
        found["email"] = email
    return found


def at_hash_of(access_token: str) -> str:
    """Return the left half of the SHA-256 of an access token (OpenID Connect Core §3.1.3.6)."""
    half = hashlib.sha256(access_token.encode()).digest()[:16]
    return encode_base64url(half)


def read_id_token_hint(tokens: Tokens, text: str) -> IdTokenClaims | None:
    """Return the claims of an ID token that this service issued; None for anything else.

    One that has expired is accepted (OpenID Connect RP-Initiated Logout §2): it names a session, and proves
    nothing about the sender.
    """
    try:
        says = read_signed(text, _HEADER, tokens.ring.find_public)
        return _read_claims(says, tokens)
    except Unauthenticated:
        return None


def _read_claims(says: Claims, tokens: Tokens) -> IdTokenClaims:
    if read.text(says, "iss") != tokens.issuer:
        raise refused("it is from another issuer")
    issued, expires = read.whole(says, "iat"), read.whole(says, "exp")
    if issued > expires or issued > tokens.clock() + read.LEEWAY_SECONDS:
        raise refused("it ends before it begins, or is not valid yet")
    return IdTokenClaims(
        subject=read.text(says, "sub"),
        client_id=read.text(says, "aud"),
        realm=read.text(says, "realm"),
        session=read.optional_text(says, "sid"),
    )
