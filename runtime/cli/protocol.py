"""One HTTP connection, with bounds on what a caller may send and how long it may take.

Refused here, before the application sees anything, are bytes that are not HTTP, heads that are too large or
too slow, bodies that stall, and connections beyond the cap; uvicorn bounds none of these. Refusals are
problems like any other.
"""

import asyncio
from typing import Any, ClassVar

import httptools

from runtime.cli.answering import BODY, HEAD, AnsweringProtocol
from runtime.cli.bounds import Bounds, Meter, read_bounds
from runtime.cli.head import head_error
from runtime.cli.lean_event import LeanEvent
from runtime.cli.reading import Patience
from runtime.errors import MalformedRequest, Overloaded, RequestTimeout, ServiceError

PROTOCOL = "runtime.cli.protocol:Protocol"


class _StopParsingError(Exception):
    """Raised in a callback of the parser; the reason is in ``Protocol._fault``, without a traceback."""


class Protocol(AnsweringProtocol):
    """One connection. ``bounds`` are those of the settings unless a subclass has its own."""

    __slots__ = ("_body_before", "_bounds", "_fault", "_is_crowded", "_meter", "_was_paused")

    bounds: ClassVar[Bounds | None] = None

    def __init__(self, **made_by_uvicorn: Any) -> None:
        super().__init__(**made_by_uvicorn)
        self._bounds = self.bounds or read_bounds()
        self.is_https = self._bounds.is_https
        self._meter = Meter(self._bounds)
        self.patience = Patience(self._bounds.read_rate, self._bounds.read_seconds)
        self._fault: ServiceError | None = None
        self._is_crowded = self._was_paused = False
        self._body_before = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection, unless there are far too many."""
        super().connection_made(transport)
        if self.client is not None and "." in self.client[0]:  # IPv4, perhaps on a socket of IPv6
            self.client = (self.client[0].removeprefix("::ffff:"), self.client[1])
        self._is_crowded = len(self.connections) > self._bounds.connections
        if len(self.connections) > 2 * self._bounds.connections:
            self.count_refusal(Overloaded.code)
            self.transport.abort()  # not even a refusal is affordable
        else:
            self.linger()

    def feed(self, piece: memoryview) -> ServiceError | None:
        """Parse a few bytes; return what is wrong with them."""
        self._meter.raw += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            # No other protocol is offered, and whether what follows is HTTP is unknown.
            self.cycle.keep_alive = False
            self.is_deaf = True
        except httptools.HttpParserError:
            return self._fault or MalformedRequest("this is not an HTTP/1.1 request")
        return self._meter.framing_error()

    def on_message_begin(self) -> None:
        """Start a request; the parser calls this with its first byte."""
        self._meter.restart()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count a part of the URL; called by the parser."""
        super().on_url(url)
        self._require(self._meter.add_url(len(url)))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or a trailer, which is counted and dropped; called by the parser.

        A trailer is not a header (RFC 9110, section 6.5.1): a proxy may not have checked it.
        """
        if error := self._meter.add_field(len(name) + len(value)):
            self._require(error)
        if self.stage == HEAD:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Finish the head of a request; called by the parser."""
        self._require(head_error(self.headers, self.parser))
        if self._is_crowded and self.url.partition(b"?")[0] not in self._bounds.always:
            self._is_crowded = len(self.connections) > self._bounds.connections
            self._require(Overloaded("too many connections; try again shortly") if self._is_crowded else None)
        super().on_headers_complete()
        self.cycle.message_event = LeanEvent()  # before anybody can wait for the other
        self.headers = []  # they belong to the request now, which may forget the token among them
        if self._is_crowded or self.expect_100_continue:
            # A caller that got no 100 Continue may or may not send the body that it announced.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Take a part of the body; called by the parser."""
        self._meter.body += len(body)
        super().on_body(body)
        self._was_paused = self._was_paused or self.flow.read_paused

    def on_message_complete(self) -> None:
        """Finish a request; called by the parser."""
        self._meter.restart()
        super().on_message_complete()

    def _require(self, error: ServiceError | None) -> None:
        if error is not None:
            self._fault = error
            raise _StopParsingError

    def watch(self) -> None:
        """Start a timer for the rest of a request, if some is missing and no timer runs."""
        if self.timer is not None:
            return
        seconds = self._bounds.head_seconds
        if self.stage == HEAD and not self.flow.read_paused:
            late = RequestTimeout(f"the request head took longer than {seconds:g} seconds")
            self.start_timer(seconds, lambda: self.refuse(late))
        elif self.stage == BODY:
            self._body_before, self._was_paused = self._meter.body, self.flow.read_paused
            self.start_timer(seconds, self._check_body)

    def _check_body(self) -> None:
        """Compare what came lately with the least rate, unless the service itself made the sender wait."""
        self.timer = None
        rate = self._bounds.body_rate
        made_to_wait = self._was_paused or self.flow.read_paused or self.cycle.waiting_for_100_continue
        if made_to_wait or self._meter.body - self._body_before >= rate * self._bounds.head_seconds:
            self.watch()
        else:
            self.refuse(RequestTimeout(f"the body came at less than {rate} bytes per second"))

    def linger(self) -> None:
        """Close the connection after a while, unless a request begins or ends before."""
        self.start_timer(self._bounds.head_seconds, self.timeout_keep_alive_handler)
