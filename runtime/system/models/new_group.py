"""NewGroup, from runtime/system/specs/integration/new_group.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class NewGroup(Strict):
    """A group of tasks to create. It begins as NEW."""

    ref_name: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    display_name: Annotated[str | None, Field(max_length=500, min_length=1)] = None
    description: Annotated[str | None, Field(max_length=2000)] = None
    status: Annotated[str | None, Field(max_length=100, deprecated=True)] = None
    created_date: Annotated[str | None, Field(max_length=100, deprecated=True)] = None
