"""Access of the service itself to webhooks and deliveries: within a tenant, or in all where none is known."""

from typing import Final

from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument
from runtime.system.record_types import WEBHOOK, WEBHOOK_DELIVERY

_ANY: Final = DomainScope()


def within(tenant: str | None) -> DomainScope:
    """Return what belongs to a tenant; to any for None."""
    return DomainScope(tenant)


def open_webhooks(
    database: str, action: Action = Action.VIEW, domain: DomainScope = _ANY
) -> Access[WebhookDocument]:
    """Return access to webhooks, with their secrets."""
    return as_service(WEBHOOK, database, action, domain)


def open_deliveries(
    database: str, action: Action = Action.VIEW, domain: DomainScope = _ANY
) -> Access[WebhookDeliveryDocument]:
    """Return access to deliveries, with their records."""
    return as_service(WEBHOOK_DELIVERY, database, action, domain)
