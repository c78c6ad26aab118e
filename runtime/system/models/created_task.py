"""CreatedTask, from runtime/system/specs/integration/created_task.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, ObjectIdText, Strict


class CreatedTaskGroup(Strict):
    """Part of CreatedTask."""

    id: Annotated[ObjectIdText, Field(description="The id of the group.")]


class CreatedTask(Strict):
    """A task that was created."""

    id: Annotated[ObjectIdText, Field(description="The id of the task.")]
    ref_name: Annotated[str | None, Field(description="The name by which the task can be found.")] = None
    display_name: Annotated[str | None, Field(description="What people call the task.")] = None
    details: Annotated[str | None, Field(description="What there is to do.")] = None
    status: Annotated[
        Literal["PENDING", "RUNNING", "SUCCESS", "FAILED"] | None,
        Field(description="The status of the task."),
    ] = None
    created_date: Annotated[Moment | None, Field(description="When the task was created.")] = None
    completed_date: Annotated[Moment | None, Field(description="When the task was last completed.")] = None
    result: Annotated[str | None, Field(description="The outcome.")] = None
    group: Annotated[
        CreatedTaskGroup | None, Field(description="The group of the task; absent if it has none.")
    ] = None
