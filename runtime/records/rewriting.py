"""Rewriting of copied names, and of what is built from them."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from runtime.errors import RecordBusy
from runtime.filter import Predicate, Projection, by_id, by_ids, equals, unchanged
from runtime.model.catalog import Catalog
from runtime.model.mappings import without_nones
from runtime.model.record_type import RecordType, Reference
from runtime.principal import DomainScope
from runtime.records.document.calculated import Expressions, calculate
from runtime.records.document.lifecycle import render_display_name
from runtime.records.references import entries, names_of
from runtime.records.turn import pause, turn_name
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Changes, Store

Document = dict[str, Any]
Names = Mapping[str, tuple[Any, Any]]
"""Id → refName and displayName."""

_MOST_ATTEMPTS: Final = 50
"""At records that others write; from the second on, the writers of this process wait for it."""

_NAMES = Projection(include=("refName", "displayName"))
_COPIED = ("entityRefName", "entityDisplayName")


@dataclass(frozen=True, slots=True)
class Reach:
    """How far copies reach: one tenant of one database. ``store`` has no transaction."""

    store: Store
    catalog: Catalog
    expressions: Expressions
    database: str
    tenant: str

    def access(self, kind: RecordType[Any], action: Action = Action.VIEW) -> Access:
        """Return the service's own access: the owner of a record does not matter."""
        return as_service(kind, self.database, action, DomainScope(tenant_id=self.tenant))


async def read_names(reach: Reach, kind: RecordType[Any], ids: Sequence[str]) -> Names:
    """Read the current names of these records; without those that are gone."""
    rows = await reach.store.find(reach.access(kind), by_ids(ids), projection=_NAMES)
    return {str(row["_id"]): names_of(row) for row in rows}


async def rewrite(
    reach: Reach,
    kind: RecordType[Any],
    references: Sequence[Reference],
    names: Names,
    rows: Sequence[Document],
) -> tuple[int, list[str]]:
    """Put names into these records; how many changed, and which of them have another display name now.

    Those that others write in the same moment are read again: first at once, then while the writers of this
    process wait. Raises ``RecordBusy`` when another process never lets one be.
    """
    done, shown_anew = 0, list[str]()
    turns: list[str] = []
    ids: list[str] = []
    for _attempt in range(_MOST_ATTEMPTS):
        async with reach.store.take_turns(turns):
            if turns:
                await pause()
                rows = await reach.store.find(
                    reach.access(kind), by_ids(ids), projection=build_projection(kind, references)
                )
            updates = [
                (row, changes) for row in rows if (changes := _update(reach, kind, references, names, row))
            ]
            written = await _store_updates(reach, kind, updates)
        done += written
        shown_anew += [str(row["_id"]) for row, changes in updates if "displayName" in changes.set]
        if written == len(updates):
            return done, shown_anew
        ids = [str(row["_id"]) for row, _changes in updates]
        turns = [turn_name(reach.database, reach.tenant, kind, record_id) for record_id in ids]
    raise RecordBusy("too many requests write records that refer to a renamed one; try again later")


def build_projection(kind: RecordType[Any], references: Sequence[Reference]) -> Projection | None:
    """Return the fields to read: the whole record where something is built from names, else references."""
    if kind.display or kind.calculated:
        return None
    tops = {one.top for one in references}
    return Projection(include=(*sorted(tops), "version"))


async def _store_updates(
    reach: Reach, kind: RecordType[Any], updates: Sequence[tuple[Document, Changes]]
) -> int:
    """Store updates; return how many records had not changed since they were read.

    Places in lists are those of a version; what is built from names also needs those names unchanged, which
    others may copy at the same version.
    """
    if not updates:
        return 0
    return await reach.store.update_each(
        reach.access(kind, Action.UPDATE), [(_as_read(kind, row), changes) for row, changes in updates]
    )


def _as_read(kind: RecordType[Any], row: Document) -> Predicate:
    match = by_id(str(row["_id"])) & unchanged("version", row.get("version"))
    if not (kind.display or kind.calculated):
        return match
    match &= unchanged("displayName", row.get("displayName"))
    seen: dict[str, str] = {}
    for reference in kind.references:
        if "[]" in reference.path and not kind.calculated:
            continue  # a template names no place in a list
        for path, entry in entries(reference, row):
            copied = {f"{_place(path)}.{name}": entry.get(name) for name in _COPIED}
            seen |= {place: name for place, name in copied.items() if isinstance(name, str)}
    return match & equals(**seen)


def _place(path: str) -> str:
    """Return ``items[3].product`` as an update names it: ``items.3.product``."""
    return path.replace("[", ".").replace("]", "")


def _update(
    reach: Reach, kind: RecordType[Any], references: Sequence[Reference], names: Names, row: Document
) -> Changes | None:
    """Build what changes in a record; None when its copies are current."""
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
            copies |= {f"{_place(path)}.entityRefName": ref_name, f"{_place(path)}.entityDisplayName": shown}
    if not copies:
        return None
    made = _rebuild_from_names(reach, kind, row, now)
    gone = [name for name, value in made.items() if value is None]
    return Changes(set=copies | without_nones(made), unset=gone)


def _rebuild_from_names(reach: Reach, kind: RecordType[Any], row: Document, now: Document) -> Document:
    """Rebuild the calculated fields and the automatic display name that the new names change."""
    if kind.calculated:
        calculate(kind, now, reach.expressions)
    if kind.display and row.get("displayName") == render_display_name(kind, row):
        now["displayName"] = render_display_name(kind, now)
    made = (*kind.calculated, "displayName") if kind.display or kind.calculated else ()
    return {name: now.get(name) for name in made if now.get(name) != row.get(name)}
