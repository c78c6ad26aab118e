"""NewTask, from runtime/system/specs/integration/new_task.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class NewTask(Strict):
    """A task to create. It begins as PENDING."""

    ref_name: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    display_name: Annotated[str | None, Field(max_length=500, min_length=1)] = None
    details: Annotated[str | None, Field(max_length=10000)] = None
    status: Annotated[str | None, Field(max_length=100, deprecated=True)] = None
    created_date: Annotated[str | None, Field(max_length=100, deprecated=True)] = None
