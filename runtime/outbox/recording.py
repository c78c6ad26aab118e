"""Deliveries are stored in the transaction of the write that causes them: none is lost, none is invented.

A process knows the webhooks of a tenant for as long as the change stream reports none changed, else for a
second. A tenant without webhooks pays nothing for this but that memory.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final

from runtime.call import Call
from runtime.errors import ServiceError
from runtime.event_loop import Pace
from runtime.filter import by_id, equals
from runtime.identity.memory import Freshness, ShortMemory
from runtime.logs import log
from runtime.model.catalog import Catalog
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.outbox.deciding import Decisions
from runtime.outbox.deliveries import build_delivery, describe_write
from runtime.outbox.intake import Intake
from runtime.outbox.opening import open_deliveries, open_webhooks, within
from runtime.outbox.pausing import pause
from runtime.outbox.queue import lease_of
from runtime.outbox.table import Table, read_table
from runtime.principal import DomainScope
from runtime.records.change import Change
from runtime.settings import Settings
from runtime.storage.access import Action
from runtime.storage.store import Store, Transaction
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument

_MOST_TENANTS: Final = 10_000
_MOST_WEBHOOKS: Final = 1000
_LEAST_UNCOUNTED: Final = 100
"""Deliveries that a process stores for a webhook between two counts of what waits."""

_Key = tuple[str, str | None]
"""Database and tenant."""


class Outbox:
    """One per process.

    ``intake``: what its sender sends without looking for it. ``woken``: the databases in which other
    deliveries were stored, since somebody looked.
    """

    is_joint: Final = True

    def __init__(self, store: Store, catalog: Catalog, settings: Settings, freshness: Freshness) -> None:
        self._store, self._catalog, self._settings = store, catalog, settings
        self._tables: ShortMemory[_Key, Table] = ShortMemory(freshness, _MOST_TENANTS)
        self._webhooks: ShortMemory[tuple[str, str], WebhookDocument] = ShortMemory(freshness, _MOST_WEBHOOKS)
        self._room: dict[tuple[str, str], int] = defaultdict(int)
        self.intake = Intake(lease_of(settings) + timedelta(milliseconds=settings.mongodb_timeout_ms))
        self.woken: set[str] = set()
        self.is_woken = asyncio.Event()

    async def want(self, call: Call, kind: RecordType[Any], /) -> bool:
        """Whether writes of a type by this caller may have to be notified."""
        return kind.name in await self.find_table(call.database, call.principal.scope.tenant_id)

    async def follow(self, call: Call, transaction: Transaction, changes: Sequence[Change], /) -> None:
        """Store the deliveries of some writes with them. Raises what an insert does."""
        scope = within(call.principal.scope.tenant_id)
        table = await self.find_table(call.database, scope.tenant_id)
        rows = await self._build_rows(table, changes)
        if not rows:
            return
        self.intake.claim(rows)
        access = open_deliveries(call.database, Action.CREATE, scope)
        await transaction.insert_along(access, rows)
        await transaction.run_after_storing(partial(self._report_stored, call.database, rows))

    async def find_table(self, database: str, tenant: str | None) -> Table:
        """Return the webhooks of a tenant, of all for None, at most a second old."""
        read = partial(read_table, self._store, self._catalog, database, tenant)
        return await self._tables.get((database, tenant), read) or {}

    async def find_webhook(self, database: str, webhook_id: str) -> WebhookDocument | None:
        """Return a webhook with its secrets, at most a second old; None if there is none."""
        read = partial(self._store.find_one, open_webhooks(database), by_id(webhook_id))
        return await self._webhooks.get((database, webhook_id), read)

    def forget(self, database: str | None = None, record_id: str | None = None) -> None:
        """Read all webhooks again, whichever changed; ``storage.watching`` calls this."""
        self._tables.forget()
        self._webhooks.forget()

    def wake(self, database: str) -> None:
        """Report that there is something to send."""
        self.woken.add(database)
        self.is_woken.set()

    async def _build_rows(self, table: Table, changes: Sequence[Change]) -> list[WebhookDeliveryDocument]:
        """Build the deliveries of writes, in turns between which other requests go on."""
        rows, decisions, pace = list[WebhookDeliveryDocument](), Decisions(), Pace()
        for change in changes:
            hooks = table.get(change.kind.name, ())
            written = describe_write(change) if hooks else None
            if written is None:
                continue
            for hook in hooks:
                if await decisions.check(hook, written.op, written.document):
                    rows.append(build_delivery(self._settings, hook, change.kind, written))
                await pace.step()
        return rows

    async def _report_stored(
        self, database: str, rows: Sequence[WebhookDeliveryDocument], store: Store
    ) -> None:
        if self.intake.pass_on(database, rows):
            self.is_woken.set()
        else:
            self.wake(database)
        numbers = Counter((row["webhookId"], tenant_of(row)) for row in rows)
        for (webhook_id, tenant), number in numbers.items():
            self._room[database, webhook_id] -= number
            if self._room[database, webhook_id] < 0:
                try:
                    await self._count(store, database, webhook_id, within(tenant))
                except ServiceError as error:  # all is stored, and the next delivery counts again
                    log.warning("webhook.not_counted", webhook=webhook_id, reason=error.message)

    async def _count(self, store: Store, database: str, webhook_id: str, scope: DomainScope) -> None:
        """Count what waits, and pause the webhook if that is too much.

        The next count is due when this process alone has stored what is missing to the limit.
        """
        most = self._settings.webhook_waiting
        waits = equals(webhookId=webhook_id, status="WAITING")
        number = await store.count(open_deliveries(database, domain=scope), waits, most=most + 1)
        self._room[database, webhook_id] = max(_LEAST_UNCOUNTED, most - number)
        if number <= most:
            return
        webhook = await store.find_one(open_webhooks(database, domain=scope), by_id(webhook_id))
        if webhook is not None and "pausedReason" not in webhook:
            await pause(store, database, webhook, "TOO_MANY_WAITING")
        self.forget(database)
