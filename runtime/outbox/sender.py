"""The task of a worker that sends what waits: its own deliveries at once, those of others that died later.

Each round takes what the writes of this process pass on (``intake``), and looks at the realms in which
something else may be due. What is found goes to lanes (``lanes``), and what became of it is stored in groups
(``settling``).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

from runtime.call import Service
from runtime.errors import ServiceError
from runtime.heartbeat import heed_cancellation, keep_running
from runtime.identity.realms.realms import Realm, read_realms
from runtime.logs import log
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.outbox.active import Active, find_active
from runtime.outbox.attempt import Attempt, Result, build_fault, send
from runtime.outbox.lanes import Lanes
from runtime.outbox.posting import Poster
from runtime.outbox.queue import Queue, lease_of
from runtime.outbox.recording import Outbox
from runtime.outbox.settling import Settling
from runtime.outbox.table import count_active
from runtime.system.documents import WebhookDeliveryDocument

T = TypeVar("T")

_SCAN_SECONDS: Final = 2.0
"""How often realms with webhooks are looked at without a reason, for what other workers left behind."""

_IDLE_SCAN_SECONDS: Final = 10.0
"""The same for all realms, whose webhooks may be switched off, and how often realms are looked for."""

_GATHER_SECONDS, _CROWDED_GATHER_SECONDS = 0.03, 0.005
"""Before a round, so that it serves several deliveries; shorter where some wait for a lane."""

_MOST_FOUND: Final = 100
_PAUSE_SECONDS: Final = 0.5


class Sender:
    """One per process. ``outbox`` wakes it.

    ``_absent``: databases that were looked for in vain, until realms are read again.
    """

    def __init__(self, service: Service, outbox: Outbox, poster: Poster) -> None:
        settings = service.settings
        self._service, self._outbox, self._poster = service, outbox, poster
        self._lease = lease_of(settings)
        self._queue = Queue(service.store, self._lease, outbox.wake)
        self._lanes = Lanes(settings.webhook_connections)
        self._settling = Settling(self._queue, outbox.wake)
        self._crowded: set[str] = set()
        self._realms: Mapping[str, Realm] = {}
        self._absent: set[str] = set()
        self._looks: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._realms_at = 0.0

    async def run(self) -> None:
        """Run until cancelled. Faults of the store are waited out, faults of ours are logged."""
        self._outbox.intake.room = self._lanes.room
        while True:
            self._outbox.is_woken.clear()
            try:
                seconds = await self._run_round()
            except ServiceError:
                seconds = _PAUSE_SECONDS
            except Exception as error:  # one bad delivery must not end the task that sends all others
                log.error("webhooks.fault", exc_info=error)
                seconds = _PAUSE_SECONDS
            heed_cancellation()
            try:
                async with asyncio.timeout(seconds):
                    await self._outbox.is_woken.wait()
            except TimeoutError:
                pass
            await asyncio.sleep(_CROWDED_GATHER_SECONDS if self._crowded else _GATHER_SECONDS)

    async def finish(self) -> None:
        """Wait for what is under way, and store what became of it. Others send what has not begun."""
        self._outbox.intake.room = None
        with suppress(ServiceError):  # else their leases end
            for database, rows in self._outbox.intake.collect().items():
                await self._queue.release(database, rows)
        while self._tasks or self._settling.task is not None:
            await asyncio.wait({*self._tasks, *([self._settling.task] if self._settling.task else ())})

    async def _run_round(self) -> float:
        """Look at the realms that are due; return the seconds until the next is."""
        moment = time.monotonic()
        await self._keep_realms(moment)
        for database, rows in self._outbox.intake.collect().items():
            await self._keep_apart(self._send_own(database, rows))
        woken, self._outbox.woken = self._outbox.woken, set()
        for database in woken & self._looks.keys():
            self._looks[database] = 0.0
        for database, at in list(self._looks.items()):
            if at <= moment and self._lanes.free:
                again = await self._keep_apart(self._look(self._realms[database]))
                self._looks[database] = time.monotonic() + (_PAUSE_SECONDS if again is None else again)
            elif at <= moment:
                self._crowded.add(database)
        looks = [*self._looks.values()] if self._lanes.free else []
        return max(0.0, min([self._realms_at, *looks]) - time.monotonic())

    async def _keep_realms(self, moment: float) -> None:
        """Read which realms there are: now and then, and when this process has written in an unknown one."""
        written = self._outbox.intake.databases | self._outbox.woken
        is_time = moment >= self._realms_at
        if not is_time and written <= self._realms.keys() | self._absent:
            return
        realms = await read_realms(self._service.store, self._service.settings.default_realm)
        self._realms = {realm.database: realm for realm in realms if realm.active}
        self._looks = {database: self._looks.get(database, 0.0) for database in self._realms}
        if is_time:
            self._realms_at, self._absent = moment + _IDLE_SCAN_SECONDS, set()
        self._absent |= written - self._realms.keys()

    async def _keep_apart(self, work: Awaitable[T]) -> T | None:
        """Do the work for one realm; a fault there, or a restore of a backup, holds up no other realm.

        Return None then: what is not sent is found again, at the latest when its lease ends.
        """
        try:
            return await work
        except ServiceError:
            pass
        except Exception as error:
            log.error("webhooks.fault", exc_info=error)
        return None

    async def _send_own(self, database: str, rows: Sequence[WebhookDeliveryDocument]) -> None:
        """Begin to send what this process has stored as its own; what has no lane is for every worker."""
        realm, latest = self._realms.get(database), now() + self._lease
        fresh = [row for row in rows if realm is not None and row["dueAt"] >= latest]
        active: Mapping[str, Active] = {}
        if realm is not None:
            active = await find_active(self._service, self._outbox, self._queue, realm, fresh)
        first = await self._queue.choose_first(database, [row for row in fresh if row["webhookId"] in active])
        begun = self._enter_lanes(database, first)
        for row in begun:
            self._begin(active[row["webhookId"]], row)
        done = _ids(begun) | (_ids(fresh) - _ids(first))
        rest = [row for row in rows if row["_id"] not in done]
        if rest:
            await self._queue.release(database, rest)
            self._outbox.wake(database)

    async def _look(self, realm: Realm) -> float:
        """Begin to send what is due in a realm; return the seconds until the next look."""
        database, lanes = realm.database, self._lanes
        most, busy = min(_MOST_FOUND, 2 * lanes.free), lanes.busy
        rows, later = await self._queue.find_due(database, most, busy)
        if busy.webhooks or busy.tenants:
            self._crowded.add(database)
        else:
            self._crowded.discard(database)
        if rows:
            await self._send_due(realm, rows)
        if len(rows) == most:
            return 0.0
        has_hooks = rows or await count_active(self._service.store, database, most=1)
        scan = _SCAN_SECONDS if has_hooks else _IDLE_SCAN_SECONDS
        return scan if later is None else min(scan, later)

    async def _send_due(self, realm: Realm, rows: Sequence[WebhookDeliveryDocument]) -> None:
        """Take deliveries that are due, as many as there are lanes for, and begin to send them."""
        database = realm.database
        active = await find_active(self._service, self._outbox, self._queue, realm, rows)
        rows = await self._queue.choose_first(database, [row for row in rows if row["webhookId"] in active])
        begun, taken = self._enter_lanes(database, rows), list[WebhookDeliveryDocument]()
        try:
            taken = await self._queue.take(database, begun)
        finally:
            for row in begun:
                if row["_id"] not in _ids(taken):
                    self._leave_lane(database, row)
        for row in taken:
            self._begin(active[row["webhookId"]], row)

    def _begin(self, webhook: Active, delivery: WebhookDeliveryDocument) -> None:
        attempt = Attempt(webhook.call, webhook.document, delivery)
        task = asyncio.create_task(self._send(attempt), name="webhook")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, attempt: Attempt) -> None:
        delivery = attempt.delivery
        result: Result | None = None
        try:
            result = await send(attempt, self._poster)
            if result.seconds is not None:
                self._lanes.learn(delivery["webhookId"], is_good=result.is_good, seconds=result.seconds)
        except Exception as error:  # it counts as an attempt: else it would be repeated for ever
            log.error("webhooks.fault", exc_info=error)
            result = build_fault(attempt)
        finally:
            self._leave_lane(attempt.call.database, delivery)
        if result is not None:
            self._settling.add(attempt.call.database, result.settled)

    def _enter_lanes(
        self, database: str, rows: Sequence[WebhookDeliveryDocument]
    ) -> list[WebhookDeliveryDocument]:
        """Take lanes; return the deliveries that have one."""
        entered = [row for row in rows if self._lanes.enter(row["webhookId"], tenant_of(row))]
        if len(entered) < len(rows):
            self._crowded.add(database)
        return entered

    def _leave_lane(self, database: str, delivery: WebhookDeliveryDocument) -> None:
        self._lanes.give_back(delivery["webhookId"], tenant_of(delivery))
        if database in self._crowded:
            self._outbox.wake(database)


def _ids(rows: Sequence[WebhookDeliveryDocument]) -> set[object]:
    return {row["_id"] for row in rows}


@asynccontextmanager
async def run_sender(service: Service) -> AsyncIterator[None]:
    """Send deliveries as long as the block lasts; those under way at its end are waited for."""
    settings, outbox = service.settings, service.outbox
    if not isinstance(outbox, Outbox):
        yield
        return
    poster = Poster(
        settings.webhook_seconds,
        allows_private=settings.webhook_private,
        connections=settings.webhook_connections,
    )
    sender = Sender(service, outbox, poster)
    try:
        async with keep_running(sender.run(), "webhooks"):
            yield
    finally:
        await sender.finish()
        await poster.close()
