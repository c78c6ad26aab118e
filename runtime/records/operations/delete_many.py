"""Deleting all records that match a filter: all of them or none, in one transaction.

Each is checked as if it were deleted on its own: the rules decide on it, and one that others refer to, except
others that go with it, prevents all.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from runtime.access.guard import allow, allow_lookup
from runtime.call import Call
from runtime.errors import RecordBusy, TooManyToDelete
from runtime.filter import Predicate, Projection
from runtime.model.record_type import RecordType
from runtime.records.change import Document, Outdated, prepare_deletion
from runtime.records.commit import store_changes
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.operations.listing import count_too_many
from runtime.records.turn import turns_of
from runtime.storage.access import Action
from runtime.storage.store import Transaction

A = TypeVar("A")
Render = Callable[[int], A]

_IDS = Projection(include=("id",))


class Deleting(NamedTuple):
    """What a request deletes: the records of ``kind`` that ``match``, of which there may be ``most``."""

    kind: RecordType[Any]
    match: Predicate
    most: int


async def delete_matching(call: Call, deleting: Deleting, render: Render[A], terms: Terms = PLAIN) -> A:
    """Remove or archive the records, and return what ``render`` makes of their number.

    They are chosen in the transaction that deletes them: what matches then is gone, and nothing else.
    Raises ``Denied``, ``TooManyToDelete``, ``StillReferenced``, ``RecordBusy``.
    """
    kind = deleting.kind
    allow(call, kind, Action.DELETE)
    chosen = await _read(call, deleting, _IDS)
    turns = turns_of(call, kind, (str(row["_id"]) for row in chosen))
    work: Callable[[Transaction], Awaitable[A]] = partial(_delete, call, deleting, render)
    try:
        return await call.store.transact(work, is_dry_run=terms.is_dry_run, turns=turns)
    except Outdated:
        raise RecordBusy("other requests write these records; try again later") from None


async def _delete(call: Call, deleting: Deleting, render: Render[A], transaction: Transaction) -> A:
    inner = replace(call, transaction=transaction)
    rows = await _read(inner, deleting)
    changes = [await prepare_deletion(inner, deleting.kind, row, is_bound=False) for row in rows]
    answer = render(len(changes))
    if changes:
        await store_changes(inner, changes, answer)
    elif call.receipt is not None:
        await call.receipt.sign(transaction, answer)
    return answer


async def _read(call: Call, deleting: Deleting, projection: Projection | None = None) -> list[Document]:
    access, match, most = allow_lookup(call, deleting.kind), deleting.match, deleting.most
    rows = await call.store.find(access, match, order=(("_id", 1),), projection=projection, limit=most + 1)
    if len(rows) > most:
        matched, said = await count_too_many(call, access, match)
        raise TooManyToDelete(f"{said}; at most {most} are deleted in one request", matched=matched)
    return rows
