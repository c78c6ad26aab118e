"""A key that a request holds while it is done, and the receipts that are signed with its effect.

Every change of the key's document is on condition that the holder is still the same, so a request that lost
the key to another can store nothing.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Protocol

from runtime.call import Call, Receipt
from runtime.errors import KeyInFlight, ServiceError
from runtime.filter import Predicate, by_id, equals
from runtime.heartbeat import keep_repeating
from runtime.model.clock import now
from runtime.storage.access import Access
from runtime.storage.store import AnyStore, Changes, Store
from runtime.storage.wire import Json, to_json
from runtime.system.documents import IdempotencyKeyDocument

Document = dict[str, Any]
Result = dict[str, Any]

MOST_KEPT: Final = 2**20
"""Bytes of an answer."""

_BEATS_PER_LEASE: Final = 3


class Fingerprint(Protocol):
    """What a file that comes with a request is recognized by."""

    async def read_digest(self) -> str: ...


@dataclass
class Held:
    """A key that this request holds: its receipt. ``request``: its digest, but for the ``file``."""

    store: Store
    access: Access[IdempotencyKeyDocument]
    key_id: str
    request: str
    holder: str
    rights: str
    lease: timedelta
    parts: Mapping[int, Result] = field(default_factory=dict)
    is_signed: bool = False
    file: Fingerprint | None = None

    async def sign(self, store: AnyStore, answer: Json[Any], /) -> None:
        """Keep the answer; with what else ``store`` does, if that is a transaction."""
        kept: Document = {
            "state": "DONE",
            "status": answer.status,
            "headers": dict(answer.headers),
            "rights": self.rights,
        }
        if len(answer.body) <= MOST_KEPT and not answer.is_secret:
            kept["body"] = answer.body.decode()
        await self.change(store, Changes(set=kept | await self.identify(), unset=("parts",)))
        self.is_signed = True

    def by_parts(self) -> Receipt:
        """Return a receipt for some operations of the request."""
        return _Parts(self)

    async def identify(self) -> Document:
        """Return what the key's document says about its request once the file, if it has one, is known."""
        return {} if self.file is None else {"request": f"{self.request} {await self.file.read_digest()}"}

    @asynccontextmanager
    async def keep(self) -> AsyncIterator[None]:
        """Renew the lease as long as the block lasts: an upload takes as long as its sender likes."""

        async def renew() -> None:
            with suppress(ServiceError):  # the next one may come through; what is signed finds out
                await self.change(self.store, Changes(set={"leaseUntil": now() + self.lease}))

        async with keep_repeating(renew, self.lease.total_seconds() / _BEATS_PER_LEASE, "key-lease"):
            yield

    async def change(self, store: AnyStore, changes: Changes) -> None:
        """Change the document of the key. Raises ``KeyInFlight`` when another request has taken over."""
        if await store.update_one(self.access, self._mine, changes) is None:
            raise build_in_flight()

    async def release(self) -> None:
        """Free the key, unless a part of the request is done: then the next try may go on at once."""
        unused = self._mine & equals(state="IN_FLIGHT", isBegun=False)
        if not await self.store.delete_one(self.access, unused):
            await self.store.update_one(self.access, self._mine, Changes(set={"leaseUntil": now()}))

    @property
    def _mine(self) -> Predicate:
        return by_id(self.key_id) & equals(holder=self.holder)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A receipt whose answers are results of operations, by index."""

    whole: Held

    @property
    def parts(self) -> Mapping[int, Result]:
        return self.whole.parts

    def by_parts(self) -> Receipt:
        return self

    async def sign(self, store: AnyStore, results: Mapping[int, Result], /) -> None:
        results_by_part = {f"parts.{index}": to_json(result).decode() for index, result in results.items()}
        lease = {"leaseUntil": now() + self.whole.lease, "isBegun": True}
        await self.whole.change(store, Changes(set=results_by_part | lease | await self.whole.identify()))


@dataclass(frozen=True, slots=True)
class HandlerWrites:
    """A receipt that each write of a handler signs: after the first one the request is not run again.

    What a write answers is not what the handler answers, which ``run_once`` stores at its end.
    """

    whole: Held
    parts: Mapping[int, Result] = field(default_factory=dict)

    def by_parts(self) -> Receipt:
        return self

    async def sign(self, store: AnyStore, _answer: object, /) -> None:
        begun = {"state": "DONE", "isBegun": True, "rights": self.whole.rights}
        await self.whole.change(store, Changes(set=begun))


def lease_of(call: Call) -> timedelta:
    """Return how long a request has a key before others may take it over.

    Twice the time that one of its transactions may take. A slower request loses the key, but never takes
    effect twice.
    """
    return timedelta(milliseconds=2 * call.service.settings.mongodb_timeout_ms)


def build_in_flight() -> KeyInFlight:
    """Build the error for a request that does not hold the key."""
    return KeyInFlight("the first request with this Idempotency-Key has not ended: wait and send it again")
