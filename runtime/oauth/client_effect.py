"""What a write of a client does besides: who may write it, and what ends when it is removed.

A caller that rotates the secret of a client, or sends users to another place, acts with the rights of the
client. So it takes all the rights of the client's own credential to write a client, as it does to manage a
user. A removed client ends with its credential, its tokens and the consents that users gave to it: a later
client with the same id must inherit nothing. The sessions of users end too where tokens would do more than
the users granted, since the scopes of the client do not limit them any more.
"""

from collections.abc import Sequence

from runtime.call import Call, Service
from runtime.errors import Denied
from runtime.filter import equals
from runtime.identity.clients.own_credential import find_own_credential
from runtime.identity.clients.stored_client import find_users, find_writer_roles, is_active, is_limited
from runtime.identity.credentials.credentials import user_of
from runtime.identity.credentials.families import build_revocation
from runtime.identity.users.user_target import find_reach, read_rights
from runtime.identity.users.users import users_of
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.principal import SYSTEM, Principal, domain_members
from runtime.storage.access import Action
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
    if before is not None and after is None:
        await end_client(call.service, transaction, call.realm, call.database, before)
    elif before is not None and after is not None:
        if find_writer_roles(before) != find_writer_roles(after):
            await forget_consents(transaction, call.database, after["clientId"])
        if is_limited(before) and not is_limited(after):
            await end_client_sessions(call.service, transaction, call.database, after["clientId"])
    event = _event_of(before, after)
    client = after or before
    if event is not None and client is not None:
        client_id, by = client["clientId"], call.principal.user_id

        async def report(_store: Store) -> None:
            log.info(event, client=client_id, realm=call.realm, by=by)

        await transaction.run_after_storing(report)


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
    """End all that belongs to a client, in the transaction that removes it."""
    credential = await find_own_credential(transaction, database, client)
    if credential is not None:
        access = as_service(CREDENTIAL, database, Action.DELETE)
        match = equals(subject=credential["subject"])
        await users_of(service).credentials.remove_in(transaction, realm, access, match)
    own = equals(clientId=client["clientId"])
    await forget_consents(transaction, database, client["clientId"])
    await transaction.delete_many(as_service(PUSHED_REQUEST, database, Action.DELETE), own)
    await end_client_sessions(service, transaction, database, client["clientId"])


async def end_client_sessions(
    service: Service, transaction: Transaction, database: str, client_id: str
) -> None:
    """End the sessions of users in a client, and the codes for more of them.

    So that none does more than its user granted: in a client that may no longer request any scope about
    records, a token without one is not narrowed.
    """
    own, now = equals(clientId=client_id), service.tokens.clock()
    used: AuthorizationCodeDocument = {"used": True}
    codes = as_service(AUTHORIZATION_CODE, database, Action.UPDATE)
    await transaction.update_many(codes, own & equals(used=False), build_update(used, from_seconds(now)))
    families = as_service(REFRESH_FAMILY, database, Action.UPDATE)
    await transaction.update_many(families, own & equals(revoked=False), build_revocation(now))


async def forget_consents(store: AnyStore, database: str, client_id: str) -> None:
    """Forget what users have granted to a client: they did not grant it to those who write it now."""
    await store.delete_many(as_service(CONSENT, database, Action.DELETE), equals(clientId=client_id))


def _event_of(before: OauthClientDocument | None, after: OauthClientDocument | None) -> str | None:
    if after is None:
        return "client.removed"
    if before is None:
        return "client.created"
    was, now = is_active(before), is_active(after)
    return None if was == now else "client.enabled" if now else "client.disabled"
