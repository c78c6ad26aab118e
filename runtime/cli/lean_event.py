"""Events of asyncio for connections, which have two each: that data came, and that more may be written.

An ``asyncio.Event`` has a queue of 760 bytes from the start, though hardly any connection ever has somebody
waiting for both. Here there is a list once somebody waits: 1.5 KB less for each idle stream.
"""

import asyncio
from typing import Literal

from uvicorn.protocols.http.flow_control import FlowControl


class LeanEvent(asyncio.Event):
    """An ``asyncio.Event`` for tasks of one loop."""

    __slots__ = ("_is_set", "_waiting")

    def __init__(self) -> None:  # what the class keeps for its own methods is not created
        self._is_set = False
        self._waiting: list[asyncio.Future[None]] | None = None

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        """Set it, and wake all that wait."""
        self._is_set = True
        for one in self._waiting or ():
            if not one.done():
                one.set_result(None)

    def clear(self) -> None:
        """Let those that come wait until it is set again."""
        self._is_set = False

    async def wait(self) -> Literal[True]:
        if self._is_set:
            return True
        own = asyncio.get_running_loop().create_future()
        self._waiting = [*(self._waiting or ()), own]
        try:
            await own
        finally:
            self._waiting = [one for one in self._waiting or () if one is not own] or None
        return True


class LeanFlow(FlowControl):
    """uvicorn's flow control with such an event."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__(transport)
        self._is_writable_event = LeanEvent()
        self._is_writable_event.set()
