"""The one place where errors become HTTP answers: problem+json with the status of the error's class."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from runtime.errors import InternalFault, MethodNotAllowed, NotFound, ServiceError
from runtime.logs import log
from runtime.problems import problem_body
from runtime.wire import to_json

MEDIA_TYPE = "application/problem+json"

_PLAIN_IN_PATHS = "/:@!$&'()*+,;="


def handle_problems(app: FastAPI) -> None:
    """Register the handlers; found by the class of the error."""
    app.add_exception_handler(ServiceError, _service_error)
    app.add_exception_handler(HTTPException, _http_error)


def problem_response(error: ServiceError, path: str, request_id: str) -> Response:
    """The answer to an error; ``path`` is as ASGI has it: decoded. Faults of the server are logged with their cause."""
    if error.status >= 500:
        log.error(
            "fault", code=error.code, message=error.message, cause=repr(error.cause), request_id=request_id
        )
    body = problem_body(error, instance=quote(path, safe=_PLAIN_IN_PATHS), request_id=request_id)
    headers = {"Cache-Control": "no-store", **error.headers}
    return Response(to_json(body), error.status, headers, MEDIA_TYPE)


def unexpected(error: Exception, path: str, request_id: str) -> Response:
    """Anything that is not a ``ServiceError`` is a fault of ours: logged whole, sent bare."""
    log.error("unexpected fault", path=path, request_id=request_id, exc_info=error)
    return problem_response(InternalFault("an internal fault; it was logged"), path, request_id)


async def _service_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, ServiceError):
        raise error
    return problem_response(error, request.scope["path"], str(request.scope.get("request_id", "")))


async def _http_error(request: Request, error: Exception) -> Response:
    """Starlette's own: no such route, no such method."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    known: ServiceError
    if status == 405:
        allowed = headers.get("Allow", headers.get("allow", ""))
        known = MethodNotAllowed(f"{request.method} is not offered here; allowed: {allowed}")
    elif status == 404:
        known = NotFound("there is nothing at this path")
    else:
        known = InternalFault(f"status {status}")
    response = problem_response(known, request.scope["path"], str(request.scope.get("request_id", "")))
    response.headers.update(headers)
    return response
