"""What the standard operations take and answer beside records: parameters, counts, bulk bodies."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, RootModel, model_validator
from pydantic_core import PydanticCustomError

from runtime.model.record import ObjectIdText, Strict
from runtime.model.scalars import Moment, UniqueItems
from runtime.records.document.cursor import MAX_CURSOR

FilterText = Annotated[str, Field(max_length=16 * 1024, description="Filter language (spec 2 §4.2)")]
SortText = Annotated[str, Field(max_length=1024, description="Comma list of fields; - descends")]
ProjectionText = Annotated[str, Field(max_length=4096, description="Comma list; + includes, - excludes")]
CursorText = Annotated[
    str, Field(max_length=MAX_CURSOR, description="The nextCursor of a page; not with skip")
]
CountMode = Annotated[
    Literal["none", "exact", "estimated"],
    Field(description="totalCount: left out, all matches, or all matches up to 10,000"),
]

JsonSchema = dict[str, Any]


def _plain_digits(value: Any) -> Any:
    """Python would also read ``1_0``, blanks around and digits of other scripts."""
    if not isinstance(value, str):
        return value
    if re.fullmatch("-?[0-9]{1,40}", value) is None:
        raise PydanticCustomError("whole_number", "Input should be a whole number in plain digits")
    return int(value)


def _true_or_false(value: Any) -> Any:
    """Python would also read ``1``, ``yes`` and ``on``."""
    if value not in ("true", "false"):
        raise PydanticCustomError("true_or_false", "Input should be true or false")
    return value == "true"


_SKIP: Any = Field(ge=0, lt=2**31, description="Records to pass over")
_LIMIT: Any = Field(ge=1, le=1000, description="Records to return; 50 unless told")

WholeNumber = Annotated[int, BeforeValidator(_plain_digits)]
SkipText = Annotated[WholeNumber, _SKIP]
LimitText = Annotated[WholeNumber | None, _LIMIT]
TrueOrFalse = Annotated[bool, BeforeValidator(_true_or_false)]


class Selection(Strict):
    """Which records, in which order, from where: what every list may be asked for."""

    skip: Annotated[int, _SKIP] = 0
    limit: Annotated[int | None, _LIMIT] = None
    filter: FilterText | None = None
    sort: SortText | None = None


class FindBody(Selection):
    """The body of ``POST {basePath}/find``: what a list may be asked for, without the length of a URL.

    The page size limit of the settings is checked on top.
    """

    projection: ProjectionText | None = None
    cursor: CursorText | None = None
    count: CountMode = "none"
    actions: Annotated[bool, Field(description="Each row with its actionList")] = False


class ListParameters(FindBody):
    """The query of a list (spec 2 §4.1): a find, read from text."""

    skip: SkipText = 0
    limit: LimitText = None
    actions: Annotated[TrueOrFalse, Field(description="Each row with its actionList")] = False


class ReferenceParameters(Selection):
    """The query of a list of references."""

    skip: SkipText = 0
    limit: LimitText = None


class CountParameters(Strict):
    """The query of a count."""

    filter: FilterText | None = None


class HistoryParameters(Strict):
    """The query of a history."""

    skip: SkipText = 0
    limit: LimitText = None
    count: Annotated[Literal["none", "exact"], Field(description="totalCount: left out, or all")] = "none"


class RecordChange(Strict):
    """What a write did to one field. ``beforeBytes``, ``afterBytes``: the size of a value that is too large
    to be kept. ``hidden``: the field was sent, its value is not told."""

    path: str
    before: Any = None
    after: Any = None
    before_bytes: int | None = None
    after_bytes: int | None = None
    hidden: Literal[True] | None = None


class RecordRevision(Strict):
    """One write. ``version`` is the one that it made; ``omitted``: changes there was no room for."""

    version: int
    action: Literal["CREATE", "UPDATE", "DELETE", "ARCHIVE", "RESTORE"]
    date: Moment
    user_id: str
    subject: str
    impersonator_user_id: str | None = None
    impersonator_subject: str | None = None
    acting_on_behalf_of_user_id: str | None = None
    acting_on_behalf_of_subject: str | None = None
    request_id: str
    changes: list[RecordChange]
    omitted: int | None = None


class RecordHistory(Strict):
    """A page of the writes of one record, newest first."""

    offset: int
    limit: int
    rows: list[RecordRevision]
    row_count: int
    total_count: int | None = None


class SetParameters(Strict):
    """The query of a partial update (spec 2 §4.1)."""

    id: Annotated[ObjectIdText, Field(description="Which record")]
    pairs: Annotated[str, Field(max_length=16 * 1024, description="name:value, separated by commas")]


class RecordPatch(RootModel[Any]):
    """A JSON merge patch (RFC 7396): an object; null clears a member, objects merge, lists are replaced."""


class FieldStates(Strict):
    """The graph of one state field; ``states``: each with the ones that may follow."""

    initial: list[str]
    final: list[str]
    states: dict[str, list[str]]


class FieldTransitions(Strict):
    """Where one state field of a record stands, and where the caller may take it."""

    current: str | None = None
    next: list[str]


RecordStates = dict[str, FieldStates]
RecordTransitions = dict[str, FieldTransitions]


class Count(Strict):
    """How many records match."""

    count: int


class BulkOperation(Strict):
    """Save a record, or delete one by id. The record is checked operation by operation."""

    op: Literal["save", "delete"]
    record: Annotated[dict[str, Any] | None, Field(description="For save: the record")] = None
    id: Annotated[ObjectIdText | None, Field(description="For delete: which")] = None

    @model_validator(mode="after")
    def _has_its_members(self) -> Self:
        if self.op == "save" and (self.record is None or "id" in self.model_fields_set):
            raise PydanticCustomError("save", "a save takes a record; its id, if any, stands in the record")
        if self.op == "delete" and (self.id is None or "record" in self.model_fields_set):
            raise PydanticCustomError("delete", "a delete takes an id and no record")
        return self


class Bulk(Strict):
    """Many writes in one request (decisions §1)."""

    operations: Annotated[list[BulkOperation], Field(min_length=1, max_length=1000)]
    atomic: Annotated[bool, Field(description="All operations or none")] = False


class BulkSet(Strict):
    """The same values for many records: those that ``filter`` or ``ids`` names (decisions §1)."""

    filter: FilterText | None = None
    ids: Annotated[list[ObjectIdText] | None, Field(min_length=1, max_length=1000), UniqueItems()] = None
    values: Annotated[dict[str, Any], Field(min_length=1, max_length=200)]
    atomic: Annotated[bool, Field(description="All records or none")] = False

    @model_validator(mode="after")
    def _names_records(self) -> Self:
        if (self.filter is None) == (self.ids is None):
            raise PydanticCustomError("which", "name the records by a filter or by ids, one of the two")
        if self.filter is not None and not self.filter.strip():
            raise PydanticCustomError("which", "an empty filter would be every record: say which")
        return self


class BulkResult(Strict):
    """What came of one operation; ``status`` is what the single request would have answered."""

    index: int
    op: Literal["save", "delete", "set"]
    status: int
    id: str | None = None
    ref_name: str | None = None
    version: int | None = None
    error: dict[str, Any] | None = None


class BulkAnswer(Strict):
    """One result per operation, in their order, and the totals."""

    results: list[BulkResult]
    saved: int
    deleted: int
    failed: int
