"""The scopes that clients request, and those that they are granted."""

import re
from collections.abc import Collection
from typing import Final

from runtime.call import Service
from runtime.client import Client
from runtime.model.nearest import hint
from runtime.oauth.refusals import OAuthRefused
from runtime.permissions.token_scopes import drop_withdrawn, known_scopes, limits_of, parse

_SCOPE: Final = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*")
_MOST_SHOWN: Final = 60


def find_known_scopes(service: Service) -> tuple[str, ...]:
    """Return every scope of the service: those of OpenID Connect, and two for each functional area."""
    return known_scopes({kind.area for kind in service.catalog} | {area for area, *_ in service.subjects})


def grant_scopes(client: Client, requested: str | None, known: Collection[str]) -> str:
    """Return the scopes that a request of a client is granted, as one text; ``""`` for none.

    A request that names none gets those that the client is registered for. Raises ``OAuthRefused`` with
    ``invalid_scope`` for a text that is not a list of scopes, and for a scope that is unknown or that the
    client may not request.
    """
    if not requested:
        return " ".join(one for one in client.scopes or () if one in known)
    if not _SCOPE.fullmatch(requested):
        raise OAuthRefused("invalid_scope", "scope must be scopes that are separated by single spaces")
    granted = parse(requested)
    for one in granted:
        if one not in known:
            named = one[:_MOST_SHOWN]
            raise OAuthRefused("invalid_scope", f"the scope {named} does not exist{hint(named, known)}")
        if client.scopes is not None and one not in client.scopes:
            raise OAuthRefused("invalid_scope", f"the client may not request the scope {one}")
    return " ".join(granted)


def narrow_scopes(service: Service, client: Client, granted: str, requested: str | None) -> str:
    """Return the part of what a user granted that a request names, or all of it (RFC 6749 §6).

    What the client may not request any more is left out. Raises ``OAuthRefused`` with ``invalid_scope`` where
    the request names it, or anything that was not granted, and where every scope about records is left out
    and that would take the limits off the token.
    """
    narrowed = drop_withdrawn(granted, client.scopes)
    if requested:
        narrowed = grant_scopes(client, requested, find_known_scopes(service))
    for one in parse(narrowed):
        if one not in parse(granted):
            raise OAuthRefused("invalid_scope", f"the user has not granted the scope {one}")
    if limits_of(granted, client.scopes) is not None and limits_of(narrowed, client.scopes) is None:
        text = "the token needs at least one of the granted scopes about records"
        raise OAuthRefused("invalid_scope", text)
    return narrowed
