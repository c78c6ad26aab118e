"""The grant ``authorization_code`` (RFC 6749 §4.1.3): tokens of a user, for a code."""

from runtime.call import Call
from runtime.client import Client
from runtime.oauth.client_sessions import find_user
from runtime.oauth.codes import PresentedCode, exchange_code, find_code
from runtime.oauth.grants.issued import Issued, UserTokens, issue_user_tokens
from runtime.oauth.refusals import OAuthRefused
from runtime.oauth.resources import narrow_audience
from runtime.oauth.scopes import narrow_scopes
from runtime.system.models.token_request import TokenRequest


async def grant_authorization_code(call: Call, client: Client, body: TokenRequest) -> Issued:
    """Exchange a code. A request that is refused for its scope or resource does not use the code up."""
    if body.code is None or body.redirect_uri is None:
        raise OAuthRefused("invalid_request", "authorization_code needs code and redirect_uri")
    presented = PresentedCode(body.code, body.redirect_uri, body.code_verifier)
    code = await find_code(call.service, client, presented)
    if code is None:
        raise _refuse()
    subject, epoch = code["subject"], code["tokenEpoch"]
    user = await find_user(call.service, client, subject, epoch, is_fresh=True)
    if user is None:
        raise _refuse()
    scope = narrow_scopes(call.service, client, code.get("scope") or "", None)
    audience = narrow_audience(call, client, code.get("resources") or (), body.resource)
    link = await exchange_code(call.service, client, code)
    if link is None:
        raise _refuse()
    granted = UserTokens(client, user, link, scope, audience)
    return issue_user_tokens(call, granted, nonce=code.get("nonce"))


def _refuse() -> OAuthRefused:
    return OAuthRefused(
        "invalid_grant",
        "the code is unknown, expired or used, or its client, redirect_uri or code_verifier is another one",
    )
