"""The common fields and shared structures of every stored record.

Wire names (camelCase) live in JSON, MongoDB, filters and CSV headers; Python names (snake_case) on
instances; one alias generator maps between them. ``Record`` is what a caller reads, ``RecordInput``
what a caller sends: server-kept members are accepted there, so that a record just read can be sent
back, and are replaced whatever they say.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

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
ADDED_ON_READING = frozenset({"references", "actionList"})
"""Members of every record that are worked out for its reader."""

__all__ = [
    "ADDED_ON_READING",
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
    "SnakeCase",
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
        defer_build=True,  # of most classes only the fields are looked at: their validators are never built
    )


class SnakeCase(Strict):
    """A strict model with snake_case on the wire, as in OAuth."""

    model_config = ConfigDict(alias_generator=None)


class DataDomain(Strict):
    """The owner of a record; these members decide in whose scope it is."""

    tenant_id: Text200 = Field(description="The tenant. Records of other tenants are invisible.")
    org_ref_name: Text200 | None = Field(None, description="The organisation within the tenant.")
    account_id: Text200 | None = Field(None, description="The account within the organisation.")
    owner_id: Text200 | None = Field(None, description="The user id of the owner.")
    data_segment: int = Field(0, description="A number that separates records within the tenant.")


class DataDomainInput(Strict):
    """The owner of a record, as sent; absent members come from the caller's own domain."""

    tenant_id: Text200 | None = None
    org_ref_name: Text200 | None = None
    account_id: Text200 | None = None
    owner_id: Text200 | None = None
    data_segment: Annotated[int, Field(ge=0, lt=2**31)] | None = None


class AuditInfo(Strict):
    """Who created and last changed the record; always written by the server."""

    created_by: str | None = Field(None, description="The user id of the user who created the record.")
    created_date: Moment | None = Field(None, description="When the record was created.")
    last_updated_by: str | None = Field(None, description="The user id of the user who wrote this version.")
    last_updated_date: Moment | None = Field(None, description="When this version was written.")
    impersonator_user_id: str | None = Field(
        None, description="The user id of the user who acted as `createdBy` or `lastUpdatedBy`."
    )
    impersonator_subject: str | None = Field(None, description="The subject of that user.")
    acting_on_behalf_of_user_id: str | None = Field(
        None, description="The user id of the person the caller acted for, as the caller named it."
    )
    acting_on_behalf_of_subject: str | None = Field(
        None, description="The subject of that person, as the caller named it."
    )
    agent_ref_name: str | None = Field(None, description="The agent whose tool wrote this version.")


class EntityReference(Strict):
    """A pointer to another record, with copies of its names for display."""

    entity_id: ObjectIdText = Field(description="The id of the record referred to.")
    entity_type: Text200 | None = Field(None, description="The record type of that record.")
    entity_ref_name: Text200 | None = Field(None, description="A copy of the record's reference name.")
    entity_display_name: Annotated[str, StringConstraints(max_length=500)] | None = Field(
        None, description="A copy of the record's display name."
    )
    realm: Text200 | None = Field(None, description="The realm of the record.")


COPIED_MEMBERS: Final = frozenset({"entityType", "entityRefName", "entityDisplayName"})
"""What a reference has of the record that it names, by their names on the wire."""


class ReferenceEntry(Strict):
    """A record that refers to this one by a tracked reference."""

    referenced_id: ObjectIdText = Field(description="The id of the referring record.")
    type: str = Field(description="The record type of that record.")
    ref_name: str = Field(description="The reference name of that record.")


class PersistentEvent(Strict):
    """One entry for each of the last 100 writes, on record types with ``persistentEvents: true``."""

    type: Literal["PERSIST"] = Field(description="The kind of write.")
    date: Moment = Field(description="When the record was written.")
    user_id: str = Field(description="The user id of the writer.")
    version: int = Field(description="The version that was written.")


class DynamicAttribute(Strict):
    """One value of ``dynamicAttributes: {set: {name: {type, value}}}``."""

    type: Literal[
        "String", "Text", "Integer", "Long", "Float", "Double", "Date", "DateTime", "Boolean",
        "Select", "MultiSelect", "ObjectRef", "Object",
    ] = Field(description="The type of the value.")  # fmt: skip
    value: Annotated[Any, IsAttribute()] = Field(None, description="The value.")


class Violation(Strict):
    """What is wrong with a record that was stored all the same (``validation: lenient``)."""

    path: str = Field(description="The field, dotted.")
    message: str = Field(description="What is wrong with it.")


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

    id: ObjectIdText = Field(description="The id, assigned by the server.")
    ref_name: str = Field(
        description="The reference name: unique among the records of its type in the tenant."
    )
    display_name: str = Field(description="The name shown to people.")
    data_domain: DataDomain = Field(
        description="The owner of the record: tenant, organisation, account and user."
    )
    active_status: ActiveStatus = Field(
        description="Whether the record is in use. Where deleting archives, lists omit archived records."
    )
    version: int = Field(description="The version; every write increases it by one.")
    audit_info: AuditInfo = Field(description="Who created and last changed the record, and when.")
    references: list[ReferenceEntry] | None = Field(
        None,
        description="Records that refer to this one by a tracked reference; only when a single "
        "record is read.",
    )
    action_list: list[str] | None = Field(
        None,
        description="The actions the caller may perform on the record; in lists only with `actions=true`.",
    )


RecordT = TypeVar("RecordT", bound=Record)


class Page(Strict, Generic[RecordT]):
    """A page of a list. ``totalCount`` is present when it was requested."""

    offset: int = Field(ge=0, description="Number of records before this page.")
    limit: int = Field(ge=1, description="Maximum number of records in a page.")
    rows: list[RecordT] = Field(description="The records of this page.")
    row_count: int = Field(ge=0, description="Number of records in this page.")
    total_count: int | None = Field(None, description="Number of all matching records; only with `count`.")
    filter: str | None = Field(None, description="The filter that was applied.")
    sort: str | None = Field(None, description="The order that was applied.")
    next_cursor: str | None = Field(
        None,
        description="The `cursor` of the next page, if more rows follow. Absent when the list is sorted by a "
        "free-form field or a text of more than some 6000 bytes: use `skip`. A page of large records ends "
        "early, at 16 MB.",
    )
