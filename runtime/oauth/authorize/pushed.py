"""POST /oauth/par: authorization requests that clients send ahead (RFC 9126).

What the browser then carries is a name for the request that is good once, so neither the user nor anything on
the way can read or change what the client asks for.
"""

import secrets
from datetime import timedelta
from typing import Any, Final

from runtime.call import Call, Service
from runtime.client import Client
from runtime.contract.forms import Parameters
from runtime.errors import TooLarge
from runtime.filter import equals
from runtime.identity.credentials.families import digest, of_client
from runtime.identity.login.registrations import PUSHED_SECONDS
from runtime.identity.realms.realm import require_realm
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.oauth.authentication import authenticate_client
from runtime.oauth.authorize.request import Asked, check_request, find_offer, require_target
from runtime.oauth.refusals import OAuthRefused, PageRefused
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import OF_NO_TENANT, complete_document
from runtime.storage.wire import Json, to_json
from runtime.system.answers import PushedAnswerBody
from runtime.system.documents import PushedRequestDocument
from runtime.system.models.authorization_request import AuthorizationRequest
from runtime.system.models.pushed_authorization import PushedAuthorization
from runtime.system.record_types import PUSHED_REQUEST

PAR: Final = "/oauth/par"
REQUEST_URI: Final = "urn:ietf:params:oauth:request_uri:"
_MOST_CHARACTERS: Final = 16 * 1024


async def receive_request(
    call: Call, body: PushedAuthorization, *, authorization: str | None = None
) -> Json[Any]:
    """Store an authorization request for 90 seconds. Raises ``OAuthRefused``, ``TooLarge``, ``Throttled``."""
    client = await authenticate_client(call, body, authorization, path=PAR)
    if body.request_uri is not None:
        raise OAuthRefused("invalid_request", "a request that is pushed has no request_uri")
    asked = _read_parameters(body, client)
    try:
        _client, target = require_target(client, asked)
    except PageRefused as error:
        raise OAuthRefused("invalid_request", error.text) from None
    check_request(client, target, asked, find_offer(call.service))
    if client.is_public or not client.is_vouched:
        await call.service.clients.count_pushed(call.address)
    request_uri = await store_request(call.service, client, asked)
    log.info("oauth.pushed", client=client.client_id, realm=client.realm, address=call.address or None)
    answer: PushedAnswerBody = {"request_uri": request_uri, "expires_in": PUSHED_SECONDS}
    return Json(to_json(answer))


async def take_pushed(service: Service, client: Client, request_uri: str) -> Asked:
    """Return the parameters of a request that this client pushed, once.

    Raises ``PageRefused`` for a request of another client, which stays, and for one that is used or expired.
    """
    access = as_service(PUSHED_REQUEST, await require_realm(service, client.realm), Action.DELETE)
    name = digest(request_uri.removeprefix(REQUEST_URI))
    match = equals(refName=name) & of_client(client)
    stored = await service.store.find_one(access, match)
    is_valid = stored is not None and from_seconds(service.tokens.clock()) < stored["expiresAt"]
    if stored is None or not is_valid or not await service.store.delete_one(access, match):
        raise PageRefused(
            "The request has expired",
            "Go back to the application and start again (invalid_request_uri).",
        )
    pairs = [(name, value) for name, value in stored["parameters"]]
    return Parameters.read(AuthorizationRequest, pairs)


def _read_parameters(body: PushedAuthorization, client: Client) -> Asked:
    values = body.model_dump(exclude_none=True) | {"client_id": client.client_id, "realm": client.realm}
    pairs = [
        (name, one)
        for name, value in values.items()
        for one in (value if isinstance(value, list) else [value])
        if name in AuthorizationRequest.model_fields
    ]
    return Parameters.read(AuthorizationRequest, pairs)


async def store_request(service: Service, client: Client, asked: Asked) -> str:
    """Store the parameters of a request for 90 seconds; return its name. Raises ``TooLarge``."""
    if sum(len(value) for _name, value in asked.pairs) > _MOST_CHARACTERS:
        raise TooLarge(f"the parameters may have at most {_MOST_CHARACTERS} characters")
    name = secrets.token_urlsafe(32)
    at = from_seconds(service.tokens.clock())
    fields: PushedRequestDocument = {
        "clientId": client.client_id,
        "clientRecord": client.record_id,
        "parameters": [list(pair) for pair in asked.pairs],
        "expiresAt": at + timedelta(seconds=PUSHED_SECONDS),
    }
    document = complete_document(fields, digest(name), OF_NO_TENANT, at)
    access = as_service(PUSHED_REQUEST, await require_realm(service, client.realm), Action.CREATE)
    await service.store.insert(access, document)
    return REQUEST_URI + name
