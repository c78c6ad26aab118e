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
from runtime.filter import EVERYTHING, Predicate, Projection, Undecidable, admits, compile_rule_filter, equals
from runtime.model.documents import tenant_of
from runtime.model.record_type import Catalog, RecordType
from runtime.outbox.opening import open_webhooks, within
from runtime.storage.store import Store
from runtime.system.documents import WebhookDocument

_MEMBERS: Final = Projection(
    include=("dataDomain", "recordTypes", "events", "filter", "ownerUserId", "pausedReason")
)


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook and one of its record types."""

    webhook_id: str
    tenant: str
    owner_id: str
    events: frozenset[str]
    match: Predicate

    def wants(self, op: str, document: Mapping[str, Any]) -> bool:
        """Whether a write of this record may have to be notified."""
        if op not in self.events or tenant_of(document) != self.tenant:
            return False
        try:
            return self.match is EVERYTHING or admits(self.match, document)
        except ValueError:  # only the store could decide
            return True


Table = Mapping[str, Sequence[Hook]]
"""Name of a record type → its webhooks."""


async def read_table(store: Store, catalog: Catalog, database: str, tenant: str | None) -> Table:
    """Read the webhooks of a tenant, of all for None, that are active and not paused."""
    access = open_webhooks(database, domain=within(tenant))
    match = equals(active=True, activeStatus="ACTIVE")
    found = defaultdict[str, list[Hook]](list)
    for webhook in await store.find(access, match, projection=_MEMBERS):
        if "pausedReason" not in webhook:
            for kind in list_kinds(catalog, webhook):
                found[kind.name].append(_build_hook(webhook, kind))
    return found


def list_kinds(catalog: Catalog, webhook: WebhookDocument) -> Iterator[RecordType[Any]]:
    """Yield the record types of a webhook, without those that are not there any more."""
    for name in webhook["recordTypes"]:
        try:
            yield catalog[name]
        except NotFound:
            continue


def _build_hook(webhook: WebhookDocument, kind: RecordType[Any]) -> Hook:
    return Hook(
        str(webhook["_id"]),
        tenant_of(webhook),
        webhook.get("ownerUserId", ""),
        frozenset(webhook["events"]),
        _compile(webhook.get("filter"), kind),
    )


def _compile(text: str | None, kind: RecordType[Any]) -> Predicate:
    if text is None:
        return EVERYTHING
    try:
        return compile_rule_filter(text, kind, {})
    except (RequestError, Undecidable):
        return EVERYTHING
