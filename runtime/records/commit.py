"""Storing of changes: all of a request or none, each only if its record did not change since it was read.

What belongs to a write is stored with it in one transaction. A change with nothing else to store is one
command, which needs no transaction, or a part of one that it shares with other requests (``joint_writes``).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from runtime.aside import run_aside
from runtime.call import Call
from runtime.errors import ServiceError
from runtime.filter import by_id, by_ids, equals
from runtime.model.record_type import RecordType
from runtime.records.change import Change, Outdated
from runtime.records.document.terms import PLAIN, Terms, read_version
from runtime.records.effects.copies import follow_names
from runtime.records.effects.history import build_revisions, keep_revisions
from runtime.records.effects.tracking import concerns, held_by, hold, sets_tracked
from runtime.records.renames import announce_renames, find_renamed
from runtime.sources import Companion
from runtime.storage.store import AnyStore, Transaction


async def ask_whether_plain(call: Call, kind: RecordType[Any]) -> bool:
    """Return whether a new record of this type is stored alone, with no other document."""
    is_alone = not sets_tracked(call, kind) and not _has_effects(call, kind)
    return is_alone and not await find_companions(call, kind)


def _has_effects(call: Call, kind: RecordType[Any]) -> bool:
    return call.receipt is not None or kind.audited or kind.name in call.service.effects


async def find_companions(call: Call, kind: RecordType[Any]) -> tuple[Companion, ...]:
    """Return what is stored with records of a type."""
    return tuple([one for one in call.service.companions if await one.want(call, kind)])


async def commit(
    call: Call, changes: Sequence[Change], answer: Any, terms: Terms = PLAIN, *, began: float
) -> None:
    """Store changes and let copied names follow.

    ``store_changes`` and ``follow_names``; ``began``: when the names in the changes were looked up.
    """
    await store_changes(call, changes, answer, terms)
    if not terms.is_dry_run:
        await follow_names(call, changes, began)


async def store_changes(call: Call, changes: Sequence[Change], answer: Any, terms: Terms = PLAIN) -> None:
    """Store all changes or none, with their revisions and the call's receipt for ``answer``.

    With ``terms.is_dry_run`` only try. Raises ``Outdated``, ``Duplicate``.
    """
    changes = [change for change in changes if not change.is_none]
    if not changes:
        if call.receipt is not None:
            await call.receipt.sign(call.store, answer)
        return
    first = changes[0]
    if len(changes) > 1 or terms.is_dry_run or _has_effects(call, first.kind):
        await _write_together(call, changes, answer, terms)
        return
    companions = await find_companions(call, first.kind)
    if not await _store_jointly(call, first, companions):
        await _write_alone(call, first, answer, terms, companions)


async def _store_jointly(call: Call, change: Change, companions: tuple[Companion, ...]) -> bool:
    """Store a new or changed record with those of other requests; False: nothing was stored."""
    joint = call.service.joint_writes
    if joint is None or call.transaction is not None or change.after is None:
        return False
    if change.before is not None and (not change.is_bound or concerns(call, change)):
        return False
    if not all(one.is_joint for one in companions) or find_renamed(call.service.catalog, [change]):
        return False
    return await joint.store(call, change, companions)


async def _write_alone(
    call: Call, change: Change, answer: Any, terms: Terms, companions: tuple[Companion, ...]
) -> None:
    try:
        if _is_inserted_last(call, change, companions):
            await _insert_followed(call, change, companions)
        elif companions or concerns(call, change):
            await _write_together(call, [change], answer, terms)
        else:
            await announce_renames(call, call.store, [change])
            await _write(call.store, change)
    except (Outdated, ServiceError):
        if call.service.joint_writes is not None:
            call.service.joint_writes.set_apart(call)
        raise


def _is_inserted_last(call: Call, change: Change, companions: tuple[Companion, ...]) -> bool:
    """Return whether a new record and what follows it can be stored as their transaction is committed."""
    is_new = change.before is None and change.after is not None and not concerns(call, change)
    is_followed = bool(companions) and all(one.is_joint for one in companions)
    return is_new and is_followed and call.transaction is None


async def _insert_followed(call: Call, change: Change, companions: tuple[Companion, ...]) -> None:
    async def work(inner: Transaction) -> None:
        await inner.insert_last(change.access, change.after or {})
        for companion in companions:
            await companion.follow(call, inner, [change])

    await call.store.transact(work)


async def _write_together(call: Call, changes: Sequence[Change], answer: Any, terms: Terms) -> None:
    kept = await run_aside(partial(build_revisions, call, changes))

    async def work(inner: Transaction) -> None:
        await hold(call, inner, changes)
        await announce_renames(call, inner, changes)
        await _write_all(inner, changes)
        await _apply_effects(call, inner, changes)
        await keep_revisions(call, inner, kept)
        if call.receipt is not None:
            await call.receipt.sign(inner, answer)

    turns = held_by(call, changes)
    await call.store.transact(work, is_dry_run=terms.is_dry_run, turns=turns)


async def _apply_effects(call: Call, store: Transaction, changes: Sequence[Change]) -> None:
    for change in changes:
        if effect := call.service.effects.get(change.kind.name):
            await effect(call, store, change.before, change.after)
    kinds = {change.kind.name: change.kind for change in changes}
    for companion in call.service.companions:
        concerned = {name for name, kind in kinds.items() if await companion.want(call, kind)}
        if concerned:
            await companion.follow(
                call, store, [change for change in changes if change.kind.name in concerned]
            )


async def _write_all(store: AnyStore, changes: Sequence[Change]) -> None:
    """Write changes of one type in one command for new records, one for changed and one for removed ones."""
    kinds = {change.kind.name for change in changes}
    if len(changes) > 1 and len(kinds) == 1 and all(map(_is_removed, changes)):
        ids = by_ids([str((change.before or {})["_id"]) for change in changes])
        if await store.delete_many(changes[0].access, ids) < len(changes):
            raise Outdated
        return
    if len(changes) == 1 or len(kinds) > 1 or not all(map(_is_kept, changes)):
        for change in changes:
            await _write(store, change)
        return
    new = [change for change in changes if change.before is None]
    for refused in (await insert_all(store, new)).values():
        raise refused
    changed = [change for change in changes if change.before is not None]
    if changed:
        found, errors = await replace_all(store, changed)
        for refused in errors.values():
            raise refused
        if found < len(changed):
            raise Outdated


def _is_removed(change: Change) -> bool:
    """Return whether the record goes, whatever has changed since it was read."""
    return change.after is None and not change.is_bound


def _is_kept(change: Change) -> bool:
    """Return whether the record is there afterwards, and was as it had been read."""
    return change.after is not None and (change.before is None or change.is_bound)


async def insert_all(store: AnyStore, changes: Sequence[Change]) -> dict[int, ServiceError]:
    """Insert new records of one type in one command; return the error of each position that has one."""
    documents = [change.after for change in changes if change.after is not None]
    return await store.insert_many(changes[0].access, documents) if documents else {}


async def replace_all(store: AnyStore, changes: Sequence[Change]) -> tuple[int, dict[int, ServiceError]]:
    """Replace stored records of one type in one command.

    Return how many had not changed since they were read, and the error of each position that has one.
    """
    replacements = [one for change in changes if (one := change.replacement) is not None]
    return await store.replace_many(changes[0].access, replacements)


async def _write(store: AnyStore, change: Change) -> None:
    if change.before is None:
        if change.after is not None:
            await store.insert(change.access, change.after)
        return
    match = by_id(str(change.before["_id"]))
    if change.is_bound:
        match &= equals(version=read_version(change.before))
    if change.after is None:
        done = await store.delete_one(change.access, match)
    else:
        known = change.known if change.is_bound else None
        done = await store.replace(change.access, match, change.after, keep=change.keep, before=known)
    if not done:
        raise Outdated
