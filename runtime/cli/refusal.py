"""The answer to a request that the application never sees, as bytes."""

from collections.abc import MutableMapping
from typing import Any

from runtime.errors import ServiceError
from runtime.errors.phrases import reason_phrase
from runtime.http.front import REFUSED, find_request_id
from runtime.http.problem_response import problem_answer
from runtime.http.security_headers import security_headers
from runtime.logs import log


def render_refusal(error: ServiceError, scope: MutableMapping[str, Any], *, is_https: bool) -> bytes:
    """Render a problem that ends its connection, and log it.

    ``scope``: what is known of the request. Its application may have begun, and chosen the id; it ends later,
    and logs the same id and status. ``is_https``: callers come by HTTPS.
    """
    request_id = scope["request_id"] = find_request_id(scope)
    scope[REFUSED] = error.status
    problem = problem_answer(error, scope.get("path", "/"), request_id)
    address = scope["client"][0] if scope["client"] else None
    log.info("request.refused", code=error.code, status=error.status, address=address, request_id=request_id)
    headers = {
        **problem.headers,
        "X-Request-Id": request_id,
        **{name.decode(): value.decode() for name, value in security_headers((), is_https=is_https)},
        "Content-Length": str(len(problem.body)),
        "Connection": "close",
    }
    lines = [f"HTTP/1.1 {error.status} {reason_phrase(error.status)}"]
    lines += [f"{name.lower()}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return head if scope.get("method") == "HEAD" else head + problem.body
