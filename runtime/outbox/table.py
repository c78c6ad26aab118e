"""The webhooks of a tenant as a process knows them: which writes are notified at all.

What is decided here only saves work: a delivery is stored for each write that may have to be notified, and
what the owner may view is decided when it is sent (``payload``). The filter is compiled without the owner's
rights and variables for this; where that cannot be done, it admits every record.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from runtime.errors import NotFound, RequestError
from runtime.event_loop import Pace
from runtime.filter import (
    EVERYTHING,
    Predicate,
    Projection,
    Undecidable,
    WeighedFilter,
    admits,
    compile_rule_filter,
    equals,
    has_any,
    none_of,
)
from runtime.model.catalog import Catalog
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.outbox.opening import open_webhooks, within
from runtime.storage.store import Store
from runtime.system.documents import WebhookDocument

_MEMBERS: Final = Projection(include=("dataDomain", "recordTypes", "events", "filter", "ownerUserId"))
_ACTIVE: Final = equals(active=True, activeStatus="ACTIVE") & none_of([has_any(["pausedReason"])])


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook and one of its record types."""

    webhook_id: str
    tenant: str
    owner_id: str
    events: frozenset[str]
    wanted: WeighedFilter

    def concerns(self, op: str, document: Mapping[str, Any]) -> bool:
        """Whether it is notified of such writes, whatever its filter says."""
        return op in self.events and tenant_of(document) == self.tenant

    def admits(self, document: Mapping[str, Any]) -> bool:
        """Whether its filter may admit a record."""
        try:
            return admits(self.wanted.match, document)
        except ValueError:  # only the store could decide
            return True


Table = Mapping[str, Sequence[Hook]]
"""Name of a record type → its webhooks."""


async def read_table(store: Store, catalog: Catalog, database: str, tenant: str | None) -> Table:
    """Read the webhooks of a tenant, of all for None, that are active and not paused."""
    access = open_webhooks(database, domain=within(tenant))
    found = defaultdict[str, list[Hook]](list)
    pace = Pace()
    for webhook in await store.find(access, _ACTIVE, projection=_MEMBERS):
        for kind in list_kinds(catalog, webhook):
            found[kind.name].append(_build_hook(webhook, kind))
            await pace.step()
    return found


async def count_active(store: Store, database: str, most: int) -> int:
    """Count the webhooks of a realm that are active and not paused, up to a number."""
    return await store.count(open_webhooks(database), _ACTIVE, most=most)


def list_kinds(catalog: Catalog, webhook: WebhookDocument) -> Iterator[RecordType[Any]]:
    """Yield the record types of a webhook, each once, without those that are not there any more."""
    listed = set[RecordType[Any]]()
    for name in webhook["recordTypes"]:  # a type may be there by two names: alone, and with its area
        try:
            kind = catalog[name]
        except NotFound:
            continue
        if kind not in listed:
            listed.add(kind)
            yield kind


def _build_hook(webhook: WebhookDocument, kind: RecordType[Any]) -> Hook:
    return Hook(
        str(webhook["_id"]),
        tenant_of(webhook),
        webhook.get("ownerUserId", ""),
        frozenset(webhook["events"]),
        WeighedFilter.of(_compile(webhook.get("filter"), kind)),
    )


def _compile(text: str | None, kind: RecordType[Any]) -> Predicate:
    if text is None:
        return EVERYTHING
    try:
        return compile_rule_filter(text, kind, {})
    except (RequestError, Undecidable):
        return EVERYTHING
