"""CreatedGroup, from runtime/system/specs/integration/created_group.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, ObjectIdText, Strict


class CreatedGroup(Strict):
    """A group that was created."""

    id: ObjectIdText
    ref_name: str | None = None
    display_name: str | None = None
    description: str | None = None
    status: Literal["NEW", "RUNNING", "COMPLETE"] | None = None
    created_date: Moment | None = None
    completed_date: Moment | None = None
