"""Streamed response bodies, and the refusals of the CSV routes, which are one line of text."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Final

from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from runtime.errors import InternalFault, ServiceError
from runtime.http.catching import catch_errors
from runtime.http.facts import Handler
from runtime.logs import log, log_fault
from runtime.stream import Stream
from runtime.tracebacks import drop_tracebacks

_IN_A_LINE = (400, 500)

_SLICE: Final = 2**16
"""Bytes that are handed to the transport at once: what is more waits here, where it is counted."""


class StreamResponse(Response):
    """A response that sends a ``Stream``.

    When the receiver disconnects, the generator of the bytes is closed. ``on_end`` is called in every case.

    An error can no longer change the status: it is logged, and raised, so that the server cuts the
    connection without the terminating chunk.
    """

    def __init__(self, stream: Stream, on_end: Callable[[], None] | None = None) -> None:
        headers = {"Cache-Control": "private, no-cache", **stream.headers, "Content-Type": stream.media_type}
        super().__init__(None, 200, headers)
        self.raw_headers = [header for header in self.raw_headers if header[0] != b"content-length"]
        self._first, self._rest = stream.first, stream.rest
        self._on_end = on_end
        self._on_gone = stream.on_gone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, as an ASGI application."""
        _forget_token(scope)
        gone = asyncio.create_task(_wait_for_disconnect(receive))
        gone.add_done_callback(lambda _task: self._tell_gone())
        try:
            async with aclosing(self._rest) as rest:
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                chunk: bytes | None = self._first
                self._first, self.raw_headers = b"", []  # they are sent, and the stream may last for hours
                while chunk is not None:
                    if gone.done():
                        return
                    for at in range(0, len(chunk), _SLICE):
                        await send(_piece(chunk[at : at + _SLICE]))
                    chunk = b""  # while the next one is made, nothing is held of this one
                    chunk = await anext(rest, None)
                await send({"type": "http.response.body", "body": b""})
        except Exception as error:
            request_id = scope.get("request_id")
            log.error("stream broken", path=scope["path"], request_id=request_id, exc_info=error)
            raise
        finally:
            gone.cancel()
            self._tell_gone()
            if self._on_end is not None:
                self._on_end()

    def _tell_gone(self) -> None:
        if self._on_gone is not None:
            self._on_gone()


def _forget_token(scope: Scope) -> None:
    """Leave the token out of the headers: it was read, and a stream would keep it for as long as it lasts."""
    headers = scope.get("headers")
    if isinstance(headers, list):  # other servers may have another iterable
        headers[:] = [header for header in headers if header[0] != b"authorization"]


def _piece(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def render_errors_in_a_line(handle: Handler) -> Handler:
    """Wrap the handler of a CSV route: its 400 and 500 are one line of text.

    Other refusals are problems, as everywhere, and so are those of imports that ended early, whose
    ``counts`` are members.
    """
    return catch_errors(handle, _render_line)


def _render_line(error: ServiceError, request: Request) -> Response:
    if isinstance(error.cause, ClientDisconnect):
        raise error.cause from None
    if isinstance(error, InternalFault) and error.cause is not None:
        log.error("unexpected fault", path=request.scope["path"], exc_info=error.cause)
    if error.status not in _IN_A_LINE or "counts" in error.details:
        raise error
    log_fault(error, request.scope.get("request_id", ""))
    drop_tracebacks(error)
    line = " ".join(error.message.split())
    headers = {"Cache-Control": "no-store", **error.headers}
    return Response(line, error.status, headers, "text/plain; charset=utf-8")
