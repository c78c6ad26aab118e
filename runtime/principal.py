"""Who is calling, as data. A half-known caller cannot be built: everything is here and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from runtime.model.documents import AuditInfoDocument, DataDomainDocument
from runtime.model.mappings import without_nones

SYSTEM: Final = "system"
"""The role that passes every role check and is bound to no tenant."""

ADMINISTRATORS: Final = frozenset({"admin", SYSTEM})
"""The roles of those who may know the reasons of a service."""

SHARED: Final = "*"
"""The organisation of records that all users of their tenant may read. No user belongs to it."""

_TENANT, _ORGANISATION = "dataDomain.tenantId", "dataDomain.orgRefName"


def find_organisation(domain: Mapping[str, Any]) -> str | None:
    """Return the organisation that a data domain is bound to: none where all of them share what it has."""
    organisation: str | None = domain.get("orgRefName")
    return None if organisation == SHARED else organisation


def name_writer(audit: Mapping[str, Any]) -> dict[str, str]:
    """Return who writes, as members of a line of the log: ``by``, and who acts as that user."""
    return without_nones({"by": audit.get("lastUpdatedBy"), "impersonator": audit.get("impersonatorUserId")})


def domain_members(domain: DomainContext | DomainScope, **own: str) -> dict[str, Any]:
    """Return a domain and members of its own by their names in documents, with None for what is not set."""
    return {
        "tenantId": domain.tenant_id,
        "orgRefName": domain.org_ref_name,
        "accountId": domain.account_id,
        **own,
        "dataSegment": domain.data_segment,
    }


@dataclass(frozen=True, slots=True)
class DomainContext:
    """The domain of the caller. Each member that is set binds reads and writes to it."""

    tenant_id: str
    default_realm: str
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any], default_realm: str) -> DomainContext:
        """Build the context that a ``domainContext`` or a ``dataDomain`` describes."""
        return cls(
            tenant_id=document["tenantId"],
            default_realm=default_realm,
            org_ref_name=document.get("orgRefName"),
            account_id=document.get("accountId"),
            data_segment=document.get("dataSegment"),
        )

    def as_document(self) -> dict[str, Any]:
        """Return the context as a ``domainContext``, without what is not set."""
        return without_nones(domain_members(self, defaultRealm=self.default_realm))

    def new_data_domain(self, owner_id: str) -> DataDomainDocument:
        """Return the ``dataDomain`` of a new record of this owner."""
        segment = {"dataSegment": self.data_segment or 0}
        return cast(DataDomainDocument, without_nones(domain_members(self, ownerId=owner_id) | segment))


@dataclass(frozen=True, slots=True)
class DomainScope:
    """The hard scope: what the store ANDs to every command. ``None`` binds nothing.

    Only the role ``system`` has no tenant here. ``with_shared``: the shared records of the tenant lie inside
    as well, which is for reading alone.
    """

    tenant_id: str | None = None
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None
    with_shared: bool = False
    bound: tuple[tuple[str, ...], tuple[Any, ...]] = field(init=False, repr=False, compare=False)
    """What is bound: names in ``dataDomain`` and their values. Records in memory are compared with it."""

    match: Mapping[str, object] = field(init=False, repr=False, compare=False)
    """Equality on ``dataDomain`` paths, that of shared records as the alternative. Do not change it."""

    def __post_init__(self) -> None:
        values = without_nones(domain_members(self))
        object.__setattr__(self, "bound", (tuple(values), tuple(values.values())))
        object.__setattr__(self, "match", self._build_match())

    def _build_match(self) -> Mapping[str, object]:
        own: dict[str, object] = {
            f"dataDomain.{name}": value for name, value in zip(*self.bound, strict=True)
        }
        if not self._has_alternative:
            return own
        tenant = own.pop(_TENANT)
        if own.keys() == {_ORGANISATION}:
            return {_TENANT: tenant, _ORGANISATION: {"$in": [own[_ORGANISATION], SHARED]}}
        return {_TENANT: tenant, "$or": [own, {_ORGANISATION: SHARED}]}

    @property
    def paths(self) -> tuple[str, ...]:
        """The fields of a record that ``admits`` looks at."""
        own = tuple(f"dataDomain.{name}" for name in self.bound[0])
        return (*own, _ORGANISATION) if self._has_alternative and _ORGANISATION not in own else own

    @property
    def _has_alternative(self) -> bool:
        """Whether shared records are among those of the tenant, and the others are not."""
        return self.with_shared and self.tenant_id is not None and len(self.bound[0]) > 1

    def admits(self, data_domain: Mapping[str, object]) -> bool:
        """Whether a record with this (wire-named) data domain lies inside the scope."""
        names, values = self.bound
        if tuple(map(data_domain.get, names)) == values:
            return True
        is_shared = self._has_alternative and data_domain.get("orgRefName") == SHARED
        return is_shared and data_domain.get("tenantId") == self.tenant_id


@dataclass(frozen=True, slots=True)
class Granter:
    """Who let a user act as others, with what rights.

    ``subject`` and ``realm`` name a credential; without them it is the operator at the command line.
    ``roles`` and ``is_operator`` are what the granter had then, in the realm of that user.
    """

    subject: str | None = None
    realm: str = ""
    roles: frozenset[str] = frozenset()
    is_operator: bool = False

    @classmethod
    def operator(cls) -> Granter:
        """Return the operator at the command line, whom nothing binds."""
        return cls(is_operator=True)


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity that an authentication provider returns for a valid token.

    ``realm`` is where the credential lives; ``roles`` hold in the default realm of ``domain``,
    ``realm_roles`` in the others; ``realms`` and ``realm_reg_ex`` say which others it may act in.
    ``impersonation_script``: the filter of the credentials it may act as; None for nobody. What it carries is
    bounded by ``impersonation_granter``; without one it carries nothing. ``scopes``: those that the token is
    narrowed to (``permissions.token_scopes``); None for one that is not. ``client_scopes``: those that its
    client may request; None for any.
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
    impersonation_granter: Granter | None = None
    scopes: frozenset[str] | None = None
    client_scopes: tuple[str, ...] | None = None

    @property
    def home(self) -> str:
        """The tenant that it belongs to, among those of all realms."""
        return f"{self.realm} {self.domain.tenant_id}"


@dataclass(frozen=True, slots=True)
class OnBehalfOf:
    """For whom a caller says to act, by user id, by subject or both. Recorded, never checked."""

    user_id: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of one request in one realm, with the roles it has there.

    ``impersonator`` holds the token of a call that acts as somebody else; ``on_behalf_of`` is whom the
    caller says to act for, ``agent`` which agent uses its tools. They give no rights; they go into the audit.
    ``scopes``: those of the token, ``client_scopes`` those that its client may request.
    """

    user_id: str
    subject: str
    roles: frozenset[str]
    domain: DomainContext
    impersonator: Identity | None = None
    on_behalf_of: OnBehalfOf | None = None
    scopes: frozenset[str] | None = None
    client_scopes: tuple[str, ...] | None = None
    agent: str | None = None

    @property
    def actors(self) -> AuditInfoDocument:
        """Who really acts, and for whom, as members of ``auditInfo``; empty for a caller in its own name."""
        acting, behalf = self.impersonator, self.on_behalf_of
        if acting is None and behalf is None and self.agent is None:
            return {}
        names = {
            "impersonatorUserId": acting.user_id if acting else None,
            "impersonatorSubject": acting.subject if acting else None,
            "actingOnBehalfOfUserId": behalf.user_id if behalf else None,
            "actingOnBehalfOfSubject": behalf.subject if behalf else None,
            "agentRefName": self.agent,
        }
        return cast(AuditInfoDocument, without_nones(names))

    @property
    def audit(self) -> AuditInfoDocument:
        """The caller of a write as members of ``auditInfo``."""
        return {"lastUpdatedBy": self.user_id, **self.actors}

    @property
    def writer(self) -> dict[str, str]:
        """The caller of a write as members of a line of the log."""
        return name_writer(self.audit)

    @property
    def scope(self) -> DomainScope:
        """The hard scope: the domain context, except that ``system`` is not bound to a tenant."""
        if SYSTEM in self.roles:
            return DomainScope()
        own = self.domain
        return DomainScope(own.tenant_id, own.org_ref_name, own.account_id, own.data_segment)

    def scope_on(self, area: str, *, is_read: bool) -> DomainScope:
        """Return the scope over records of an area; reads include shared ones, except of users and rules."""
        return replace(self.scope, with_shared=True) if is_read and area != "security" else self.scope
