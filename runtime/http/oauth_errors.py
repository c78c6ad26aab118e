"""The errors of OAuth routes: bodies of RFC 6749 §5.2 in place of problems."""

from collections.abc import Mapping
from typing import Final

from fastapi import Request, Response

from runtime.contract.oauth import OAuthError, clean_description
from runtime.errors import ServiceError
from runtime.http.calling import request_id, service_of
from runtime.http.catching import catch_errors
from runtime.http.challenges import build_challenge, challenge_malformed
from runtime.http.facts import Handler
from runtime.logs import log, log_fault
from runtime.oauth.refusals import OAuthRefused
from runtime.storage.wire import to_json
from runtime.tracebacks import drop_tracebacks

_OF_TOKENS: Final = {401: "invalid_token", 403: "insufficient_scope"}
"""Status → the code of a refused access token (RFC 6750 §3.1)."""


def render_errors_as_oauth(handle: Handler) -> Handler:
    """Wrap the handler of an OAuth route: all its errors are bodies of RFC 6749."""

    async def handle_as_oauth(request: Request) -> Response:
        try:
            return await handle(request)
        except OAuthRefused as error:
            return _answer(
                error.status, error.error, error.description, error.headers, request, **error.facts
            )

    return catch_errors(handle_as_oauth, oauth_error)


def oauth_error(error: ServiceError, request: Request) -> Response:
    """Build the response to an error. Validation errors are 400, as all malformed requests are.

    An error of the store is described by its title: its message may name what is not the caller's business.
    """
    status, is_fault = 400 if error.status == 422 else error.status, error.status >= 500
    log_fault(error, request_id(request))
    description = error.title if is_fault else error.message
    headers = {**error.headers, **_challenge(error, status, request)}
    drop_tracebacks(error)
    return _answer(status, _code_of(status, request), description, headers, request)


def _challenge(error: ServiceError, status: int, request: Request) -> Mapping[str, str]:
    """Build the challenge of RFC 6750, where the error is about an access token."""
    settings = service_of(request).settings
    if status in _OF_TOKENS:
        return build_challenge(error, settings)
    if status == 400 and request.scope["path"].endswith("/oauth/userinfo"):
        return challenge_malformed(settings)
    return {}


def _code_of(status: int, request: Request) -> str:
    if status == 400 and request.scope["path"].endswith("/oauth/register"):
        return "invalid_client_metadata"  # RFC 7591 §3.2.2
    if status in (429, 503):
        return "temporarily_unavailable"
    if status in _OF_TOKENS:
        return _OF_TOKENS[status]
    return "server_error" if status >= 500 else "invalid_request"


def _answer(
    status: int, code: str, description: str, headers: Mapping[str, str], request: Request, **facts: str
) -> Response:
    log.info("oauth.refused", error=code, reason=description, request_id=request_id(request), **facts)
    body = OAuthError(error=code, error_description=clean_description(description))
    common = {"Cache-Control": "no-store", "Pragma": "no-cache"}
    return Response(to_json(body.model_dump()), status, {**common, **headers}, "application/json")
