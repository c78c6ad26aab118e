"""What happens to users, as lines of the log: who did what to whom, never a password or a token."""

from __future__ import annotations

from typing import Any

from runtime.logs import log
from runtime.seams import Within
from runtime.security.documents import SERVICE_USER, Document


def report_change(event: str, credential: Document, within: Within, **more: Any) -> None:
    """Log a change of a user, and who made it."""
    who = {"user": credential["userId"], "subject": credential["subject"], "realm": within.realm}
    log.info(event, **who, by=within.audit.get("lastUpdatedBy", SERVICE_USER), **more)
