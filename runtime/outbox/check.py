"""What is wrong with a webhook that is to be saved: the check of the record type ``Webhook``."""

from collections.abc import Iterator
from typing import Final

from runtime.access.guard import allow
from runtime.access.variables import check_filter
from runtime.call import Call
from runtime.errors import Denied, NotFound, RequestError, ValidationFailed
from runtime.filter import EVERYTHING, by_id, refuse_blocks
from runtime.model.documents import tenant_of
from runtime.outbox.address import fault_of_address
from runtime.outbox.opening import open_webhooks, within
from runtime.outbox.owners import require_lasting
from runtime.storage.access import Action
from runtime.system.documents import WebhookDocument

Fault = tuple[str, str]
"""The path of an invalid member, and what is wrong with it."""

_SILENT_AREAS: Final = frozenset({"security", "system"})
"""Users and clients are changed by routes of their own, which nobody is notified of."""

_FITTING: Final = ("address", "recordTypes", "filter")
"""Members that are checked."""


async def check_webhook(call: Call, document: WebhookDocument) -> None:
    """Check a webhook that is to be saved.

    Raises ``ValidationFailed`` with all that is wrong, ``Denied`` for a caller whose rights are lent.
    """
    require_lasting(call)
    if "ownerSubject" not in document:
        raise Denied("create webhooks at POST /integration/webhooks/create, which returns the secret")
    is_new = document["version"] == 1
    if is_new or not await _compare_with_stored(call, document):
        require_fitting(call, document)
    if is_new:
        await _check_number(call, document)


async def _compare_with_stored(call: Call, document: WebhookDocument) -> bool:
    """Return whether all that has to fit is stored already, by a webhook that this change does not switch on.

    Rules, record types and what a filter may say change: that refuses no other change of a stored webhook.
    """
    access = open_webhooks(call.database, domain=within(tenant_of(document)))
    found = await call.store.find(access, by_id(str(document["_id"])))
    return any(
        all(one.get(name) == document.get(name) for name in _FITTING)
        and (one.get("active") or not document.get("active"))
        for one in found
    )


def require_fitting(call: Call, document: WebhookDocument) -> None:
    """Raise ``ValidationFailed`` for an address, record types or a filter that no webhook can have."""
    violations = [{"path": path, "message": message} for path, message in _find_faults(call, document)]
    if violations:
        first = violations[0]
        raise ValidationFailed(f"{first['path']} {first['message']}", violations=violations)


def _find_faults(call: Call, document: WebhookDocument) -> Iterator[Fault]:
    allows_private = call.service.settings.webhook_private
    if fault := fault_of_address(document["address"], allows_private=allows_private):
        yield "address", fault
    text = document.get("filter")
    for at, name in enumerate(document["recordTypes"]):
        try:
            kind = call.service.catalog[name]
            if kind.area in _SILENT_AREAS:
                raise NotFound(f"{kind.shown_name} has no notifications")
            access = allow(call, kind, Action.VIEW)
        except (Denied, NotFound) as error:
            yield f"recordTypes[{at}]", f"cannot be notified: {error.message}"
            continue
        if text is None:
            continue
        try:
            relations = refuse_blocks("webhooks", text, kind, access.hidden)
            check_filter(call, text, kind, hidden=access.hidden, relations=relations)
        except RequestError as error:
            yield "filter", f"over {kind.shown_name}: {error.message}"
            return


async def _check_number(call: Call, document: WebhookDocument) -> None:
    """Raise ``ValidationFailed`` where the tenant has as many webhooks as it may.

    Those that are stored at this moment may come on top.
    """
    most = call.service.settings.webhooks_per_tenant
    scope = within(tenant_of(document))
    access = open_webhooks(call.database, domain=scope)
    if await call.store.count(access, EVERYTHING, most=most) >= most:
        advice = "delete one, or raise the setting webhooks.per-tenant"
        raise ValidationFailed.at(
            "refName", f"is one too many: a tenant has at most {most} webhooks; {advice}"
        )
