"""Tokens of any kind, for the routes that take one without its kind (RFC 7009, RFC 7662)."""

from collections.abc import Callable
from contextlib import suppress

from runtime.errors import Unauthenticated
from runtime.tokens.claims import AccessClaims, RefreshClaims, check_origin
from runtime.tokens.compact import read_signed
from runtime.tokens.id_token import read_id_token_hint
from runtime.tokens.issue import PURPOSE, Tokens

GrantClaims = AccessClaims | RefreshClaims


def read_grant_token(tokens: Tokens, token: str) -> GrantClaims | None:
    """Return the claims of an access or refresh token that has not expired; None for anything else."""
    readers: tuple[Callable[[str], GrantClaims], ...] = (tokens.read_access, tokens.verify_refresh)
    for read in readers:
        with suppress(Unauthenticated):
            return read(token)
    return None


def is_of_another_kind(tokens: Tokens, token: str) -> bool:
    """Whether this service issued the token, but neither as an access nor as a refresh token."""
    if read_id_token_hint(tokens, token) is not None:
        return True
    with suppress(Unauthenticated):
        check_origin(read_signed(token, PURPOSE, lambda _header: tokens.ring.keys.secret), tokens.issuer)
        return True
    return False
