"""Managing the OAuth clients of a realm as the operator does, at the command line.

A client that gets tokens for itself is created together with the credential whose rights these have, in one
transaction. Only hashes of secrets are stored; a secret is shown once.
"""

import re

from runtime.call import Service
from runtime.errors import Duplicate, NotFound, ValidationFailed
from runtime.filter import EVERYTHING, equals
from runtime.identity.credentials.credentials import login_name_of
from runtime.identity.credentials.new_user import check_new_user, faults_of_place, new_credential
from runtime.identity.credentials.removed_users import user_id_taken
from runtime.identity.realms.realm import require_realm
from runtime.identity.users.users import users_of
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.oauth.client_check import OWN_GRANT, raise_faults, require_sound
from runtime.oauth.client_effect import end_client
from runtime.oauth.client_secret import CreatedSecret, create_secret, has_secret, replace_secret
from runtime.oauth.scopes import find_known_scopes
from runtime.principal import SYSTEM, DomainContext
from runtime.seams import NewUser
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update, complete_document
from runtime.storage.store import Transaction
from runtime.system.documents import CredentialDocument, OauthClientDocument
from runtime.system.record_types import CREDENTIAL, OAUTH_CLIENT

_CLIENT_ID = re.compile(r"[A-Za-z0-9._~@-]{1,100}")


async def create_client(
    service: Service,
    new: NewUser,
    *,
    name: str | None = None,
    fields: OauthClientDocument | None = None,
) -> CreatedSecret:
    """Create a client; ``new`` describes its credential, and has no password.

    ``fields``: more of the record; by default the client may use client_credentials. Without that grant it
    has no credential, and ``new`` only says where the record belongs.

    Raises ``NotFound`` for an unknown realm, ``ValidationFailed``, and ``Duplicate`` for an id in use.
    """
    realm = new.realm or service.settings.default_realm
    document: OauthClientDocument = {"allowedGrantTypes": [OWN_GRANT], **(fields or {})}
    document |= {"clientId": new.user_id, "active": True, "writerRoles": [SYSTEM]}
    if name is not None:
        document["clientName"] = name
    _check_client_id(new.user_id)
    require_sound(document, find_known_scopes(service))
    has_credential = OWN_GRANT in document["allowedGrantTypes"]
    if has_credential:
        check_new_user(new, realm, service.catalog.roles)
    raise_faults((path, fault) for path, fault in faults_of_place(new, realm).items() if fault)
    access = as_service(OAUTH_CLIENT, await require_realm(service, realm), Action.CREATE)
    at = from_seconds(service.tokens.clock())
    credential, secret = None, None
    if has_credential:
        credential = new_credential(new, realm, None, issuer=service.settings.token_issuer, at=at, audit={})
        document["subject"] = credential["subject"]
    if has_secret(document):
        secret, document["clientSecretHash"] = await create_secret(service)
    place = DomainContext(new.tenant_id, realm, new.org_ref_name, new.account_id, new.data_segment)
    client = complete_document(document, new.user_id, place.new_data_domain(new.user_id), at)
    try:
        await _store_both(service, access, client, credential)
    except Duplicate:
        raise user_id_taken(new.user_id, realm) from None
    log.info("client.created", client=new.user_id, subject=document.get("subject"), realm=realm)
    return CreatedSecret(secret, client)


async def list_clients(service: Service, realm: str) -> list[OauthClientDocument]:
    """List the clients of a realm by client id."""
    access = as_service(OAUTH_CLIENT, await require_realm(service, realm))
    return await service.store.find(access, EVERYTHING, order=[("clientId", 1)])


async def rotate_secret(
    service: Service, realm: str, client_id: str, *, ends_previous: bool = False
) -> CreatedSecret:
    """Give a client a new secret. The one before stays valid until the next rotation.

    ``ends_previous``: the one before ends at once. Raises ``NotFound``, and ``ValidationFailed`` for a
    client that has no secret.
    """
    stored = await find_client(service, realm, client_id)
    access = as_service(OAUTH_CLIENT, await require_realm(service, realm), Action.UPDATE)
    created = await replace_secret(service, access, stored, ends_previous=ends_previous)
    log.info("client.secret_rotated", client=client_id, realm=realm)
    return created


async def set_active(service: Service, realm: str, client_id: str, active: bool) -> OauthClientDocument:
    """Disable a client, which also refuses its tokens, or enable it again. Raises ``NotFound``."""
    values: OauthClientDocument = {"active": active}
    access = as_service(OAUTH_CLIENT, await require_realm(service, realm), Action.UPDATE)
    changes = build_update(values, from_seconds(service.tokens.clock()))
    changed = await service.store.update_one(access, equals(clientId=client_id), changes)
    if changed is None:
        raise _no_client(realm, client_id)
    log.info("client.enabled" if active else "client.disabled", client=client_id, realm=realm)
    return changed


async def remove_client(service: Service, realm: str, client_id: str) -> None:
    """Remove a client with its credential and tokens. Raises ``NotFound``.

    The id of a client that had a credential is not given out again.
    """
    stored = await find_client(service, realm, client_id)
    access = as_service(OAUTH_CLIENT, await require_realm(service, realm), Action.DELETE)

    async def work(transaction: Transaction) -> None:
        await transaction.delete_one(access, equals(clientId=client_id))
        await end_client(service, transaction, realm, access.database, stored)

    await service.store.transact(work)
    log.info("client.removed", client=client_id, realm=realm)


async def find_client(service: Service, realm: str, client_id: str) -> OauthClientDocument:
    """Return a stored client with its hidden fields. Raises ``NotFound``."""
    access = as_service(OAUTH_CLIENT, await require_realm(service, realm))
    stored = await service.store.find_one(access, equals(clientId=client_id))
    if stored is None:
        raise _no_client(realm, client_id)
    return stored


async def _store_both(
    service: Service,
    access: Access[OauthClientDocument],
    client: OauthClientDocument,
    credential: CredentialDocument | None,
) -> None:
    removed, login_name = users_of(service).credentials.removed, login_name_of(client["clientId"]) or ""

    async def work(transaction: Transaction) -> None:
        await transaction.insert(access, client)
        if credential is not None:
            await transaction.insert(as_service(CREDENTIAL, access.database, Action.CREATE), credential)
        await removed.require_new(transaction, access.database, login_name)

    await service.store.transact(work)


def _check_client_id(client_id: str) -> None:
    if not _CLIENT_ID.fullmatch(client_id):
        message = "must be 1 to 100 of A-Z, a-z, 0-9 and . _ ~ @ -"
        raise ValidationFailed.at("clientId", message, "the client id")


def _no_client(realm: str, client_id: str) -> NotFound:
    return NotFound(f"no client {client_id[:100]} in the realm {realm}")
