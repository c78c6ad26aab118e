"""The places where an application plugs in, on one page: Protocols with their results.

All asynchronous, so none needs a second form later. An application hands one ``Seams`` value to
``create_app`` or names it in the setting ``service.seams``. No registries, no import side effects.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from runtime.model.documents import AuditInfoDocument
from runtime.model.finite import is_finite
from runtime.principal import DomainContext, DomainScope, Granter, Identity, Principal


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """The result of a successful login or refresh."""

    identity: Identity
    access_token: str
    refresh_token: str
    expires_in: int


class AuthProvider(Protocol):
    """An authentication provider; its name is stored with the credentials it owns.

    ``log_in`` and ``refresh`` raise ``LoginFailed``, ``PasswordChangeRequired`` or ``Throttled``;
    ``validate`` raises ``Unauthenticated``.
    """

    @property
    def name(self) -> str: ...
    async def log_in(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn: ...
    async def refresh(self, refresh_token: str) -> LoggedIn: ...
    async def validate(self, access_token: str) -> Identity: ...


@dataclass(frozen=True, slots=True)
class UserKey:
    """One user of a realm: by user id, which has no case, or by subject. Exactly one of the two."""

    user_id: str | None = None
    subject: str | None = None

    def __post_init__(self) -> None:
        if (self.user_id is None) == (self.subject is None):
            raise ValueError("name a user by user id or by subject")

    def __str__(self) -> str:
        return (self.user_id or self.subject or "")[:100]


@dataclass(frozen=True, slots=True)
class Within:
    """The scope of user management: one realm, and in it only users whose domain is inside ``domain``.

    ``audit``, ``address``: who asks, as members of ``auditInfo``, and from where; empty for the service.
    ``granter``: whose rights bound an impersonation. ``version``: of the user when the change was decided.
    """

    realm: str
    domain: DomainScope
    audit: AuditInfoDocument = field(default_factory=AuditInfoDocument)
    granter: Granter | None = None
    version: int | None = None
    address: str = ""


@dataclass(frozen=True, slots=True)
class NewUser:
    """A user to be created. ``realm``: where the credential lives; None for the realm of the call."""

    user_id: str
    password: str = field(repr=False)
    tenant_id: str
    roles: frozenset[str]
    realm: str | None = None
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None
    email: str | None = None
    description: str | None = None
    force_change_password: bool = False
    realms: frozenset[str] = frozenset()
    realm_roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    realm_reg_ex: str | None = None


@dataclass(frozen=True, slots=True)
class User:
    """A user as a provider describes them; no secrets."""

    user_id: str
    subject: str
    provider: str
    roles: frozenset[str]
    domain: DomainContext
    disabled: bool = False
    force_change_password: bool = False
    email: str | None = None
    description: str | None = None
    realms: frozenset[str] = frozenset()
    realm_roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    realm_reg_ex: str | None = None
    area_realms: Mapping[str, str] = field(default_factory=dict)
    impersonation_enabled: bool = False
    impersonate_filter_script: str | None = None
    impersonation_granter: Granter | None = None
    version: int | None = None


@runtime_checkable
class UserManagement(Protocol):
    """User management, which a provider may offer in addition to ``AuthProvider``.

    A user that does not exist and one outside ``within`` look alike: ``NotFound``. What takes something
    away (password, roles, account) ends all tokens of the user before it returns. Values that cannot be
    raise ``ValidationFailed``, a user id that is taken ``Duplicate``.
    """

    @property
    def name(self) -> str: ...
    async def create_user(self, new: NewUser, within: Within) -> User: ...
    async def find_user(self, key: UserKey, within: Within) -> User: ...
    async def remove_user(self, key: UserKey, within: Within) -> None: ...

    async def change_password(
        self, key: UserKey, old: str, new: str, force_change: bool, within: Within
    ) -> None:
        """Change the password as the user. Raises ``LoginFailed`` when ``old`` is wrong."""

    async def reset_password(self, key: UserKey, new: str, force_change: bool, within: Within) -> None:
        """Change the password as an administrator."""

    async def assign_roles(self, key: UserKey, roles: Collection[str], within: Within) -> frozenset[str]:
        """Return all roles the user has then, as ``remove_roles`` does."""

    async def remove_roles(self, key: UserKey, roles: Collection[str], within: Within) -> frozenset[str]: ...
    async def list_roles(self, key: UserKey, within: Within) -> frozenset[str]: ...
    async def find_subject(self, user_id: str, within: Within) -> str: ...
    async def find_user_id(self, subject: str, within: Within) -> str: ...
    async def check_user_id_exists(self, user_id: str, within: Within) -> bool: ...
    async def check_subject_exists(self, subject: str, within: Within) -> bool: ...
    async def disable_user(self, key: UserKey, within: Within) -> None: ...
    async def enable_user(self, key: UserKey, within: Within) -> None: ...

    async def enable_impersonation(self, key: UserKey, filter_script: str, within: Within) -> None:
        """Let a user act as those that ``filter_script`` matches. Record ``within.granter`` with it."""

    async def disable_impersonation(self, key: UserKey, within: Within) -> None: ...

    async def enable_realm_override(self, key: UserKey, realm_reg_ex: str, within: Within) -> None:
        """Let a user act in the realms whose whole names match the pattern."""

    async def disable_realm_override(self, key: UserKey, within: Within) -> None: ...


@dataclass(frozen=True, slots=True)
class RealmQuestion:
    """What a realm resolver is asked: the ``X-Realm`` header, the caller, the functional area."""

    header: str | None
    identity: Identity
    area: str


class RealmResolver(Protocol):
    """Which realm a call acts in; ``None`` leaves it to the built-in answer."""

    async def choose_realm(self, question: RealmQuestion) -> str | None: ...


class RunAs(Protocol):
    """As whom tools run for a realm whose settings name a user; None leaves it to the caller's own rights.

    The answer may have less than the stored credential of that user, never more.
    """

    async def find_principal(self, realm: str, user_id: str) -> Principal | None: ...


class Expression(Protocol):
    """Makes the value of a field ``calculated: <name>`` (``records.document.calculated``), on every write.

    Takes the record as on the wire (decimals and moments as text); answers with a value of the field, or
    None for none. Pure and quick, hence the one seam that does not wait.
    """

    def __call__(self, record: Mapping[str, Any], /) -> Any: ...


class ExpressionFailed(Exception):
    """An expression of the application raised an error, which is the cause."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The answer of a row value resolver, created by one of these five functions."""

    outcome: Literal["success", "passthrough", "null", "skip", "error"]
    value: Any = None
    reason: str = ""

    @classmethod
    def success(cls, value: Any) -> Resolution:
        """Set the field to this value; text is read by the type of the field, as a cell is.

        Raises ``ValueError`` for NaN and infinity, which no record can hold.
        """
        if not is_finite(value):
            raise ValueError(f"{value} is not a value that a record can hold")
        return cls("success", value)

    @classmethod
    def passthrough(cls) -> Resolution:
        """Set the field to the value that came."""
        return cls("passthrough")

    @classmethod
    def null_value(cls) -> Resolution:
        """Leave the field empty."""
        return cls("null")

    @classmethod
    def skip(cls, reason: str) -> Resolution:
        """Leave out the whole row, which is not an error."""
        return cls("skip", reason=reason)

    @classmethod
    def error(cls, message: str) -> Resolution:
        """Report the row as an error."""
        return cls("error", reason=message)


@dataclass(frozen=True, slots=True)
class ImportContext:
    """The place of a value; ``row_number`` counts from 1, ``profile`` is the refName of the profile."""

    realm: str
    session: str
    row_number: int
    profile: str


class RowValueResolver(Protocol):
    """Computes the value of one column, named by ``rowValueResolverName`` of an import profile.

    ``value`` is the text of the cell after transformations and lookup, None when it is empty; ``row`` has
    all cells of the row by their headers, as they came. Where it raises, the row is an error.
    """

    async def __call__(
        self, value: str | None, row: Mapping[str, str], context: ImportContext, /
    ) -> Resolution: ...


class McpHeaders(Protocol):
    """Supplies headers for the requests to an MCP server elsewhere, in the name of one caller.

    ``client``: the name in the settings ``mcp.client.<name>.*``. Sent there alone.
    """

    async def __call__(self, client: str, principal: Principal, realm: str, /) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Seams:
    """The application's parts. Providers run in order, the built-in last; a credential names its own.

    ``page_templates``: a folder of files that replace those of ``oauth/pages/templates``.
    """

    auth_providers: tuple[AuthProvider, ...] = ()
    realm: RealmResolver | None = None
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    row_value_resolvers: Mapping[str, RowValueResolver] = field(default_factory=dict)
    page_templates: Path | None = None
    run_as: RunAs | None = None
    mcp_headers: McpHeaders | None = None
