"""The caches of sign-in, each with the record type whose changes drop what it remembers."""

from typing import Final

from runtime.identity.login.login import StoreAuthProvider
from runtime.storage.watching import Watched
from runtime.system.record_types import (
    CREDENTIAL,
    OAUTH_CLIENT,
    REALM,
    REFRESH_FAMILY,
    SERVICE_TOKEN,
    SPENT_TOKEN,
)

SIGN_IN_TYPES: Final = (CREDENTIAL, OAUTH_CLIENT, SERVICE_TOKEN, SPENT_TOKEN, REFRESH_FAMILY)
"""The record types that signing in caches."""

REVOCABLE_TYPES: Final = (REFRESH_FAMILY,)
"""Those that change with each use, while only their end concerns the caches."""


def list_sign_in_caches(own: StoreAuthProvider) -> Watched:
    """Return those of the built-in provider."""
    return (
        (CREDENTIAL, own.credentials.standings.forget_record),
        (CREDENTIAL, own.foreign_names.forget),
        (SERVICE_TOKEN, own.service_tokens.forget_record),
        (SPENT_TOKEN, own.spent_tokens.forget_record),
        (OAUTH_CLIENT, own.clients.forget_record),
        (REFRESH_FAMILY, own.live_sessions.forget_record),
        (REALM, lambda _database, _id: own.credentials.standings.forget()),
        (REALM, lambda _database, _id: own.clients.forget_record(None, None)),
    )
