"""CompletionTaskGroup, from runtime/system/specs/integration/completion_task_group.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class CompletionTaskGroupFields(Strict):
    """The fields that are both sent and read."""

    description: Annotated[str | None, Field(max_length=2000, description="What the tasks are for.")] = None
    status: Annotated[
        Literal["NEW", "RUNNING", "COMPLETE"] | None,
        Field(description="The status that the application gave the group."),
    ] = "NEW"
    created_date: Annotated[Moment | None, Field(description="When the group was created.")] = None
    completed_date: Annotated[
        Moment | None, Field(description="When the group was completed, by the application.")
    ] = None


class CompletionTaskGroupInput(CompletionTaskGroupFields, RecordInput):
    """Tasks that belong together, such as the parts of one large job. The application decides when a group is RUNNING and COMPLETE; the service never changes it (as sent)."""


class CompletionTaskGroup(CompletionTaskGroupFields, Record):
    """Tasks that belong together, such as the parts of one large job. The application decides when a group is RUNNING and COMPLETE; the service never changes it."""
