"""Connections and their first requests, a few per turn of the event loop.

An event loop accepts all connections that wait, reads all that have sent something and starts all of their
requests in one turn; requests in progress advance by one step in that time. So a few hundred callers at once
would hold up everybody else several times for as long as all of theirs take. Here new connections wait for
their turn, in the queue of the kernel and in ``TurnPace``; known ones do not wait behind them.
"""

import asyncio
import socket
import sys
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from runtime.logs import log

PER_TURN: Final = 4
"""Connections accepted, and first requests started, in one turn: some two milliseconds of work."""

_REST_SECONDS: Final = 1.0


class TurnPace:
    """Runs at most ``PER_TURN`` actions in one turn of the event loop, in order; the others wait."""

    def __init__(self) -> None:
        self._most = self._left = PER_TURN
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_counting = False

    def run(self, action: Callable[[], None]) -> None:
        """Run it now or in one of the next turns."""
        if not self._is_counting:
            self._count_next_turn()
        if self._left:
            self._left -= 1
            action()
        else:
            self._waiting.append(action)

    def lift(self) -> None:
        """Run what waits now, and all that comes from now on at once."""
        self._most = self._left = sys.maxsize
        while self._waiting:
            self._waiting.popleft()()

    def _count_next_turn(self) -> None:
        self._is_counting = True
        asyncio.get_running_loop().call_soon(self._begin_turn)

    def _begin_turn(self) -> None:
        self._left = self._most
        self._is_counting = False
        if self._waiting:
            self._count_next_turn()
        while self._left and self._waiting:
            self._left -= 1
            self._waiting.popleft()()


class Acceptor:
    """Accepts the connections of one listener. ``protocol`` creates the protocol of each."""

    def __init__(self, listener: socket.socket, protocol: Callable[[], asyncio.Protocol]) -> None:
        self._listener = listener
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[Any]] = set()
        self._resting: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Accept connections from now on."""
        self._listener.setblocking(False)
        self._loop.add_reader(self._listener, self._accept_some)

    def stop(self) -> None:
        """Leave further connections to others that share the listener."""
        self._loop.remove_reader(self._listener)
        if self._resting is not None:
            self._resting.cancel()

    async def accept_waiting(self, most: int) -> None:
        """Accept what waits already, up to so many; others may go on connecting."""
        for _ in range(most):
            if not self._accept():
                break
            await asyncio.sleep(0)
        await asyncio.gather(*self._opening, return_exceptions=True)

    async def close(self, most: int) -> None:
        """Close the listener at the moment in which nobody waits, or so many have been accepted."""
        for _ in range(most):
            if not self._accept():
                break
        self.stop()  # out of descriptors, it would begin again
        self._listener.close()
        await asyncio.gather(*self._opening, return_exceptions=True)

    def _accept_some(self) -> None:
        for _ in range(PER_TURN):
            if not self._accept():
                break

    def _accept(self) -> bool:
        """Accept a connection; return whether there may be more."""
        try:
            connection, _address = self._listener.accept()
        except (BlockingIOError, InterruptedError):
            return False
        except ConnectionAbortedError:
            return True
        except OSError as error:
            self._rest(error)
            return False
        connection.setblocking(False)
        opening = self._loop.create_task(self._loop.connect_accepted_socket(self._protocol, connection))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        return True

    def _rest(self, error: OSError) -> None:
        """Wait a while when the machine is out of descriptors or memory: the listener stays readable."""
        log.error("connections are not accepted", reason=error.strerror)
        self.stop()
        self._resting = self._loop.call_later(_REST_SECONDS, self.start)
