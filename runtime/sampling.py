"""What metrics show of a service besides what is counted as it happens: its gate, connections and outbox."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from runtime.call import Service
from runtime.identity.realms.realms import read_active_databases
from runtime.observe import Meters, keep_sampling
from runtime.outbox import count_all_waiting


@asynccontextmanager
async def keep_metrics(service: Service) -> AsyncIterator[None]:
    """Keep the metrics of a service up to date for the duration of the block, if it has any."""

    def show(meters: Meters) -> None:
        store, gate = service.store, service.gate
        if gate is not None:
            meters.show_gate(gate.taken, gate.waiting, store.limit.value)
        if (connections := store.count_connections()) is not None:
            meters.show_connections(*connections)

    async def count(meters: Meters) -> None:
        databases = await read_active_databases(service.store, service.settings.default_realm)
        meters.show_outbox(await count_all_waiting(service.store, databases))

    async with keep_sampling(service.meters, show, count):
        yield
