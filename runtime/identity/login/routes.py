"""The routes of ``runtime/system/specs/security/security.yaml``."""

from datetime import UTC, datetime, timedelta
from typing import Any

from runtime.call import Call
from runtime.identity.users.user_bodies import render_context
from runtime.seams import LoggedIn
from runtime.storage.wire import Json, to_json
from runtime.system.answers import CallerBody, LoginAnswerBody
from runtime.system.models.login_request import LoginRequest
from runtime.system.models.refresh_request import RefreshRequest


async def log_in(call: Call, body: LoginRequest) -> LoginAnswerBody:
    """POST /security/login."""
    call.turn.give_back()  # logins wait for each other, and must not keep others from the store
    service = call.service
    realm = service.settings.default_realm if body.realm is None else body.realm
    logged_in = await service.provider.log_in(body.user_id, body.password, realm, call.address)
    return logged_in_answer(call, logged_in)


async def refresh(call: Call, body: RefreshRequest) -> LoginAnswerBody:
    """POST /security/refresh: the token sent is used up by it."""
    return logged_in_answer(call, await call.service.provider.refresh(body.refresh_token))


async def describe_caller(call: Call) -> CallerBody:
    """GET /security/me: who the caller is, in the realm of this call."""
    principal = call.principal
    return {
        "identity": principal.user_id,
        "subject": principal.subject,
        "roles": sorted(principal.roles),
        "realm": call.realm,
        "domainContext": render_context(principal.domain),
    }


async def publish_keys(call: Call) -> Json[Any]:
    """GET /oauth/jwks: the public keys of access tokens (RFC 7517).

    Caches may keep them for half the time that a new key waits before it signs.
    """
    seconds = call.service.settings.key_publish_seconds // 2
    headers = {"Cache-Control": f"public, max-age={seconds}"}
    return Json(to_json(call.service.tokens.key_set()), headers=headers)


def logged_in_answer(call: Call, logged_in: LoggedIn) -> LoginAnswerBody:
    """Render the tokens of a login, a refresh or a change of password."""
    begins = datetime.fromtimestamp(int(call.service.tokens.clock()), UTC)
    return {
        "accessToken": logged_in.access_token,
        "refreshToken": logged_in.refresh_token,
        "tokenType": "Bearer",
        "expiresIn": logged_in.expires_in,
        "expirationTime": begins + timedelta(seconds=logged_in.expires_in),
        "realm": logged_in.identity.domain.default_realm,
        "identity": logged_in.identity.user_id,
        "roles": sorted(logged_in.identity.roles),
    }
