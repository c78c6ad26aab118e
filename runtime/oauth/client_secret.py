"""The secrets of clients: created by the server, shown once, stored as bcrypt hashes.

Two may be valid while one replaces the other: the clients of a team do not all change at the same moment.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from runtime.call import Service
from runtime.client import PRIVATE_KEY_JWT
from runtime.errors import ValidationFailed, VersionConflict
from runtime.filter import by_id, unchanged
from runtime.identity.credentials.passwords import hash_off_loop
from runtime.model.clock import from_seconds
from runtime.storage.access import Access
from runtime.storage.own_documents import build_update
from runtime.storage.store import Transaction
from runtime.system.documents import OauthClientDocument


@dataclass(frozen=True, slots=True)
class CreatedSecret:
    """``secret`` is shown this once, None for a client without one; ``client`` is what is stored."""

    secret: str | None = field(repr=False)
    client: OauthClientDocument


def has_secret(client: OauthClientDocument) -> bool:
    """Whether the client authenticates by a secret."""
    return not client.get("publicClient") and client.get("tokenEndpointAuthMethod") != PRIVATE_KEY_JWT


async def create_secret(service: Service) -> tuple[str, str]:
    """Create a secret, and return it with its hash. Raises ``Overloaded``."""
    secret = secrets.token_urlsafe(32)
    return secret, await hash_off_loop(secret, service.settings.bcrypt_cost)


async def replace_secret(
    service: Service,
    access: Access[OauthClientDocument],
    stored: OauthClientDocument,
    *,
    ends_previous: bool,
    audit: Mapping[str, Any] = MappingProxyType({}),
    writer_roles: list[str] | None = None,
    effect: Callable[[Transaction], Awaitable[None]] | None = None,
) -> CreatedSecret:
    """Give a stored client a new secret. ``audit``: who does it, as members of ``auditInfo``.

    ``writer_roles``: those that everybody has who has written the client; as they were by default.
    ``effect``: what else is stored, or not, together with it.
    ``ends_previous``: the one before ends at once, otherwise with the next rotation.

    Raises ``ValidationFailed`` for a client that has no secret, ``VersionConflict`` when others change it.
    """
    if not has_secret(stored):
        raise ValidationFailed.at(
            "clientId", "names a client that has no secret: it is public, or signs with its key"
        )
    secret, hashed = await create_secret(service)
    previous = None if ends_previous else stored.get("clientSecretHash")
    values: OauthClientDocument = {"clientSecretHash": hashed}
    if previous is not None:
        values["previousSecretHash"] = previous
    if writer_roles is not None:
        values["writerRoles"] = writer_roles
    at = from_seconds(service.tokens.clock())
    changes = build_update(values, at, unset=() if previous else ("previousSecretHash",), audit=audit)
    version = unchanged("version", stored.get("version"))

    async def work(transaction: Transaction) -> OauthClientDocument:
        changed = await transaction.update_one(access, by_id(str(stored["_id"])) & version, changes)
        if changed is None:
            raise VersionConflict("the client was changed at the same time: try again")
        if effect is not None:
            await effect(transaction)
        return changed

    return CreatedSecret(secret, await service.store.transact(work))
