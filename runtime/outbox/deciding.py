"""Decides which webhooks the writes of one transaction may concern, without holding others up."""

from collections.abc import Mapping
from functools import partial
from time import monotonic
from typing import Any, Final

from runtime.aside import run_long
from runtime.filter import MOST_AT_ONCE, RecordWeight, weigh_record
from runtime.outbox.table import Hook

MOST_SECONDS: Final = 1.0
"""How long the decisions of one transaction may take that are not made at once: it holds what it writes."""


class Decisions:
    """The decisions of one transaction.

    A decision that takes long is made aside. Where all of them take too long, the rest are left to the
    moment at which the delivery is sent, when the filter is decided on in any case.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        self._document: Mapping[str, Any] | None = None
        self._weight: RecordWeight = weigh_record(None)

    async def check(self, hook: Hook, op: str, document: Mapping[str, Any]) -> bool:
        """Whether a write of this record may have to be notified."""
        if not hook.concerns(op, document) or hook.wanted.is_empty:
            return hook.concerns(op, document)
        seconds = hook.wanted.estimate_seconds(self._weigh(document))
        if seconds <= MOST_AT_ONCE:
            return hook.admits(document)
        if self._spent + seconds > MOST_SECONDS:
            return True
        began = monotonic()
        admits = await run_long(partial(hook.admits, document))
        self._spent += max(seconds, monotonic() - began)  # longer than estimated on a busy machine
        return admits

    def _weigh(self, document: Mapping[str, Any]) -> RecordWeight:
        """Weigh a record, once for all webhooks."""
        if document is not self._document:
            self._document, self._weight = document, weigh_record(document)
        return self._weight
