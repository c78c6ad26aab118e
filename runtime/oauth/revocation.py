"""POST /oauth/revoke: a client gives back a token that it has no use for (RFC 7009)."""

from typing import Final

from runtime.call import Call
from runtime.client import Client
from runtime.filter import equals
from runtime.identity.credentials.families import of_client
from runtime.logs import log
from runtime.oauth.authentication import authenticate_client
from runtime.oauth.client_sessions import end_sessions
from runtime.oauth.refusals import OAuthRefused
from runtime.system.models.presented_token import PresentedToken
from runtime.tokens import AccessClaims, RefreshClaims, is_of_another_kind, read_grant_token

REVOKE: Final = "/oauth/revoke"


async def revoke_token(call: Call, body: PresentedToken, *, authorization: str | None = None) -> None:
    """End a token of the client that sends it; others are left alone, and the answer is the same.

    Raises ``OAuthRefused`` and ``Throttled``.
    """
    client = await authenticate_client(call, body, authorization, path=REVOKE)
    tokens = call.service.tokens
    claims = read_grant_token(tokens, body.token)
    if claims is None:
        if is_of_another_kind(tokens, body.token):
            raise OAuthRefused("unsupported_token_type", "only access and refresh tokens can be revoked")
    elif claims.realm == client.realm:
        await _end(call, client, claims)


async def _end(call: Call, client: Client, claims: AccessClaims | RefreshClaims) -> None:
    """End an access token alone, a refresh token with its whole session."""
    if isinstance(claims, RefreshClaims):
        match = equals(refName=claims.family, subject=claims.subject) & of_client(client)
        await end_sessions(call.service, client.realm, match, "revoked")
    elif claims.client_id == client.client_id:
        await call.service.provider.revoke_access(claims)
        log.info("oauth.revoked", client=client.client_id, subject=claims.subject, realm=client.realm)
