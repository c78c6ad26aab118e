"""What a token may do at most: its scopes. Pure.

A token is narrowed when it, or the client that it was issued to, names any scope about records. It then does
what its scopes name and its user may do, nothing else. ``<area>:read`` is for viewing, ``<area>:write`` for
all other actions; neither includes the other. ``records:…`` is for every area but ``security``, since a
caller that may write users, rules or clients can get a token that is not narrowed.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

OPENID_SCOPES: Final = ("openid", "profile", "email", "offline_access")
"""The scopes that are not about records."""

EVERY_AREA: Final = "records"
_NAMED_ONLY: Final = frozenset({"security"})
_WITHOUT_ROUTES: Final = frozenset({"system"})
_READ, _WRITE = "read", "write"
_VIEW: Final = "VIEW"


def known_scopes(areas: Iterable[str]) -> tuple[str, ...]:
    """Return every scope of a service with these functional areas."""
    named = (EVERY_AREA, *sorted({*areas} - _WITHOUT_ROUTES - {EVERY_AREA}))
    return (*OPENID_SCOPES, *(f"{area}:{verb}" for area in named for verb in (_READ, _WRITE)))


def parse(scope: str) -> tuple[str, ...]:
    """Return the scopes of a ``scope`` parameter or claim, each once, in their order (RFC 6749 §3.3)."""
    return tuple(dict.fromkeys(one for one in scope.split(" ") if one))


def drop_withdrawn(scope: str, client_scopes: Sequence[str] | None) -> str:
    """Return the scopes of a token that its client may still request, as one text."""
    return scope if client_scopes is None else " ".join(one for one in parse(scope) if one in client_scopes)


@lru_cache(maxsize=256)
def limits_of(scope: str, client_scopes: tuple[str, ...] | None) -> frozenset[str] | None:
    """Return the scopes about records that a token is narrowed to; None for one that is not narrowed.

    ``client_scopes``: those its client may request, None for any. What the client may not request any more,
    a token from before does not have either; where they name records, a token that names none may do nothing
    with records. An unknown scope narrows too: whatever is not of OpenID Connect does.
    """
    own = frozenset(parse(scope)) - {*OPENID_SCOPES}
    if client_scopes is None:
        return own or None
    registered = frozenset(client_scopes) - {*OPENID_SCOPES}
    return own & registered if own or registered else None


def always_narrows(client_scopes: tuple[str, ...] | None) -> bool:
    """Whether all tokens of a client are narrowed, also those that name no scope about records."""
    return limits_of("", client_scopes) is not None


def name_scope(area: str, action: str) -> str:
    """Name the scope for an action in an area."""
    return f"{area}:{_READ if action == _VIEW else _WRITE}"


def find_missing_scope(
    limits: frozenset[str] | None, area: str, action: str, client_scopes: Sequence[str] | None = None
) -> str | None:
    """Name the scope that a token lacks for an action in an area; None where it lacks none.

    Of the two that would do it is the narrow one, unless the client may only request the other.
    """
    if limits is None:
        return None
    needed = name_scope(area, action)
    enough = [needed] if area in _NAMED_ONLY else [needed, name_scope(EVERY_AREA, action)]
    if not limits.isdisjoint(enough):
        return None
    return next((one for one in enough if client_scopes is None or one in client_scopes), needed)
