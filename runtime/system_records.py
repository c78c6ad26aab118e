"""What the runtime needs of records that come from YAML, hence are generated, hence out of its reach.

The generator writes ``SYSTEM = SystemRecords(credential=CREDENTIAL, …)``; mypy refuses a specification
that forgets a field, at that one line. Read-only properties: a Protocol of fields would ask for more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from runtime.record_type import RecordType


class CredentialRecord(Protocol):
    """A user-id/password credential as stored (spec 2 §2.3), without its hidden members."""

    @property
    def user_id(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def roles(self) -> list[str]: ...
    @property
    def domain_context(self) -> Any: ...
    @property
    def disabled(self) -> bool | None: ...
    @property
    def force_change_password(self) -> bool | None: ...
    @property
    def realm_reg_ex(self) -> str | None: ...
    @property
    def area2_realm_overrides(self) -> Mapping[str, str] | None: ...


class RefreshFamilyRecord(Protocol):
    """The chain of refresh tokens that began with one login (decisions §4)."""

    @property
    def subject(self) -> str: ...
    @property
    def revoked(self) -> bool | None: ...


class LoginAttemptRecord(Protocol):
    """One failed login, counted for throttling by all workers together (decisions §4)."""

    @property
    def key(self) -> str: ...


@dataclass(frozen=True)
class SystemRecords:
    """The record types the runtime itself reads and writes."""

    credential: RecordType[CredentialRecord]
    refresh_family: RecordType[RefreshFamilyRecord]
    login_attempt: RecordType[LoginAttemptRecord]
