"""The names in references are copies; they follow the record they name, without a new version of those
that refer to it.

Copied when the rename is stored: batch by batch, each record only at the version it was read at, so that
running again, side by side or after a crash does no harm. What names were made of (display names and
calculated fields that name the reference) is made anew with them, and followed in turn. A copy that is
left behind, since the process died or a save looked the old name up a moment before, is found and mended
by ``recordsmith references repair``, and by the next write that sets the reference anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from runtime.access import Access, Action
from runtime.as_service import as_service
from runtime.call import Call
from runtime.errors import ServiceError
from runtime.filter import EVERYTHING, Projection, after, by_id, by_ids, equals, refers_to
from runtime.logs import log
from runtime.principal import DomainScope
from runtime.record_type import Catalog, RecordType, Reference
from runtime.records.calculated import Expressions, calculate
from runtime.records.change import Change
from runtime.records.lifecycle import display_name
from runtime.records.references import entries
from runtime.store import Changes, Store

Document = dict[str, Any]
Names = Mapping[str, tuple[Any, Any]]
"""Id → refName and displayName."""

_BATCH = 500
_MOST_TARGETS: Final = 50
"""Renamed records whose copies are looked for together: more look-ups than MongoDB merges in order."""

_DEEPEST = 4
_ATTEMPTS = 4
_NAMES = Projection(include=("refName", "displayName"))


@dataclass(frozen=True, slots=True)
class Reach:
    """How far copies reach: one tenant of one database. ``store`` has no transaction."""

    store: Store
    catalog: Catalog
    expressions: Expressions
    database: str
    tenant: str

    def access(self, kind: RecordType[Any], action: Action = Action.VIEW) -> Access:
        """The service's own: whose record it is does not matter."""
        return as_service(kind, self.database, action, DomainScope(tenant_id=self.tenant))


async def copy_names(call: Call, changes: Sequence[Change]) -> None:
    """Once ``changes`` are stored, new names are copied to where they are referred to.

    The write has succeeded then, so a failure is logged and not raised.
    """
    renamed: dict[tuple[str, str], list[str]] = defaultdict(list)
    for change in changes:
        if _is_renamed(call.service.catalog, change) and change.after is not None:
            tenant = str(change.after["dataDomain"]["tenantId"])
            renamed[change.kind.name, tenant].append(str(change.after["_id"]))
    for (name, tenant), ids in renamed.items():
        kind = call.service.catalog[name]
        await call.service.store.after_storing(partial(_copy, call, kind, tenant, ids))


async def refresh(reach: Reach, kind: RecordType[Any], ids: Sequence[str], depth: int = 1) -> int:
    """Copy the names that these records have now to all references to them; the number of records changed.

    Looked up once more at the end: of two that rename at once, the one that copies last copies the last
    name. Raises ``StoreUnavailable``.
    """
    done = 0
    for start in range(0, len(ids), _MOST_TARGETS):
        some = ids[start : start + _MOST_TARGETS]
        names = await _names(reach, kind, some)
        for _attempt in range(_ATTEMPTS):
            for referrer, references in _by_type(reach.catalog, kind):
                done += await _refresh_in(reach, referrer, references, names, depth)
            copied, names = names, await _names(reach, kind, some)
            if names == copied:
                break
    return done


async def _copy(call: Call, kind: RecordType[Any], tenant: str, ids: Sequence[str], store: Store) -> None:
    service = call.service
    reach = Reach(store, service.catalog, service.seams.expressions, call.database, tenant)
    try:
        await refresh(reach, kind, ids)
    except ServiceError as error:
        log.warning(
            "copies.left_behind",
            type=kind.name, ids=ids[:10], reason=error.message, request_id=call.request_id,
        )  # fmt: skip


def _is_renamed(catalog: Catalog, change: Change) -> bool:
    before, now = change.before, change.after
    if before is None or now is None or not catalog.referrers(change.kind):
        return False
    return before.get("refName") != now.get("refName") or before.get("displayName") != now.get("displayName")


async def _names(reach: Reach, kind: RecordType[Any], ids: Sequence[str]) -> Names:
    rows = await reach.store.find(reach.access(kind), by_ids(ids), projection=_NAMES)
    return {str(row["_id"]): (row["refName"], row["displayName"]) for row in rows}


def _by_type(catalog: Catalog, kind: RecordType[Any]) -> Iterator[tuple[RecordType[Any], list[Reference]]]:
    """The types that refer to this one, each once."""
    found: dict[str, list[Reference]] = defaultdict(list)
    for referrer, reference in catalog.referrers(kind):
        found[referrer.name].append(reference)
    for name, references in found.items():
        yield catalog[name], references


async def _refresh_in(
    reach: Reach, kind: RecordType[Any], references: Sequence[Reference], names: Names, depth: int
) -> int:
    done, match = 0, refers_to([one.key for one in references], list(names))
    beyond = EVERYTHING
    projection = _needed(kind, references)
    while True:
        rows = await reach.store.find(
            reach.access(kind), match & beyond, order=(("_id", 1),), projection=projection, limit=_BATCH
        )
        if not rows:
            return done
        beyond = after((("_id", 1),), [rows[-1]["_id"]])[0]
        shown_anew = []
        for _attempt in range(_ATTEMPTS):
            updates = [
                (row, changes) for row in rows if (changes := _update(reach, kind, references, names, row))
            ]
            written = await _written(reach, kind, updates)
            done += written
            shown_anew += [str(row["_id"]) for row, changes in updates if "displayName" in changes.set]
            if written == len(updates):
                break
            ids = [str(row["_id"]) for row, _changes in updates]
            rows = await reach.store.find(reach.access(kind), match & by_ids(ids), projection=projection)
        if shown_anew and depth < _DEEPEST and reach.catalog.referrers(kind):
            done += await refresh(reach, kind, shown_anew, depth + 1)


def _needed(kind: RecordType[Any], references: Sequence[Reference]) -> Projection | None:
    """The whole record where something is made of names; else the references alone."""
    if kind.display or kind.calculated:
        return None
    tops = {one.top for one in references}
    return Projection(include=(*sorted(tops), "version"))


async def _written(reach: Reach, kind: RecordType[Any], updates: Sequence[tuple[Document, Changes]]) -> int:
    """How many were still at the version they were read at: places in lists are those of a version."""
    if not updates:
        return 0
    return await reach.store.update_each(
        reach.access(kind, Action.UPDATE),
        [(by_id(str(row["_id"])) & equals(version=row["version"]), changes) for row, changes in updates],
    )


def _update(
    reach: Reach, kind: RecordType[Any], references: Sequence[Reference], names: Names, row: Document
) -> Changes | None:
    """What changes in a record; None when its copies are those of now."""
    now = deepcopy(row)
    copies: Document = {}
    for reference in references:
        for path, entry in entries(reference, now):
            ref_name, shown = names.get(str(entry["entityId"]), (None, None))
            if ref_name is None or (entry.get("entityRefName"), entry.get("entityDisplayName")) == (
                ref_name,
                shown,
            ):
                continue
            entry["entityRefName"], entry["entityDisplayName"] = ref_name, shown
            place = path.replace("[", ".").replace("]", "")
            copies |= {f"{place}.entityRefName": ref_name, f"{place}.entityDisplayName": shown}
    if not copies:
        return None
    made = _made_of_names(reach, kind, row, now)
    gone = [name for name, value in made.items() if value is None]
    return Changes(
        set=copies | {name: value for name, value in made.items() if value is not None}, unset=gone
    )


def _made_of_names(reach: Reach, kind: RecordType[Any], row: Document, now: Document) -> Document:
    """The calculated fields, and the display name nobody chose, that other names have changed."""
    if kind.calculated:
        calculate(kind, now, reach.expressions)
    if kind.display and row["displayName"] == display_name(kind, row):
        now["displayName"] = display_name(kind, now)
    made = (*kind.calculated, "displayName") if kind.display or kind.calculated else ()
    return {name: now.get(name) for name in made if now.get(name) != row.get(name)}
