"""The grant ``client_credentials`` (RFC 6749 §4.4): a token with the client's own rights."""

from runtime.call import Call
from runtime.client import Client
from runtime.oauth.grants.issued import Issued
from runtime.oauth.refusals import OAuthRefused
from runtime.oauth.resources import find_audience
from runtime.oauth.scopes import find_known_scopes, grant_scopes
from runtime.system.answers import TokenAnswerBody
from runtime.system.models.token_request import TokenRequest


async def grant_client_credentials(call: Call, client: Client, body: TokenRequest) -> Issued:
    """Create an access token, without a refresh token or an ID token: no user has signed in."""
    if client.is_public:
        raise OAuthRefused("unauthorized_client", "a public client may not use client_credentials")
    scope = grant_scopes(client, body.scope, find_known_scopes(call.service))
    audience = find_audience(call, client, body.resource or ())
    token = await call.service.clients.mint_own_token(client, audience, scope)
    if token is None or client.subject is None:
        text = "the client lacks a credential in force: an administrator creates it for this client id"
        raise OAuthRefused("unauthorized_client", text)
    seconds = call.service.tokens.access_seconds
    answer: TokenAnswerBody = {"access_token": token, "token_type": "Bearer", "expires_in": seconds}
    if scope:
        answer["scope"] = scope
    return Issued(answer, client.subject)
