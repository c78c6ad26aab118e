"""POST /oauth/token: one function for each grant type."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from runtime.call import Call
from runtime.client import Client
from runtime.logs import log
from runtime.oauth.authentication import authenticate_client
from runtime.oauth.grants import (
    Issued,
    grant_authorization_code,
    grant_client_credentials,
    grant_refresh_token,
)
from runtime.oauth.refusals import OAuthRefused
from runtime.oauth.registration import keep_client
from runtime.storage.wire import Json, to_json
from runtime.system.models.token_request import TokenRequest

Grant = Callable[[Call, Client, TokenRequest], Awaitable[Issued]]

GRANTS: Final[Mapping[str, Grant]] = {
    "authorization_code": grant_authorization_code,
    "client_credentials": grant_client_credentials,
    "refresh_token": grant_refresh_token,
}


async def issue_token(call: Call, body: TokenRequest, *, authorization: str | None = None) -> Json[Any]:
    """Answer a token request (RFC 6749 §3.2). Raises ``OAuthRefused`` and ``Throttled``."""
    grant = GRANTS.get(body.grant_type)
    if grant is None:
        raise OAuthRefused("unsupported_grant_type", f"grant_type must be one of: {', '.join(GRANTS)}")
    client = await authenticate_client(call, body, authorization)
    facts = {"client": client.client_id, "grant": body.grant_type, "realm": client.realm}
    try:
        if body.grant_type not in client.grant_types:
            raise OAuthRefused("unauthorized_client", f"the client may not use {body.grant_type}")
        issued = await grant(call, client, body)
    except OAuthRefused as refused:
        refused.facts = facts
        raise
    if client.is_unused:
        await keep_client(call.service, client)
    log.info(
        "oauth.issued",
        **facts,
        subject=issued.subject, family=issued.family, scope=issued.answer.get("scope"),
        address=call.address or None,
    )  # fmt: skip
    return Json(to_json(issued.answer), headers={"Pragma": "no-cache"})
