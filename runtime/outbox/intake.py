"""Deliveries that a process stores as taken by itself, on the way to its own sender.

Mostly the worker that writes also sends. So it stores a delivery under its name and with a lease, and passes
it on in memory once the write is committed: nobody has to find it in the store, or to take it. A worker that
dies in between leaves it to others when the lease ends, as it does with all that it has taken. Where the
sender has no lane for it, a delivery is stored free.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from datetime import timedelta
from typing import TypeAlias
from uuid import uuid4

from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.system.documents import WebhookDeliveryDocument

Room: TypeAlias = Callable[[str, str], int]
"""How many more deliveries of a webhook, of a tenant, may be sent now."""


class Intake:
    """One per process. ``lease``: how long a delivery is the process's own, from the moment it is built.

    ``room``: that of the sender; nothing is claimed while it is None.
    """

    def __init__(self, lease: timedelta) -> None:
        self._lease, self._holder = lease, uuid4().hex
        self.room: Room | None = None
        self._rows: dict[str, list[WebhookDeliveryDocument]] = defaultdict(list)
        self._number = 0

    def claim(self, rows: Sequence[WebhookDeliveryDocument]) -> None:
        """Take those of these deliveries that can be sent at once, before they are stored."""
        if self.room is None:
            return
        number, until = self._number, now() + self._lease
        for row in rows:
            if self.room(row["webhookId"], tenant_of(row)) > number:
                number += 1
                row["holder"], row["dueAt"] = self._holder, until

    def pass_on(self, database: str, rows: Sequence[WebhookDeliveryDocument]) -> bool:
        """Pass on what was claimed, now that it is stored; return whether that is all of it."""
        claimed = [row for row in rows if row["holder"]]
        if claimed:
            self._rows[database] += claimed
            self._number += len(claimed)
        return len(claimed) == len(rows)

    @property
    def databases(self) -> Set[str]:
        """The databases of what was passed on since the last time."""
        return self._rows.keys()

    def collect(self) -> dict[str, list[WebhookDeliveryDocument]]:
        """Return what was passed on since the last time, by database."""
        rows, self._rows, self._number = self._rows, defaultdict(list), 0
        return rows
