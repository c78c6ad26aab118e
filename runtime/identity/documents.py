"""Documents that the service writes for itself, with the common fields of any record."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from runtime.model.documents import AuditInfoDocument, DataDomainDocument, RecordDocument
from runtime.principal import Principal

DocumentT = TypeVar("DocumentT", bound=Mapping[str, Any])
Document = dict[str, Any]

SERVICE_USER = "service"
"""The name in the audit of what no caller did."""


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as the store keeps them: naive UTC in milliseconds."""
    exact = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return exact.replace(microsecond=exact.microsecond // 1000 * 1000)


def new_document(
    fields: DocumentT,
    ref_name: str,
    domain: DataDomainDocument,
    at: datetime,
    *,
    display_name: str | None = None,
) -> DocumentT:
    """Complete the fields of a new record with the common ones; the store assigns its id."""
    common: RecordDocument = {
        "refName": ref_name,
        "displayName": display_name or ref_name,
        "dataDomain": {"dataSegment": 0, **domain},
        "activeStatus": "ACTIVE",
        "version": 1,
        "auditInfo": {"createdBy": SERVICE_USER, "createdDate": at, **_last(at)},
    }
    return cast(DocumentT, {**common, **fields})


def data_domain_of(principal: Principal) -> DataDomainDocument:
    """Return the data domain of what a caller owns."""
    own = principal.domain
    domain: DataDomainDocument = {"tenantId": own.tenant_id, "ownerId": principal.user_id}
    if own.org_ref_name is not None:
        domain["orgRefName"] = own.org_ref_name
    if own.account_id is not None:
        domain["accountId"] = own.account_id
    if own.data_segment is not None:
        domain["dataSegment"] = own.data_segment
    return domain


def touched(at: datetime) -> dict[str, Any]:
    """Build what every later write sets, by dotted path."""
    return {f"auditInfo.{name}": value for name, value in _last(at).items()}


def audit_of(principal: Principal) -> AuditInfoDocument:
    """Return the caller as members of ``auditInfo``."""
    acting, behalf = principal.impersonator, principal.on_behalf_of
    audit: AuditInfoDocument = {"lastUpdatedBy": principal.user_id}
    if acting is not None:
        audit |= {"impersonatorUserId": acting.user_id, "impersonatorSubject": acting.subject}
    if behalf is not None and behalf.user_id is not None:
        audit["actingOnBehalfOfUserId"] = behalf.user_id
    if behalf is not None and behalf.subject is not None:
        audit["actingOnBehalfOfSubject"] = behalf.subject
    return audit


def _last(at: datetime) -> AuditInfoDocument:
    return {"lastUpdatedBy": SERVICE_USER, "lastUpdatedDate": at}
