"""Documents that the service writes for itself, with the common fields of any record (spec 2 §2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

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
    """The common fields of a fresh record; the store gives it an id."""
    return {
        "refName": ref_name,
        "displayName": display_name or ref_name,
        "dataDomain": {"dataSegment": 0, **domain},
        "activeStatus": "ACTIVE",
        "version": 1,
        "auditInfo": {"createdBy": SERVICE_USER, "createdDate": at, **_last(at)},
    }


def touched(at: datetime) -> dict[str, Any]:
    """What every later write sets, by dotted path."""
    return {f"auditInfo.{name}": value for name, value in _last(at).items()}


def _last(at: datetime) -> dict[str, Any]:
    return {"lastUpdatedBy": SERVICE_USER, "lastUpdatedDate": at}
