"""Copied names: references follow a renamed record, without a new version of the records that refer to it.

Names are copied when the rename is stored: batch by batch, each record only as it was read, so that running
again, concurrently or after a crash does no harm. What is built from names (display names and calculated
fields that name the reference) is rebuilt with them, and followed in turn. A copy that is left behind, since
the process died or a save read the old name a moment before, is found a moment later: ``records.renames``.
"""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final

from runtime.call import Call
from runtime.errors import ServiceError
from runtime.filter import EVERYTHING, after, refers_to
from runtime.logs import log
from runtime.model.record_type import RecordType, Reference
from runtime.records.change import Change
from runtime.records.renames import announce_copies, announce_renames, find_renamed, is_slow
from runtime.records.rewriting import Names, Reach, build_projection, read_names, rewrite
from runtime.storage.store import Store

Document = dict[str, Any]

_BATCH = 500
_MOST_TARGETS: Final = 50
"""Renamed records whose copies are found together: MongoDB does not merge more lookups in order."""

_DEEPEST = 4
_ATTEMPTS = 4


async def follow_names(call: Call, changes: Sequence[Change], began: float) -> None:
    """Copy new names to where they are referred to, once ``changes`` are stored.

    ``began``: when the changes read the names they copied. Where that took long, have the copies looked at
    again.

    The write has succeeded by then, so a failure is logged and not raised. Do not call this while having a
    turn: it may take the time of many writes.
    """
    referrers = call.service.catalog.referrers
    if not any(change.kind.references or referrers(change.kind) for change in changes):
        return
    if call.renaming is None or (call.transaction is None and is_slow(began)):
        await call.store.run_after_storing(partial(_follow, call, changes, began))
    else:
        call.renaming.extend(changes)


@asynccontextmanager
async def follow_together(call: Call) -> AsyncIterator[Call]:
    """Copy the names of all changes of the call in the block together, at its end.

    A few commands for all then do what would be a few for each. The note of a rename is stored with it, so
    that its copies are looked at in time, whatever happens in the block. What is slow outside a transaction
    needs its notes at once, and does not wait.
    """
    began, changes = time.monotonic(), list[Change]()
    try:
        yield replace(call, renaming=changes)
    finally:
        await follow_names(call, changes, time.monotonic() if call.transaction is None else began)


async def refresh(
    reach: Reach, kind: RecordType[Any], ids: Sequence[str], depth: int = 1, *, is_thorough: bool = False
) -> int:
    """Copy the names that these records have now to all references to them; the number of records changed.

    Looked up once more at the end: of two that rename at once, the one that copies last copies the last
    name. ``is_thorough``: follow the names of records that refer to these also where nothing is left to
    change, as after a crash in between. Raises ``StoreUnavailable``, ``RecordBusy``.
    """
    done = 0
    for start in range(0, len(ids), _MOST_TARGETS):
        some = ids[start : start + _MOST_TARGETS]
        names = await read_names(reach, kind, some)
        for _attempt in range(_ATTEMPTS):
            for referrer, references in reach.catalog.referrers(kind):
                done += await _refresh_in(reach, referrer, references, names, depth, is_thorough)
            copied, names = names, await read_names(reach, kind, some)
            if names == copied:
                break
    return done


async def _follow(call: Call, changes: Sequence[Change], began: float, store: Store) -> None:
    service, slow = call.service, is_slow(began)
    try:
        renamed = find_renamed(service.catalog, changes)
        for (name, tenant), ids in renamed.items():
            reach = Reach(store, service.catalog, service.seams.expressions, call.database, tenant)
            work = partial(refresh, reach, service.catalog[name], ids)
            if service.names is None:
                await work()
            else:  # one record may be renamed by many at once
                await service.names.copy((call.database, tenant, name, *ids), work)
        if slow and renamed:
            await announce_renames(call, store, changes)
        if slow:
            await announce_copies(call, store, changes)
    except ServiceError as error:
        written = [str((change.after or {}).get("_id")) for change in changes[:10]]
        log.warning(
            "copies.left_behind", ids=written, reason=error.message, request_id=call.request_id
        )  # fmt: skip


async def _refresh_in(
    reach: Reach,
    kind: RecordType[Any],
    references: Sequence[Reference],
    names: Names,
    depth: int,
    is_thorough: bool,
) -> int:
    done, match = 0, refers_to([one.key for one in references], list(names))
    beyond = EVERYTHING
    projection = build_projection(kind, references)
    while True:
        rows = await reach.store.find(
            reach.access(kind), match & beyond, order=(("_id", 1),), projection=projection, limit=_BATCH
        )
        if not rows:
            return done
        beyond = after((("_id", 1),), [rows[-1]["_id"]])[0]
        written, shown_anew = await rewrite(reach, kind, references, names, rows)
        done += written
        if is_thorough and (kind.display or kind.calculated):
            shown_anew = [str(row["_id"]) for row in rows]
        if shown_anew and depth < _DEEPEST and reach.catalog.referrers(kind):
            done += await refresh(reach, kind, shown_anew, depth + 1, is_thorough=is_thorough)
