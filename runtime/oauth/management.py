"""Managing the OAuth clients of a realm as the operator does, at the command line.

A client is created together with the credential whose rights its own tokens have, in one transaction. Only
hashes of secrets are stored; a secret is shown once.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from runtime.call import Service
from runtime.errors import Duplicate, NotFound, ValidationFailed
from runtime.filter import EVERYTHING, equals
from runtime.identity.credentials.credentials import login_name_of
from runtime.identity.credentials.new_user import check_new_user, new_credential
from runtime.identity.credentials.passwords import hash_off_loop
from runtime.identity.credentials.removed_users import user_id_taken
from runtime.identity.users.users import everywhere, users_of
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.oauth.client_check import check_resources
from runtime.seams import NewUser, UserKey
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update_stamp, complete_document
from runtime.storage.store import Changes, Transaction
from runtime.system.documents import CredentialDocument, OauthClientDocument
from runtime.system.record_types import CREDENTIAL, OAUTH_CLIENT

_CLIENT_ID = re.compile(r"[A-Za-z0-9._~@-]{1,100}")


@dataclass(frozen=True, slots=True)
class CreatedSecret:
    """``secret`` is shown this once; ``client`` is what is stored."""

    secret: str = field(repr=False)
    client: OauthClientDocument


async def create_client(
    service: Service, new: NewUser, *, name: str | None = None, resources: Sequence[str] = ()
) -> CreatedSecret:
    """Create a client for client_credentials; ``new`` describes its credential, and has no password.

    Raises ``NotFound`` for an unknown realm, ``ValidationFailed``, and ``Duplicate`` for an id in use.
    """
    realm = new.realm or service.settings.default_realm
    _check_client_id(new.user_id)
    check_resources(resources)
    check_new_user(new, realm, service.catalog.roles)
    access = await _open_access(service, realm, Action.CREATE)
    at, secret = from_seconds(service.tokens.clock()), secrets.token_urlsafe(32)
    credential = new_credential(new, realm, None, issuer=service.settings.token_issuer, at=at, audit={})
    fields: OauthClientDocument = {
        "clientId": new.user_id,
        "active": True,
        "allowedGrantTypes": ["client_credentials"],
        "subject": credential["subject"],
        "clientSecretHash": await hash_off_loop(secret, service.settings.bcrypt_cost),
    }
    if name is not None:
        fields["clientName"] = name
    if resources:
        fields["allowedResources"] = list(resources)
    client = complete_document(fields, new.user_id, credential["dataDomain"], at)
    try:
        await _store_both(service, access, client, credential)
    except Duplicate:
        raise user_id_taken(new.user_id, realm) from None
    log.info("client.created", client=new.user_id, subject=credential["subject"], realm=realm)
    return CreatedSecret(secret, client)


async def list_clients(service: Service, realm: str) -> list[OauthClientDocument]:
    """List the clients of a realm by client id."""
    access = await _open_access(service, realm, Action.VIEW)
    return await service.store.find(access, EVERYTHING, order=[("clientId", 1)])


async def rotate_secret(
    service: Service, realm: str, client_id: str, *, ends_previous: bool = False
) -> CreatedSecret:
    """Give a client a new secret. The one before stays valid until the next rotation.

    ``ends_previous``: the one before ends at once. Raises ``NotFound``.
    """
    stored = await find_client(service, realm, client_id)
    secret = secrets.token_urlsafe(32)
    values: OauthClientDocument = {
        "clientSecretHash": await hash_off_loop(secret, service.settings.bcrypt_cost)
    }
    previous = None if ends_previous else stored.get("clientSecretHash")
    if previous is not None:
        values["previousSecretHash"] = previous
    unset = () if previous else ("previousSecretHash",)
    changed = await _change(service, realm, client_id, values, unset)
    log.info("client.secret_rotated", client=client_id, realm=realm)
    return CreatedSecret(secret, changed)


async def set_active(service: Service, realm: str, client_id: str, active: bool) -> OauthClientDocument:
    """Disable a client, which also refuses its tokens, or enable it again. Raises ``NotFound``."""
    values: OauthClientDocument = {"active": active}
    changed = await _change(service, realm, client_id, values)
    log.info("client.enabled" if active else "client.disabled", client=client_id, realm=realm)
    return changed


async def remove_client(service: Service, realm: str, client_id: str) -> None:
    """Remove a client and its credential; the client id is not given out again. Raises ``NotFound``."""
    stored = await find_client(service, realm, client_id)
    access = await _open_access(service, realm, Action.DELETE)
    await service.store.delete_one(access, equals(clientId=client_id))
    if (subject := stored.get("subject")) is not None:
        await users_of(service).credentials.remove(UserKey(subject=subject), everywhere(realm))
    log.info("client.removed", client=client_id, realm=realm)


async def find_client(service: Service, realm: str, client_id: str) -> OauthClientDocument:
    """Return a stored client with its hidden fields. Raises ``NotFound``."""
    access = await _open_access(service, realm, Action.VIEW)
    stored = await service.store.find_one(access, equals(clientId=client_id))
    if stored is None:
        raise _no_client(realm, client_id)
    return stored


async def _store_both(
    service: Service,
    access: Access[OauthClientDocument],
    client: OauthClientDocument,
    credential: CredentialDocument,
) -> None:
    removed = users_of(service).credentials.removed

    async def work(transaction: Transaction) -> None:
        await transaction.insert(access, client)
        await transaction.insert(as_service(CREDENTIAL, access.database, Action.CREATE), credential)
        await removed.require_new(transaction, access.database, credential["loginName"])

    await service.store.transact(work)


async def _change(
    service: Service, realm: str, client_id: str, values: OauthClientDocument, unset: Sequence[str] = ()
) -> OauthClientDocument:
    access = await _open_access(service, realm, Action.UPDATE)
    at = from_seconds(service.tokens.clock())
    changes = Changes(set={**values, **build_update_stamp(at)}, unset=unset, increment={"version": 1})
    changed = await service.store.update_one(access, equals(clientId=client_id), changes)
    if changed is None:
        raise _no_client(realm, client_id)
    return changed


async def _open_access(service: Service, realm: str, action: Action) -> Access[OauthClientDocument]:
    database = await service.realms.find_database(realm)
    if database is None:
        raise NotFound(f"the realm {realm} does not exist")
    return as_service(OAUTH_CLIENT, database, action)


def _check_client_id(client_id: str) -> None:
    if not _CLIENT_ID.fullmatch(client_id) or login_name_of(client_id) is None:
        message = "must be 1 to 100 of A-Z, a-z, 0-9 and . _ ~ @ -"
        raise ValidationFailed(
            f"the client id {message}", violations=[{"path": "clientId", "message": message}]
        )


def _no_client(realm: str, client_id: str) -> NotFound:
    return NotFound(f"no client {client_id[:100]} in the realm {realm}")
