"""CreatedTask, from runtime/system/specs/integration/created_task.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, ObjectIdText, Strict


class CreatedTaskGroup(Strict):
    """Part of CreatedTask."""

    id: ObjectIdText


class CreatedTask(Strict):
    """A task that was created."""

    id: ObjectIdText
    ref_name: str | None = None
    display_name: str | None = None
    details: str | None = None
    status: Literal["PENDING", "RUNNING", "SUCCESS", "FAILED"] | None = None
    created_date: Moment | None = None
    completed_date: Moment | None = None
    result: str | None = None
    group: CreatedTaskGroup | None = None
