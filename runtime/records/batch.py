"""Many writes of one request, stored in as few transactions as they need. Bulk requests and imports share it.

All or none of them (``store_all_or_none``); or each separately, though many in one transaction
(``store_together``): one that cannot be stored whole is halved, until the writes in its way are found.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar

from runtime.call import Call
from runtime.contract.writes import BulkAnswer
from runtime.errors import Duplicate, ServiceError
from runtime.records.change import Change, Outdated
from runtime.records.commit import commit
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.effects.copies import follow_together
from runtime.records.results import Results, answer_of
from runtime.storage.store import Transaction
from runtime.storage.wire import Json

E = TypeVar("E")

MOST_TOGETHER: Final = 100
"""Records in one transaction, where something is stored with them: it must end in its time."""


class Batch(Protocol[E]):
    """What the entries of a batch are, and what becomes of those that are not stored.

    ``began``: when the names in their changes were looked up. ``answer`` is what the call's receipt keeps of
    some entries, None where there is nothing to keep. ``store_outdated`` is handed entries of which one has a
    change, and its record has changed since it was read. ``decide_taken`` is handed entries of which one is a
    new record with a unique value that another one has; None where they are decided as before. What these
    return stands for the entries.
    """

    @property
    def began(self) -> float: ...
    def change_of(self, entry: E) -> Change | None: ...
    def answer(self, entries: Sequence[E]) -> Any: ...
    def refuse(self, entry: E, error: ServiceError) -> E: ...
    async def store_outdated(self, entries: Sequence[E]) -> Sequence[E]: ...
    async def decide_taken(self, entries: Sequence[E]) -> Sequence[E] | None: ...


async def store_together(call: Call, batch: Batch[E], entries: Sequence[E], terms: Terms = PLAIN) -> list[E]:
    """Store entries in one or more transactions, in order; return what became of each.

    Raises faults of the service: then it is not known what is stored, and trying again could double it.
    """
    changes = [change for entry in entries if (change := batch.change_of(entry)) is not None]
    if not changes:
        answer = batch.answer(entries)
        if call.receipt is not None and answer is not None:
            await call.receipt.sign(call.store, answer)
        return list(entries)
    try:
        await commit(call, changes, batch.answer(entries), terms, began=batch.began)
    except ServiceError as error:
        if isinstance(error, Duplicate) and (again := await batch.decide_taken(entries)) is not None:
            return await store_together(call, batch, again, terms)
        if len(changes) == 1:
            return await store_together(call, batch, refuse_all(batch, entries, error), terms)
        if error.status >= 500:
            raise
    except Outdated:
        if len(changes) == 1:
            return list(await batch.store_outdated(entries))
    else:
        return list(entries)
    middle = len(entries) // 2
    first = await store_together(call, batch, entries[:middle], terms)
    return first + await store_together(call, batch, entries[middle:], terms)


def refuse_all(batch: Batch[E], entries: Sequence[E], error: ServiceError) -> list[E]:
    """Refuse the entries that have a change."""
    return [entry if batch.change_of(entry) is None else batch.refuse(entry, error) for entry in entries]


async def store_all_or_none(
    call: Call, write: Callable[[Call], Awaitable[Results]], terms: Terms, turns: Collection[str]
) -> Json[BulkAnswer]:
    """Run ``write`` in one transaction, which also signs the call's receipt for the answer."""

    async def work(transaction: Transaction) -> Json[BulkAnswer]:
        async with follow_together(replace(call, transaction=transaction, receipt=None)) as inner:
            answer = answer_of(await write(inner))
        if call.receipt is not None:
            await call.receipt.sign(transaction, answer)
        return answer

    return await call.store.transact(work, is_dry_run=terms.is_dry_run, turns=turns)


def resume(call: Call) -> tuple[Call, Results]:
    """Return the call that signs a receipt for each write, and the results of an earlier attempt at it."""
    if call.receipt is None:
        return call, {}
    return replace(call, receipt=call.receipt.by_parts()), dict(call.receipt.parts)
