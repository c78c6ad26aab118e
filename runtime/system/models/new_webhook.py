"""NewWebhook, from runtime/system/specs/integration/new_webhook.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict, UniqueItems


class NewWebhook(Strict):
    """A webhook to create. Its owner is the caller."""

    ref_name: Annotated[
        str | None,
        Field(
            max_length=200,
            min_length=1,
            description="The name by which the webhook can be found; unique in the tenant. The id if absent.",
        ),
    ] = None
    display_name: Annotated[
        str | None, Field(max_length=500, min_length=1, description="What people call the webhook.")
    ] = None
    record_types: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]],
        Field(max_length=20, min_length=1, description="The record types, by name or by area and name."),
        UniqueItems(),
    ]
    events: Annotated[
        list[Literal["created", "updated", "deleted"]] | None,
        Field(max_length=3, min_length=1, description="The writes that are notified; all if absent."),
        UniqueItems(),
    ] = None
    filter: Annotated[
        str | None, Field(max_length=2000, min_length=1, description="Which records, in the filter language.")
    ] = None
    address: Annotated[
        str,
        Field(
            max_length=2000, min_length=1, description="Where notifications are sent, by POST: an https URL."
        ),
    ]
    active: Annotated[
        bool | None, Field(description="Whether notifications are stored and sent; true if absent.")
    ] = None
    description: Annotated[str | None, Field(max_length=2000, description="What the webhook is for.")] = None
