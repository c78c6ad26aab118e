"""Groups of records and what is worked out of each: what an aggregate is asked for, and its answer."""

from typing import Annotated, Any, Final

from pydantic import Field

from runtime.contract.pages import FilterText, SortText
from runtime.contract.values import MOST, Natural, describe_field
from runtime.model.record import Strict

MOST_GROUP_KEYS: Final = 8
MOST_MEASURES: Final = 20


GroupText = Annotated[str, Field(min_length=1, max_length=500)]
MeasureName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$")]
TimeZone = Annotated[
    str,
    Field(max_length=64, description="The time zone of years to hours, by its IANA name."),
]


class AggregateBody(Strict):
    """Which records are grouped by what, and what is worked out of each group."""

    query: FilterText | None = None
    group_by: Annotated[
        list[GroupText],
        Field(max_length=MOST_GROUP_KEYS),
        describe_field(
            "Fields; of dates `placedAt.by(month)`, with `year`, `quarter`, `month`, `week`, `day` or "
            "`hour`. ` as name` renames a column. A field in a list groups its elements. Empty: one group.",
            example=["status", "placedAt.by(month) as month"],
        ),
    ] = Field(default_factory=list)
    measures: Annotated[
        dict[MeasureName, GroupText],
        Field(max_length=MOST_MEASURES),
        describe_field(
            "Column name → `count`, or `count`, `countDistinct`, `sum`, `avg`, `min` or `max` of a field. "
            "None: the distinct values of `groupBy`.",
            example={"orders": "count", "revenue": "sum(total)"},
        ),
    ] = Field(default_factory=dict)
    time_zone: TimeZone = "UTC"
    having: Annotated[
        FilterText | None,
        describe_field("Which groups: a filter on the columns, such as `orders:>5`."),
    ] = None
    sort: Annotated[
        SortText | None, describe_field("Columns; `-` descends. Ties, and no sort: by the group.")
    ] = None
    skip: Annotated[int, Field(ge=0, le=MOST, description="Number of groups to skip.")] = 0
    limit: Annotated[
        int | None,
        Field(
            ge=1,
            le=1000,
            description="Maximum number of groups to return.",
            json_schema_extra={"default": 50},
        ),
    ] = None


class Groups(Strict):
    """Groups of records, one a row."""

    offset: Natural
    limit: Natural
    rows: Annotated[list[dict[str, Any]], Field(description="Column name → value; null where there is none.")]
    row_count: Annotated[Natural, Field(description="Number of rows here.")]
    has_more: Annotated[bool, Field(description="Whether more groups follow.")]
    query: FilterText | None = None
