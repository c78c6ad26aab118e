"""The parts of a service that answer questions, as those who ask see them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, Protocol, TypeAlias

from runtime.client import Client
from runtime.filter import Predicate
from runtime.model.record_type import RecordType
from runtime.permissions import RuleSet
from runtime.principal import DomainContext, Granter, Identity, Principal
from runtime.rights import Rights
from runtime.seams import AuthProvider, LoggedIn, User, UserKey, UserManagement, Within
from runtime.signed_on import SignedOn
from runtime.standing import Standing
from runtime.storage.store import Linked, Links, Provided
from runtime.system.documents import CredentialDocument, SignOnDocument
from runtime.tokens import AccessClaims

Databases: TypeAlias = Callable[[], Awaitable[Sequence[str]]]
"""Lists the databases of the realms that are active, or of all."""


class SignIn(AuthProvider, Protocol):
    """All providers as one, and who manages which user (``identity.login.providers``)."""

    async def validate(
        self, access_token: str, audience: str | None = None, *, is_late: bool = False
    ) -> Identity: ...
    async def authenticate(
        self, user_id: str, password: str, realm: str, address: str
    ) -> CredentialDocument: ...
    async def finish_change(
        self, change_token: str, new: str, realm: str, address: str
    ) -> CredentialDocument: ...
    async def find_holder(self, claims: AccessClaims) -> Identity | None: ...
    async def revoke_access(self, claims: AccessClaims) -> None: ...
    async def change_password(self, access_token: str, old: str, new: str, address: str) -> LoggedIn: ...
    async def complete_change(self, change_token: str, new: str, address: str) -> LoggedIn: ...
    async def end_sessions(
        self, subject: str, realm: str, refresh_token: str | None, is_all: bool
    ) -> None: ...
    async def list_users(self, within: Within, skip: int, limit: int) -> list[User]: ...
    async def find_manager(self, key: UserKey, within: Within) -> UserManagement: ...
    async def require_new_user_id(self, user_id: str, realm: str) -> None: ...
    async def remove_user(self, manager: UserManagement, key: UserKey, within: Within) -> None: ...
    def manager_named(self, name: str | None) -> UserManagement: ...


class RemoteResult(Protocol):
    """What a tool elsewhere has answered. ``is_error``: as the tool itself says."""

    @property
    def content(self) -> Any: ...
    @property
    def is_error(self) -> bool: ...


class RemoteTools(Protocol):
    """The tools of MCP servers elsewhere (``mcp_client.clients``)."""

    async def call_tool(
        self, name: str, tool: str, arguments: Mapping[str, Any], call: Any = None
    ) -> RemoteResult: ...


class ClientSource(Protocol):
    """How OAuth clients sign in (``identity.login.client_sign_in``)."""

    async def find(self, realm: str, client_id: str) -> Client | None: ...
    async def find_remembered(self, realm: str, client_id: str, readings: Sequence[str]) -> Client | None: ...
    async def count_registration(self, address: str) -> None: ...
    async def count_stranger(self, address: str) -> None: ...
    async def count_pushed(self, address: str) -> None: ...
    async def authenticate(
        self, realm: str, client_id: str, readings: Sequence[str], address: str
    ) -> Client: ...
    async def authenticate_by_assertion(
        self, realm: str, client_id: str, assertion: str, audiences: Collection[str], address: str
    ) -> Client: ...
    async def mint_own_token(
        self, client: Client, audience: Sequence[str], scope: str = ""
    ) -> str | None: ...
    async def find_standing(self, realm: str, subject: str) -> Standing | None: ...
    def forget_session(self, realm: str, subject: str, family: str) -> None: ...


class SignOnSource(Protocol):
    """The browsers in which users are signed in (``oauth.sign_on``)."""

    async def begin(
        self, realm: str, credential: CredentialDocument, browser: str, cookie_header: str | None = None
    ) -> tuple[SignedOn, str]: ...
    def read_realm(self, cookie_header: str | None) -> str | None: ...
    async def find(self, realm: str, cookie_header: str | None) -> SignedOn | None: ...
    async def find_dormant(self, realm: str, cookie_header: str | None) -> SignOnDocument | None: ...
    async def revoke(self, realm: str, subject: str, ref_name: str) -> bool: ...
    def render_removal(self) -> str: ...


class RuleSource(Protocol):
    """Where the rules in force come from: at most ten seconds old (``access.rule_book``)."""

    async def find_rules(self, database: str, domain: DomainContext) -> RuleSet: ...


class NameKeeping(Protocol):
    """Looks at copied names that a rename may have passed (``records.name_keeper``)."""

    def expect(self, database: str) -> None: ...
    async def store_note(
        self, key: tuple[str, ...], insert: Callable[[timedelta], Awaitable[None]]
    ) -> None: ...
    async def copy(self, key: tuple[str, ...], work: Callable[[], Awaitable[object]]) -> None: ...


class Companion(Protocol):
    """What is stored with writes of many record types, in their transaction.

    ``want`` is asked before every write, so it looks at memory only. ``follow`` gets the changes
    (``records.change.Change``) of a transaction after they were written. Both raise ``ServiceError``.
    ``is_joint``: whether it follows what several calls of a tenant store together as if one call had.
    """

    @property
    def is_joint(self) -> bool: ...
    async def want(self, call: Any, kind: RecordType[Any], /) -> bool: ...
    async def follow(self, call: Any, transaction: Any, changes: Sequence[Any], /) -> None: ...


class Joining(Protocol):
    """Stores records with those of other requests (``records.joint_writes``)."""

    async def store(self, call: Any, change: Any, companions: Any, /) -> bool: ...
    def set_apart(self, call: Any, /) -> None: ...


class ImpersonationSource(Protocol):
    """As whom a caller may act; raises ``Denied`` (``access.impersonation``)."""

    async def find_identity(self, caller: Identity, target: UserKey) -> Identity: ...
    async def find_reach(self, granter: Granter | None, realm: str) -> Rights | None: ...
    async def read_rights_of_caller(self, principal: Principal, realm: str) -> Rights: ...


class MigrationSource(Protocol):
    """The migrations that are due and in force (``migrations.keeper``)."""

    @property
    def due(self) -> int: ...
    async def refresh(self) -> None: ...


class OutboxSource(Protocol):
    """What is sent because of writes (``outbox.recording``)."""

    def forget(self, database: str | None = None, record_id: str | None = None) -> None: ...
    def wake(self, database: str) -> None: ...


class QuotaSource(Protocol):
    """Counts requests against the limits of users and tenants (``quotas``)."""

    async def count(self, subject: str, domain: DomainContext) -> Mapping[str, str]: ...


class Window(NamedTuple):
    """A part of a long answer: the first ``most`` ids ``after`` one; None for those from the beginning."""

    after: Any | None
    most: int


class Ends(NamedTuple):
    """Records at the ends of edges. ``reach``: the id up to which ``match`` is right; None for all."""

    match: Predicate
    reach: Any | None = None


ReadLinked: TypeAlias = Callable[[Links | Provided], Awaitable[Linked[Any] | None]]
"""Reads a page of records and what it depends on, as ``find_linked`` of the store does."""
