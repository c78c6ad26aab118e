"""Interfaces of the generated records that the runtime uses.

The generator writes ``SYSTEM = SystemRecords(credential=CREDENTIAL, …)``; mypy refuses a specification that
forgets a field, at that one line. Read-only properties: a Protocol of fields would ask for more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from runtime.model.record_type import RecordType


class DomainContextRecord(Protocol):
    """The domain of a user; what is None binds nothing."""

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
    """A user-id/password credential as stored.

    In addition it must have, hidden and set by the server, ``loginName``, ``passwordHash``,
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
    @property
    def impersonation_enabled(self) -> bool | None: ...
    @property
    def impersonate_filter_script(self) -> str | None: ...


class RealmRecord(Protocol):
    """A realm other than the default one, by its refName; stored in the database of the default realm.

    refName and database are unique by indexes: no realm reaches into another's database.
    """

    @property
    def database(self) -> str: ...
    @property
    def active(self) -> bool: ...


class RefreshFamilyRecord(Protocol):
    """The chain of refresh tokens that began with one login; its refName is its id.

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
    """The logins of one user or one address, counted by all workers together.

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


class RuleHeaderRecord(Protocol):
    """The calls a rule applies to: patterns, None for any."""

    @property
    def identity(self) -> str | None: ...
    @property
    def area(self) -> str | None: ...
    @property
    def functional_domain(self) -> str | None: ...
    @property
    def action(self) -> str | None: ...


class RuleBodyRecord(Protocol):
    """The callers and the record a rule applies to: patterns, None for any."""

    @property
    def realm(self) -> str | None: ...
    @property
    def account_number(self) -> str | None: ...
    @property
    def tenant_id(self) -> str | None: ...
    @property
    def data_segment(self) -> str | None: ...
    @property
    def owner_id(self) -> str | None: ...
    @property
    def resource_id(self) -> str | None: ...


class SecurityUriRecord(Protocol):
    """The two halves of what a rule matches."""

    @property
    def header(self) -> RuleHeaderRecord | None: ...
    @property
    def body(self) -> RuleBodyRecord | None: ...


class PermissionRuleRecord(Protocol):
    """A permission rule of a tenant."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str | None: ...
    @property
    def security_u_r_i(self) -> SecurityUriRecord: ...
    @property
    def effect(self) -> str: ...
    @property
    def priority(self) -> int | None: ...
    @property
    def final_rule(self) -> bool | None: ...
    @property
    def filter(self) -> str | None: ...
    @property
    def hidden_fields(self) -> list[str] | None: ...
    @property
    def enabled(self) -> bool | None: ...


class ServiceTokenRecord(Protocol):
    """An issued service token; its refName is the token's id (``jti``), which is not secret."""

    @property
    def subject(self) -> str: ...
    @property
    def user_id(self) -> str: ...
    @property
    def description(self) -> str | None: ...
    @property
    def revoked(self) -> bool: ...
    @property
    def expires_at(self) -> datetime: ...


class RemovedUserRecord(Protocol):
    """A user id that is not given out again; hidden: ``loginName``, by which it is unique in a realm."""

    @property
    def user_id(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def removed_at(self) -> datetime: ...


class RevisionRecord(Protocol):
    """One write of an audited record; its refName says which, so there is one.

    In addition it has ``changes``: the field-level diff, written and read as stored.
    """

    @property
    def record_type(self) -> str: ...
    @property
    def record_id(self) -> str: ...
    @property
    def record_version(self) -> int: ...
    @property
    def action(self) -> str: ...
    @property
    def written_at(self) -> datetime: ...


class RenameRecord(Protocol):
    """Records whose names may be copied wrongly, until a worker has looked (``records.renames``)."""

    @property
    def target(self) -> str: ...
    @property
    def targets(self) -> list[str]: ...
    @property
    def ref_names(self) -> list[str] | None: ...
    @property
    def display_names(self) -> list[str] | None: ...
    @property
    def due_at(self) -> datetime: ...
    @property
    def holder(self) -> str: ...


class PlantedSeedRecord(Protocol):
    """Which seeds of a record type a tenant has had (``seeding``): ``planted``: refName and version."""

    @property
    def planted(self) -> Sequence[object]: ...


class IdempotencyKeyRecord(Protocol):
    """A request that takes effect once, and its response.

    Hidden: ``body`` and ``parts``, which hold what the caller may see and others may not.
    """

    @property
    def request(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def holder(self) -> str: ...
    @property
    def lease_until(self) -> datetime: ...
    @property
    def expires_at(self) -> datetime: ...


class DecisionRecord(Protocol):
    """A refusal and what led to it; its id is the ``decisionId`` of the problem.

    In addition it says what was requested, where that is known: ``askedArea`` … ``resource``.
    """

    @property
    def reason(self) -> str: ...
    @property
    def decided_at(self) -> datetime: ...
    @property
    def user_id(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def caller_roles(self) -> list[str]: ...
    @property
    def applied_rules(self) -> list[str]: ...
    @property
    def expires_at(self) -> datetime: ...


class ImportSessionRecord(Protocol):
    """A file that was analysed to be imported, and how far its commit is."""

    @property
    def record_type(self) -> str: ...
    @property
    def realm(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def position(self) -> int: ...
    @property
    def holder(self) -> str | None: ...
    @property
    def lease_until(self) -> datetime | None: ...
    @property
    def expires_at(self) -> datetime: ...


class ImportRowRecord(Protocol):
    """A row of such a file; ``values``, written and read as stored, are what it sets."""

    @property
    def session_id(self) -> str: ...
    @property
    def row_number(self) -> int: ...
    @property
    def intent(self) -> str: ...
    @property
    def asked(self) -> str: ...
    @property
    def is_failed(self) -> bool: ...
    @property
    def report(self) -> str: ...
    @property
    def expires_at(self) -> datetime: ...


class ImportProfileRecord(Protocol):
    """How the columns of a file become the fields of records.

    In addition it has ``columnMappings`` and more, read as stored (``transfer.profiles.profile``).
    """

    @property
    def target_type(self) -> str: ...


@dataclass(frozen=True)
class SystemRecords:
    """The record types the runtime itself reads and writes."""

    credential: RecordType[CredentialRecord]
    refresh_family: RecordType[RefreshFamilyRecord]
    login_attempt: RecordType[LoginAttemptRecord]
    realm: RecordType[RealmRecord]
    permission_rule: RecordType[PermissionRuleRecord]
    service_token: RecordType[ServiceTokenRecord]
    removed_user: RecordType[RemovedUserRecord]
    revision: RecordType[RevisionRecord]
    rename: RecordType[RenameRecord]
    planted_seed: RecordType[PlantedSeedRecord]
    idempotency_key: RecordType[IdempotencyKeyRecord]
    import_session: RecordType[ImportSessionRecord]
    import_row: RecordType[ImportRowRecord]
    decision: RecordType[DecisionRecord]
    import_profile: RecordType[ImportProfileRecord]
