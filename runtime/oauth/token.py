"""POST /oauth/token: one function for each grant type."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from runtime.call import Call
from runtime.logs import log
from runtime.oauth.authentication import authenticate_client
from runtime.oauth.refusals import OAuthRefused
from runtime.oauth.resources import fault_of_resource
from runtime.principal import Client
from runtime.storage.wire import Json, to_json
from runtime.system.answers import TokenAnswerBody
from runtime.system.models.token_request import TokenRequest

Grant = Callable[[Call, Client, TokenRequest], Awaitable[TokenAnswerBody]]


async def issue_token(call: Call, body: TokenRequest, *, authorization: str | None = None) -> Json[Any]:
    """Answer a token request (RFC 6749 §3.2). Raises ``OAuthRefused`` and ``Throttled``."""
    grant = GRANTS.get(body.grant_type)
    if grant is None:
        raise OAuthRefused("unsupported_grant_type", f"grant_type must be one of: {', '.join(GRANTS)}")
    client = await authenticate_client(call, body, authorization)
    if body.grant_type not in client.grant_types:
        raise OAuthRefused("unauthorized_client", f"the client may not use {body.grant_type}")
    answered = await grant(call, client, body)
    log.info(
        "oauth.issued",
        client=client.client_id, grant=body.grant_type, subject=client.subject, realm=client.realm,
        address=call.address or None,
    )  # fmt: skip
    return Json(to_json(answered), headers={"Pragma": "no-cache"})


async def _grant_client_credentials(call: Call, client: Client, body: TokenRequest) -> TokenAnswerBody:
    """Create a token of the client's own credential (RFC 6749 §4.4), without a refresh token."""
    if client.is_public:
        raise OAuthRefused("unauthorized_client", "a public client may not use client_credentials")
    if body.scope is not None:
        raise OAuthRefused(
            "invalid_scope", "this service has no scopes for client_credentials: leave scope out"
        )
    audience = find_audience(call, client, body.resource or [])
    token = await call.service.clients.mint_own_token(client, audience)
    if token is None:
        raise OAuthRefused("unauthorized_client", "the client has no usable credential of its own")
    return {"access_token": token, "token_type": "Bearer", "expires_in": call.service.tokens.access_seconds}


def find_audience(call: Call, client: Client, resources: list[str]) -> tuple[str, ...]:
    """Return the audience that a client requests, empty for the usual one. Raises ``OAuthRefused``."""
    tokens = call.service.tokens
    known = client.resources | {tokens.audience, tokens.mcp_audience}
    for resource in resources:
        if fault := fault_of_resource(resource):
            raise OAuthRefused("invalid_target", f"resource {fault}")
        if resource not in known:
            raise OAuthRefused("invalid_target", "the client may not request a token for this resource")
    return tuple(dict.fromkeys(resources))


GRANTS: Final[Mapping[str, Grant]] = {"client_credentials": _grant_client_credentials}
