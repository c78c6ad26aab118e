"""The common fields and shared structures of every stored record.

Wire names (camelCase) live in JSON, MongoDB, filters and CSV headers; Python names (snake_case) on
instances; one alias generator maps between them. ``Record`` is what a caller reads, ``RecordInput``
what a caller sends: server-kept members are accepted there, so that a record just read can be sent
back, and are replaced whatever they say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.fields import FieldInfo

from runtime.model.scalars import (
    ExactDecimal,
    IsAttribute,
    IsObjectId,
    LocalDate,
    Moment,
    ObjectIdText,
    RefName,
    Text200,
    UniqueItems,
)

ActiveStatus = Literal["ACTIVE", "INACTIVE", "ARCHIVED"]

__all__ = [
    "ActiveStatus",
    "AuditInfo",
    "DataDomain",
    "DataDomainInput",
    "DynamicAttribute",
    "EntityReference",
    "ExactDecimal",
    "IsObjectId",
    "LocalDate",
    "Moment",
    "ObjectIdText",
    "Page",
    "PersistentEvent",
    "Record",
    "RecordInput",
    "ReferenceEntry",
    "Strict",
    "UniqueItems",
    "Violation",
]


def wire_name(python_name: str) -> str:
    """``ref_name`` → ``refName``; ``area2_realm_overrides`` → ``area2RealmOverrides``."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), python_name)


@lru_cache(maxsize=4096)
def members(model: type[BaseModel]) -> Mapping[str, tuple[str, FieldInfo]]:
    """Wire name → Python name and field."""
    return {
        info.serialization_alias or info.alias or name: (name, info)
        for name, info in model.model_fields.items()
    }


class Strict(BaseModel):
    """No unknown members, no silent conversions, camelCase on the wire."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,  # JSON has no words for them
        alias_generator=wire_name,
        serialize_by_alias=True,
    )


class DataDomain(Strict):
    """Whose record it is; the tenant scope is tied to these fields."""

    tenant_id: Text200
    org_ref_name: Text200 | None = None
    account_id: Text200 | None = None
    owner_id: Text200 | None = None
    data_segment: int = 0


class DataDomainInput(Strict):
    """As sent by a caller: what is missing comes from the caller's own domain."""

    tenant_id: Text200 | None = None
    org_ref_name: Text200 | None = None
    account_id: Text200 | None = None
    owner_id: Text200 | None = None
    data_segment: Annotated[int, Field(ge=0, lt=2**31)] | None = None


class AuditInfo(Strict):
    """Who created and last changed the record; always written by the server."""

    created_by: str | None = None
    created_date: Moment | None = None
    last_updated_by: str | None = None
    last_updated_date: Moment | None = None
    impersonator_user_id: str | None = None
    impersonator_subject: str | None = None
    acting_on_behalf_of_user_id: str | None = None
    acting_on_behalf_of_subject: str | None = None


class EntityReference(Strict):
    """A pointer to another record, with copies of its names for display."""

    entity_id: ObjectIdText
    entity_type: Text200 | None = None
    entity_ref_name: Text200 | None = None
    entity_display_name: Annotated[str, StringConstraints(max_length=500)] | None = None
    realm: Text200 | None = None


class ReferenceEntry(Strict):
    """A back-reference stored on the parent of a tracked reference."""

    referenced_id: ObjectIdText
    type: str
    ref_name: str


class PersistentEvent(Strict):
    """One entry for each of the last 100 writes, on record types with ``persistentEvents: true``."""

    type: Literal["PERSIST"]
    date: Moment
    user_id: str
    version: int


class DynamicAttribute(Strict):
    """One value of ``dynamicAttributes: {set: {name: {type, value}}}``."""

    type: Literal[
        "String", "Text", "Integer", "Long", "Float", "Double", "Date", "DateTime", "Boolean",
        "Select", "MultiSelect", "ObjectRef", "Object",
    ]  # fmt: skip
    value: Annotated[Any, IsAttribute()] = None


class Violation(Strict):
    """What is wrong with a record that was stored all the same (``validation: lenient``)."""

    path: str
    message: str


class RecordInput(Strict):
    """The common fields as a caller may send them. Server-kept ones are accepted and replaced."""

    id: ObjectIdText | None = None
    ref_name: RefName | None = None
    display_name: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    data_domain: DataDomainInput | None = None
    active_status: ActiveStatus | None = None
    version: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    audit_info: AuditInfo | None = None
    references: list[ReferenceEntry] | None = None
    action_list: list[str] | None = None


class Record(Strict):
    """The common fields as a caller reads them."""

    id: ObjectIdText
    ref_name: str
    display_name: str
    data_domain: DataDomain
    active_status: ActiveStatus
    version: int
    audit_info: AuditInfo
    references: list[ReferenceEntry] | None = None
    action_list: list[str] | None = None


RecordT = TypeVar("RecordT", bound=Record)


class Page(Strict, Generic[RecordT]):
    """A page of a list. ``totalCount`` is present when it was requested."""

    offset: int
    limit: int
    rows: list[RecordT]
    row_count: int
    total_count: int | None = None
    filter: str | None = None
    sort: str | None = None
    next_cursor: str | None = None
