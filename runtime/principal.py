"""Who is calling, as data. A half-known caller cannot be built: everything is here and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DomainContext:
    """Where the caller stands (spec 2 §2.3). Each member that is named binds reads and writes to it."""

    tenant_id: str
    default_realm: str
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None


@dataclass(frozen=True, slots=True)
class DomainScope:
    """The hard scope of decisions §3: what the store ANDs to every command. ``None`` binds nothing.

    Only the role ``system`` has no tenant here.
    """

    tenant_id: str | None = None
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None

    def as_match(self) -> dict[str, object]:
        """As equality on ``dataDomain`` paths."""
        pairs = {
            "dataDomain.tenantId": self.tenant_id,
            "dataDomain.orgRefName": self.org_ref_name,
            "dataDomain.accountId": self.account_id,
            "dataDomain.dataSegment": self.data_segment,
        }
        return {path: value for path, value in pairs.items() if value is not None}

    def admits(self, data_domain: Mapping[str, object]) -> bool:
        """Whether a record with this (wire-named) data domain lies inside the scope."""
        return (
            (self.tenant_id is None or data_domain.get("tenantId") == self.tenant_id)
            and (self.org_ref_name is None or data_domain.get("orgRefName") == self.org_ref_name)
            and (self.account_id is None or data_domain.get("accountId") == self.account_id)
            and (self.data_segment is None or data_domain.get("dataSegment") == self.data_segment)
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """What an authentication provider says of a valid token (spec 2 §5.3 ``validateAccessToken``).

    ``realm`` is where the credential lives; ``roles`` hold in the default realm of ``domain``,
    ``realm_roles`` in the others; ``realms`` and ``realm_reg_ex`` say which others it may act in.
    ``impersonation_script``: the filter of the credentials it may act as; None for nobody.
    """

    user_id: str
    subject: str
    realm: str
    roles: frozenset[str]
    domain: DomainContext
    realm_reg_ex: str | None = None
    area_realms: Mapping[str, str] = field(default_factory=dict)
    realms: frozenset[str] = frozenset()
    realm_roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    impersonation_script: str | None = None


@dataclass(frozen=True, slots=True)
class OnBehalfOf:
    """For whom a caller says to act, by user id, by subject or both. Recorded, never checked."""

    user_id: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of one request in one realm, with the roles it has there.

    ``impersonator`` holds the token of a call that acts as somebody else; ``on_behalf_of`` is whom the
    caller says to act for. Both give no rights; they go into the audit.
    """

    user_id: str
    subject: str
    roles: frozenset[str]
    domain: DomainContext
    impersonator: Identity | None = None
    on_behalf_of: OnBehalfOf | None = None

    @property
    def scope(self) -> DomainScope:
        """The hard scope: the domain context, except that ``system`` is not bound to a tenant."""
        if "system" in self.roles:
            return DomainScope()
        own = self.domain
        return DomainScope(own.tenant_id, own.org_ref_name, own.account_id, own.data_segment)
