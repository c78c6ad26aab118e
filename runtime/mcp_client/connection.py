"""One connection to an MCP server, shared by all calls of a process; made again when it was lost.

The SDK wants a connection closed by the task that opened it, so a task of its own holds it. What goes wrong
is logged with its cause; callers learn the name of the server and in which way it failed, not what it
answered.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from math import ceil
from typing import TypeAlias, TypeVar

import httpx2
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from runtime.errors import RemoteFailed, RemoteUnavailable
from runtime.logs import log
from runtime.mcp_client.breaker import MOST_FAILURES, Breaker
from runtime.mcp_client.refusals import Refusal, note_refusals

T = TypeVar("T")
Open: TypeAlias = Callable[[], AbstractAsyncContextManager[Client]]
Work: TypeAlias = Callable[[Client], Awaitable[T]]

_LOST = frozenset({CONNECTION_CLOSED, REQUEST_TIMEOUT})


@dataclass(slots=True)
class _Held:
    """A connection, and the task that holds it.

    ``refusal``: of what was sent to open it; ``is_refused``: the last call on it was.
    """

    ready: asyncio.Future[Client]
    refusal: Refusal = field(default_factory=Refusal)
    is_refused: bool = False
    release: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether requests of callers are sent on it."""
        return self.ready.done() and self.ready.exception() is None

    def note(self, own: Refusal, failure: Exception) -> None:
        """Note whether the failure of a call is a refusal; ``own``: of what the call has sent.

        With the transport ``http`` a refused request closes the connection: the next call is not sent.
        """
        is_closed = isinstance(failure, MCPError) and failure.code == CONNECTION_CLOSED
        refusal = own if self.is_open else self.refusal
        self.is_refused = refusal.is_noted or (is_closed and self.is_refused)


class Connection:
    """A connection to one server. ``open_client`` connects; ``seconds``: for one request, or to connect."""

    def __init__(
        self,
        name: str,
        open_client: Open,
        seconds: float,
        breaker: Breaker,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._open = open_client
        self._seconds = seconds
        self._clock = clock
        self._breaker = breaker
        self._held: _Held | None = None

    async def run(self, work: Work[T], *, may_repeat: bool = False) -> T:
        """Run ``work`` with the client. ``may_repeat``: once more on a new connection if this one was lost.

        Raises ``MCPError`` for an error that the server answered, ``RemoteFailed`` for no answer,
        ``RemoteUnavailable`` while the server is left alone.
        """
        attempts = 2 if may_repeat and self._held is not None else 1
        while True:
            attempts -= 1
            self._require_closed_circuit()
            held = self._held or self._begin()
            own = Refusal()
            try:
                with note_refusals(own):
                    async with asyncio.timeout(self._seconds):
                        answer = await work(await asyncio.shield(held.ready))
            except asyncio.CancelledError:
                self._breaker.is_trying = False
                raise
            except Exception as error:  # of any transport, in groups of any depth
                if isinstance(error, MCPError) and error.code not in _LOST:
                    self._breaker.succeed()
                    raise
                held.note(own, error)
                self._fail(held, error)
                if not attempts:
                    said = self._explain(held, error)
                    raise RemoteFailed(f"the MCP server {self._name} {said}", cause=error) from None
            else:
                self._breaker.succeed()
                held.is_refused = False
                return answer

    async def close(self) -> None:
        held, self._held = self._held, None
        if held is not None and held.task is not None:
            held.release.set()
            with suppress(Exception):
                await held.task

    def _require_closed_circuit(self) -> None:
        wait = self._breaker.find_wait(self._clock())
        if wait:
            message = f"the MCP server {self._name} failed several times in a row; it is tried again later"
            raise RemoteUnavailable(message, retryAfter=ceil(wait))

    def _begin(self) -> _Held:
        held = _Held(asyncio.get_running_loop().create_future())
        held.task = asyncio.create_task(self._hold(held), name=f"mcp client {self._name}")
        self._held = held
        return held

    async def _hold(self, held: _Held) -> None:
        """Keep a connection open until it is released or lost."""
        try:
            with note_refusals(held.refusal):
                async with self._open() as client:
                    held.ready.set_result(client)
                    await held.release.wait()
        except BaseException as error:
            if not held.ready.done():
                held.ready.set_exception(ConnectionResetError() if _is_end(error) else error)
                held.ready.exception()  # it is looked at here, if nobody waits any more
            elif not held.release.is_set():
                log.warning("mcp_client.lost", client=self._name, reason=_describe(error))
            if _is_end(error):
                raise
        finally:
            if self._held is held:
                self._held = None

    def _fail(self, held: _Held, failure: BaseException) -> None:
        """Note a failure, and give the connection up: the next call makes another.

        A server that refuses a caller has not failed: it may answer others. One request that took too long
        says nothing about the others on the connection; several do.
        """
        if held.is_refused:
            self._breaker.succeed()
        else:
            self._breaker.fail(self._clock())
        log.warning("mcp_client.failed", client=self._name, reason=_describe(failure))
        if (
            _is_slow(failure)
            and not held.is_refused
            and held.ready.done()
            and self._breaker.failures < MOST_FAILURES
        ):
            return
        held.release.set()
        if self._held is held:
            self._held = None

    def _explain(self, held: _Held, failure: BaseException) -> str:
        """Say what a server did, without a word of its own."""
        if held.is_refused:
            return "refused the call (401 or 403): check what signs in there"
        if _is_slow(failure):
            return f"did not answer within {self._seconds:g} s"
        if _is_unreachable(failure):
            return "cannot be connected to"
        return "did not answer as it should"


def _is_slow(failure: BaseException) -> bool:
    code = failure.code if isinstance(failure, MCPError) else None
    return isinstance(failure, TimeoutError) or code == REQUEST_TIMEOUT


def _is_unreachable(failure: BaseException) -> bool:
    """Return whether every error is that no connection was opened."""
    if isinstance(failure, BaseExceptionGroup):
        return all(map(_is_unreachable, failure.exceptions))
    return isinstance(failure, httpx2.ConnectError | OSError)


def _is_end(error: BaseException) -> bool:
    """Whether the task was cancelled, or the process ends."""
    return not isinstance(error, Exception | BaseExceptionGroup)


def _describe(failure: BaseException) -> str:
    """Name the innermost errors, without their texts: those may quote what was sent."""
    if isinstance(failure, BaseExceptionGroup):
        return ", ".join(_describe(one) for one in failure.exceptions[:3])
    return type(failure).__name__
