"""Removing the values of fields that specifications do not declare any more.

They stay stored, and unread, until an operator accepts the loss by name: ``Parcel.recipient.removed``. A
batch and the note how many values it removed are one transaction, so a run that was killed goes on, and the
sum is right.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.errors import Misconfigured
from runtime.migrations.batches import Tell, read_ranges, run_batches
from runtime.migrations.keeper import Keeper
from runtime.migrations.notes import Noted, build_migration, build_overtaken, read_shapes, replace_shape
from runtime.model.clock import now
from runtime.model.record_type import RecordType
from runtime.spelling import forget_removed, list_removed
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Store, Transaction
from runtime.system.documents import RecordMigrationDocument

_PATH: Final = re.compile(r"[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)*")

Document = dict[str, Any]


@dataclass(frozen=True)
class Removal:
    """Values of a field that is not declared any more. ``examples``: a few, none of hidden fields."""

    name: str
    kind: str
    path: str
    records: int
    examples: list[Document] = field(default_factory=list)


async def plan_removals(keeper: Keeper, database: str, *, examples: int = 0) -> list[Removal]:
    """List what is stored and not read any more in a realm."""
    noted, found = await read_shapes(keeper.store, database), []
    for name, kind in keeper.settling.kinds.items():
        for path, is_hidden in list_removed(noted[name].shape if name in noted else {}).items():
            if not _is_free(kind, path):
                continue
            access = as_service(kind, database)
            number, shown = await _find_holding(keeper.store, access, path, 0 if is_hidden else examples)
            if number:
                found.append(Removal(f"{name}.{path}.removed", name, path, number, shown))
    return found


async def _find_holding(
    store: Store, access: Access[Any], path: str, examples: int
) -> tuple[int, list[Document]]:
    """Count the records that hold a value at a path, and return a few of them."""
    number, shown = 0, list[Document]()
    async for within in read_ranges(store, access):
        held = await store.count_holding(access, path, within)
        if held and len(shown) < examples:
            shown += await store.sample_holding(access, path, within, examples - len(shown))
        number += held
    return number, shown


def _is_free(kind: RecordType[Any], path: str) -> bool:
    """Return whether a path is one that the record type says nothing of, and the service does not either."""
    top = path.partition(".")[0]
    former = {*kind.renamed.values(), *kind.renamed_inside.values()}
    if not _PATH.fullmatch(path) or path.rpartition(".")[2] in former or top in former:
        return False
    fields: Mapping[str, Any] = kind.fields
    for step in path.split("."):
        if step not in fields:
            return bool(fields)  # what is inside a value of another type is a part of that value
        fields = fields[step].fields
    return False


@dataclass
class Remover:
    """One removal in one realm. ``who`` accepted it.

    ``_unconfirmed``: what a batch noted without getting an answer.
    """

    keeper: Keeper
    database: str
    removal: Removal
    who: str
    _noted: RecordMigrationDocument = field(init=False)
    _unconfirmed: Document | None = field(default=None, init=False)

    async def run(self, tell: Tell) -> RecordMigrationDocument:
        """Remove the values in batches. Raises ``Misconfigured`` while other versions are alive."""
        store, kind = self.keeper.store, self.keeper.settling.kinds[self.removal.kind]
        await self.keeper.require_alone()
        if not _is_free(kind, self.removal.path):
            raise Misconfigured(f"{self.removal.name}: the field is declared")
        self._noted, began = await self._find() or await self._begin(), time.monotonic()
        await run_batches(store, self._run_batch, tell)
        return await self._finish(self._noted, time.monotonic() - began)

    async def _run_batch(self, size: int) -> int | None:
        kind, store = self.keeper.settling.kinds[self.removal.kind], self.keeper.store
        if self._unconfirmed is not None:
            self._noted = await self.keeper.notes.read_after_update(self._noted, self._unconfirmed)
            self._unconfirmed = None
        access, noted = as_service(kind, self.database, Action.UPDATE), self._noted
        until = await store.find_range_end(access, noted.get("position"), size)
        if until is None:
            return None

        async def work(store: Transaction) -> RecordMigrationDocument:
            removed = await store.remove_range(access, self.removal.path, noted.get("position"), until)
            self._unconfirmed = values = {"position": until, "moved": noted["moved"] + removed}
            return await self.keeper.notes.update(noted, values, inside=store)

        self._noted, self._unconfirmed = await store.transact(work), None
        return size

    async def _find(self) -> RecordMigrationDocument | None:
        found = await self.keeper.notes.find(self.removal.name, self.database)
        return None if found is None or found["phase"] == "DONE" else found

    async def _begin(self) -> RecordMigrationDocument:
        notes, name = self.keeper.notes, self.removal.name
        fields = build_migration(self.database, [name], self.who, now(), acceptedLoss=[name])
        begun = await notes.insert(name, fields) or await notes.begin_again(name, fields)
        if begun is None:
            raise build_overtaken(name)
        return begun

    async def _finish(self, noted: RecordMigrationDocument, seconds: float) -> RecordMigrationDocument:
        async def work(store: Transaction) -> RecordMigrationDocument:
            shape = (await read_shapes(store, self.database))[self.removal.kind]
            rest = Noted(shape.number, forget_removed(shape.shape, self.removal.path), shape.earlier)
            await replace_shape(store, self.database, self.removal.kind, rest)
            done = {"phase": "DONE", "finishedDate": now(), "seconds": seconds}
            return await self.keeper.notes.update(noted, done, "position", inside=store)

        return await self.keeper.store.transact(work)
