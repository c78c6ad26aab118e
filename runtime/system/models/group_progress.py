"""GroupProgress, from runtime/system/specs/integration/group_progress.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class GroupProgress(Strict):
    """The tasks of a group that the caller may view, counted by status."""

    id: ObjectIdText
    status: Literal["NEW", "RUNNING", "COMPLETE"] | None = None
    total: Annotated[int, Field(ge=0)]
    pending: Annotated[int, Field(ge=0)]
    running: Annotated[int, Field(ge=0)]
    success: Annotated[int, Field(ge=0)]
    failed: Annotated[int, Field(ge=0)]
