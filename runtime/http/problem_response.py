"""The one place where errors become HTTP answers: problem+json with the status of the error's class."""

from collections.abc import Collection
from typing import Any, Protocol
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from runtime.errors import (
    Denied,
    InternalFault,
    MethodNotAllowed,
    NotFound,
    ServiceError,
)
from runtime.explain.decisions import attach_decision_id
from runtime.http.calling import opened_call, service_of
from runtime.http.challenges import build_challenge
from runtime.http.oauth_errors import oauth_error
from runtime.http.page_errors import page_error
from runtime.logs import log_fault, log_unexpected
from runtime.model.problems import build_problem_body
from runtime.storage.wire import Json, to_json
from runtime.tracebacks import drop_tracebacks

MEDIA_TYPE = "application/problem+json"

_PLAIN_IN_PATHS = "/:@!$&'()*+,;="


class Offered(Protocol):
    """A route, of ours or of the framework."""

    @property
    def methods(self) -> Collection[str] | None: ...


def handle_problems(app: FastAPI) -> None:
    """Register the handlers; found by the class of the error."""
    app.add_exception_handler(ServiceError, _handle_service_error)
    app.add_exception_handler(HTTPException, handle_http_error)


def problem_response(error: ServiceError, path: str, request_id: str) -> Response:
    """Build the response to an error at a decoded ``path``.

    Faults of the server are logged with their cause.
    """
    log_fault(error, request_id)
    answer = problem_answer(error, path, request_id)
    return Response(answer.body, answer.status, dict(answer.headers))


def problem_answer(error: ServiceError, path: str, request_id: str) -> Json[Any]:
    """Build the same answer as a value, to be stored or sent."""
    instance = quote(path, safe=_PLAIN_IN_PATHS, errors="replace")
    body = build_problem_body(error, instance=instance, request_id=request_id)
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store", **error.headers}
    return Json(to_json(body), error.status, headers)


def unexpected(error: Exception, path: str, request_id: str) -> Response:
    """Respond to what is not a ``ServiceError``, a fault of ours: log it whole, send a bare 500."""
    return problem_response(log_unexpected(error, path=path, request_id=request_id), path, request_id)


async def render_refusal(request: Request, error: ServiceError, door: str = "") -> Response:
    """Build the response to an error that ended a request; ``door``: the resource, where that is not the API.

    A refusal (403) is stored and the response carries its ``decisionId``.
    """
    request_id = str(request.scope.get("request_id", ""))
    if isinstance(error, Denied):
        await attach_decision_id(service_of(request), error, opened_call(request), request_id)
    response = problem_response(error, request.scope["path"], request_id)
    response.headers.update(build_challenge(error, service_of(request).settings, door))
    drop_tracebacks(error)
    return response


async def _handle_service_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, ServiceError):
        raise error
    return await render_refusal(request, error)


async def handle_http_error(request: Request, error: Exception) -> Response:
    """Respond to errors of Starlette's own: no such route, no such method."""
    if not isinstance(error, HTTPException):
        raise error
    status, headers = error.status_code, dict(error.headers or {})
    known: ServiceError
    routes = _routes(request)
    if status == 405:
        headers["Allow"] = ", ".join(_methods(routes))
        known = MethodNotAllowed(f"{request.method} is not offered here; allowed: {headers['Allow']}")
    elif status == 404:
        advice = "; no path here has a slash at its end" if request.scope["path"][1:].endswith("/") else ""
        known = NotFound(f"there is nothing at this path{advice}")
    else:
        known = InternalFault(f"status {status}")
    shown_as = {getattr(route, "errors", None) for route in routes}
    if "oauth" in shown_as:
        response = oauth_error(known, request)
    elif "page" in shown_as:
        response = page_error(known, request)
    else:
        response = problem_response(known, request.scope["path"], str(request.scope.get("request_id", "")))
    response.headers.update(headers)
    return response


def _routes(request: Request) -> list[Offered]:
    """List the routes at this path: each method has its own."""
    found: list[Offered] | None = request.scope.get("routes")
    if found is not None:
        return found
    return [
        route
        for route in request.app.routes
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE
    ]


def _methods(routes: list[Offered]) -> list[str]:
    methods = {method for route in routes for method in route.methods or ()}
    has_head = any("GET" in (one.methods or ()) and getattr(one, "errors", None) != "page" for one in routes)
    return sorted(methods | ({"HEAD"} if has_head else set()))
