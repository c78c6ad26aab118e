"""The history of a record."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.contract.pages import LimitText, SkipText
from runtime.contract.values import Natural, Positive
from runtime.model.record import Strict
from runtime.model.scalars import Moment

RevisionAction = Literal["CREATE", "UPDATE", "DELETE", "ARCHIVE", "RESTORE"]


class HistoryParameters(Strict):
    """The query of a history."""

    skip: SkipText = 0
    limit: LimitText = None
    count: Annotated[Literal["none", "exact"], Field(description="Whether to return `totalCount`.")] = "none"


class RecordChange(Strict):
    """What a write did to one field."""

    path: Annotated[str, Field(description="The field, dotted.")]
    before: Annotated[Any, Field(description="The value before the write; absent where there was none.")] = (
        None
    )
    after: Annotated[Any, Field(description="The value after the write; absent where there is none.")] = None
    before_bytes: Annotated[
        Natural | None, Field(description="In place of `before`: the size of a large value.")
    ] = None
    after_bytes: Annotated[
        Natural | None, Field(description="In place of `after`: the size of a large value.")
    ] = None
    hidden: Annotated[bool | None, Field(description="True: a hidden field was sent, not shown here.")] = None


class RecordRevision(Strict):
    """One write of a record."""

    version: Annotated[Positive, Field(description="The version of the record after the write.")]
    action: Annotated[RevisionAction, Field(description="What was done.")]
    date: Annotated[Moment, Field(description="When it was done.")]
    user_id: Annotated[str, Field(description="The user id of the writer.")]
    subject: Annotated[str, Field(description="The subject of the writer.")]
    impersonator_user_id: Annotated[
        str | None, Field(description="The user id of the user who acted as the writer.")
    ] = None
    impersonator_subject: Annotated[str | None, Field(description="The subject of that user.")] = None
    acting_on_behalf_of_user_id: Annotated[
        str | None,
        Field(description="The user id of the person the caller acted for, as the caller named it."),
    ] = None
    acting_on_behalf_of_subject: Annotated[
        str | None, Field(description="The subject of that person, as the caller named it.")
    ] = None
    agent_ref_name: Annotated[str | None, Field(description="The agent whose tool wrote.")] = None
    request_id: Annotated[str, Field(description="The `X-Request-Id` of the request that wrote.")]
    changes: Annotated[list[RecordChange], Field(description="What changed, field by field.")]
    omitted: Annotated[Natural | None, Field(description="Changes that there was no room for.")] = None


class RecordHistory(Strict):
    """The writes of one record."""

    offset: Annotated[Natural, Field(description="Number of writes before this page.")]
    limit: Annotated[Natural, Field(description="Maximum number of writes in a page.")]
    rows: Annotated[list[RecordRevision], Field(description="The writes, newest first.")]
    row_count: Annotated[Natural, Field(description="Number of writes in this page.")]
    total_count: Annotated[Natural | None, Field(description="Number of all writes.")] = None
