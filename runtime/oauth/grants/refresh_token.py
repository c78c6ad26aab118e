"""The grant ``refresh_token`` (RFC 6749 §6): new tokens of a session, whose refresh token is used up by it.

Scope and resources are what the user granted, or a part of that for this one access token: the next request
may name all of it again.
"""

from runtime.call import Call
from runtime.client import Client
from runtime.errors import Unauthenticated
from runtime.oauth.client_sessions import find_current, find_user, rotate_token
from runtime.oauth.grants.issued import Issued, UserTokens, issue_user_tokens
from runtime.oauth.refusals import OAuthRefused
from runtime.oauth.resources import narrow_audience
from runtime.oauth.scopes import narrow_scopes
from runtime.system.documents import RefreshFamilyDocument
from runtime.system.models.token_request import TokenRequest
from runtime.tokens import RefreshClaims


async def grant_refresh_token(call: Call, client: Client, body: TokenRequest) -> Issued:
    """Exchange a refresh token. A request that is refused for its scope or resource does not use it up."""
    if body.refresh_token is None:
        raise OAuthRefused("invalid_request", "refresh_token needs the parameter refresh_token")
    claims = _read_token(call, client, body.refresh_token)
    user = await find_user(call.service, client, claims.subject, claims.epoch)
    if user is None:
        raise _refuse()
    family = await find_current(call.service, client, claims)
    if family is not None:
        _narrow(call, client, family, body)
    link = await rotate_token(call.service, client, claims)
    if link is None:
        raise _refuse()
    return issue_user_tokens(call, UserTokens(client, user, link, *_narrow(call, client, link.record, body)))


def _read_token(call: Call, client: Client, token: str) -> RefreshClaims:
    try:
        claims = call.service.tokens.verify_refresh(token)
    except Unauthenticated:
        raise _refuse() from None
    if claims.realm != client.realm:
        raise _refuse()
    return claims


def _narrow(
    call: Call, client: Client, family: RefreshFamilyDocument, body: TokenRequest
) -> tuple[str, tuple[str, ...]]:
    """Return scope and audience of the new access token. Raises ``OAuthRefused``."""
    scope = narrow_scopes(call.service, client, family.get("scope") or "", body.scope)
    return scope, narrow_audience(call, client, family.get("resources") or (), body.resource)


def _refuse() -> OAuthRefused:
    return OAuthRefused(
        "invalid_grant",
        "the refresh token is unknown, expired, revoked or used, or belongs to another client",
    )
