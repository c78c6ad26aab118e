"""Pages of records, and counts: what lists are asked for."""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from runtime.contract.values import MOST, Natural, TrueOrFalse, describe_field, read_digits
from runtime.model.record import Strict

MAX_CURSOR: Final = 8192  # characters

_MODES: Final = "`exact` counts all matches; `estimated` stops at 10000, which means 10000 or more."
_SKIP: Any = Field(ge=0, le=MOST, description="Number of records to skip.")
_LIMIT: Any = Field(
    ge=1, le=1000, description="Maximum number of records to return.", json_schema_extra={"default": 50}
)


def _drop_blank(text: str) -> str:
    """Return a filter; white space is an empty one, which all records match."""
    return "" if text.isspace() else text


FilterText = Annotated[
    str,
    Field(max_length=16 * 1024, description="Which records, in the filter language, such as `refName:A*`."),
    AfterValidator(_drop_blank),
]
SortText = Annotated[
    str,
    Field(max_length=1024),
    describe_field(
        "Comma-separated fields; `-` descends. After a field, `~ci` ignores case (`~ci:sv`: in the order of "
        "a language), `~nullsfirst` and `~nullslast` place records without it. `-score` sorts by the "
        "relevance of a text search.",
        example="-refName",
    ),
]
ProjectionText = Annotated[
    str,
    Field(max_length=4096),
    describe_field("Comma-separated fields; `+` includes, `-` excludes.", example="+refName,+displayName"),
]
ExpandText = Annotated[
    str,
    Field(max_length=2048),
    describe_field(
        "Comma-separated paths of references (`x-references` in the schema) to replace by the records they "
        "refer to, or by null where the caller can see none. A path can continue in such a record: "
        "`order.customer`; `[*]` marks a list. A single record then has the schema of the rows of a list "
        "(`x-expanded-schema` of the response).",
    ),
]
CursorText = Annotated[
    str,
    Field(max_length=MAX_CURSOR),
    describe_field(
        "Continue after a page: its `nextCursor`, with the same filter and sort and no `skip`.",
        pattern="^[A-Za-z0-9_-]*$",
    ),
]
CountMode = Annotated[
    Literal["none", "exact", "estimated"],
    Field(description=f"Whether to return `totalCount`. {_MODES}"),
]
TimeZone = Annotated[
    str,
    Field(max_length=64),
    describe_field(
        "The time zone of the dates in the filter, by its IANA name: where `today`, `thisMonth` and "
        "`2026-03-27` begin.",
        example="Europe/Berlin",
    ),
]
SkipText = Annotated[int, _SKIP, BeforeValidator(read_digits)]
LimitText = Annotated[int | None, _LIMIT, BeforeValidator(read_digits)]
_WithActions: Any = Field(
    description="Whether to add to each row the actions that the caller may perform (`actionList`)."
)


class Selection(Strict):
    """Which records, in which order, from where: what every list may be asked for."""

    skip: Annotated[int, _SKIP] = 0
    limit: Annotated[int | None, _LIMIT] = None
    filter: FilterText | None = None
    time_zone: TimeZone = "UTC"
    sort: SortText | None = None


class FindBody(Selection):
    """The parameters of a list, as a JSON body."""

    projection: ProjectionText | None = None
    expand: ExpandText | None = None
    cursor: CursorText | None = None
    count: CountMode = "none"
    actions: Annotated[bool, _WithActions] = False


class ListParameters(FindBody):
    """The query of a list: a find, read from text."""

    skip: SkipText = 0
    limit: LimitText = None
    actions: Annotated[TrueOrFalse, _WithActions] = False


class ReadParameters(Strict):
    """The query of a read of one record."""

    expand: ExpandText | None = None


class ReferenceParameters(Selection):
    """The query of a list of references."""

    skip: SkipText = 0
    limit: LimitText = None


class CountParameters(Strict):
    """The query of a count."""

    filter: FilterText | None = None
    time_zone: TimeZone = "UTC"


class Count(Strict):
    """How many records match."""

    count: Annotated[Natural, Field(description="Number of matching records that the caller may see.")]
