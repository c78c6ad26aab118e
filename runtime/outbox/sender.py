"""The task of a worker that sends what waits: its own deliveries at once, those of others that died later.

Each round looks at the realms in which something may be due. What is found goes to lanes (``lanes``), and
what became of it is stored in groups: as many as came together while the last group was stored.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

from runtime.call import Call, Service
from runtime.errors import ServiceError
from runtime.identity.realms.realms import Realm, read_realms
from runtime.logs import log
from runtime.model.documents import tenant_of
from runtime.outbox.attempt import Attempt, Result, build_fault, send
from runtime.outbox.effect import remove_deliveries
from runtime.outbox.lanes import Lanes
from runtime.outbox.opening import within
from runtime.outbox.owners import open_owners_call
from runtime.outbox.pausing import pause
from runtime.outbox.posting import Poster
from runtime.outbox.queue import Queue, Settled
from runtime.outbox.recording import Outbox
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument

_LEASE_MARGIN: Final = 5.0
"""Seconds that a worker has behind the time limit of an attempt, to store what became of it."""

_SCAN_SECONDS: Final = 2.0
"""How often realms with webhooks are looked at without a reason, for what other workers left behind."""

_IDLE_SCAN_SECONDS: Final = 10.0
"""The same for all realms, whose webhooks may be switched off."""

_GATHER_SECONDS, _FIRST_GATHER_SECONDS = 0.005, 0.03
"""Before a look, so that it serves several deliveries; longer where none is under way."""

_MOST_FOUND: Final = 100
_PAUSE_SECONDS: Final = 0.5


class Sender:
    """One per process. ``outbox`` wakes it."""

    def __init__(self, service: Service, outbox: Outbox, poster: Poster) -> None:
        settings = service.settings
        self._service, self._outbox, self._poster = service, outbox, poster
        self._queue = Queue(service.store, timedelta(seconds=settings.webhook_seconds + _LEASE_MARGIN))
        self._lanes = Lanes(settings.webhook_connections)
        self._realms: Mapping[str, Realm] = {}
        self._looks: dict[str, float] = {}
        self._done: dict[str, list[Settled]] = defaultdict(list)
        self._tasks: set[asyncio.Task[None]] = set()
        self._storing: asyncio.Task[None] | None = None
        self._realms_at = 0.0

    async def run(self) -> None:
        """Run until cancelled. Faults of the store are waited out, faults of ours are logged."""
        while True:
            self._outbox.is_woken.clear()
            try:
                seconds = await self._run_round()
            except ServiceError:
                seconds = _PAUSE_SECONDS
            except Exception as error:  # one bad delivery must not end the task that sends all others
                log.error("webhooks.fault", exc_info=error)
                seconds = _PAUSE_SECONDS
            try:
                async with asyncio.timeout(seconds):
                    await self._outbox.is_woken.wait()
            except TimeoutError:
                pass
            await asyncio.sleep(_GATHER_SECONDS if self._tasks else _FIRST_GATHER_SECONDS)

    async def finish(self) -> None:
        """Wait for what is under way, and store what became of it."""
        while self._tasks or self._storing is not None:
            await asyncio.wait({*self._tasks, *([self._storing] if self._storing else ())})

    async def _run_round(self) -> float:
        """Look at the realms that are due; return the seconds until the next is."""
        moment = time.monotonic()
        if moment >= self._realms_at:
            self._realms_at = moment + _IDLE_SCAN_SECONDS
            realms = await read_realms(self._service.store, self._service.settings.default_realm)
            self._realms = {realm.database: realm for realm in realms if realm.active}
            self._looks = {database: self._looks.get(database, 0.0) for database in self._realms}
        woken, self._outbox.woken = self._outbox.woken, set()
        for database in woken & self._looks.keys():
            self._looks[database] = 0.0
        for database, at in list(self._looks.items()):
            if at <= moment and self._lanes.free:
                again = await self._look(self._realms[database])
                self._looks[database] = time.monotonic() + again
        return max(0.0, min([self._realms_at, *self._looks.values()]) - time.monotonic())

    async def _look(self, realm: Realm) -> float:
        """Begin to send what is due in a realm; return the seconds until the next look."""
        database, lanes = realm.database, self._lanes
        rows, later = await self._queue.find_due(database, min(_MOST_FOUND, 2 * lanes.free), lanes.busy)
        if not rows:
            has_hooks = bool(await self._outbox.find_table(database))
            scan = _SCAN_SECONDS if has_hooks else _IDLE_SCAN_SECONDS
            return scan if later is None else min(scan, later)
        calls, webhooks = await self._open_calls(realm, rows)
        rows = await self._queue.choose_first(database, [row for row in rows if row["webhookId"] in calls])
        begun = [row for row in rows if lanes.enter(row["webhookId"], row["dataDomain"]["tenantId"])]
        taken: list[WebhookDeliveryDocument] = []
        try:
            taken = await self._queue.take(database, begun)
        finally:
            ids = {row["_id"] for row in taken}
            for row in begun:
                if row["_id"] not in ids:
                    self._leave_lane(row)
        for delivery in taken:
            webhook_id = delivery["webhookId"]
            self._begin(Attempt(calls[webhook_id], webhooks[webhook_id], delivery))
        return 0.0

    async def _open_calls(
        self, realm: Realm, rows: Sequence[WebhookDeliveryDocument]
    ) -> tuple[dict[str, Call], Mapping[str, WebhookDocument]]:
        """Open a call of the owner of each webhook that is to be sent to."""
        database, calls, found = realm.database, dict[str, Call](), defaultdict[str, list[Any]](list)
        for row in rows:
            found[row["webhookId"]].append(row)
        webhooks = dict[str, WebhookDocument]()
        for webhook_id in found:
            webhook = await self._outbox.find_webhook(database, webhook_id)
            if webhook is None:
                scope = within(tenant_of(found[webhook_id][0]))
                await remove_deliveries(self._service.store, database, webhook_id, scope)
                continue
            webhooks[webhook_id] = webhook
            if _is_on(webhook):
                call = await open_owners_call(self._service, webhook, realm.name, database)
                if call is not None:
                    calls[webhook_id] = call
                    continue
                await pause(self._service.store, database, webhook, "OWNER")
                self._outbox.forget(database)
            await self._queue.pause(database, webhook_id, found[webhook_id])
        return calls, webhooks

    def _begin(self, attempt: Attempt) -> None:
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
            self._leave_lane(delivery)
        if result is not None:
            self._settle(attempt.call.database, result.settled)

    def _leave_lane(self, delivery: WebhookDeliveryDocument) -> None:
        self._lanes.give_back(delivery["webhookId"], delivery["dataDomain"]["tenantId"])

    def _settle(self, database: str, settled: Settled) -> None:
        self._done[database].append(settled)
        if self._storing is None:
            self._storing = asyncio.create_task(self._store(), name="webhook-outcomes")

    async def _store(self) -> None:
        """Store what became of deliveries, until there is nothing left to store."""
        try:
            while self._done:
                database, settled = self._done.popitem()
                await self._store_together(database, settled)
        finally:
            self._storing = None

    async def _store_together(self, database: str, settled: Sequence[Settled]) -> None:
        try:
            await self._queue.settle(database, settled)
        except ServiceError:  # their leases end, and they are sent again with the same id
            log.warning("webhooks.not_stored", database=database, number=len(settled))
        except Exception as error:
            log.error("webhooks.fault", exc_info=error)
        self._outbox.wake(database)


def _is_on(webhook: WebhookDocument) -> bool:
    is_active = webhook.get("active") is True and webhook.get("activeStatus") == "ACTIVE"
    return is_active and "pausedReason" not in webhook


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
    task = asyncio.create_task(sender.run(), name="webhooks")
    try:
        yield
    finally:
        while not task.done():
            task.cancel()  # again, should the driver have taken the first one for a fault
            await asyncio.wait({task}, timeout=_PAUSE_SECONDS)
        await sender.finish()
        await poster.close()
