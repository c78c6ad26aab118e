"""Webhooks: how many, how large, how long they are repeated, and where they may lead."""

from typing import Annotated

from pydantic import Field

from runtime.settings.row import Rows, row


class WebhookSettings(Rows):
    """Webhooks: how many, how large, how long they are repeated, and where they may lead."""

    webhook_private: bool = row(
        "webhooks.allow-private-addresses",
        False,
        "Whether webhooks may lead into private networks, and without TLS",
    )
    webhooks_per_tenant: Annotated[int, Field(ge=0, le=10_000)] = row(
        "webhooks.per-tenant", 50, "Most webhooks of a tenant"
    )
    webhook_waiting: Annotated[int, Field(ge=100, le=10_000_000)] = row(
        "webhooks.max-waiting", 10_000, "Deliveries that may wait for one webhook, until it is paused"
    )
    webhook_bytes: Annotated[int, Field(ge=1024, le=4 * 2**20)] = row(
        "webhooks.max-record-bytes",
        256 * 2**10,
        "Largest record that is sent; of larger ones only id and version are",
    )
    webhook_seconds: Annotated[float, Field(ge=0.1, le=60)] = row(
        "webhooks.timeout-seconds", 10, "How long an address may take to answer"
    )
    webhook_retry_seconds: Annotated[float, Field(ge=0.1, le=3600)] = row(
        "webhooks.retry-seconds",
        5,
        "Until the first repetition; each further one takes twice as long, up to 6 hours",
    )
    webhook_hours: Annotated[float, Field(gt=0, le=720)] = row(
        "webhooks.give-up-hours", 72, "How long a delivery is repeated until it is dead"
    )
    webhook_delivered_hours: Annotated[float, Field(gt=0, le=8760)] = row(
        "webhooks.keep-delivered-hours", 72, "How long it is recorded that a delivery was accepted"
    )
    webhook_dead_hours: Annotated[float, Field(gt=0, le=8760)] = row(
        "webhooks.keep-dead-hours", 720, "How long a dead delivery can be sent again"
    )
    webhook_connections: Annotated[int, Field(ge=1, le=1000)] = row(
        "webhooks.connections", 64, "Deliveries that a worker sends at once; a quarter of them for one tenant"
    )
