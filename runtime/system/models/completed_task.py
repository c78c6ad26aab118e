"""CompletedTask, from runtime/system/specs/integration/completed_task.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, ObjectIdText, Strict


class CompletedTask(Strict):
    """A task that was completed."""

    id: Annotated[ObjectIdText, Field(description="The id of the task.")]
    status: Annotated[
        Literal["PENDING", "RUNNING", "SUCCESS", "FAILED"] | None,
        Field(description="The status it was given."),
    ] = None
    completed_date: Annotated[Moment | None, Field(description="When the task was completed.")] = None
    result: Annotated[str | None, Field(description="The outcome.")] = None
