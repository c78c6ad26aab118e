"""The body of an error (RFC 9457): every member that an error of the service can have."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from runtime.contract.values import Natural, Positive
from runtime.model.record import wire_name

_Status = Annotated[int, Field(ge=400, le=599)]
_Uri = Annotated[str, Field(json_schema_extra={"format": "uri-reference"})]


def _detail(text: str) -> Any:
    return Field(None, description=text)


class Open(BaseModel):
    """An object that may have further members (RFC 9457 section 3.2)."""

    model_config = ConfigDict(extra="allow", alias_generator=wire_name)


class ProblemViolation(Open):
    """A field, and what is wrong with it."""

    path: str = Field(description="The field, dotted.")
    message: str = Field(description="What is wrong with it.")


class ProblemReferrer(Open):
    """A record type that refers to the record."""

    type: str = Field(description="A record type.")
    count: Natural = Field(description="How many records of that type refer to this one.")
    ref_names: list[str] = Field(description="Some of their reference names.")


class ProblemCounts(Open):
    """What an import did before it ended."""

    inserted: Natural = Field(description="New records.")
    updated: Natural = Field(description="Records that were changed.")
    skipped: Natural = Field(description="Rows that changed nothing.")
    failed: Natural = Field(description="Rows with errors.")


class ProblemReason(Open):
    """Why the service is not ready."""

    code: str = Field(description="The code of the error.")
    message: str = Field(description="What is missing, and what to do.")


class Problem(Open):
    """What went wrong (RFC 9457)."""

    type: _Uri = Field(description="A stable URN that ends in the code.")
    title: str = Field(description="A short name of the kind of problem.")
    status: _Status = Field(description="The status of the response.")
    detail: str = Field(description="What is wrong with this request, and what would be right.")
    instance: _Uri = Field(description="The path of the request.")
    code: str = Field(description="The stable code to program against.")
    request_id: str = Field(description="The `X-Request-Id` of the response; also in the log.")

    parameter: str | None = _detail("The parameter or header that cannot be read.")
    member: str | None = _detail("The member of the body that is unknown or repeated.")
    field: str | None = _detail("The field that a filter or parameter names.")
    field_type: str | None = _detail("The type of that field.")
    value: str | None = _detail("The value that does not fit.")
    nearest: list[str] | None = _detail("Known names with a similar spelling.")
    expected: list[str] | None = _detail("What is valid at this position.")
    row: Natural | None = _detail("The row of a CSV file; 0 is the header.")
    column: Positive | None = _detail("The position of an error in a filter, or the column of a CSV file.")
    line: Positive | None = _detail("The line of a filter with several lines.")
    excerpt: str | None = _detail("That part of the filter, with a marker below it.")
    matched: Natural | None = _detail("Number of records that a filter matches, counted up to the limit.")
    answer: Any | None = _detail("What the tool of another server has answered.")
    accept_patch: str | None = _detail("The media type that PATCH accepts.")
    accept_encoding: str | None = _detail("The content codings that are accepted.")
    counts: ProblemCounts | None = _detail("For a CSV import that ended early: the results so far.")
    retry_after: Natural | None = _detail("Seconds to wait before the next attempt.")

    violations: list[ProblemViolation] | None = _detail("The constraints that the record breaks, at most 20.")
    fields: list[str] | None = _detail("The fields whose values must be unique.")
    allowed: list[str] | None = _detail("The states that are allowed instead.")
    from_: str | None = Field(None, alias="from", description="The current state of the record.")
    to: str | None = _detail("The state that was refused.")
    referrers: list[ProblemReferrer] | None = _detail("The record types that still refer to the record.")
    index: Natural | None = _detail("The position of the refused operation in a bulk request, from 0.")
    id: str | None = _detail("The id of the refused record.")

    reasons: list[ProblemReason] | None = _detail("For administrators: why the service is not ready.")
    decision_id: str | None = _detail("For a 403: the id by which administrators read the reasons.")
    scope: str | None = _detail("For a 403: the scope that the access token lacks.")
    reason: str | None = _detail("A stable code for why a login failed.")
    message: str | None = _detail("Why a login failed, in words.")
    change_token: str | None = _detail("The token for setting a new password.")
    expires_in: Natural | None = _detail("Lifetime of the change token in seconds.")
