"""``recordsmith webhooks``: what webhooks there are, and what they could not be notified of."""

from typing import Annotated, Any, Final

import typer
from rich.console import Console

from runtime.cli.chosen_realm import InRealm
from runtime.cli.command import command_of
from runtime.cli.output import print_table, show_value
from runtime.model.counting import count_things
from runtime.outbox.management import Resent, list_dead, list_webhooks, send_again, send_test
from runtime.outbox.pausing import is_on
from runtime.outbox.status import describe_delivery
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument

webhooks = typer.Typer(help="List webhooks, and send again what they missed.", no_args_is_help=True)

_ACTIVE: Final = "active"
_OFF: Final = "off"

Webhook = Annotated[str, typer.Option("--webhook", help="The id of the webhook.")]


@command_of(webhooks, "list")
def list_all(local: InRealm) -> None:
    """List the webhooks of a realm, and how many deliveries wait for each."""
    rows = [_render_webhook(webhook, waiting) for webhook, waiting in local.with_realm(list_webhooks)]
    columns = ("id", "refName", "tenantId", "ownerUserId", "address", "state", "waiting")
    local.report(rows, lambda out: _print_table(out, columns, rows))


@command_of(webhooks, "dead")
def dead(webhook: Webhook, local: InRealm) -> None:
    """List the deliveries of a webhook that were given up, the newest first."""
    found = local.with_realm(lambda service, realm: list_dead(service, realm, webhook))
    rows = [_render_delivery(one) for one in found]
    columns = ("id", "type", "recordId", "occurredAt", "attempts", "lastError")
    local.report(rows, lambda out: _print_table(out, columns, rows))


@command_of(webhooks, "resend")
def resend(
    webhook: Webhook,
    delivery: Annotated[
        list[str] | None,
        typer.Option("--delivery", help="The id of a delivery; repeatable.", show_default="all"),
    ] = None,
    *,
    local: InRealm,
) -> None:
    """Send deliveries that were given up again, with the same webhook-id."""
    done = local.with_realm(lambda service, realm: send_again(service, realm, webhook, delivery or ()))
    shown = {"webhook": webhook, "resent": done.deliveries, "remaining": done.remaining}
    local.report(shown, _describe_resent(done))


@command_of(webhooks, "test")
def test(webhook: Webhook, local: InRealm) -> None:
    """Send a test to a webhook: a notification that is about no record."""
    found, stored = local.with_realm(lambda service, realm: send_test(service, realm, webhook))
    message = f"the running service sends msg_{stored['_id']}{_say_when(found)}"
    local.report(_render_delivery(stored), message)


def _name_state(webhook: WebhookDocument) -> str:
    """Name the state of a webhook: active, why it is paused, off, or its status."""
    if is_on(webhook):
        return _ACTIVE
    switch = webhook.get("activeStatus", _OFF) if webhook.get("active") is True else _OFF
    return webhook.get("pausedReason", switch)


def _describe_resent(done: Resent) -> str:
    """Describe how many deliveries are sent again, when, and how many are not."""
    number, later = len(done.deliveries), ""
    if not number and not done.remaining:
        return "no delivery of this webhook was dead"
    if number:
        later = _say_when(done.webhook)
    if done.remaining:
        remain = count_things(done.remaining, "dead delivery remains", "dead deliveries remain")
        later += f"; {remain}: no more than {done.most:,} may then wait (nine tenths of webhooks.max-waiting)"
    return f"{count_things(number, 'delivery is', 'deliveries are')} sent again{later}"


def _say_when(webhook: WebhookDocument) -> str:
    """Say when something is sent to a webhook, unless it is soon."""
    if is_on(webhook):
        return ""
    steps = list[str]()
    if "pausedReason" in webhook or webhook.get("active") is not True:
        steps.append("the webhook is resumed")
    if webhook.get("activeStatus") != "ACTIVE":  # to resume a webhook does not change this
        steps.append("its activeStatus is ACTIVE")
    return f" once {' and '.join(steps)}: its state is {_name_state(webhook)}"


def _render_webhook(webhook: WebhookDocument, waiting: int) -> dict[str, Any]:
    return {
        "id": str(webhook["_id"]),
        "refName": webhook["refName"],
        "tenantId": webhook["dataDomain"]["tenantId"],
        "ownerUserId": webhook.get("ownerUserId"),
        "address": webhook["address"],
        "state": _name_state(webhook),
        "waiting": waiting,
    }


def _render_delivery(delivery: WebhookDeliveryDocument) -> dict[str, Any]:
    shown: dict[str, Any] = {**describe_delivery(delivery)}
    return {name: value if isinstance(value, int) else show_value(value) for name, value in shown.items()}


def _print_table(out: Console, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    print_table(out, columns, ([str(row.get(column, "")) for column in columns] for row in rows))
