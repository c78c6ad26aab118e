"""What happens to users, as lines of the log: to whom, by whom, from where; never a password or token."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from runtime.errors import LoginFailed, PasswordChangeRequired, Throttled
from runtime.logs import log
from runtime.principal import name_writer
from runtime.seams import Within
from runtime.storage.own_documents import SERVICE_USER
from runtime.system.documents import CredentialDocument, RemovedUserDocument

_MOST_REALM_CHARACTERS = 40


@dataclass(slots=True)
class Attempted:
    """A login or change of one's own password; ``subject`` is for the caller to set once it is known.

    ``more``: further members of the event.
    """

    subject: str | None = None
    more: dict[str, str | None] = field(default_factory=dict)


def report_change(
    event: str, user: CredentialDocument | RemovedUserDocument, within: Within, **more: Any
) -> None:
    """Log a change of a user, and who made it."""
    who = {"user": user["userId"], "subject": user["subject"], "realm": within.realm}
    by = {"by": SERVICE_USER, **name_writer(within.audit)}
    log.info(event, **who, **by, address=within.address or None, **more)


@asynccontextmanager
async def report_attempt(event: str, realm: str, address: str) -> AsyncIterator[Attempted]:
    """Log how an attempt ends. Never with the user id as it came: people type passwords into its field."""
    attempted = Attempted()
    try:
        yield attempted
    except PasswordChangeRequired:
        _report(log.info, f"{event}.password_change_required", attempted, realm, address)
        raise
    except LoginFailed:
        _report(log.warning, f"{event}.failed", attempted, realm, address)
        raise
    except Throttled:
        _report(log.warning, f"{event}.throttled", attempted, realm, address)
        raise
    _report(log.info, f"{event}.succeeded", attempted, realm, address)


def _report(report: Any, event: str, attempted: Attempted, realm: str, address: str) -> None:
    place = {"realm": realm[:_MOST_REALM_CHARACTERS], "address": address}
    report(event, **attempted.more, subject=attempted.subject, **place)
