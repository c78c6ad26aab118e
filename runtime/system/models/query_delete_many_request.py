"""QueryDeleteManyRequest, from runtime/system/specs/gateway/query_delete_many_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryDeleteManyRequest(Strict):
    """Which records to delete; all of them, or none if one cannot be deleted."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    query: Annotated[
        str,
        Field(
            max_length=16384,
            min_length=1,
            pattern="\\S",
            description="Which records, in the filter language.",
        ),
    ]
    time_zone: Annotated[
        str | None,
        Field(max_length=64, description="The time zone of the dates in the query, by its IANA name."),
    ] = "UTC"
    dry_run: Annotated[bool | None, Field(description="Whether to check everything and change nothing.")] = (
        False
    )
    confirm: Annotated[
        int | None,
        Field(
            ge=0,
            le=100000,
            description="How many records match, as a dry run has counted. Else nothing is deleted.",
        ),
    ] = None
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
