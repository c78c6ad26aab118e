"""NewWebhook, from runtime/system/specs/integration/new_webhook.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict, UniqueItems


class NewWebhook(Strict):
    """A webhook to create. Its owner is the caller."""

    ref_name: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    display_name: Annotated[str | None, Field(max_length=500, min_length=1)] = None
    record_types: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]],
        Field(max_length=20, min_length=1),
        UniqueItems(),
    ]
    events: Annotated[
        list[Literal["created", "updated", "deleted"]] | None,
        Field(max_length=3, min_length=1),
        UniqueItems(),
    ] = None
    filter: Annotated[str | None, Field(max_length=2000, min_length=1)] = None
    address: Annotated[str, Field(max_length=2000, min_length=1)]
    active: bool | None = None
    description: Annotated[str | None, Field(max_length=2000)] = None
