"""What is wrong with an OAuth client: the check of the record type ``OauthClient``, and its pure part."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from runtime.call import Call
from runtime.client import PRIVATE_KEY_JWT
from runtime.errors import Duplicate, ValidationFailed
from runtime.filter import by_id
from runtime.identity.clients.stored_client import find_writer_roles
from runtime.identity.credentials.removed_users import user_id_taken
from runtime.identity.users.users import users_of
from runtime.model.nearest import hint
from runtime.oauth.redirect_uris import fault_of_redirect_uri
from runtime.oauth.resources import fault_of_resource
from runtime.oauth.scopes import find_known_scopes
from runtime.principal import SYSTEM
from runtime.rights import find_common
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import SERVICE_USER
from runtime.system.documents import OauthClientDocument
from runtime.system.record_types import OAUTH_CLIENT
from runtime.tokens import find_key_faults

Fault = tuple[str, str]
"""The path of an invalid member, and what is wrong with it."""

OWN_GRANT: Final = "client_credentials"
"""The grant by which a client gets tokens for itself."""

GRANT_TYPES: Final = ("authorization_code", OWN_GRANT, "refresh_token")


async def check_client(call: Call, document: OauthClientDocument) -> None:
    """Check a client that is to be saved, and record in it what those who have written it may do.

    Raises ``ValidationFailed`` with all that is wrong, ``Duplicate`` for the id of a client that was removed.
    """
    require_sound(document, find_known_scopes(call.service))
    stored = await find_with_hashes(call, str(document["_id"]))
    faults = dict[str, str]()
    if document.get("realm") not in (None, call.realm):
        faults["realm"] = f"must be the realm of the call, {call.realm}, or left out"
    given = document.get("clientSecretHash")
    if given is not None and stored is not None and given != stored.get("clientSecretHash"):
        faults["clientSecretHash"] = "may be sent for a new client only: rotate the secret instead"
    raise_faults(faults.items())
    document["writerRoles"] = list_writer_roles(call, stored)
    if stored is None:
        await _require_new_id(call, document["clientId"])


def list_writer_roles(call: Call, stored: OauthClientDocument | None) -> list[str]:
    """List the roles that the caller has and that everybody had who has written a client before.

    ``stored``: the client as it is; None for a new one. Seeds are trusted as the specifications are.
    """
    caller = call.principal
    is_seed = caller.user_id == caller.subject == SERVICE_USER
    own = frozenset({SYSTEM}) if is_seed else caller.roles
    before = frozenset({SYSTEM}) if stored is None else find_writer_roles(stored)
    return sorted(find_common(own, before))


async def find_with_hashes(call: Call, record_id: str) -> OauthClientDocument | None:
    """Return a stored client in the caller's scope, with the hidden fields."""
    domain = call.principal.scope_on(OAUTH_CLIENT.area, is_read=True)
    access = as_service(OAUTH_CLIENT, call.database, Action.VIEW, domain)
    return await call.store.find_one(access, by_id(record_id))


def require_sound(document: OauthClientDocument, scopes: Collection[str]) -> None:
    """Raise ``ValidationFailed`` for a client with fields that cannot be, or not together.

    ``scopes``: those of the service.
    """
    raise_faults(find_faults(document, scopes))


def raise_faults(faults: Iterable[Fault]) -> None:
    """Raise ``ValidationFailed`` that names every fault, if there is one."""
    violations = [{"path": path, "message": message} for path, message in faults]
    if violations:
        first = violations[0]
        raise ValidationFailed(f"{first['path']} {first['message']}", violations=violations)


def find_faults(document: OauthClientDocument, scopes: Collection[str]) -> Iterator[Fault]:
    """Yield all that is wrong with the fields of a client. ``scopes``: those of the service."""
    yield from _find_faults_of_uris(document)
    yield from _find_faults_of_grants(document)
    yield from _find_faults_of_proof(document)
    known = [*scopes]
    for at, scope in enumerate(document.get("allowedScopes") or ()):
        if scope not in known:
            yield f"allowedScopes[{at}]", f"{scope[:100]} is not a scope of this service{hint(scope, known)}"
    for at, uri in enumerate(document.get("allowedResources") or ()):
        if fault := fault_of_resource(uri):
            yield f"allowedResources[{at}]", fault


def _find_faults_of_uris(document: OauthClientDocument) -> Iterator[Fault]:
    is_native = document.get("applicationType") == "native"
    lists = (
        ("redirectUris", document.get("redirectUris")),
        ("postLogoutRedirectUris", document.get("postLogoutRedirectUris")),
    )
    for field, uris in lists:
        for at, uri in enumerate(uris or ()):
            if fault := fault_of_redirect_uri(uri, is_native=is_native):
                yield f"{field}[{at}]", fault


def _find_faults_of_grants(document: OauthClientDocument) -> Iterator[Fault]:
    grants = document.get("allowedGrantTypes") or []
    for at, grant in enumerate(grants):
        if grant not in GRANT_TYPES:
            yield f"allowedGrantTypes[{at}]", f"is not a grant type{hint(grant, GRANT_TYPES)}"
        if grant == OWN_GRANT and document.get("publicClient"):
            yield f"allowedGrantTypes[{at}]", "is not for public clients, which have no secret"
        if grant == "refresh_token" and "authorization_code" not in grants:
            yield f"allowedGrantTypes[{at}]", "needs authorization_code, which refresh tokens come from"
        if grant == "authorization_code" and not document.get("redirectUris"):
            yield "redirectUris", "must name at least one URI, since authorization_code is allowed"


def _find_faults_of_proof(document: OauthClientDocument) -> Iterator[Fault]:
    """Yield what is wrong with how the client proves that it is the client."""
    method, is_public = document.get("tokenEndpointAuthMethod"), document.get("publicClient")
    keys, hashed = document.get("jwks"), document.get("clientSecretHash")
    if method == "none" and not is_public:
        yield "tokenEndpointAuthMethod", "may be none for public clients only"
    if method not in (None, "none") and is_public:
        yield "tokenEndpointAuthMethod", "must be none, or left out, for a public client"
    if keys is not None:
        for path, message in find_key_faults(keys):
            yield f"jwks{path and '.'}{path}", message
    if method == PRIVATE_KEY_JWT and not (isinstance(keys, dict) and keys.get("keys")):
        yield "jwks", f"must hold a public key, since the client authenticates by {PRIVATE_KEY_JWT}"
    if hashed is not None and (is_public or method == PRIVATE_KEY_JWT):
        yield "clientSecretHash", "must be left out: such a client has no secret"


async def _require_new_id(call: Call, client_id: str) -> None:
    """Raise ``Duplicate`` for the id of a removed client: it would own what that one owned."""
    if await users_of(call.service).credentials.removed.find(client_id, call.realm) is not None:
        taken = user_id_taken(client_id, call.realm)
        raise Duplicate(taken.message, fields=["clientId"])
