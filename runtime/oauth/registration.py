"""POST /oauth/register: clients that register themselves (RFC 7591), if a setting says so.

They belong to a tenant of their own, in which there are no users, so only the role ``system`` sees and
changes them. One that was never used is removed after 30 days, by an index of the store.
"""

import hmac
import secrets
from datetime import timedelta
from typing import Any, Final

from runtime.call import Call, Service
from runtime.client import Client
from runtime.contract.headers import read_bearer
from runtime.errors import NotFound
from runtime.filter import by_id
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.oauth.client_metadata import read_metadata
from runtime.oauth.client_secret import create_secret, has_secret
from runtime.oauth.refusals import BEARER, OAuthRefused
from runtime.oauth.scopes import find_known_scopes
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_document
from runtime.storage.store import Changes
from runtime.storage.wire import Json, to_json
from runtime.system.answers import RegisteredClientBody
from runtime.system.documents import OauthClientDocument
from runtime.system.models.client_registration import ClientRegistration
from runtime.system.record_types import OAUTH_CLIENT

TENANT: Final = "self-registered-clients"
"""The tenant of clients that registered themselves. No user belongs to it."""

_UNUSED = timedelta(days=30)


async def create_registered_client(
    call: Call, body: ClientRegistration, *, authorization: str | None = None
) -> Json[Any]:
    """Register the client that sends the request. Raises ``OAuthRefused``, ``Throttled`` and ``NotFound``."""
    service = call.service
    if service.settings.registration == "off":
        raise NotFound("clients cannot register themselves here: oauth.registration is off")
    await _require_initial_token(call, authorization)
    await service.clients.count_registration(call.address)
    realm = body.realm or service.settings.default_realm
    document = read_metadata(body, find_known_scopes(service))
    database = await service.realms.find_database(realm)
    if database is None:
        raise OAuthRefused("invalid_client_metadata", "realm is not a realm of this service")
    client_id, secret = secrets.token_hex(16), None
    if has_secret(document):
        async with call.turn.pause():  # hashing has a queue of its own
            secret, document["clientSecretHash"] = await create_secret(service)
    at = from_seconds(service.tokens.clock())
    document |= {"clientId": client_id, "active": True, "selfRegistered": True, "unusedUntil": at + _UNUSED}
    stored = complete_document(document, client_id, {"tenantId": TENANT, "ownerId": client_id}, at)
    await service.store.insert(as_service(OAUTH_CLIENT, database, Action.CREATE), stored)
    log.info("client.registered", client=client_id, realm=realm, address=call.address or None)
    answer = _render(stored, secret, int(service.tokens.clock()))
    if body.realm is not None:
        answer["realm"] = realm
    return Json(to_json(answer), 201, {"Pragma": "no-cache"})


async def keep_client(service: Service, client: Client) -> None:
    """Keep a client that registered itself: it has got its first token."""
    database = await service.realms.find_database(client.realm)
    if database is not None:
        access = as_service(OAUTH_CLIENT, database, Action.UPDATE)
        changes = Changes(unset=("unusedUntil",), increment={"version": 1})
        await service.store.update_one(access, by_id(client.record_id), changes)


async def _require_initial_token(call: Call, authorization: str | None) -> None:
    """Check the initial access token (RFC 7591 §3), if registering takes one."""
    settings = call.service.settings
    if settings.registration == "open":
        return
    known = settings.registration_token.get_secret_value() if settings.registration_token else ""
    sent = read_bearer(authorization)
    if sent and known and hmac.compare_digest(sent.encode(errors="replace"), known.encode()):
        return
    await call.service.clients.count_stranger(call.address)
    if sent is None:
        text = "registering takes an initial access token: Authorization: Bearer ..."
        raise OAuthRefused("invalid_token", text, BEARER)
    raise OAuthRefused("invalid_token", "the initial access token is not that of oauth.registration-token")


def _render(client: OauthClientDocument, secret: str | None, issued_at: int) -> RegisteredClientBody:
    answer: RegisteredClientBody = {
        "client_id": client["clientId"],
        "client_id_issued_at": issued_at,
        "application_type": client["applicationType"],
        "redirect_uris": client["redirectUris"],
        "grant_types": [*client["allowedGrantTypes"]],
        "response_types": ["code"],
        "token_endpoint_auth_method": client["tokenEndpointAuthMethod"],
        "scope": " ".join(client["allowedScopes"]),
    }
    if secret is not None:
        answer |= {"client_secret": secret, "client_secret_expires_at": 0}
    if "clientName" in client:
        answer["client_name"] = client["clientName"]
    if client.get("postLogoutRedirectUris"):
        answer["post_logout_redirect_uris"] = client["postLogoutRedirectUris"]
    if "jwks" in client:
        answer["jwks"] = client["jwks"]
    return answer
