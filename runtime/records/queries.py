"""What the standard operations take and answer beside records: parameters, counts, bulk bodies."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from runtime.record import ObjectIdText, Strict
from runtime.records.cursor import MAX_CURSOR

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

SkipText = Annotated[int, BeforeValidator(_plain_digits), _SKIP]
LimitText = Annotated[Annotated[int, BeforeValidator(_plain_digits)] | None, _LIMIT]
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
    """Many writes in one request; each succeeds or fails by itself (decisions §1)."""

    operations: Annotated[list[BulkOperation], Field(min_length=1, max_length=1000)]


class BulkResult(Strict):
    """What came of one operation; ``status`` is what the single request would have answered."""

    index: int
    op: Literal["save", "delete"]
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
