"""CompletedTask, from runtime/system/specs/integration/completed_task.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, ObjectIdText, Strict


class CompletedTask(Strict):
    """A task that was completed."""

    id: ObjectIdText
    status: Literal["PENDING", "RUNNING", "SUCCESS", "FAILED"] | None = None
    completed_date: Moment | None = None
    result: str | None = None
