"""Documents that the service writes for itself, with the common fields of any record."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from runtime.model.documents import AuditInfoDocument, DataDomainDocument, RecordDocument
from runtime.principal import Principal
from runtime.storage.store import Changes
from runtime.storage.wire import create_id

Document = dict[str, Any]
DocumentT = TypeVar("DocumentT", bound=Mapping[str, Any])

SERVICE_USER = "service"
"""The name in the audit of what no caller did."""

OF_NO_TENANT: Final[DataDomainDocument] = {"tenantId": "service"}
"""The data domain of what the service writes for all tenants."""


def complete_document(
    fields: DocumentT,
    ref_name: str,
    domain: DataDomainDocument,
    at: datetime,
    *,
    display_name: str | None = None,
) -> DocumentT:
    """Complete a record in the name of the service with the common fields; the store assigns its id."""
    audit: AuditInfoDocument = {"createdBy": SERVICE_USER, "createdDate": at, **_last(at)}
    common = _common(ref_name, display_name, {"dataSegment": 0, **domain}, audit)
    return cast(DocumentT, {**common, **fields})


def complete_note(
    fields: DocumentT,
    principal: Principal,
    at: datetime,
    *,
    record_id: Any = None,
    ref_name: str | None = None,
    display_name: str | None = None,
    domain: DataDomainDocument | None = None,
) -> DocumentT:
    """Complete what the service notes about a call with the common fields, in the name of the caller.

    By default the id is a new one, the refName is the id, and the note belongs to the tenant of the caller.
    """
    audit: AuditInfoDocument = {"createdBy": principal.user_id, "createdDate": at}
    own = own_domain(principal) if domain is None else domain
    own_id = record_id or create_id()
    common = _common(ref_name or str(own_id), display_name, own, audit)
    return cast(DocumentT, {"_id": own_id, **common, **fields})


def own_domain(principal: Principal, tenant: str | None = None) -> DataDomainDocument:
    """Return the data domain of what a caller owns in a tenant (default: the caller's own)."""
    tenant_id = principal.domain.tenant_id if tenant is None else tenant
    return {"tenantId": tenant_id, "ownerId": principal.user_id, "dataSegment": 0}


def build_update(
    values: Mapping[str, Any],
    at: datetime,
    *,
    unset: Sequence[str] = (),
    audit: Mapping[str, Any] = MappingProxyType({}),
    increment: Mapping[str, int] = MappingProxyType({}),
) -> Changes:
    """Build a later write of a record: its next version, with who wrote it and when.

    ``audit``: who writes, as members of ``auditInfo``; by default the service.
    """
    stamp = {f"auditInfo.{name}": value for name, value in {**_last(at), **audit}.items()}
    return Changes({**values, **stamp}, unset, {"version": 1, **increment})


def _common(
    ref_name: str, display_name: str | None, domain: DataDomainDocument, audit: AuditInfoDocument
) -> RecordDocument:
    return {
        "refName": ref_name,
        "displayName": display_name or ref_name,
        "dataDomain": domain,
        "activeStatus": "ACTIVE",
        "version": 1,
        "auditInfo": audit,
    }


def _last(at: datetime) -> AuditInfoDocument:
    return {"lastUpdatedBy": SERVICE_USER, "lastUpdatedDate": at}
