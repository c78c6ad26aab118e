"""The members that every stored record has, as a typed dictionary: ``_id`` and the wire names."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict


class DataDomainDocument(TypedDict, total=False):
    """Who a record belongs to."""

    tenantId: str
    orgRefName: str
    accountId: str
    dataSegment: int
    ownerId: str


class AuditInfoDocument(TypedDict, total=False):
    """Who created a record and who wrote it last, in whose name."""

    createdBy: str
    createdDate: datetime
    lastUpdatedBy: str
    lastUpdatedDate: datetime
    impersonatorUserId: str
    impersonatorSubject: str
    actingOnBehalfOfUserId: str
    actingOnBehalfOfSubject: str
    agentRefName: str


class RecordDocument(TypedDict, total=False):
    """A record as it is stored. Each of the service's own record types adds its fields."""

    _id: Any
    refName: str
    displayName: str
    dataDomain: DataDomainDocument
    activeStatus: str
    version: int
    auditInfo: AuditInfoDocument


def tenant_of(document: Mapping[str, Any]) -> str:
    """Return the tenant of a stored record."""
    return str(document["dataDomain"]["tenantId"])
