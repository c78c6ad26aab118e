"""The errors of OAuth routes: bodies of RFC 6749 §5.2 in place of problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from runtime.contract.oauth import OAuthError
from runtime.errors import InternalFault, Overloaded, ServiceError, release
from runtime.http.calling import request_id
from runtime.logs import log
from runtime.oauth.refusals import OAuthRefused
from runtime.storage.wire import to_json

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

_NOT_ALLOWED = re.compile(r"[^\x20\x21\x23-\x5B\x5D-\x7E]")


def render_errors_as_oauth(handle: Handler) -> Handler:
    """Wrap the handler of an OAuth route: all its errors are bodies of RFC 6749."""

    async def handle_as_oauth(request: Request) -> Response:
        try:
            return await handle(request)
        except ServiceError as error:
            return oauth_error(error, request)
        except ClientDisconnect:  # nobody is there to answer
            raise
        except Exception as error:
            log.error("unexpected fault", path=request.scope["path"], exc_info=error)
            release(error)
            return oauth_error(InternalFault("an internal fault; it was logged"), request)

    return handle_as_oauth


def oauth_error(error: ServiceError, request: Request) -> Response:
    """Build the response to an error. Validation errors are 400, as all malformed requests are."""
    status = 400 if error.status == 422 else error.status
    code = _code_of(error, status)
    _report(error, code, request)
    # The description of an error of the store may name what is not the caller's business.
    text = error.message if error.status < 500 or isinstance(error, Overloaded) else error.title
    body = OAuthError(error=code, error_description=_NOT_ALLOWED.sub("'", text))
    headers = {"Cache-Control": "no-store", "Pragma": "no-cache", **error.headers}
    release(error)
    return Response(to_json(body.model_dump()), status, headers, "application/json")


def _code_of(error: ServiceError, status: int) -> str:
    if isinstance(error, OAuthRefused):
        return error.code
    if status in (429, 503):
        return "temporarily_unavailable"
    return "server_error" if status >= 500 else "invalid_request"


def _report(error: ServiceError, code: str, request: Request) -> None:
    facts = {"error": code, "message": error.message, "request_id": request_id(request)}
    if error.status >= 500 and not isinstance(error, Overloaded):
        log.error("fault", cause=repr(error.cause), **facts)
    else:
        log.info("oauth.refused", **facts)
