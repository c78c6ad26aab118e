"""QueryPlanRequest, from runtime/system/specs/gateway/query_plan_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryPlanRequest(Strict):
    """What to plan."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    query: Annotated[
        str | None,
        Field(
            max_length=16384,
            description="Which records, in the filter language, with `expand(…)` and `fields:[…]` (`-id` leaves out the id); absent for all.",
        ),
    ] = None
    time_zone: Annotated[
        str | None,
        Field(max_length=64, description="The time zone of the dates in the query, by its IANA name."),
    ] = "UTC"
    explain: Annotated[bool | None, Field(description="Whether to add what would be sent, and its cost.")] = (
        False
    )
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
