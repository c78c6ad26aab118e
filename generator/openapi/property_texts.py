"""Descriptions of the members that all records and answers share.

The classes of the runtime define what is valid. The purpose of each member is described here, because only
readers of the document need it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_USER_ID: Final = "The user id (sign-in name) of the user."
_SUBJECT: Final = "The subject (permanent identifier) of the user."
_PAGE: Final[Mapping[str, str]] = {
    "offset": "Number of records before this page.",
    "limit": "Maximum number of records in a page.",
    "rows": "The records of this page.",
    "rowCount": "Number of records in this page.",
    "totalCount": "Number of all matching records.",
    "filter": "The filter that was applied.",
    "sort": "The order that was applied.",
}
_ACTING: Final[Mapping[str, str]] = {
    "impersonatorUserId": "The user id of the user who acted as `createdBy` or `lastUpdatedBy`.",
    "impersonatorSubject": "The subject of that user.",
    "actingOnBehalfOfUserId": "The user id of the person the caller acted for, as the caller named it.",
    "actingOnBehalfOfSubject": "The subject of that person, as the caller named it.",
}
COMMON: Final[Mapping[str, str]] = {
    "id": "The id, assigned by the server.",
    "refName": "The reference name: unique among the records of its type in the tenant.",
    "displayName": "The name shown to people.",
    "dataDomain": "The owner of the record: tenant, organisation, account and user.",
    "activeStatus": "Whether the record is in use. Archived records are left out of lists.",
    "version": "The version; every write increases it by one.",
    "auditInfo": "Who created and last changed the record, and when.",
    "references": "Records that refer to this one by a tracked reference; only when a single record is read.",
    "actionList": "The actions the caller may perform on the record; in lists only with `actions=true`.",
    "dynamicAttributes": "Attributes without a declared field, by set and name; each has a type and a value.",
    "persistentEvents": "One entry for each of the last 100 writes.",
    "invalid": "Whether the record breaks a constraint.",
    "violations": "The constraints that the record breaks.",
}
"""Descriptions of the members that all records can have."""

SHARED: Final[Mapping[str, Mapping[str, str]]] = {
    "AuditInfo": {
        "createdBy": "The user id of the user who created the record.",
        "createdDate": "When the record was created.",
        "lastUpdatedBy": "The user id of the user who wrote this version.",
        "lastUpdatedDate": "When this version was written.",
        **_ACTING,
    },
    "DataDomain": {
        "tenantId": "The tenant. Records of other tenants are invisible.",
        "orgRefName": "The organisation within the tenant.",
        "accountId": "The account within the organisation.",
        "ownerId": "The user id of the owner.",
        "dataSegment": "A number that separates records within the tenant.",
    },
    "EntityReference": {
        "entityId": "The id of the record referred to.",
        "entityType": "The record type of that record.",
        "entityRefName": "A copy of the record's reference name.",
        "entityDisplayName": "A copy of the record's display name.",
        "realm": "The realm of the record.",
    },
    "ReferenceEntry": {
        "referencedId": "The id of the referring record.",
        "type": "The record type of that record.",
        "refName": "The reference name of that record.",
    },
    "PersistentEvent": {
        "type": "The kind of write.",
        "date": "When the record was written.",
        "userId": "The user id of the writer.",
        "version": "The version that was written.",
    },
    "DynamicAttribute": {"type": "The type of the value.", "value": "The value."},
    "Violation": {"path": "The field, dotted.", "message": "What is wrong with it."},
    "BulkSave": {"op": "Insert or replace a record.", "record": "The record, as in a single save."},
    "BulkDelete": {"op": "Delete a record.", "id": "The id of the record."},
}
"""Descriptions by component and member. ``XInput`` uses those of ``X``."""


def describe_members(component: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Add the descriptions of the members that have none of their own."""
    texts = SHARED.get(component) or SHARED.get(component.removesuffix("Input"), {})
    return describe(schema, texts)


def describe_page(schema: dict[str, Any]) -> dict[str, Any]:
    """Add the descriptions of the members of a page."""
    return describe(schema, _PAGE)


def describe(schema: dict[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Add a description to each member that has none."""
    members = schema.get("properties", {})
    described = {
        name: {**member, "description": texts[name]}
        if name in texts and "description" not in member
        else member
        for name, member in members.items()
    }
    return {**schema, "properties": described} if members else schema
