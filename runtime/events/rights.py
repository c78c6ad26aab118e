"""The rights of streams, which last: a keeper looks at them twice a second.

Opening a call again costs what it costs any request. Streams that were opened for the same (token, realm,
area, target …: ``Call.open_again`` compares equal) share a keeper, so a thousand windows of one user cost
what one does, and a stream to which nothing is sent does nothing.
"""

import asyncio
from collections.abc import Hashable
from typing import Final, Protocol

from runtime.access.reopening import have_other_rights
from runtime.call import Call
from runtime.errors import AccessError, Denied, ServiceError, Unauthenticated
from runtime.logs import log

LOOK_SECONDS: Final = 0.5
"""How often rights are looked at."""

FRESH_SECONDS: Final = 0.9
"""How old a look may be by which something is sent."""

AGAIN_SECONDS: Final = 0.3
"""Until rights are looked at again when the store did not answer."""


class Member(Protocol):
    """A stream. ``since``: when its own call was opened; ``look_again``: rights may have changed."""

    call: Call

    @property
    def since(self) -> float: ...
    def look_again(self) -> None: ...
    def drop(self) -> None: ...


class Keeper:
    """Looks at the rights of calls that were opened for the same, as long as it has members."""

    def __init__(self, keepers: dict[Hashable, "Keeper"], key: Hashable) -> None:
        self._keepers, self._key = keepers, key
        self._members: dict[Member, None] = {}
        self._newcomers: dict[Member, None] = {}
        self._opened: Call | None = None
        self._looked_at = 0.0
        self._refusal: AccessError | None = None
        self._loop = asyncio.get_running_loop()
        self._looked: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    def join(self, member: Member) -> None:
        """Look at the rights of one more stream."""
        self._members[member] = self._newcomers[member] = None
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="rights")

    def leave(self, member: Member) -> None:
        """Forget a stream; it may leave twice."""
        self._newcomers.pop(member, None)
        if self._members.pop(member, self) is None and not self._members:
            self._forget()
            if self._task is not None:
                self._task.cancel()

    def find_opened(self, since: float) -> Call | None:
        """Return the call with the rights of now; None if the last look is too old, or from before ``since``.

        The same one as long as nothing changes. Raises ``AccessError`` for a caller that may not call.
        """
        if self._refusal is not None:  # another one each time: a raised error grows with each stream
            kind = Unauthenticated if isinstance(self._refusal, Unauthenticated) else Denied
            raise kind(self._refusal.message)
        if self._opened is None or self._looked_at < since:
            return None
        return self._opened if self._loop.time() - self._looked_at <= FRESH_SECONDS else None

    async def await_look(self) -> None:
        """Wait until rights were looked at again, or cannot be."""
        if self._looked is None:
            self._looked = self._loop.create_future()
        await asyncio.wait({self._looked})

    async def _run(self) -> None:
        try:
            while self._members and self._refusal is None:
                began = self._loop.time()
                pause = LOOK_SECONDS if await self._look(began) else AGAIN_SECONDS
                self._report()
                await asyncio.sleep(began + pause - self._loop.time())
        except Exception as error:
            log.error("rights.fault", exc_info=error)
        finally:
            self._forget()
            if self._refusal is None:  # a fault of ours, or cancelled: streams begin again
                for member in list(self._members):
                    member.drop()
            self._report()

    async def _look(self, began: float) -> bool:
        """Look once; return whether somebody could say."""
        open_again = next(iter(self._members)).call.open_again
        if open_again is None:
            raise ValueError("a call without a token has no keeper")
        try:
            opened = await open_again()
        except AccessError as error:
            self._refusal = error
            self._forget()
            self._rouse(self._members)
            return True
        except ServiceError:
            return False
        self._looked_at = began
        if self._opened is None or have_other_rights(self._opened, opened):
            self._opened = opened
            self._rouse(self._members)
        else:
            self._rouse({one: None for one in self._newcomers if one.since <= began})
        return True

    def _rouse(self, members: dict[Member, None]) -> None:
        for member in list(members):
            if member.since <= self._looked_at or self._refusal is not None:
                self._newcomers.pop(member, None)
                member.look_again()

    def _report(self) -> None:
        looked, self._looked = self._looked, None
        if looked is not None and not looked.done():
            looked.set_result(None)

    def _forget(self) -> None:
        if self._keepers.get(self._key) is self:
            del self._keepers[self._key]


def find_keeper(call: Call) -> Keeper | None:
    """Return the keeper of the rights of a call; None for a call without a token."""
    key = call.open_again
    if key is None:
        return None
    keepers: dict[Hashable, Keeper] = call.service.keepers
    return keepers.get(key) or keepers.setdefault(key, Keeper(keepers, key))
