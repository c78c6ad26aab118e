"""The routes of ``/security/oauth/clients`` that are not those of every record type."""

from collections.abc import Sequence

from runtime.access.guard import allow, allow_lookup, build_refusal
from runtime.call import Call
from runtime.errors import Denied, Duplicate, NotFound, ValidationFailed, VersionConflict
from runtime.filter import by_id, equals, unchanged
from runtime.identity.clients.own_credential import find_own_credential
from runtime.identity.credentials.credentials import user_of
from runtime.identity.credentials.new_user import check_new_user, new_credential
from runtime.identity.credentials.removed_users import user_id_taken
from runtime.identity.users.user_target import locate_user, read_rights
from runtime.identity.users.users import users_of
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.oauth.client_check import OWN_GRANT, find_with_hashes, list_writer_roles
from runtime.oauth.client_effect import require_covered
from runtime.oauth.client_secret import replace_secret
from runtime.principal import find_organisation
from runtime.seams import NewUser
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update
from runtime.storage.store import Transaction
from runtime.storage.wire import Json, to_json
from runtime.system.answers import ClientCredentialBody, ClientSecretBody
from runtime.system.documents import CredentialDocument, OauthClientDocument
from runtime.system.models.client_credential import ClientCredential
from runtime.system.models.role_list import RoleList
from runtime.system.models.secret_rotation import SecretRotation
from runtime.system.record_types import CREDENTIAL, OAUTH_CLIENT


async def rotate(call: Call, body: SecretRotation, *, client_id: str) -> ClientSecretBody:
    """POST …/{clientId}/rotate-secret.

    Raises ``NotFound``, also for a client outside the caller's scope, ``Denied`` for one that may do more
    than the caller, and ``ValidationFailed`` for one that has no secret.
    """
    stored = await _find_changeable(call, client_id)
    await require_covered(call, call.store, [stored])
    call.turn.give_back()  # hashing has a queue of its own, and needs no store
    access = as_service(OAUTH_CLIENT, call.database, Action.UPDATE, call.principal.scope)

    async def follow(transaction: Transaction) -> None:
        if call.receipt is not None:
            await call.receipt.sign(transaction, Json(b"", is_secret=True))

    created = await replace_secret(
        call.service, access, stored, ends_previous=body.end_previous is True, audit=call.principal.audit,
        writer_roles=list_writer_roles(call, stored), effect=follow,
    )  # fmt: skip
    log.info("client.secret_rotated", client=client_id, realm=call.realm, **call.principal.writer)
    return {"clientId": client_id, "clientSecret": created.secret or ""}


async def create_credential(call: Call, body: RoleList, *, client_id: str) -> Json[ClientCredential]:
    """POST …/{clientId}/credential.

    Raises ``NotFound``, also for a client outside the caller's scope, ``Denied`` for more rights than the
    caller has, ``ValidationFailed``, ``Duplicate`` for a client that has a credential and for the id of a
    user, and ``VersionConflict`` when others change the client.
    """
    service = call.service
    client = await _find_changeable(call, client_id)
    await require_covered(call, call.store, [client])
    if "dataDomain" not in client:
        raise ValidationFailed.at(
            "clientId", "names a client of no tenant: put its credential into the store"
        )
    if OWN_GRANT not in (client.get("allowedGrantTypes") or ()):
        raise ValidationFailed.at("clientId", f"names a client that may not use {OWN_GRANT}")
    if await find_own_credential(call.store, call.database, client) is not None:
        raise Duplicate("this client has a credential already", fields=["clientId"])
    new = _describe_holder(call, client, body.roles)
    check_new_user(new, call.realm, service.catalog.roles)
    at = from_seconds(service.tokens.clock())
    issuer, audit = service.settings.token_issuer, call.principal.audit
    credential = new_credential(new, call.realm, None, issuer=issuer, at=at, audit=audit)
    rights = await read_rights(call)
    if not rights.covers(user_of(credential, call.realm), None):
        raise Denied("this credential would do more than you may: name roles that you have")
    await service.provider.require_new_user_id(client_id, call.realm)
    await _store_credential(call, client, credential)
    facts = {"client": client_id, "subject": credential["subject"]}
    log.info("client.credential_created", **facts, realm=call.realm, **call.principal.writer)
    subject = credential["subject"]
    answer: ClientCredentialBody = {"clientId": client_id, "subject": subject, "roles": credential["roles"]}
    return Json(to_json(answer), 201, {"Location": locate_user(call, subject)})


def _describe_holder(call: Call, client: OauthClientDocument, roles: Sequence[str]) -> NewUser:
    """Describe the holder of a client's credential, which belongs where the client does."""
    domain = client["dataDomain"]
    segment = domain.get("dataSegment")
    return NewUser(
        client["clientId"],
        "",
        domain["tenantId"],
        frozenset(roles),
        org_ref_name=find_organisation(domain),
        account_id=domain.get("accountId"),
        data_segment=segment or call.principal.scope.data_segment,  # 0 also marks what no segment binds
    )


async def _store_credential(call: Call, client: OauthClientDocument, credential: CredentialDocument) -> None:
    """Store the credential and, in the client, that it is its own."""
    access = as_service(OAUTH_CLIENT, call.database, Action.UPDATE, call.principal.scope)
    own = as_service(CREDENTIAL, call.database, Action.CREATE, call.principal.scope)
    removed = users_of(call.service).credentials.removed
    match = by_id(str(client["_id"])) & unchanged("version", client.get("version"))
    values: OauthClientDocument = {"subject": credential["subject"]}
    changes = build_update(values, credential["lastUpdate"], audit=call.principal.audit)

    async def work(transaction: Transaction) -> None:
        await transaction.insert(own, credential)
        await removed.require_new(transaction, call.database, credential["loginName"])
        if await transaction.update_one(access, match, changes) is None:
            raise VersionConflict("the client was changed at the same time: try again")

    try:
        await call.service.store.transact(work)
    except Duplicate:
        raise user_id_taken(client["clientId"], call.realm) from None


async def _find_changeable(call: Call, client_id: str) -> OauthClientDocument:
    """Return a client that the caller may change, with the hidden fields."""
    seen = await call.store.find_one(allow_lookup(call, OAUTH_CLIENT), equals(clientId=client_id))
    if seen is None:
        raise _no_client(client_id)
    if not allow(call, OAUTH_CLIENT, Action.UPDATE).admits(seen):
        raise build_refusal(call, OAUTH_CLIENT, Action.UPDATE, seen, is_stored=True)
    whole = await find_with_hashes(call, str(seen["_id"]))
    if whole is None:  # removed in this moment
        raise _no_client(client_id)
    return whole


def _no_client(client_id: str) -> NotFound:
    return NotFound(f"no {OAUTH_CLIENT.name} has the clientId {client_id[:100]}")
