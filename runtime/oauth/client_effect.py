"""What a write of a client does besides: who may write it, and what ends when it is removed.

A caller that rotates the secret of a client, or sends users to another place, acts with the rights of the
client. So it takes all the rights of the client's own credential to write a client, as it does to manage a
user. A removed client ends with its credential, its tokens and the consents that users gave to it: a later
client with the same id must inherit nothing. The sessions of users end too where tokens would do more than
the users granted, since the scopes of the client do not limit them any more.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from runtime.call import Call, Service
from runtime.errors import Denied, ServiceError
from runtime.filter import Predicate, Projection, any_of, by_ids, equals, lacks
from runtime.identity.clients.own_credential import find_own_credential
from runtime.identity.clients.stored_client import find_users, is_active, is_limited
from runtime.identity.credentials.credentials import user_of
from runtime.identity.credentials.families import build_revocation
from runtime.identity.users.user_target import find_reach, read_rights
from runtime.identity.users.users import users_of
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.principal import SYSTEM, Principal, domain_members
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update
from runtime.storage.store import AnyStore, Store, Transaction
from runtime.system.documents import AuthorizationCodeDocument, OauthClientDocument
from runtime.system.record_types import (
    AUTHORIZATION_CODE,
    CONSENT,
    CREDENTIAL,
    PUSHED_REQUEST,
    REFRESH_FAMILY,
)

_IDS: Final = Projection(include=("id",))
_MOST_AT_ONCE: Final = 2000
"""Consents or sessions of a client that one command ends."""


async def apply_client_effect(
    call: Call,
    transaction: Transaction,
    before: OauthClientDocument | None,
    after: OauthClientDocument | None,
) -> None:
    """Check that the caller may write the client, and end what must not outlast the write.

    Raises ``Denied`` for a client that may do more than the caller.
    """
    await require_covered(call, transaction, [one for one in (before, after) if one is not None])
    event = _event_of(before, after)
    client = after or before
    if event is not None and client is not None:
        client_id, by = client["clientId"], call.principal.writer

        async def report(_store: Store) -> None:
            log.info(event, client=client_id, realm=call.realm, **by)

        await transaction.run_after_storing(report)
    if before is not None and after is None:
        await end_client(call.service, transaction, call.realm, call.database, before)
    elif before is not None and after is not None and is_limited(before) and not is_limited(after):
        await end_client_sessions(call, transaction, after)


async def require_covered(call: Call, store: AnyStore, clients: Sequence[OauthClientDocument]) -> None:
    """Raise ``Denied`` for a client that may do more than the caller.

    It may if its own credential does, or if users beyond the reach of the caller sign in to it: their tokens
    go where the redirect URIs lead, and to those who have the secret.
    """
    for client in clients:
        _require_reach(call.principal, client)
        credential = await find_own_credential(store, call.database, client)
        if credential is None:
            continue
        user, rights = user_of(credential, call.realm), await read_rights(call)
        if not rights.covers(user, await find_reach(call, user)):
            raise Denied(
                "the credential of this client may do more than you: "
                "someone with the same roles or system must do it"
            )


def _require_reach(caller: Principal, client: OauthClientDocument) -> None:
    """Raise ``Denied`` for a client whose users may see more than the caller."""
    if SYSTEM in caller.roles:
        return
    if (users := find_users(client)) is None:
        raise Denied("users of all tenants sign in to this client: system must do it")
    if client.get("redirectUris") and not caller.scope.admits(domain_members(users)):
        raise Denied("users who may see more than you sign in to this client: one of them must do it")


async def end_client(
    service: Service, transaction: Transaction, realm: str, database: str, client: OauthClientDocument
) -> None:
    """End all that belongs to a client, in the transaction that removes it.

    Its consents and the sessions of users in it, which may be many, follow behind the transaction.
    """
    credential = await find_own_credential(transaction, database, client)
    if credential is not None:
        access = as_service(CREDENTIAL, database, Action.DELETE)
        match = equals(subject=credential["subject"])
        await users_of(service).credentials.remove_in(transaction, realm, access, match)
    own = equals(clientId=client["clientId"])
    await transaction.delete_many(as_service(PUSHED_REQUEST, database, Action.DELETE), own)
    await _revoke_codes(transaction, database, own, service.tokens.clock())
    clear = partial(_clear_away, service.tokens.clock(), realm, database, client, is_removed=True)
    await transaction.run_after_storing(clear)


async def _clear_away(
    now: float, realm: str, database: str, client: OauthClientDocument, store: Store, *, is_removed: bool
) -> None:
    """End the sessions of a client that was removed or has lost its limits, in batches.

    With the consents of a removed one. Those of a client are in force for its record alone, and sessions of
    limited clients for these alone: none does anything any more, so what a crash leaves is harmless. Raises
    nothing of the store.
    """
    records = any_of([equals(clientRecord=str(client["_id"])), lacks("clientRecord")])
    own = equals(clientId=client["clientId"]) & records
    consents = as_service(CONSENT, database, Action.DELETE)
    families = as_service(REFRESH_FAMILY, database, Action.UPDATE)
    ended = own if is_removed else own & equals(limited=True)
    alive, revocation = ended & equals(revoked=False), build_revocation(now)
    try:
        while is_removed and (ids := await _find_ids(store, as_service(CONSENT, database), own)):
            await store.delete_many(consents, by_ids(ids) & own)
        while ids := await _find_ids(store, as_service(REFRESH_FAMILY, database), alive):
            await store.update_many(families, by_ids(ids), revocation)
    except ServiceError as error:
        log.warning("client.not_cleared_away", client=client["clientId"], realm=realm, reason=error.message)


async def _find_ids(store: Store, access: Access[Any], match: Predicate) -> list[str]:
    rows = await store.find(access, match, projection=_IDS, limit=_MOST_AT_ONCE)
    return [str(row["_id"]) for row in rows]


async def end_client_sessions(call: Call, transaction: Transaction, client: OauthClientDocument) -> None:
    """End the sessions of users in a client, and the codes for more of them.

    So that none does more than its user granted: in a client that may no longer request any scope about
    records, a token without one is not narrowed. Only those that do not record whether their client was
    limited end in the transaction; the others, which may be many, are not in force and follow behind it.
    """
    own, now, database = equals(clientId=client["clientId"]), call.service.tokens.clock(), call.database
    await _revoke_codes(transaction, database, own, now)
    families = as_service(REFRESH_FAMILY, database, Action.UPDATE)
    unknown = own & equals(revoked=False) & lacks("limited")
    await transaction.update_many(families, unknown, build_revocation(now))
    clear = partial(_clear_away, now, call.realm, database, client, is_removed=False)
    await transaction.run_after_storing(clear)


async def _revoke_codes(transaction: Transaction, database: str, own: Predicate, now: float) -> None:
    used: AuthorizationCodeDocument = {"used": True}
    codes = as_service(AUTHORIZATION_CODE, database, Action.UPDATE)
    await transaction.update_many(codes, own & equals(used=False), build_update(used, from_seconds(now)))


def _event_of(before: OauthClientDocument | None, after: OauthClientDocument | None) -> str | None:
    if after is None:
        return "client.removed"
    if before is None:
        return "client.created"
    was, now = is_active(before), is_active(after)
    return None if was == now else "client.enabled" if now else "client.disabled"
