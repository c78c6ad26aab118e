"""References that hold their target: ``track: true``.

The referrers of a record are found by an index on their references, and never stored at the record itself:
README, "Decisions". A write that sets a tracked reference and one that removes its target must not pass each
other. Both run in a transaction, and the first writes to the target too (``LOCK``): so the two conflict, one
of them runs again, and sees what the other did. Targets that are archived when deleted are never removed,
hence are not held.

All of a tenant's records count, visible to the caller or not; ``referrers`` reports the visible ones.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.call import Call
from runtime.errors import StillReferenced
from runtime.filter import Predicate, Projection, by_id, by_ids, equals, in_tenant, one_of
from runtime.model.documents import tenant_of
from runtime.model.problems import no_record
from runtime.model.record_type import RecordType, Reference
from runtime.principal import DomainScope
from runtime.records.change import Change, Outdated, is_moved
from runtime.records.references import entries, refuse_missing
from runtime.records.referrers import (
    MOST_COUNTED,
    build_visible_referrers,
    match_pointing,
)
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import LOCK, Changes, Transaction
from runtime.storage.wire import create_id

Document = dict[str, Any]
Going = Mapping[str, Sequence[str]]
Point = tuple[RecordType[Any], str, Document]

_REF_NAME = Projection(include=("refName",))


def sets_tracked(call: Call, kind: RecordType[Any]) -> bool:
    """Return whether records of this type may hold others."""
    return bool(_find_tracked(call, kind))


def concerns(call: Call, change: Change) -> bool:
    """Return whether a change is to be stored in a transaction, ``hold`` before it."""
    return _takes_away(call, change) or (bool(change.kind.references) and any(_find_newly_set(call, change)))


def held_by(call: Call, changes: Sequence[Change]) -> set[str]:
    """Return the names of the records that ``hold`` writes to or that go, for ``Store.transact``."""
    held = {
        (target, str(entry["entityId"]))
        for change in changes
        for target, _path, entry in _find_newly_set(call, change)
    }
    held |= {
        (change.kind, str((change.before or {})["_id"])) for change in changes if _takes_away(call, change)
    }
    return {f"{call.database}/{kind.name}/{record_id}" for kind, record_id in held}


async def hold(call: Call, store: Transaction, changes: Sequence[Change]) -> None:
    """Check and hold, in the transaction that stores ``changes`` and before them, what they refer to.

    Afterwards what they refer to exists and stays, and nothing refers to what they remove.

    Raises ``MissingReference``, ``StillReferenced``, and ``Outdated`` when a target was renamed since the
    change was prepared.
    """
    await _touch_targets(call, store, changes)
    going: dict[str, list[str]] = defaultdict(list)
    for change in changes:
        if change.before is not None and change.after is None:
            going[change.kind.name].append(str(change.before["_id"]))
    taken: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        if _takes_away(call, change):
            taken[change.kind.name].append(change)
    for of_kind in taken.values():
        if (held := await _find_held(call, store, of_kind, going)) is not None:
            await _require_unreferenced(call, store, held, going)


async def hold_across(call: Call, store: Transaction, changes: Sequence[Change]) -> None:
    """Hold what new records of several requests refer to, one command for each type.

    Raises ``Outdated`` where one of them does not find all it refers to; each says by itself what is missing.
    """
    wanted: dict[str, dict[tuple[str, ...], Predicate]] = defaultdict(dict)
    kinds: dict[str, RecordType[Any]] = {}
    for change in changes:
        tenant = tenant_of(change.after or {})
        for target, _path, entry in _find_newly_set(call, change):
            kinds[target.name], names = target, (entry["entityRefName"], entry["entityDisplayName"])
            named = equals(refName=names[0], displayName=names[1])
            match = in_tenant(tenant) & by_id(str(entry["entityId"])) & named
            wanted[target.name][tenant, str(entry["entityId"]), *names] = match
    for name, matches in wanted.items():
        fresh = Changes(set={LOCK: create_id()})
        access = as_service(kinds[name], call.database, Action.UPDATE)
        if await store.update_each(access, [(match, fresh) for match in matches.values()]) < len(matches):
            raise Outdated


async def _touch_targets(call: Call, store: Transaction, changes: Sequence[Change]) -> None:
    """Write to targets, one command for each type and tenant.

    A target counts only under the names that were copied.
    """
    wanted: dict[tuple[str, str], list[Point]] = defaultdict(list)
    for change in changes:
        for target, path, entry in _find_newly_set(call, change):
            wanted[target.name, tenant_of(change.after or {})].append((target, path, entry))
    for (_name, tenant), points in wanted.items():
        access = _open_in_tenant(call, points[0][0], tenant, Action.UPDATE)
        ids = sorted({str(entry["entityId"]) for _target, _path, entry in points})
        named = one_of("refName", sorted({entry["entityRefName"] for _target, _path, entry in points}))
        shown = one_of(
            "displayName", sorted({entry["entityDisplayName"] for _target, _path, entry in points})
        )
        fresh = Changes(set={LOCK: create_id()})
        if await store.update_many(access, by_ids(ids) & named & shown, fresh) < len(ids):
            rows = await store.find(access, by_ids(ids), projection=_REF_NAME)
            _require_found(points, {str(row["_id"]) for row in rows})
            raise Outdated


def _require_found(points: Sequence[Point], found: set[str]) -> None:
    missing = [
        {"path": path, "message": no_record(target.shown_name, entry["entityId"]).message}
        for target, path, entry in points
        if str(entry["entityId"]) not in found
    ]
    if missing:
        raise refuse_missing(missing)


async def _find_held(
    call: Call, store: Transaction, changes: Sequence[Change], going: Going
) -> Change | None:
    """Find a removal of a record that others refer to: many are asked about at once, then halves of them."""
    if len(changes) > 1 and not await _find_any_referrer(call, store, changes, going):
        return None
    while len(changes) > 1:
        middle = len(changes) // 2
        is_in_first = await _find_any_referrer(call, store, changes[:middle], going)
        changes = changes[:middle] if is_in_first else changes[middle:]
    return next(iter(changes), None)


async def _find_any_referrer(call: Call, store: Transaction, changes: Sequence[Change], going: Going) -> bool:
    """Return whether other records of their tenants refer to one of these, all of one type."""
    ids: dict[str, list[str]] = defaultdict(list)
    for stored in (change.before or {} for change in changes):
        ids[tenant_of(stored)].append(str(stored["_id"]))
    for referrer, keys in call.service.catalog.trackers(changes[0].kind):
        for tenant, named in ids.items():
            match = match_pointing(keys, named, going.get(referrer.name, ()))
            if await store.count(_open_in_tenant(call, referrer, tenant, Action.VIEW), match, most=1):
                return True
    return False


async def _require_unreferenced(call: Call, store: Transaction, change: Change, going: Going) -> None:
    """Refuse the removal of a record that others refer to.

    ``going``: ids by type of what the same request removes; such a referrer holds nothing.
    """
    stored = change.before or {}
    tenant, record_id = tenant_of(stored), str(stored["_id"])
    found: list[Document] = []
    unseen = False
    for referrer, keys in call.service.catalog.trackers(change.kind):
        leaving = going.get(referrer.name, ())
        access = _open_in_tenant(call, referrer, tenant, Action.VIEW)
        count = await store.count(access, match_pointing(keys, [record_id], leaving), most=MOST_COUNTED)
        if count:
            seen = await build_visible_referrers(call, store, referrer, keys, stored, leaving)
            found += [seen] if seen else []
            unseen |= seen is None or seen["count"] < count
    if found or unseen:
        parts = [f"{one['count']} {one['type']}" for one in found]
        said = " and ".join(parts + ["records that you may not see"] * unseen)
        is_one = not unseen and [one["count"] for one in found] == [1]
        verb, them = ("refers", "it") if is_one else ("refer", "them")
        raise StillReferenced(
            f"{said} {verb} to this {change.kind.shown_name}: change or remove {them} first", referrers=found
        )


def _find_newly_set(call: Call, change: Change) -> Iterator[Point]:
    """Yield the tracked references of the new record that the stored one did not have."""
    before, after = change.before, change.after
    if after is None:
        return
    tracked, had = _find_tracked(call, change.kind), set[tuple[str, str]]()
    if before is not None and not is_moved(after, before):
        tracked = [(one, target) for one, target in tracked if after.get(one.top) is not before.get(one.top)]
        had = _targets(call, change.kind, before) if tracked else had
    for reference, target in tracked:
        for path, entry in entries(reference, after):
            if (target.name, str(entry["entityId"])) not in had:
                yield target, path, entry


def _targets(call: Call, kind: RecordType[Any], document: Document) -> set[tuple[str, str]]:
    return {
        (target.name, str(entry["entityId"]))
        for reference, target in _find_tracked(call, kind)
        for _path, entry in entries(reference, document)
    }


def _find_tracked(call: Call, kind: RecordType[Any]) -> list[tuple[Reference, RecordType[Any]]]:
    targets = [(one, call.service.catalog[one.target]) for one in kind.references if one.track]
    return [(one, target) for one, target in targets if target.on_delete == "remove"]


def _takes_away(call: Call, change: Change) -> bool:
    """Return whether records that may refer to the stored one would no longer find it."""
    if change.before is None or not (change.after is None or is_moved(change.after, change.before)):
        return False
    return bool(call.service.catalog.trackers(change.kind))


def _open_in_tenant(call: Call, kind: RecordType[Any], tenant: str, action: Action) -> Access:
    return as_service(kind, call.database, action, DomainScope(tenant_id=tenant))
