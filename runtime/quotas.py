"""How many requests users and tenants may send: counted in the store, by all workers together.

Time is cut into windows, for each user and tenant at other moments, so that not all of them come back at
once. All requests of a worker that come while one command counts are counted by the next one: there is at
most one command at a time for each user and tenant, however many requests there are, and never more requests
get through than the limit says. A worker that has seen the end of a window's requests refuses the rest from
memory. The headers are those of draft-ietf-httpapi-ratelimit-headers.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from runtime.bounded_cache import BoundedCache
from runtime.errors import Duplicate, NotReady, QuotaExceeded, RecordBusy, ServiceError
from runtime.filter import equals
from runtime.model.clock import from_seconds
from runtime.observe import Meters
from runtime.principal import DomainContext
from runtime.settings import Settings
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import OF_NO_TENANT, complete_document
from runtime.storage.store import Changes, Store
from runtime.system.documents import RequestTallyDocument
from runtime.system.record_types import REQUEST_TALLY

Headers = Mapping[str, str]

_MOST_EXHAUSTED: Final = 10_000
_MOST_RACES: Final = 100


class Policy(NamedTuple):
    """A limit: so many requests in a window."""

    name: str
    limit: int


class Window(NamedTuple):
    """A window of one user or tenant: its key in the store, and when it ends."""

    key: str
    ends: float


class _Batch:
    """Requests that one command counts; ``counted``: how many there are in the window with them."""

    def __init__(self) -> None:
        self.size = 0
        self.counted: asyncio.Future[int | Exception] = asyncio.get_running_loop().create_future()

    async def wait(self) -> int:
        """Return how many there are; each caller raises an error of its own."""
        counted = await asyncio.shield(self.counted)
        if isinstance(counted, int):
            return counted
        if isinstance(counted, ServiceError):
            raise counted.renew()
        raise RuntimeError("requests could not be counted") from counted


class Quotas:
    """Counts the requests of users and tenants, as far as they are limited."""

    def __init__(
        self, store: Store, settings: Settings, clock: Callable[[], float], meters: Meters | None = None
    ) -> None:
        self._store, self._clock, self._meters = store, clock, meters
        self._access = as_service(REQUEST_TALLY, settings.default_realm, Action.UPDATE)
        self._seconds = settings.requests_window
        limits = {"user": settings.requests_per_user, "tenant": settings.requests_per_tenant}
        self._policies = [Policy(name, limit) for name, limit in limits.items() if limit]
        self._exhausted: BoundedCache[str, None] = BoundedCache(_MOST_EXHAUSTED)
        self._waiting: dict[str, _Batch] = {}
        self._counting: dict[str, asyncio.Task[None]] = {}
        self._described = ", ".join(f'"{name}";q={limit};w={self._seconds}' for name, limit in self._policies)

    async def count(self, subject: str, domain: DomainContext) -> Headers:
        """Count a request of a user; return the headers of its answer.

        Raises ``QuotaExceeded`` beyond a limit: the request is then counted by no further policy.
        """
        now = self._clock()
        shown = []
        for policy in self._policies:
            window = self._find_window(policy.name, subject, domain, now)
            seconds = max(1, math.ceil(window.ends - now))
            left = await self._take(policy, window)
            if left is None:
                raise self._build_refusal(policy, seconds)
            shown.append(f'"{policy.name}";r={left};t={seconds}')
        return self._render(shown)

    def _find_window(self, name: str, subject: str, domain: DomainContext, now: float) -> Window:
        who = subject if name == "user" else f"{domain.default_realm}:{domain.tenant_id}"
        digest = hashlib.blake2b(f"{name}:{who}".encode(), digest_size=16).hexdigest()
        begins = int(digest[:8], 16) % self._seconds
        number = int(now - begins) // self._seconds
        return Window(f"{name}:{digest}:{number}", (number + 1) * self._seconds + begins)

    async def _take(self, policy: Policy, window: Window) -> int | None:
        """Take one request of a window; return how many are left, None where there was none."""
        key = window.key
        if key in self._exhausted:
            return None
        batch = self._waiting.get(key)
        if batch is None:
            batch = self._waiting[key] = _Batch()
        batch.size += 1
        place = batch.size
        if key not in self._counting:
            self._counting[key] = asyncio.create_task(self._count_batches(window), name="request-tally")
        counted = await batch.wait()
        left = policy.limit - (counted - batch.size + place)
        if counted >= policy.limit:
            self._exhausted.keep(key, None)
        return left if left >= 0 else None

    async def _count_batches(self, window: Window) -> None:
        """Count what waits, until nothing does."""
        try:
            while (batch := self._waiting.pop(window.key, None)) is not None:
                try:
                    batch.counted.set_result(await self._add(window, batch.size))
                except Exception as error:
                    batch.counted.set_result(error)
                except asyncio.CancelledError:
                    for one in (batch, self._waiting.pop(window.key, None)):
                        if one is not None:
                            one.counted.set_result(NotReady("this worker is about to end"))
                    raise
        finally:
            del self._counting[window.key]

    async def _add(self, window: Window, number: int) -> int:
        """Add requests to a window in the store; return how many it has then."""
        match = equals(key=window.key)
        for _race in range(_MOST_RACES):
            found = await self._store.update_one(self._access, match, Changes(increment={"count": number}))
            if found is not None:
                return found["count"]
            at = from_seconds(self._clock())
            fields: RequestTallyDocument = {
                "key": window.key,
                "count": number,
                "expiresAt": from_seconds(window.ends + self._seconds),
            }
            try:
                await self._store.insert(
                    self._access, complete_document(fields, window.key, OF_NO_TENANT, at)
                )
            except Duplicate:
                continue
            return number
        raise RecordBusy("too many requests are counted at this moment; try again shortly")

    def _build_refusal(self, policy: Policy, seconds: int) -> QuotaExceeded:
        if self._meters is not None:
            self._meters.count_refusal(policy.name)
        whose = "you have" if policy.name == "user" else "your tenant has"
        text = f"{whose} sent {policy.limit} requests in {self._seconds} s; try again in {seconds} s"
        limits = self._render([f'"{policy.name}";r=0;t={seconds}'])
        return QuotaExceeded(text, limits=limits, retryAfter=seconds)

    def _render(self, shown: list[str]) -> Headers:
        return {"RateLimit-Policy": self._described, "RateLimit": ", ".join(shown)}


def open_quotas(
    store: Store, settings: Settings, clock: Callable[[], float], meters: Meters | None
) -> Quotas | None:
    """Return what counts requests; None where nothing is limited."""
    if not (settings.requests_per_user or settings.requests_per_tenant):
        return None
    return Quotas(store, settings, clock, meters)
