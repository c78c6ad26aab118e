"""CompletionTask, from runtime/system/specs/integration/completion_task.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import EntityReference, Moment, Record, RecordInput, Strict


class CompletionTaskFields(Strict):
    """The fields that are both sent and read."""

    group: Annotated[EntityReference | None, Field(description="The group of the task, if it has one.")] = (
        None
    )
    details: Annotated[str | None, Field(max_length=10000, description="What there is to do.")] = None
    status: Annotated[
        Literal["PENDING", "RUNNING", "SUCCESS", "FAILED"] | None,
        Field(description="The status of the task."),
    ] = "PENDING"
    created_date: Annotated[Moment | None, Field(description="When the task was created.")] = None
    completed_date: Annotated[Moment | None, Field(description="When the task was last completed.")] = None
    result: Annotated[
        str | None,
        Field(max_length=10000, description="The outcome, an error message or the id of what came of it."),
    ] = None


class CompletionTaskInput(CompletionTaskFields, RecordInput):
    """Work that finishes later. Who does it completes the task; who waits for it reads it (as sent)."""


class CompletionTask(CompletionTaskFields, Record):
    """Work that finishes later. Who does it completes the task; who waits for it reads it."""


class CompletionTaskStored(CompletionTaskInput):
    """CompletionTask as stored, with what only the server sets and nobody sees."""

    completion: Annotated[
        str | None, Field(max_length=24, description="Another one each time the task is completed.")
    ] = None
