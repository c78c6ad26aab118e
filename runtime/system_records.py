"""What the runtime needs of records that come from YAML, hence are generated, hence out of its reach.

The generator writes ``SYSTEM = SystemRecords(credential=CREDENTIAL, …)``; mypy refuses a specification
that forgets a field, at that one line. Read-only properties: a Protocol of fields would ask for more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from runtime.record_type import RecordType


class DomainContextRecord(Protocol):
    """Where a user stands (spec 2 §2.3); what is None binds nothing."""

    @property
    def tenant_id(self) -> str: ...
    @property
    def default_realm(self) -> str: ...
    @property
    def org_ref_name(self) -> str | None: ...
    @property
    def account_id(self) -> str | None: ...
    @property
    def data_segment(self) -> int | None: ...


class CredentialRecord(Protocol):
    """A user-id/password credential as stored (spec 2 §2.3).

    Beside these it must have, hidden and set by the server, ``loginName``, ``passwordHash``,
    ``hashingAlgorithm`` and ``tokenEpoch``: ``StoreAuthProvider`` refuses to start without them.
    """

    @property
    def user_id(self) -> str: ...
    @property
    def subject(self) -> str | None: ...
    @property
    def auth_provider_name(self) -> str | None: ...
    @property
    def email_of_responsible_party(self) -> str | None: ...
    @property
    def domain_context(self) -> DomainContextRecord: ...
    @property
    def roles(self) -> list[str]: ...
    @property
    def disabled(self) -> bool | None: ...
    @property
    def force_change_password(self) -> bool | None: ...
    @property
    def realms(self) -> list[str] | None: ...
    @property
    def realm_reg_ex(self) -> str | None: ...
    @property
    def realm_roles(self) -> Mapping[str, list[str]] | None: ...
    @property
    def area2_realm_overrides(self) -> Mapping[str, str] | None: ...


class RefreshFamilyRecord(Protocol):
    """The chain of refresh tokens that began with one login (decisions §4); its refName is its id.

    Hidden: ``current`` and ``previous``, hashes of the token that may be used and of the one used last.
    """

    @property
    def subject(self) -> str: ...
    @property
    def rotated_at(self) -> datetime: ...
    @property
    def revoked(self) -> bool: ...
    @property
    def expires_at(self) -> datetime: ...


class LoginAttemptRecord(Protocol):
    """The logins of one user or one address, counted by all workers together (decisions §4).

    ``key`` is unique in the realm; the dates say when failed and when unfinished logins began.
    """

    @property
    def key(self) -> str: ...
    @property
    def failures(self) -> list[datetime]: ...
    @property
    def pending(self) -> list[datetime]: ...
    @property
    def expires_at(self) -> datetime: ...


@dataclass(frozen=True)
class SystemRecords:
    """The record types the runtime itself reads and writes."""

    credential: RecordType[CredentialRecord]
    refresh_family: RecordType[RefreshFamilyRecord]
    login_attempt: RecordType[LoginAttemptRecord]
