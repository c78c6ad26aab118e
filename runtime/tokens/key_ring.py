"""The keys in force, kept in step with their files: a rotation is noticed without a restart.

The files are checked every few seconds in the background (``refreshing``), and at once for a token of an
unknown key, but then at most every two seconds, so that forged tokens cannot make the service read its disk.
What cannot be read changes nothing: the keys known before stay, and the log reports it.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from runtime.errors import Misconfigured
from runtime.heartbeat import keep_running
from runtime.logs import log
from runtime.settings import Settings
from runtime.tokens.keys import Keys, Locations, Stock, read_stock

REFRESH_SECONDS = 5.0
"""How often the files are looked at."""

_LEAST_SECONDS_BETWEEN_READS = 2.0

T = TypeVar("T")

_Seen = tuple[tuple[int, int, int] | None, ...]


class KeyRing:
    """The keys in force; one per process. ``clock`` gives seconds since 1970, and decides which key signs."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._clock = clock
        self._where = Locations.of(settings)
        self._seen, self._stock = self._read(may_make=True)
        self._keys = self._stock.at(clock())
        self._asked = -inf
        self._said = ""

    @property
    def keys(self) -> Keys:
        """The keys in force now."""
        now = self._clock()
        if not self._keys.since <= now < self._keys.ends:
            self._keys = self._stock.at(now)
        return self._keys

    def find_public(self, header: Mapping[str, Any]) -> RSAPublicKey | None:
        """Return the key that verifies a token with this header, for which the files may be read again."""
        kid = header.get("kid")
        if not isinstance(kid, str):
            return None
        return self.keys.public.get(kid) or (self.keys.public.get(kid) if self._is_reread() else None)

    async def refresh(self) -> None:
        """Take over what the files say now, if they changed."""
        self._take(await _run_in_daemon(self._read_changed))

    @asynccontextmanager
    async def keep_refreshing(self) -> AsyncIterator[None]:
        """Check the files every few seconds for the duration of the block."""
        async with keep_running(self._keep_looking(), "keys"):
            yield

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            await self.refresh()

    def _is_reread(self) -> bool:
        """Whether the files were looked at just now and had changed."""
        now = self._clock()
        if abs(now - self._asked) < _LEAST_SECONDS_BETWEEN_READS:
            return False
        self._asked = now
        return self._take(self._read_changed())

    def _read_changed(self) -> tuple[_Seen, Stock] | None:
        """Read the files again; None when they are unchanged, or cannot be read."""
        try:
            seen = self._look()
            if seen == self._seen:
                return None
            if None in seen and None not in self._seen:
                raise Misconfigured("a key file that was there is gone")
            read = self._read(may_make=False)
        except (Misconfigured, OSError) as error:
            if self._said != str(error):
                log.warning("keys.unreadable", error=str(error), signing_with=self._keys.kid)
            self._said = str(error)
            return None
        self._said = ""
        return read

    def _take(self, read: tuple[_Seen, Stock] | None) -> bool:
        if read is None:
            return False
        self._seen, self._stock = read
        self._keys = self._stock.at(self._clock())
        log.info("keys.read", signing_with=self._keys.kid, verifying=len(self._keys.public))
        return True

    def _read(self, *, may_make: bool) -> tuple[_Seen, Stock]:
        """Note the state of the files, then read them: a change in between is found the next time."""
        seen = self._look()
        return seen, read_stock(self._settings, may_make=may_make)

    def _look(self) -> _Seen:
        return tuple(_mark(file) for file in (self._where.private, self._where.public))


async def _run_in_daemon(work: Callable[[], T]) -> T:
    """Run work in a thread that nothing waits for: a file system that hangs must not hold up the end."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()  # so that a caller that is cancelled leaves it alone

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, name="keys", daemon=True).start()
    return await asyncio.wrap_future(done)


def _mark(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
