"""CreatedGroup, from runtime/system/specs/integration/created_group.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, ObjectIdText, Strict


class CreatedGroup(Strict):
    """A group that was created."""

    id: Annotated[ObjectIdText, Field(description="The id of the group.")]
    ref_name: Annotated[str | None, Field(description="The name by which the group can be found.")] = None
    display_name: Annotated[str | None, Field(description="What people call the group.")] = None
    description: Annotated[str | None, Field(description="What the tasks are for.")] = None
    status: Annotated[
        Literal["NEW", "RUNNING", "COMPLETE"] | None,
        Field(description="The status that the application gave the group."),
    ] = None
    created_date: Annotated[Moment | None, Field(description="When the group was created.")] = None
    completed_date: Annotated[Moment | None, Field(description="When the group was completed.")] = None
