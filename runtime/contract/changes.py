"""The changes of records of a type: what is asked for, and what is reported of each write."""

from typing import Annotated, Final

from pydantic import Field

from runtime.contract.pages import FilterText, LimitText
from runtime.contract.values import describe_field
from runtime.model.record import Strict

MAX_PLACE: Final = 2048  # characters

SinceText = Annotated[
    str,
    Field(max_length=MAX_PLACE),
    describe_field(
        "Return a page instead of a stream: the changes after this `cursor` of a page, or after the event "
        "with this `id`. `now` is the place after all earlier writes.",
        example="now",
    ),
]


class ChangesParameters(Strict):
    """The query of the changes of records."""

    filter: FilterText | None = None
    since: SinceText | None = None
    limit: LimitText = None


class EventHeaders(Strict):
    """The headers of a stream of events."""

    last_event_id: Annotated[
        str | None,
        Field(
            alias="Last-Event-ID",
            max_length=MAX_PLACE,
            description="The `id` of the last event received: the stream continues after it.",
        ),
    ] = None
