"""The outermost layer of our own: request id, security headers, last resort for faults, one log line.

Plain ASGI, so it costs microseconds. A caller's ``X-Request-Id`` is accepted when it is short and plain;
it is echoed and appears in every log line and problem.
"""

import os
import re
import time
from functools import partial
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime import logs
from runtime.errors import MalformedRequest
from runtime.http.calling import LIMITS, caller_of, find_turn_key, forget_call
from runtime.http.client_address import TrustedProxies
from runtime.http.head_method import answer_without_body, as_get
from runtime.http.held_bodies import held_bodies
from runtime.http.observing import Watching
from runtime.http.problem_response import unexpected
from runtime.http.security_headers import Headers, security_headers
from runtime.http.unread_answers import LARGE, unread_answers
from runtime.model.nearest import SuggestionLimit
from runtime.observe import Observer

_NOBODY = TrustedProxies(())
REFUSED: Final = "refused"
"""The member of a scope with the status by which the server refused a request that was begun."""
PLANNED: Final = "planned"
"""The member of the scope of a request whose status is not a fault, though it is 500 or above."""

_REQUEST_ID: Final = b"x-request-id"
_PLAIN = re.compile(rb"[A-Za-z0-9._:/+=-]{1,128}")


class Front:
    """Wraps the application. ``root_path``: the prefix under which a proxy mounts it, sent along or not.

    ``proxies``: who is believed about the address of a caller; what they say takes the place of the peer in
    ``scope["client"]``, for everything behind this layer. ``is_https``: whether callers come by HTTPS,
    whatever a proxy says. ``observer`` watches each request.
    """

    def __init__(
        self,
        app: ASGIApp,
        root_path: str = "",
        proxies: TrustedProxies = _NOBODY,
        *,
        is_https: bool = False,
        observer: Observer | None = None,
    ) -> None:
        self.app = app
        self.watching = None if observer is None else Watching(observer, proxies)
        self.root_path = root_path
        self.proxies = proxies
        self.is_https = is_https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve an HTTP request; pass anything else on as it is."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = self._complete(scope)
        trace = None if self.watching is None else self.watching.begin(scope)
        is_https = self._find_origin(scope) or self.is_https
        started, status = time.perf_counter(), 0

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, ours = message["status"], [*inner.get(LIMITS, ()), (_REQUEST_ID, request_id.encode())]
                message["headers"] = _add_headers(message.get("headers", ()), ours, is_https=is_https)
            is_large = len(message.get("body", b"")) > LARGE
            await (_send_large(inner, message, send) if is_large else send(message))

        is_head = scope["method"] == "HEAD"
        inner = as_get(scope) if is_head else scope
        try:
            answer = partial(answer_without_body, self.app) if is_head else self.app
            with SuggestionLimit():
                await answer(inner, receive, send_marked)
        except ClientDisconnect:  # while its request was read: the server has refused it, or nobody is there
            status = status or scope.get(REFUSED, MalformedRequest.status)
        except Exception as error:  # the last resort: whatever was not foreseen is logged and sent bare
            if status:
                raise  # the answer has begun; the server cuts the connection
            response = unexpected(error, scope["path"], request_id)
            await response(scope, receive, send_marked)
        finally:
            seconds, facts = time.perf_counter() - started, caller_of(inner)
            if self.watching is not None:
                facts |= self.watching.end(inner, scope["method"], status, seconds, trace)
            logs.access(scope, status, seconds, request_id, facts, is_planned=PLANNED in inner)
            forget_call(inner)
            held_bodies.release(inner)

    def _complete(self, scope: Scope) -> str:
        """Write into the scope what everything behind needs; return the request id."""
        request_id = scope["request_id"] = find_request_id(scope)
        logs.request_of_context.set(request_id)  # each request is a task, with a context of its own
        if self.root_path:
            scope["root_path"] = self.root_path
        return request_id

    def _find_origin(self, scope: Scope) -> bool:
        """Put the address of the caller into the scope; return whether a trusted proxy was inner by HTTPS."""
        if not self.proxies or not scope["client"]:
            return False
        origin = self.proxies.origin(scope["client"][0], scope["headers"])
        scope["client"] = (origin.address, scope["client"][1])
        return origin.is_https


def _add_headers(headers: Headers, ours: Headers, *, is_https: bool) -> Headers:
    return [*headers, *ours, *security_headers(headers, is_https=is_https)]


async def _send_large(scope: Scope, message: Message, send: Send) -> None:
    user = None if message.get("more_body") else find_turn_key(scope)
    await (send(message) if user is None else unread_answers.send(user, message, send))


def find_request_id(scope: Scope) -> str:
    """Return the id that a request has, that its caller sent, or a new one."""
    if (found := scope.get("request_id")) is not None:
        return str(found)
    for name, value in scope.get("headers", ()):
        if name == _REQUEST_ID and _PLAIN.fullmatch(value):
            return str(value.decode("ascii"))
    return os.urandom(8).hex()
