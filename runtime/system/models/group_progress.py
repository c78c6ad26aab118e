"""GroupProgress, from runtime/system/specs/integration/group_progress.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class GroupProgress(Strict):
    """The tasks of a group that the caller may view, counted by status."""

    id: Annotated[ObjectIdText, Field(description="The id of the group.")]
    status: Annotated[
        Literal["NEW", "RUNNING", "COMPLETE"] | None,
        Field(description="The status that the application gave the group."),
    ] = None
    total: Annotated[int, Field(ge=0, description="Number of tasks.")]
    pending: Annotated[int, Field(ge=0, description="Number of tasks that are PENDING.")]
    running: Annotated[int, Field(ge=0, description="Number of tasks that are RUNNING.")]
    success: Annotated[int, Field(ge=0, description="Number of tasks that are SUCCESS.")]
    failed: Annotated[int, Field(ge=0, description="Number of tasks that are FAILED.")]
