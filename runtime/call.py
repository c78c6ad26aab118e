"""What lives as long as the process (``Service``) and as long as one request (``Call``). Values, no verbs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from runtime.admission import Gate, Transfers, Turn
from runtime.draining import Draining
from runtime.errors import Denied
from runtime.filter import Moment
from runtime.filter.syntax import EdgeKind
from runtime.model.catalog import Catalog
from runtime.model.record_type import RecordType
from runtime.model.seed import Seed
from runtime.model.tool import Tool
from runtime.observe import Meters
from runtime.permissions import RuleSet
from runtime.principal import DomainContext, Principal
from runtime.seams import Seams
from runtime.settings import Settings
from runtime.sources import (
    ClientSource,
    Companion,
    Ends,
    ImpersonationSource,
    Joining,
    MigrationSource,
    NameKeeping,
    OutboxSource,
    QuotaSource,
    ReadLinked,
    RemoteTools,
    RuleSource,
    SignIn,
    SignOnSource,
    Window,
)
from runtime.storage.access import Access, Action
from runtime.storage.hub import Hub
from runtime.storage.store import AnyStore, Linked, Store, Transaction
from runtime.storage.unique_indexes import UniqueIndexes
from runtime.storage.watching import Watcher
from runtime.tokens import Tokens

NO_RULES = RuleSet(())
"""Nothing applies, so everything is denied."""


class RealmSource(Protocol):
    """Which realms there are, and where: at most ten seconds old (``identity.realms.realms``)."""

    async def find_database(self, name: str) -> str | None: ...
    async def find_stored(self, name: str) -> str | None: ...
    def forget(self) -> None: ...


class DecisionSource(Protocol):
    """The stored refusals, to be explained (``explain.decisions``). A failing store raises nothing."""

    async def store_refusal(self, error: Denied, call: Call | None, request_id: str, /) -> str | None: ...


Subject: TypeAlias = tuple[str, str, str]
"""What an endpoint is called in rules: area, functional domain, action."""

Subjects: TypeAlias = Mapping[Subject, tuple[tuple[str, ...] | None, ...]]
"""Subject → the roles of each endpoint that is called so: None for a public one, none for any caller."""


class Check(Protocol):
    """A record type's own check of a new record before it is stored; raises ``ServiceError``."""

    async def __call__(self, call: Call, document: Any, /) -> None: ...


class Effect(Protocol):
    """What a write of a record type also does to other records, in the transaction of the write.

    ``before`` is None for a new record, ``after`` for one that is removed. Raises ``ServiceError``.
    """

    async def __call__(self, call: Call, transaction: Transaction, before: Any, after: Any, /) -> None: ...


class EdgeSource(Protocol):
    """The edges of the ontology (``ontology.answers``)."""

    def check(self, call: Call, kind: RecordType[Any], side: EdgeKind, predicate: str, /) -> None:
        """Check that records of a type can have such edges.

        Raises ``FilterType``, and ``Denied`` where the caller may not view what they lead to.
        """

    async def find_ends(
        self,
        call: Call,
        kind: RecordType[Any],
        side: EdgeKind,
        predicate: str,
        record_id: str,
        window: Window | None = None,
        /,
    ) -> Ends:
        """Find the ids of the records of a type that have such an edge with a record. Raises ``TooWide``."""

    async def find_linked(
        self,
        call: Call,
        kind: RecordType[Any],
        side: EdgeKind,
        predicate: str,
        record_id: str,
        window: Window,
        read: ReadLinked,
        /,
    ) -> Linked[Any] | None:
        """Find these records together with their edges; None where that takes several commands."""


class Receipt(Protocol):
    """A mark, in the transaction of a write, that its request is done (``records.effects.idempotency``).

    ``parts``: the results of operations that an earlier attempt has done.
    """

    @property
    def parts(self) -> Mapping[int, dict[str, Any]]: ...
    def by_parts(self) -> Receipt: ...
    async def sign(self, store: AnyStore, answer: Any, /) -> None: ...


class TenantSeeding(Protocol):
    """Plants the seeds for a tenant that has had none (``seeding``); raises nothing for a bad seed."""

    async def __call__(self, service: Service, realm: str, domain: DomainContext, /) -> None: ...


class OpenAgain(Protocol):
    """Opens the call of the same token once more (``http.calling``). Raises ``AccessError``.

    ``is_late``: also where the time of the token itself has ended. Two are equal only if they lead to the
    same rights at any time.
    """

    async def __call__(self, realm_header: str | None = None, /, *, is_late: bool = False) -> Call: ...
    def __hash__(self) -> int: ...


Keepers: TypeAlias = dict[Hashable, Any]
"""What calls were opened for (``Call.open_again``) → what looks at their rights again (``events.rights``)."""


@dataclass(frozen=True, slots=True)
class Service:
    """Everything a process needs; built in ``runtime.app`` only. ``provider`` stands for all.

    ``checks``, ``effects``: by name of the record type; ``companions``: of all types. ``watcher`` is None
    when change streams are switched off, ``decisions`` where refusals are not kept, ``names`` where no
    worker looks at copied names, ``migrations`` where nobody follows them, ``outbox`` where no webhooks are
    notified, ``edges`` where the ontology is off. ``subjects``: of the hand-written endpoints. ``tools``:
    by name. ``remotes``: of MCP servers elsewhere, None without any. ``gate``: what requests wait at before
    they use the store; None: they do not. ``unique_indexes`` is None where indexes are created at start.
    ``plant_new_tenant`` is None unless seeds are planted for new tenants. ``hub`` passes on what is
    written; ``meters`` is None where nobody reads metrics, ``quotas`` where requests are not limited,
    ``joint_writes`` where records are stored apart; ``draining`` begins when the worker shall end;
    ``keepers``: of the rights of streams; only ``events.rights`` may write to it.
    """

    settings: Settings
    catalog: Catalog
    store: Store
    tokens: Tokens
    provider: SignIn
    clients: ClientSource
    sign_ons: SignOnSource
    hub: Hub
    rule_book: RuleSource
    realms: RealmSource
    impersonation: ImpersonationSource
    seams: Seams
    seeds: tuple[Seed, ...] = ()
    checks: Mapping[str, Check] = field(default_factory=dict)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    companions: tuple[Companion, ...] = ()
    watcher: Watcher | None = None
    unique_indexes: UniqueIndexes | None = None
    decisions: DecisionSource | None = None
    names: NameKeeping | None = None
    migrations: MigrationSource | None = None
    outbox: OutboxSource | None = None
    edges: EdgeSource | None = None
    plant_new_tenant: TenantSeeding | None = None
    subjects: Subjects = field(default_factory=dict)
    tools: Mapping[str, Tool] = field(default_factory=dict)
    remotes: RemoteTools | None = None
    gate: Gate | None = None
    transfers: Transfers = field(default_factory=lambda: Transfers(64, 64))
    meters: Meters | None = None
    quotas: QuotaSource | None = None
    draining: Draining = field(default_factory=Draining)
    keepers: Keepers = field(default_factory=dict)
    joint_writes: Joining | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One request: its caller, realm, database and request id.

    ``rules`` are those in force for the caller; a call without any may do nothing. ``receipt``: signed by
    the code that stores the effect of this call; None without an idempotency key. ``transaction``: what the
    call is a part of, if any. ``is_abandoned`` reports whether its connection has ended, once its body was
    read. ``open_again`` opens the same call with the current rights, in its realm or another; None without a
    token. ``agent``: the refName of the agent that the caller names, not looked up yet. ``depth``: how many
    services passed it on. ``moment``: when it came, and the time zone of its dates. ``token``: the access
    token it came with, for servers that it is meant for as well. ``accesses``: what the guard has allowed so
    far; it alone may write to it. ``turn``: its place in the queue for the store. ``renaming``: the changes
    of many operations, whose names are copied together (``effects.copies``); None to copy each at once.
    """

    service: Service
    principal: Principal
    realm: str
    database: str
    request_id: str
    address: str = ""
    rules: RuleSet = NO_RULES
    moment: Moment = field(default_factory=Moment.now)
    receipt: Receipt | None = None
    transaction: Transaction | None = None
    open_again: OpenAgain | None = field(default=None, repr=False, compare=False)
    agent: str | None = None
    depth: int = 0
    is_abandoned: Callable[[], Awaitable[bool]] | None = field(default=None, repr=False, compare=False)
    turn: Turn = field(default_factory=Turn, repr=False, compare=False)
    token: str | None = field(default=None, repr=False, compare=False)
    renaming: list[Any] | None = field(default=None, repr=False, compare=False)
    accesses: dict[tuple[RecordType[Any], Action], Access] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def store(self) -> AnyStore:
        """What the call reads and writes through: its transaction, else the store."""
        return self.service.store if self.transaction is None else self.transaction
