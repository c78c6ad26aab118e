"""One attempt at a write: it begins with what is stored, and ends with the commit.

An operation that writes a record is a function of an ``Attempt``, from reading the record to the commit. It
runs as often as others change the record in between (``settle``), so it changes nothing but through the
attempt.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from runtime.access.guard import allow_lookup
from runtime.aside import run_aside
from runtime.call import Call
from runtime.filter import Predicate, by_id
from runtime.model.problems import no_record
from runtime.model.record_type import RecordType
from runtime.records.change import Change, Document
from runtime.records.commit import store_changes
from runtime.records.document.terms import PLAIN, Terms
from runtime.storage.store import LOCK, Changes, Transaction
from runtime.storage.wire import create_id

A = TypeVar("A")


class Writing(NamedTuple):
    """The write of one record that a caller wants.

    ``record_id``: as the caller names it; None for a new record. ``match``: what the record must match as
    well, where the caller wants to write many records that are chosen first; ``chosen``: as it was then.
    """

    call: Call
    kind: RecordType[Any]
    record_id: str | None
    terms: Terms = PLAIN
    match: Predicate | None = None
    chosen: Document | None = None


class Checked(Exception):
    """The change of an attempt that only checks is ready to be stored."""


class Attempt:
    """One attempt at a write.

    ``stored``: the record, where it need not be read. ``began``: when it was read (``time.monotonic``, now by
    default). ``transaction``: the one in which the record is locked. ``is_check``: to end where the change
    would be stored, with ``Checked``. ``change``: what is stored, once it is built.
    """

    def __init__(
        self,
        writing: Writing,
        *,
        stored: Document | None = None,
        began: float | None = None,
        transaction: Transaction | None = None,
        is_check: bool = False,
    ) -> None:
        self.call = writing.call
        self.kind = writing.kind
        self.terms = writing.terms
        self.began = time.monotonic() if began is None else began
        self.change: Change | None = None
        self._writing = writing
        self._stored = writing.chosen if stored is None else stored
        self._transaction = transaction
        self._is_check = is_check

    async def read_stored(self) -> Document | None:
        """Return the record that the caller names, with the withheld fields; None if it cannot see one."""
        record_id, match = self._writing.record_id, self._writing.match
        if self._stored is not None or record_id is None:
            return self._stored
        access, named = allow_lookup(self.call, self.kind), by_id(record_id)
        if self._transaction is not None:
            # Written to first: other processes, which store one change at a time, wait until this one ends.
            lock = Changes(set={LOCK: create_id()})
            locked = await self._transaction.update_one(access, named, lock)
            if match is None:
                return locked
        return await self.call.store.find_one(access, named if match is None else named & match)

    async def read_existing(self) -> Document:
        """Return the record that the caller names. Raises ``NotFound``."""
        stored = await self.read_stored()
        if stored is None:
            besides = "" if self._writing.match is None else ", or it does not match any more"
            raise no_record(self.kind.shown_name, f"{self._writing.record_id}{besides}")
        return stored

    async def commit(self, change: Change, render: Callable[[Change], A]) -> A:
        """Render the answer and store the change; raise ``Outdated`` if the record changed in between.

        In this order, so that a receipt can keep the answer with the change.
        """
        self.change = change
        if self._is_check:
            raise Checked
        answer = await run_aside(partial(render, change))
        call = self.call if self._transaction is None else replace(self.call, transaction=self._transaction)
        await store_changes(call, [change], answer, self.terms)
        return answer
