"""The permission rules in force: those of the specifications and the stored ones of the caller's tenant.

Stored rules are cached for ``auth.rule-cache-seconds`` (at most 10) after they were requested, or until a
change is reported. A process that stores rules forgets those of the cache before it answers, so the next
request meets the new ones. Without the store the call fails: old rules are never used longer.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from runtime.access.stored_rules import find_rules_in_force
from runtime.call import Call
from runtime.errors import ServiceError
from runtime.model.record_type import RecordType
from runtime.permissions import Rule, RuleSet
from runtime.principal import DomainContext
from runtime.storage.store import Store, Transaction
from runtime.system.record_types import PERMISSION_RULE

_MOST_TENANTS = 10_000
_MOST_KEPT_RULES = 100_000

_IDLE_SECONDS = 600.0
"""How long rules of a tenant are cached that nobody asks for, and what was worked out with others: as much as
a megabyte for each tenant."""

_TASK = "reading permission rules"

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store said: when it was asked, and the rules of the tenant alone and all together.

    ``since``: when the oldest of what is remembered of these rules may have been worked out.
    """

    asked: float
    since: float
    stored: tuple[Rule, ...]
    rules: RuleSet


class RuleBook:
    """The rules in force, of all realms; one per process. ``clock`` counts seconds.

    Tenants without stored rules share one ``RuleSet``, and with it what that has worked out. As a
    ``Companion`` of permission rules it forgets what this process changes.
    """

    is_joint = False

    def __init__(
        self,
        store: Store,
        rules: tuple[Rule, ...],
        seconds: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._rules = rules
        self._without_stored = RuleSet(rules)
        self._seconds = seconds
        self._clock = clock
        self._known: OrderedDict[_Key, _Known] = OrderedDict()
        self._kept_rules = 0
        self._loads: dict[_Key, asyncio.Task[_Known]] = {}

    async def find_rules(self, database: str, domain: DomainContext) -> RuleSet:
        """Return the rules for callers of a tenant in a realm's database.

        Raises ``StoreUnavailable`` when they cannot be read, ``Misconfigured`` when they are too many.
        """
        if not domain.tenant_id:
            return self._without_stored
        key = database, domain.tenant_id
        known = self._known.get(key)
        if known is not None and 0 <= self._clock() - known.asked < self._seconds:
            self._known.move_to_end(key)
            return known.rules
        return (await self._load_once(key)).rules

    def forget(self, database: str | None, record_id: str | None = None) -> None:
        """Ask the store again for a database, None for all; what is on its way may be too old already.

        Which rule has changed does not matter: one that is gone names no tenant any more.
        """
        for key in [key for key in self._known if database in (None, key[0])]:
            self._drop(key)
        for key in [key for key in self._loads if database in (None, key[0])]:
            del self._loads[key]

    async def want(self, _call: Call, kind: RecordType[Any], /) -> bool:
        """Return whether it is a permission rule."""
        return kind is PERMISSION_RULE

    async def follow(self, call: Call, transaction: Transaction, _changes: Sequence[Any], /) -> None:
        """Forget the rules of the database once those that are being written are stored."""
        await transaction.run_after_storing(partial(self._forget_stored, call.database))

    async def _forget_stored(self, database: str, _store: Store) -> None:
        self.forget(database)

    async def _load_once(self, key: _Key) -> _Known:
        """Share one load among all waiters; cancelling one waiter does not cancel the load.

        Each raises an error of its own.
        """
        load = self._loads.get(key)
        if load is None:
            load = self._loads[key] = asyncio.create_task(self._load(key), name=_TASK)
            load.add_done_callback(lambda done: self._finish(key, done))
        try:
            return await asyncio.shield(load)
        except ServiceError as error:
            raise error.renew() from None

    async def _load(self, key: _Key) -> _Known:
        database, tenant_id = key
        asked = self._clock()
        stored = await find_rules_in_force(self._store, database, tenant_id)
        if not stored:
            return _Known(asked, asked, stored, self._without_stored)
        known = self._known.get(key)
        if known is None or known.stored != stored:
            return _Known(asked, asked, stored, RuleSet((*self._rules, *stored)))
        if is_old := asked - known.since >= _IDLE_SECONDS:
            known.rules.forget()
        return _Known(asked, asked if is_old else known.since, stored, known.rules)

    def _finish(self, key: _Key, done: asyncio.Task[_Known]) -> None:
        """Keep what was loaded, unless it was to be forgotten meanwhile."""
        is_current = self._loads.get(key) is done
        if is_current:
            del self._loads[key]
        if done.cancelled() or done.exception() is not None:
            return
        if is_current:
            self._keep(key, done.result())

    def _keep(self, key: _Key, found: _Known) -> None:
        self._drop(key)
        self._known[key] = found
        self._kept_rules += len(found.stored)
        while self._known and self._must_drop(next(iter(self._known.values())), found.asked):
            self._drop(next(iter(self._known)))

    def _must_drop(self, oldest: _Known, now: float) -> bool:
        is_full = len(self._known) > _MOST_TENANTS or self._kept_rules > _MOST_KEPT_RULES
        return is_full or now - oldest.asked > _IDLE_SECONDS

    def _drop(self, key: _Key) -> None:
        known = self._known.pop(key, None)
        if known is not None:
            self._kept_rules -= len(known.stored)
