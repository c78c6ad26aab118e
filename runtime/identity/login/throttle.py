"""How often a login may fail: per user and per address, counted in the store by all workers together.

An attempt first reserves a place in the tally of each of its keys, then checks the password, then says
how it went. Failures of the last ten minutes and reservations together never exceed the limit, so a
parallel burst gets exactly as many guesses as a patient caller. Who meets only reservations waits for
them: many right logins at once from one address are not an attack. A tally is changed by
check-and-set on its version; throttled attempts write nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import math
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from runtime.errors import Duplicate, LoginFailed, PasswordChangeRequired, ServiceError, Throttled
from runtime.filter import equals
from runtime.identity.credentials.credentials import login_name_of
from runtime.model.clock import from_seconds
from runtime.observe import Meters
from runtime.storage.access import Access
from runtime.storage.own_documents import OF_NO_TENANT, complete_document
from runtime.storage.store import Changes, Store
from runtime.system.documents import LoginAttemptDocument

_FORGOTTEN_AFTER = timedelta(seconds=60)
"""A reservation this old belongs to a worker that died: it counts as a failure."""

_MOST_RACES = 100


@dataclass(frozen=True, slots=True)
class Tally:
    """Failed and unfinished attempts of one key, by the time they began, oldest first."""

    failures: tuple[datetime, ...] = ()
    pending: tuple[datetime, ...] = ()

    def at(self, now: datetime, window: timedelta) -> Tally:
        """Return the tally without what has expired."""
        lost = tuple(begun for begun in self.pending if begun <= now - _FORGOTTEN_AFTER)
        failures = sorted(begun for begun in (*self.failures, *lost) if begun > now - window)
        return Tally(tuple(failures), tuple(begun for begun in self.pending if begun not in lost))

    def reserved(self, begun: datetime) -> Tally:
        """Add an unfinished attempt."""
        return replace(self, pending=(*self.pending, begun))

    def settled(self, begun: datetime) -> Tally:
        """Take out this unfinished attempt."""
        where = self.pending.index(begun) if begun in self.pending else len(self.pending)
        return replace(self, pending=self.pending[:where] + self.pending[where + 1 :])

    def failed(self, begun: datetime) -> Tally:
        """Turn this unfinished attempt into a failure; once, though it may have been given up as lost."""
        if begun not in self.pending and begun in self.failures:
            return self
        return replace(self.settled(begun), failures=(*self.failures, begun))

    def cleared(self, begun: datetime) -> Tally:
        """Take out all failures, and this unfinished attempt."""
        return replace(self.settled(begun), failures=())

    def is_full(self, limit: int) -> bool:
        """Whether no further attempt may begin now."""
        return len(self.failures) + len(self.pending) >= limit

    def free_after(self, limit: int, now: datetime, window: timedelta) -> int | None:
        """Return the seconds until a failure too many is forgotten; None when failures leave room."""
        if len(self.failures) < limit:
            return None
        return max(1, math.ceil((self.failures[-limit] + window - now).total_seconds()))


@dataclass(slots=True)
class Attempt:
    """One login on its way; ``has_succeeded`` is for the caller to set."""

    has_succeeded: bool = False


class Throttle:
    """Limits on failed logins, by user and by address.

    ``access`` is that of the login attempts in the default realm, whatever realm a login names: trying a
    made-up realm must not create it.
    """

    def __init__(
        self,
        store: Store,
        access: Access[LoginAttemptDocument],
        *,
        limit: int,
        window_seconds: int,
        longest_wait_seconds: float,
        clock: Callable[[], float],
        meters: Meters | None = None,
    ) -> None:
        self._meters = meters
        self._store = store
        self._access = access
        self._limit = limit
        self._window = timedelta(seconds=window_seconds)
        self._longest_wait = longest_wait_seconds
        self._clock = clock

    @asynccontextmanager
    async def attempt(self, user_key: str, address_key: str) -> AsyncIterator[Attempt]:
        """Reserve an attempt, which counts as a failure unless it reports success.

        Raises ``Throttled`` before the password is looked at. A fault of the server inside (store down, too
        many logins) does not count; a disconnect does.
        """
        attempt = Attempt()
        at_address = await self._reserve(address_key)
        try:
            of_user = await self._reserve(user_key)
        except BaseException:
            await self._change(address_key, lambda tally: tally.settled(at_address))
            raise
        settle_user, settle_address = Tally.failed, Tally.failed
        try:
            yield attempt
            if attempt.has_succeeded:
                settle_user, settle_address = Tally.cleared, Tally.settled
        except LoginFailed:
            if self._meters is not None:
                self._meters.count_login("failed")
            raise
        except PasswordChangeRequired:  # which only follows the right password
            settle_user, settle_address = Tally.cleared, Tally.settled
            raise
        except ServiceError:
            settle_user, settle_address = Tally.settled, Tally.settled
            raise
        finally:
            await self._change(user_key, lambda tally: settle_user(tally, of_user))
            await self._change(address_key, lambda tally: settle_address(tally, at_address))

    async def count(self, key: str) -> None:
        """Count an attempt that nothing makes up for. Raises ``Throttled``."""
        begun = await self._reserve(key)
        await self._change(key, lambda tally: tally.failed(begun))

    async def _reserve(self, key: str) -> datetime:
        """Reserve an attempt and return the timestamp that identifies it."""
        give_up = asyncio.get_running_loop().time() + self._longest_wait
        pause = 0.05
        while True:
            begun = from_seconds(self._clock())
            if await self._change(key, partial(self._with_room, begun=begun)) is not None:
                return begun
            if asyncio.get_running_loop().time() >= give_up:
                raise self._refuse("too many logins at this moment; try again shortly", 1)
            await asyncio.sleep(pause * (0.5 + secrets.randbelow(1000) / 1000))
            pause = min(pause * 1.5, 0.5)

    def _with_room(self, tally: Tally, begun: datetime) -> Tally | None:
        seconds = tally.free_after(self._limit, begun, self._window)
        if seconds is not None:
            raise self._refuse(f"too many failed logins; try again in {seconds} s", seconds)
        return None if tally.is_full(self._limit) else tally.reserved(begun)

    async def _change(self, key: str, step: Callable[[Tally], Tally | None]) -> Tally | None:
        """Check-and-set; None, and nothing written, when ``step`` says None."""
        for _ in range(_MOST_RACES):
            found = await self._store.find_one(self._access, equals(key=key))
            now = from_seconds(self._clock())
            after = step(_tally(found).at(now, self._window))
            if after is None or await self._write(key, found, after, now):
                return after
        raise self._refuse("too many logins at this moment; try again shortly", 1)

    def _refuse(self, text: str, seconds: int) -> Throttled:
        if self._meters is not None:
            self._meters.count_login("throttled")
        return Throttled(text, retryAfter=seconds)

    async def _write(self, key: str, found: LoginAttemptDocument | None, tally: Tally, now: datetime) -> bool:
        values: LoginAttemptDocument = {
            "failures": list(tally.failures),
            "pending": list(tally.pending),
            "expiresAt": now + self._window + _FORGOTTEN_AFTER,
        }
        if found is None:
            try:
                fields: LoginAttemptDocument = {**values, "key": key}
                document = complete_document(fields, key, OF_NO_TENANT, now)
                await self._store.insert(self._access, document)
            except Duplicate:
                return False
            return True
        same = equals(key=key, version=found["version"])
        changed = await self._store.update_one(
            self._access, same, Changes(set=values, increment={"version": 1})
        )
        return changed is not None


def user_key(realm: str, user_id: str) -> str:
    """Return the key that counts one user of one realm.

    It is hashed: people type passwords into the field for the name.
    """
    return f"user:{_digest(realm, login_name_of(user_id) or user_id)}"


def client_key(realm: str, client_id: str, address: str) -> str:
    """Return the key that counts one client of one realm at one address."""
    return f"client:{_digest(realm, client_id, address_key(address))}"


def address_key(address: str) -> str:
    """Return the key that counts one address; of IPv6 one /64 network, which is what a customer gets."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return f"address:{hashlib.sha256(address.encode(errors='replace')).hexdigest()}"
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False).network_address
    return f"address:{parsed}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest()


def _tally(found: LoginAttemptDocument | None) -> Tally:
    return Tally(tuple(found["failures"]), tuple(found["pending"])) if found else Tally()
