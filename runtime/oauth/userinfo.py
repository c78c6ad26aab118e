"""GET and POST /oauth/userinfo (OpenID Connect Core §5.3): what a token tells about its user."""

from typing import Final

from runtime.call import Call
from runtime.contract.headers import read_bearer
from runtime.errors import Denied, InvalidParameter, Unauthenticated
from runtime.permissions.token_scopes import parse
from runtime.system.answers import UserInfoBody
from runtime.system.models.user_info_form import UserInfoForm

_OPENID: Final = "openid"


async def describe_user(call: Call, *, authorization: str | None = None) -> UserInfoBody:
    """Answer with what the access token says of its user, whatever other scopes it has.

    Any token of this service will do, also one for another resource server. Raises ``Unauthenticated``,
    ``Denied`` for scopes without openid.
    """
    return await _describe(call, read_bearer(authorization))


async def describe_user_of_form(
    call: Call, body: UserInfoForm, *, authorization: str | None = None
) -> UserInfoBody:
    """Answer with the same for a token in the header or in the form (RFC 6750 §2.2), not in both."""
    token = read_bearer(authorization)
    if authorization is not None and body.access_token is not None:
        message = "the access token was sent twice; send it in the header or in the form"
        raise InvalidParameter(message, parameter="authorization")
    return await _describe(call, token or body.access_token)


async def _describe(call: Call, token: str | None) -> UserInfoBody:
    if token is None:
        raise Unauthenticated("send an access token: Authorization: Bearer …")
    claims = call.service.tokens.read_access(token)
    if await call.service.provider.find_holder(claims) is None:
        raise Unauthenticated("the token is not accepted any more", bad_token=True)
    scopes = parse(claims.scope)
    if scopes and _OPENID not in scopes:
        raise Denied(f"the token lacks the scope {_OPENID}", scope=_OPENID)
    body: UserInfoBody = {
        "sub": claims.subject,
        "iss": call.service.tokens.issuer,
        "preferred_username": claims.user_id,
        "groups": sorted(claims.roles),
    }
    if claims.email is not None:
        body["email"] = claims.email
    return body
