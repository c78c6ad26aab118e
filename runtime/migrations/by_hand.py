"""Migrations that are written by hand: ``migrations/0007_split_name.py``.

Such a file has the name of a record type, ``RECORD``, and ``async def forward(records)``, which gets some
records as they are read, and changes them in place. What it has changed is saved as the service, in the
tenant of each record, on the one path for writing: constraints, state graphs, references, history and
webhooks are those of any write. A batch is one transaction together with the note how far it came, so each
record that was there at the beginning is migrated exactly once, whatever is killed.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

from runtime import records
from runtime.call import Call, Service
from runtime.contract.writes import RecordPatch
from runtime.errors import Misconfigured, StoreUnavailable
from runtime.filter import Predicate, compile_filter
from runtime.migrations.moving import Tell
from runtime.migrations.notes import insert_migration, read_all, update_migration
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.permissions import Rule, RuleSet
from runtime.principal import DomainContext, Principal
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import SERVICE_USER
from runtime.storage.store import AnyStore, Transaction
from runtime.storage.wire import read_back, to_wire
from runtime.system.documents import RecordMigrationDocument

FOLDER: Final = Path("migrations")

_BATCH: Final = 100
_BEHIND: Final = "!!(auditInfo.createdDate:>=${began}) && id:>${position}"
_FROM_THE_START: Final = "0" * 24
_EVERYTHING: Final = RuleSet((Rule("a migration does everything", is_final=True),))

Record = dict[str, Any]
Forward = Callable[[Sequence[Record]], Awaitable[None]]


@dataclass(frozen=True)
class ByHand:
    """One file: its name, the record type it is about, and what it does."""

    name: str
    record: str
    forward: Forward


def read_folder(folder: Path = FOLDER) -> list[ByHand]:
    """Read the files of a folder, in the order of their names. Raises ``Misconfigured``."""
    return [_read_file(path) for path in sorted(folder.glob("[0-9]*.py"))] if folder.is_dir() else []


def _read_file(path: Path) -> ByHand:
    spec = spec_from_file_location(f"migrations_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise Misconfigured(f"{path} cannot be imported")
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    record, forward = getattr(module, "RECORD", None), getattr(module, "forward", None)
    if not isinstance(record, str) or not callable(forward):
        raise Misconfigured(f'{path}: write RECORD = "Customer" and async def forward(records)')
    return ByHand(path.stem, record, forward)


@dataclass
class HandRunner:
    """One migration by hand in one realm. ``who`` runs it."""

    service: Service
    default: str
    realm: str
    database: str
    migration: ByHand
    who: str

    @property
    def kind(self) -> RecordType[Any]:
        """The record type it is about. Raises ``NotFound``."""
        return self.service.catalog[self.migration.record]

    async def find(self, store: AnyStore | None = None) -> RecordMigrationDocument | None:
        """Find what is noted of it; None before its first run."""
        name = f"{self.migration.name}@{self.database}"
        found = await read_all(store or self.service.store, self.default)
        return next((one for one in found if one["refName"] == name), None)

    async def count(self) -> int:
        """Return how many records there are to look at."""
        noted = await self.find()
        match = self._match(noted or {"startedDate": now()})
        return await self.service.store.count(as_service(self.kind, self.database), match)

    async def run(self, tell: Tell) -> RecordMigrationDocument:
        """Migrate what is behind the last position. Raises ``Misconfigured``, and what a write raises.

        A batch that is not stored in time, since others write its records, is tried again with half as many.
        """
        noted, began, size = await self.find() or await self._begin(), time.monotonic(), _BATCH
        while noted["phase"] != "DONE":
            position = noted.get("position")
            try:
                noted = await self._run_batch(size)
            except StoreUnavailable:
                if size == 1:
                    raise
                size //= 2
                noted = _require(await self.find())  # it may have been stored all the same
                continue
            if noted["phase"] != "DONE" and noted.get("position") == position:
                done = {"phase": "DONE", "finishedDate": now(), "seconds": time.monotonic() - began}
                noted = _require(await update_migration(self.service.store, self.default, noted, done))
            else:
                tell(size)
        return noted

    async def _begin(self) -> RecordMigrationDocument:
        fields: Any = {
            "database": self.database,
            "phase": "MOVE",
            "steps": [f"{self.migration.record}: forward"],
            "moved": 0,
            "checked": 0,
            "startedBy": self.who,
            "startedDate": now(),
        }
        return _require(await insert_migration(self.service.store, self.default, self.migration.name, fields))

    def _match(self, noted: RecordMigrationDocument) -> Predicate:
        """Match the records that were there at the beginning, behind the last position."""
        variables = {
            "began": noted["startedDate"].isoformat() + "Z",
            "position": str(noted.get("position") or _FROM_THE_START),
        }
        return compile_filter(_BEHIND, self.kind, variables)

    async def _run_batch(self, size: int) -> RecordMigrationDocument:
        """Migrate the next records; what is noted is read with them, since another process may run it too."""

        async def work(store: Transaction) -> RecordMigrationDocument:
            noted = _require(await self.find(store))
            if noted["phase"] == "DONE":
                return noted
            access = as_service(self.kind, self.database)
            found = await store.find(access, self._match(noted), order=(("_id", 1),), limit=size)
            if not found:
                return noted
            saved = await self._save_changed(store, found)
            values = {"position": found[-1]["_id"], "moved": noted["moved"] + saved}
            return _require(await update_migration(store, self.default, noted, values))

        return await self.service.store.transact(work)

    async def _save_changed(self, store: Transaction, found: Sequence[Record]) -> int:
        before = [{name: read_back(value) for name, value in to_wire(one).items()} for one in found]
        after = deepcopy(before)
        await self.migration.forward(after)
        saved = 0
        for stored, old, new in zip(found, before, after, strict=True):
            changed = {name: new.get(name) for name in (*old, *new) if old.get(name) != new.get(name)}
            if changed:
                call = replace(self._open_call(tenant_of(stored)), transaction=store)
                await records.patch(call, self.kind, old["id"], RecordPatch(changed))
                saved += 1
        return saved

    def _open_call(self, tenant: str) -> Call:
        """Open a call of the service for one tenant."""
        domain = DomainContext(tenant_id=tenant, default_realm=self.realm)
        principal = Principal(SERVICE_USER, SERVICE_USER, frozenset({"system"}), domain)
        return Call(
            self.service, principal, self.realm, self.database, f"migration {self.migration.name}",
            rules=_EVERYTHING,
        )  # fmt: skip


def _require(noted: RecordMigrationDocument | None) -> RecordMigrationDocument:
    if noted is None:
        raise Misconfigured("another process runs this migration; try again when it has ended")
    return noted
