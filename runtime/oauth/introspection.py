"""POST /oauth/introspect: what a token is good for at this moment (RFC 7662).

A client learns of its own tokens, and of access tokens for a resource server that it is. Of any other token
it learns nothing, not even why.
"""

from typing import Final

from runtime.call import Call
from runtime.client import Client
from runtime.oauth.authentication import authenticate_client
from runtime.oauth.client_sessions import REFRESH_GRANT, find_current, find_user
from runtime.oauth.refusals import OAuthRefused
from runtime.permissions.token_scopes import drop_withdrawn
from runtime.system.answers import IntrospectionAnswerBody
from runtime.system.models.presented_token import PresentedToken
from runtime.tokens import AccessClaims, RefreshClaims, read_grant_token

INTROSPECT: Final = "/oauth/introspect"


async def describe_token(
    call: Call, body: PresentedToken, *, authorization: str | None = None
) -> IntrospectionAnswerBody:
    """Describe a token to a confidential client. Raises ``OAuthRefused`` and ``Throttled``."""
    client = await authenticate_client(call, body, authorization, path=INTROSPECT)
    if client.is_public:
        raise OAuthRefused("invalid_client", "a public client may not ask about tokens")
    claims = read_grant_token(call.service.tokens, body.token)
    if claims is None or claims.realm != client.realm or _has_ended(call, claims):
        found = None
    elif isinstance(claims, RefreshClaims):
        found = await _describe_refresh(call, client, claims)
    else:
        found = await _describe_access(call, client, claims)
    return found or {"active": False}


def _has_ended(call: Call, claims: AccessClaims | RefreshClaims) -> bool:
    """Return whether a token has expired, where verifying one allows for clocks that differ.

    Its resource server would take it for longer than we do: it adds a leeway of its own.
    """
    return claims.expires_at <= call.service.tokens.clock()


async def _describe_access(
    call: Call, client: Client, claims: AccessClaims
) -> IntrospectionAnswerBody | None:
    """Describe an access token; None for one that is not in force, or no business of the client."""
    if claims.client_id != client.client_id and client.resources.isdisjoint(claims.audience):
        return None
    holder = await call.service.provider.find_holder(claims)
    if holder is None:
        return None
    described: IntrospectionAnswerBody = {
        **_describe_common(call, claims, drop_withdrawn(claims.scope, holder.client_scopes)),
        "username": holder.user_id,
        "token_type": "Bearer",
        "aud": list(claims.audience),
    }
    if claims.client_id is not None:
        described["client_id"] = claims.client_id
    return described


async def _describe_refresh(
    call: Call, client: Client, claims: RefreshClaims
) -> IntrospectionAnswerBody | None:
    """Describe a refresh token that the client can still use; it is not used up by this."""
    if REFRESH_GRANT not in client.grant_types:
        return None
    session = await find_current(call.service, client, claims)
    user = await find_user(call.service, client, claims.subject, claims.epoch)
    if session is None or user is None:
        return None
    return {
        **_describe_common(call, claims, drop_withdrawn(session.get("scope") or "", client.scopes)),
        "username": user.identity.user_id,
        "client_id": client.client_id,
        "aud": [call.service.tokens.refresh_audience],
    }


def _describe_common(call: Call, claims: AccessClaims | RefreshClaims, scope: str) -> IntrospectionAnswerBody:
    described: IntrospectionAnswerBody = {
        "active": True,
        "sub": claims.subject,
        "iss": call.service.tokens.issuer,
        "jti": claims.token_id,
        "iat": claims.issued_at,
        "exp": claims.expires_at,
    }
    if scope:
        described["scope"] = scope
    return described
