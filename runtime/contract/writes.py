"""Partial and bulk writes."""

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, RootModel, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from runtime.contract.pages import FilterText, TimeZone
from runtime.contract.values import Natural, Positive, describe_field
from runtime.model.record import ObjectIdText, Strict
from runtime.model.scalars import UniqueItems

_IS_THERE: dict[str, Any] = {"not": {"type": "null"}}
_Problem = Annotated[dict[str, Any], WithJsonSchema({})]  # the document has a schema for it
_Operations: Any = Field(min_length=1, max_length=1000, description="The writes, in their order.")


class SetParameters(Strict):
    """The query of a partial update."""

    id: Annotated[ObjectIdText, Field(description="The record's id.")]
    pairs: Annotated[
        str,
        Field(max_length=16 * 1024),
        describe_field(
            "Dotted fields and their values, `a:1,b.c:x`. Double quotes hold commas, `[a,b]` is a list, "
            "`@@` and an id a reference; `null` clears.",
            minLength=1,
            example='displayName:"Lisbon, main"',
        ),
    ]


class RecordPatch(RootModel[Any]):
    """A JSON merge patch (RFC 7396): an object; null clears a member, objects merge, lists are replaced."""


class BulkOperation(Strict):
    """Save a record, or delete one by id. The record is checked operation by operation."""

    op: Literal["save", "delete"]
    record: Annotated[dict[str, Any] | None, Field(description="For save: the record")] = None
    id: Annotated[ObjectIdText | None, Field(description="For delete: which")] = None

    @model_validator(mode="after")
    def _has_its_members(self) -> Self:
        if self.op == "save" and (self.record is None or "id" in self.model_fields_set):
            raise PydanticCustomError(
                "save", "a save needs a record and no id; put the id of an existing record inside the record"
            )
        if self.op == "delete" and (self.id is None or "record" in self.model_fields_set):
            raise PydanticCustomError("delete", "a delete needs an id and no record")
        return self


class Bulk(Strict):
    """Many writes in one request."""

    operations: Annotated[list[BulkOperation], _Operations]
    atomic: Annotated[bool, Field(description="Whether to do all operations or none.")] = False


class BulkSet(Strict):
    """The same values for many records, named by one of filter and ids."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": [name], "properties": {name: _IS_THERE}} for name in ("filter", "ids")]
        }
    )

    filter: Annotated[
        FilterText | None,
        describe_field("Which records; those that a list would show.", minLength=1, pattern=r"\S"),
    ] = None
    time_zone: TimeZone = "UTC"
    ids: Annotated[
        list[ObjectIdText] | None,
        Field(min_length=1, max_length=1000),
        UniqueItems(),
        describe_field("Which records.", uniqueItems=True),
    ] = None
    values: Annotated[
        dict[str, Any],
        Field(
            min_length=1,
            max_length=200,
            description="By dotted name, or nested as in a merge patch; null clears.",
        ),
    ]
    atomic: Annotated[bool, Field(description="Whether to change all records or none.")] = False

    @model_validator(mode="after")
    def _names_records(self) -> Self:
        if (self.filter is None) == (self.ids is None):
            raise PydanticCustomError("which", "name the records by a filter or by ids, one of the two")
        if self.filter is not None and not self.filter.strip():
            raise PydanticCustomError("which", "an empty filter would be every record: say which")
        return self


class BulkResult(Strict):
    """The result of one operation."""

    index: Annotated[Natural, Field(description="The position of the operation, from 0.")]
    op: Annotated[Literal["save", "delete", "set"], Field(description="The requested operation.")]
    status: Annotated[int, Field(description="The status that the single request would have had.")]
    id: Annotated[ObjectIdText | None, Field(description="The record.")] = None
    ref_name: Annotated[str | None, Field(description="Its reference name.")] = None
    version: Annotated[Positive | None, Field(description="Its version after the write.")] = None
    error: Annotated[
        _Problem | None, Field(description="Why the operation failed; absent where it did not.")
    ] = None


class BulkAnswer(Strict):
    """One result per operation, in their order, and the totals."""

    results: Annotated[list[BulkResult], Field(description="One result per operation, in their order.")]
    saved: Annotated[Natural, Field(description="Number of records that were saved.")]
    deleted: Annotated[Natural, Field(description="Number of records that were deleted.")]
    failed: Annotated[Natural, Field(description="Number of operations that failed.")]
