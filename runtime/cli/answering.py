"""One HTTP connection: which request is read, which is answered, and what is refused in between.

uvicorn's protocol parses whatever has come, so thousands of pipelined requests wait in memory, and it refuses
what it cannot parse at once, in the middle of the response to an earlier request. Here bytes are parsed in
small slices while no request waits, and a refusal waits for the responses before it.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from runtime.cli.accepting import TurnPace
from runtime.cli.answer import STOPPING, Answer, AnswerTransport
from runtime.cli.reading import ReadingProtocol
from runtime.cli.refusal import render_refusal
from runtime.errors import NotReady, ServiceError
from runtime.observe import ON_REFUSAL

_SLICE: Final = 4096
_LINGER_SECONDS: Final = 2
_LINGER_BYTES: Final = 2**20
_REST_BYTES: Final = 2**26
"""Of a body that still comes when its request is answered: read and dropped, so that the answer arrives."""

_NOTHING: Final[deque[Any]] = deque(maxlen=0)
"""What waits on the connections on which no request ever has: a queue of their own has 760 bytes."""


NOTHING, HEAD, BODY = range(3)
"""How far the request that is being read has come. Numbers: a member of an enumeration takes long to find."""


class AnsweringProtocol(ReadingProtocol, ABC):
    """A subclass parses (``feed``) and says how long it waits for more (``watch``)."""

    __slots__ = (
        *("_discarded", "_is_waiting", "_most_discarded", "_pace", "_refusal", "_running", "_unparsed"),
        *("is_deaf", "is_https", "stage", "timer"),
    )

    def __init__(self, *, pace: TurnPace | None = None, **made_by_uvicorn: Any) -> None:
        super().__init__(**made_by_uvicorn)
        self.pipeline = _NOTHING
        self._pace = pace
        self._is_waiting = False
        self.stage = NOTHING
        self.is_deaf = False
        self.is_https = False
        self.timer: asyncio.TimerHandle | None = None
        self._running: RequestResponseCycle | None = None
        self._unparsed = b""
        self._refusal = b""
        self._discarded = 0
        self._most_discarded = _LINGER_BYTES

    @abstractmethod
    def feed(self, piece: memoryview) -> ServiceError | None:
        """Parse a few bytes; return what is wrong with them."""

    @abstractmethod
    def watch(self) -> None:
        """Start a timer for the rest of a request, if some is missing and no timer runs."""

    @abstractmethod
    def linger(self) -> None:
        """Close the connection after a while, since its request was answered before it was read."""

    def data_received(self, data: bytes) -> None:
        """Parse what came, or keep it until the requests before it are answered."""
        if self.is_deaf:
            self._discarded += len(data)
            if self._discarded > self._most_discarded:
                self.transport.close()
        elif self.pipeline or self._is_waiting:
            self._keep(data)
        elif self._pace is not None:
            pace, self._pace = self._pace, None
            self._unparsed, self._is_waiting = data, True
            self.stop_timer()  # the caller is not what takes long
            pace.run(self._begin)
        else:
            self._parse(data)

    def _begin(self) -> None:
        """Parse what came first, unless the connection has ended since then."""
        unparsed, self._unparsed, self._is_waiting = self._unparsed, b"", False
        if unparsed and not self.transport.is_closing():
            self.linger()
            self.flow.resume_reading()
            self._parse(unparsed)

    def _parse(self, data: bytes) -> None:
        view = memoryview(data)
        for start in range(0, len(data), _SLICE):
            if self.pipeline:
                self._keep(view[start:])
                return
            if error := self.feed(view[start : start + _SLICE]):
                self.refuse(error)
            if self.is_deaf:
                return
        self.watch()

    def _keep(self, data: bytes | memoryview) -> None:
        self._unparsed += data
        self.flow.pause_reading()

    def on_message_begin(self) -> None:
        """Start a request; the parser calls this with its first byte."""
        self.stop_timer()
        self._unset_keepalive_if_required()
        self.stage = HEAD
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Finish the head of a request; called by the parser."""
        self.stop_timer()
        if self.pipeline is _NOTHING and self.cycle is not None and not self.cycle.response_complete:
            self.pipeline = deque()  # for this request, which waits
        super().on_headers_complete()
        self.stage = BODY

    def on_message_complete(self) -> None:
        """Finish a request; called by the parser."""
        self.stop_timer()
        self.stage = NOTHING
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with what came behind the request that is answered now."""
        if self._running is not None:  # the answer to HEAD ends with its head
            cast(AnswerTransport, self._running.transport).flush()
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self.stage != NOTHING:
            self._unset_keepalive_if_required()  # uvicorn starts it whatever has come in the meantime
        if self._refusal:
            self._refuse_in_turn()
        elif self._unparsed and not self.pipeline:
            unparsed, self._unparsed = self._unparsed, b""
            self._parse(unparsed)
        elif self.stage == BODY and self.cycle.response_complete:
            self.linger()
        else:
            self.watch()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        transport = AnswerTransport(self.transport, self.close_after_request)
        cycle.transport = cast(asyncio.Transport, transport)
        super()._start_asgi_task(cycle, Answer(cycle).begin(app, lambda: self._cut_short(cycle)))

    def _cut_short(self, cycle: RequestResponseCycle) -> None:
        """End a request for which a server that stops waits no longer: refuse it, or cut its answer."""
        is_begun, error = cycle.response_started or cycle.disconnected, NotReady(STOPPING)
        _abandon(cycle)
        if is_begun:
            self.transport.close()
            return
        self.is_deaf, self._unparsed = True, b""
        self._refusal = render_refusal(error, cast(Any, cycle.scope), is_https=self.is_https)
        self._refuse_in_turn()

    def connection_lost(self, exc: Exception | None) -> None:
        """End what is being answered; uvicorn ends only the request that came last."""
        self.stop_timer()
        self._unset_keepalive_if_required()
        self._unparsed = b""
        self.pipeline.clear()
        if self._running is not None:
            _abandon(self._running)
        super().connection_lost(exc)
        # They refer to this, so all of it would wait for the garbage collector.
        self._running, self.cycle = None, cast(RequestResponseCycle, None)

    def close_after_request(self) -> None:
        """Close the connection behind an answer, once the rest of the request is read, within bounds.

        Closing with bytes unread would reset the connection and lose the answer on its way.
        """
        if self.stage != BODY or not self.transport.can_write_eof():
            self.transport.close()
            return
        self.is_deaf, self._unparsed, self._most_discarded = True, b"", _REST_BYTES
        self.transport.write_eof()
        self.linger()

    def refuse(self, error: ServiceError) -> None:
        """Answer the request that is being read with a problem, and end the connection."""
        self.count_refusal(error.code)
        self.is_deaf, self._unparsed = True, b""
        self.stop_timer()
        if self.stage == BODY:
            if self.pipeline:
                self.pipeline.popleft()  # the newest, which the application has not seen
            elif self.cycle.response_started:
                self.transport.close()
            _abandon(self.cycle)
        scope: Any = {"client": self.client}
        if self.stage != NOTHING and self.url:  # or they are those of the one before
            scope = self.scope
            scope["method"] = self.parser.get_method().decode("ascii")
        self._refusal = render_refusal(error, scope, is_https=self.is_https)
        self._refuse_in_turn()

    def count_refusal(self, code: str) -> None:
        """Count a refusal, where there are metrics."""
        if (count := self.app_state.get(ON_REFUSAL)) is not None:
            count(code)

    def _refuse_in_turn(self) -> None:
        """Send the problem once all responses before it are sent."""
        self._unset_keepalive_if_required()
        if self.transport.is_closing():
            return
        running = self._running
        if running is not None and not (running.response_complete or running.disconnected):
            self.flow.pause_reading()
            return
        self.transport.write(self._refusal)
        if self.transport.can_write_eof():
            # Closing with bytes unread would reset the connection and lose the problem on its way.
            self.transport.write_eof()
        self.flow.resume_reading()
        self.start_timer(_LINGER_SECONDS, self.timeout_keep_alive_handler)

    def start_timer(self, seconds: float, then: Callable[[], None]) -> None:
        """Start the one timer of the connection, in place of the one that runs."""
        self.stop_timer()
        self.timer = self.loop.call_later(seconds, then)

    def stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


def _abandon(cycle: RequestResponseCycle) -> None:
    """Tell the application that its caller is gone, and send nothing more of its response."""
    cycle.disconnected = True
    cycle.message_event.set()
