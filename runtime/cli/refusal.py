"""The answer to a request that the application never sees, as bytes."""

import secrets
from http import HTTPStatus

from runtime.errors import ServiceError
from runtime.http.problem_response import problem_answer
from runtime.http.security_headers import security_headers
from runtime.logs import log


def render_refusal(
    error: ServiceError, client: tuple[str, int] | None, *, is_head: bool, is_https: bool
) -> bytes:
    """Render a problem that ends its connection, and log it.

    ``is_head``: the answer has no body. ``is_https``: callers come by HTTPS.
    """
    request_id = secrets.token_hex(8)
    problem = problem_answer(error, "/", request_id)
    address = client[0] if client else None
    log.info("request.refused", code=error.code, status=error.status, address=address, request_id=request_id)
    headers = {
        **problem.headers,
        "X-Request-Id": request_id,
        **{name.decode(): value.decode() for name, value in security_headers((), is_https=is_https)},
        "Content-Length": str(len(problem.body)),
        "Connection": "close",
    }
    lines = [f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}"]
    lines += [f"{name.lower()}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return head if is_head else head + problem.body
