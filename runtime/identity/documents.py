"""Documents that the service writes for itself, with the common fields of any record."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from runtime.principal import Principal

Document = dict[str, Any]

SERVICE_USER = "service"
"""The name in the audit of what no caller did."""


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as the store keeps them: naive UTC in milliseconds."""
    exact = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return exact.replace(microsecond=exact.microsecond // 1000 * 1000)


def new_document(
    ref_name: str, domain: Mapping[str, Any], at: datetime, *, display_name: str | None = None
) -> Document:
    """Build the common fields of a new record; the store assigns its id."""
    return {
        "refName": ref_name,
        "displayName": display_name or ref_name,
        "dataDomain": {"dataSegment": 0, **domain},
        "activeStatus": "ACTIVE",
        "version": 1,
        "auditInfo": {"createdBy": SERVICE_USER, "createdDate": at, **_last(at)},
    }


def touched(at: datetime) -> dict[str, Any]:
    """Build what every later write sets, by dotted path."""
    return {f"auditInfo.{name}": value for name, value in _last(at).items()}


def audit_of(principal: Principal) -> dict[str, str]:
    """Return the caller as members of ``auditInfo``."""
    acting, behalf = principal.impersonator, principal.on_behalf_of
    said = {
        "lastUpdatedBy": principal.user_id,
        "impersonatorUserId": acting.user_id if acting else None,
        "impersonatorSubject": acting.subject if acting else None,
        "actingOnBehalfOfUserId": behalf.user_id if behalf else None,
        "actingOnBehalfOfSubject": behalf.subject if behalf else None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _last(at: datetime) -> dict[str, Any]:
    return {"lastUpdatedBy": SERVICE_USER, "lastUpdatedDate": at}
