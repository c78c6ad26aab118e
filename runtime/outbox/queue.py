"""The deliveries that wait in the store, and who sends which.

All deliveries of a webhook about one record are a line, sent one after the other. Only the first of a line is
ever taken, by one worker at a time: it writes its name into the delivery and when another may take over (the
lease). A worker that dies leaves nothing behind but that time. The others of a line are set aside until the
first is done, so that they are not looked at again and again.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import uuid4

from runtime.filter import Predicate, Projection, any_of, by_id, by_ids, equals, none_of, one_of
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.outbox.opening import open_deliveries, within
from runtime.settings import Settings
from runtime.storage.access import Action
from runtime.storage.store import Changes, Function, Grouping, Key, Measure, Store, key_column, measure_column
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument

_ASIDE: Final = timedelta(seconds=15)
"""How long a blocked delivery is set aside: it is put back as soon as the one before it is done."""

_LEASE_MARGIN: Final = 5.0
"""Seconds that a worker has behind the time limit of an attempt, to store what became of it."""

_SLEEP: Final = timedelta(minutes=5)
"""How often the deliveries of a webhook that is switched off are looked at."""

_SEEN: Final = Projection(
    include=("webhookId", "line", "sequence", "dueAt", "holder", "attempts", "dataDomain")
)
_LINE: Final = Projection(include=("line",))
_FIRST: Final = 1
"""The place of what nothing can be before: a new record, or a test."""

_MOST_ASIDE: Final = 10_000
_WAITING: Final = equals(status="WAITING")
_FREE: Final = _WAITING & equals(holder="")


def lease_of(settings: Settings) -> timedelta:
    """Return how long a worker has for a delivery that it takes."""
    return timedelta(seconds=settings.webhook_seconds + _LEASE_MARGIN)


class Busy(NamedTuple):
    """Webhooks and tenants for which a worker sends as much as it may at once."""

    webhooks: Collection[str] = ()
    tenants: Collection[str] = ()

    @property
    def others(self) -> Predicate:
        """The deliveries of all others. MongoDB decides on them in an index, as each condition is apart."""
        webhooks, tenants = sorted(self.webhooks), sorted(self.tenants)
        return none_of([one_of("webhookId", webhooks)]) & none_of([one_of("dataDomain.tenantId", tenants)])


class Due(NamedTuple):
    """Deliveries that are due, and in how many seconds the next one is; None if none is known."""

    rows: list[WebhookDeliveryDocument]
    seconds: float | None


class Settled(NamedTuple):
    """What became of a delivery that a worker had taken; ``changes`` is None for one that is deleted."""

    delivery: WebhookDeliveryDocument
    changes: Changes | None


class Queue:
    """The deliveries of all realms.

    ``lease``: how long a worker has for one. ``report`` is called with a database in which some have become
    due again, while others were set aside.
    """

    def __init__(
        self, store: Store, lease: timedelta, report: Callable[[str], None] = lambda _database: None
    ) -> None:
        self._store, self._lease, self._report = store, lease, report

    async def find_due(self, database: str, most: int, busy: Busy) -> Due:
        """Find deliveries that are due, the longest due ones first; without their records."""
        match = _WAITING & busy.others if busy.webhooks or busy.tenants else _WAITING
        rows = await self._store.find(
            open_deliveries(database), match, order=(("dueAt", 1),), projection=_SEEN, limit=most
        )
        moment = now()
        later = next((row["dueAt"] for row in rows if row["dueAt"] > moment), None)
        seconds = None if later is None else (later - moment).total_seconds()
        return Due([row for row in rows if row["dueAt"] <= moment], seconds)

    async def choose_first(
        self, database: str, rows: Sequence[WebhookDeliveryDocument]
    ) -> list[WebhookDeliveryDocument]:
        """Return the deliveries that are the first of their lines, and set the others aside."""
        heads = await self._find_heads(database, {row["line"] for row in rows if row["sequence"] != _FIRST})
        first = [row for row in rows if row["sequence"] in (_FIRST, heads.get(row["line"]))]
        behind = [row for row in rows if row["sequence"] not in (_FIRST, heads.get(row["line"]))]
        if behind:
            aside = Changes(set={"isBlocked": True, "dueAt": now() + _ASIDE, "holder": ""})
            as_found = any_of([*map(_as_found, behind)])
            await self._store.update_many(open_deliveries(database, Action.UPDATE), as_found, aside)
            if await self.restore_first(database, {row["line"] for row in behind}):  # done in the meantime
                self._report(database)
        return first

    async def restore_first(self, database: str, lines: Collection[str]) -> bool:
        """Make the first of each line due, if it was set aside; return whether there may be some."""
        aside = one_of("line", sorted(lines)) & _FREE & equals(isBlocked=True)
        found = await self._store.find(open_deliveries(database), aside, projection=_LINE, limit=_MOST_ASIDE)
        heads = await self._find_heads(database, {row["line"] for row in found})
        if not heads:
            return False
        due = Changes(set={"isBlocked": False, "dueAt": now()})
        firsts = [
            (equals(line=line, sequence=sequence, isBlocked=True) & _FREE, due)
            for line, sequence in heads.items()
        ]
        return await self._store.update_each(open_deliveries(database, Action.UPDATE), firsts) > 0

    async def take(
        self, database: str, rows: Sequence[WebhookDeliveryDocument]
    ) -> list[WebhookDeliveryDocument]:
        """Take deliveries that nobody else has taken since they were found; return those, whole."""
        if not rows:
            return []
        holder = uuid4().hex
        taken = Changes(set={"holder": holder, "isBlocked": False, "dueAt": now() + self._lease})
        if len(rows) == 1:
            one = await self._store.update_one(
                open_deliveries(database, Action.UPDATE), _as_found(rows[0]), taken
            )
            return [] if one is None else [one]
        as_found = any_of([*map(_as_found, rows)])
        await self._store.update_many(open_deliveries(database, Action.UPDATE), as_found, taken)
        mine = by_ids([row["_id"] for row in rows]) & equals(holder=holder)
        return await self._store.find(open_deliveries(database), mine)

    async def release(self, database: str, rows: Sequence[WebhookDeliveryDocument]) -> None:
        """Give back deliveries that a worker has taken and does not send; they are due at once."""
        if rows:
            free = Changes(set={"holder": "", "dueAt": now()})
            as_found = any_of([*map(_as_found, rows)])
            await self._store.update_many(open_deliveries(database, Action.UPDATE), as_found, free)

    async def settle(self, database: str, settled: Sequence[Settled]) -> bool:
        """Store what became of deliveries, unless another worker has taken over.

        Return whether others have become due by that, or some of these are to be sent again.
        """
        changed = [(_as_taken(one.delivery), one.changes) for one in settled if one.changes is not None]
        removed = [_as_taken(one.delivery) for one in settled if one.changes is None]
        if changed:
            await self._store.update_each(open_deliveries(database, Action.UPDATE), changed)
        if removed:
            await self._store.delete_many(open_deliveries(database, Action.DELETE), any_of(removed))
        is_again = any("dueAt" in changes.set for _match, changes in changed)
        return await self.restore_first(database, {one.delivery["line"] for one in settled}) or is_again

    async def pause(self, database: str, webhook_id: str, rows: Sequence[WebhookDeliveryDocument]) -> None:
        """Set aside what waits for a webhook that is switched off, for a while; ``rows``: what was found."""
        later = Changes(set={"dueAt": now() + _SLEEP, "holder": ""})
        match = equals(webhookId=webhook_id) & any_of([_FREE, *map(_as_found, rows)])
        await self._store.update_many(open_deliveries(database, Action.UPDATE), match, later)

    async def resume(self, database: str, webhook: WebhookDocument, repeated_for: timedelta) -> None:
        """Make due what waits for a webhook that is switched on again, and repeat it as long as new ones."""
        own, at = equals(webhookId=str(webhook["_id"])), now()
        access = open_deliveries(database, Action.UPDATE, within(tenant_of(webhook)))
        await self._store.update_many(access, own & _WAITING, Changes(set={"giveUpAt": at + repeated_for}))
        await self._store.update_many(
            access, own & equals(isBlocked=False) & _FREE, Changes(set={"dueAt": at})
        )

    async def _find_heads(self, database: str, lines: Collection[str]) -> dict[str, int]:
        """Return the place of the first delivery that waits, by line."""
        if not lines:
            return {}
        grouping = Grouping((Key("line"),), (Measure(Function.MIN, "sequence"),), limit=len(lines))
        match = one_of("line", sorted(lines)) & _WAITING
        rows = await self._store.group(open_deliveries(database), match, grouping)
        return {row[key_column(0)]: int(row[measure_column(0)]) for row in rows}


def _as_found(row: WebhookDeliveryDocument) -> Predicate:
    same = equals(holder=row["holder"], attempts=row["attempts"])
    return by_id(str(row["_id"])) & _WAITING & same


def _as_taken(delivery: WebhookDeliveryDocument) -> Predicate:
    return by_id(str(delivery["_id"])) & equals(holder=delivery["holder"])
