"""Hand-written endpoints of the area security, from specs/system/security.yaml. Written by the generator; do not edit."""

import runtime.identity.login.routes
from runtime.http import Anonymous, Calling, Json, RecordRouter, admit, answer
from sample_generated.models.caller import Caller
from sample_generated.models.key_set import KeySet
from sample_generated.models.login_answer import LoginAnswer
from sample_generated.models.login_request import LoginRequest
from sample_generated.models.refresh_request import RefreshRequest

router = RecordRouter(area="security", tags=["security"])


@router.get("/oauth/jwks", operation_id="oauth_jwks")
async def jwks(call: Anonymous) -> Json[KeySet]:
    """Get the public keys of access tokens."""
    return answer(KeySet, await runtime.identity.login.routes.jwks(call))


@router.post("/security/login", operation_id="security_login")
async def login(call: Anonymous, body: LoginRequest) -> Json[LoginAnswer]:
    """Log in with user id and password."""
    return answer(LoginAnswer, await runtime.identity.login.routes.login(call, body))


@router.get("/security/me", operation_id="security_me")
async def me(call: Calling) -> Json[Caller]:
    """Get the authenticated caller."""
    admit(call, (), area="security", domain="self", action="VIEW")
    return answer(Caller, await runtime.identity.login.routes.me(call))


@router.post("/security/refresh", operation_id="security_refresh")
async def refresh(call: Anonymous, body: RefreshRequest) -> Json[LoginAnswer]:
    """Exchange a refresh token for new tokens."""
    return answer(LoginAnswer, await runtime.identity.login.routes.refresh(call, body))
