"""Webhook, from runtime/system/specs/integration/webhook.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict, UniqueItems


class WebhookFields(Strict):
    """The fields that are both sent and read."""

    record_types: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]],
        Field(max_length=20, min_length=1, description="The record types, by name or by area and name."),
        UniqueItems(),
    ]
    events: Annotated[
        list[Literal["created", "updated", "deleted"]],
        Field(max_length=3, min_length=1, description="The writes that are notified."),
        UniqueItems(),
    ]
    filter: Annotated[
        str | None,
        Field(
            max_length=2000,
            min_length=1,
            description="Which records, in the filter language, as they are after the write (before it, if it is a deletion).",
        ),
    ] = None
    address: Annotated[
        str,
        Field(
            max_length=2000, min_length=1, description="Where notifications are sent, by POST: an https URL."
        ),
    ]
    active: Annotated[bool | None, Field(description="Whether notifications are stored and sent.")] = True
    description: Annotated[str | None, Field(max_length=2000, description="What the webhook is for.")] = None
    owner_user_id: Annotated[
        str | None,
        Field(description="The user id of the owner. Notifications contain what the owner may view."),
    ] = None
    owner_subject: Annotated[str | None, Field(description="The permanent identifier of the owner.")] = None
    owner_realm: Annotated[str | None, Field(description="The realm in which the owner signs in.")] = None
    paused_reason: Annotated[
        Literal["TOO_MANY_WAITING", "GONE", "OWNER", "FILTER"] | None,
        Field(
            description="Why the service has paused the webhook; absent if it has not. TOO_MANY_WAITING: too many notifications wait; GONE: the address answered 410; OWNER: the owner cannot sign in; FILTER: the filter does not fit the record types, or the fields that the owner may view."
        ),
    ] = None
    paused_date: Annotated[
        Moment | None,
        Field(description="When the service paused it: writes since then are not notified, not even later."),
    ] = None
    previous_secret_until: Annotated[
        Moment | None, Field(description="How long the previous secret signs as well.")
    ] = None


class WebhookInput(WebhookFields, RecordInput):
    """An address that is notified of changes of records, as far as the owner of the webhook may view them. Created at /integration/webhooks/create, which returns the secret that signs the notifications (as sent)."""


class Webhook(WebhookFields, Record):
    """An address that is notified of changes of records, as far as the owner of the webhook may view them. Created at /integration/webhooks/create, which returns the secret that signs the notifications."""


class WebhookStored(WebhookInput):
    """Webhook as stored, with what only the server sets and nobody sees."""

    secret: str | None = None
    previous_secret: str | None = None
