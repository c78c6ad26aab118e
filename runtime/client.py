"""An OAuth client, as data."""

from dataclasses import dataclass, field
from typing import Any, Final

from runtime.principal import SYSTEM, DomainContext, DomainScope, domain_members

PRIVATE_KEY_JWT: Final = "private_key_jwt"
"""The method of clients that authenticate by assertions that their key signed (RFC 7523)."""


def is_url(client_id: str) -> bool:
    """Whether a client id is meant to be the URL of a document, which no registered client has."""
    return client_id.startswith("https://")


@dataclass(frozen=True, slots=True)
class Client:
    """An application that gets tokens, as it is registered in ``realm``.

    ``record_id``: what is stored for the client names it as well, so that a later client with the same id
    inherits nothing; empty for a client whose id is the URL of a document.
    ``subject``: the credential whose rights its own tokens have. ``scopes``: it may request; None for any.
    ``is_vouched``: somebody who manages clients has registered it; it did not come by itself.
    ``users``: where its users are, None for anywhere; it gets no tokens of others.
    ``writer_roles``: those that everybody had who has written it, who gets the tokens of its users.
    ``secret_hashes``: of the secret in force and of the one before. ``jwks``: its public keys (RFC 7517).
    """

    record_id: str
    realm: str
    client_id: str
    subject: str | None = None
    users: DomainScope | None = None
    name: str | None = None
    is_vouched: bool = True
    is_public: bool = False
    is_native: bool = False
    redirect_uris: tuple[str, ...] = ()
    post_logout_redirect_uris: frozenset[str] = frozenset()
    grant_types: frozenset[str] = frozenset()
    scopes: tuple[str, ...] | None = None
    resources: frozenset[str] = frozenset()
    auth_method: str | None = None
    jwks: Any = field(default=None, repr=False)
    needs_pkce: bool = False
    needs_consent: bool = False
    writer_roles: frozenset[str] = frozenset({SYSTEM})
    is_unused: bool = False
    secret_hashes: tuple[str, ...] = field(default=(), repr=False)

    def admits(self, user: DomainContext) -> bool:
        """Whether it is for users of this place."""
        return self.users is None or self.users.admits(domain_members(user))
