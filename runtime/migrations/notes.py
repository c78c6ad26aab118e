"""What is stored about migrations: shapes in each realm, migrations and workers in the default realm."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, cast

from runtime.errors import Duplicate, Misconfigured
from runtime.filter import EVERYTHING, by_id, equals, one_of
from runtime.model.clock import now
from runtime.spelling import Shape, fingerprint, keep_removed
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import OF_NO_TENANT, build_update, complete_document
from runtime.storage.store import AnyStore, Changes, Store, Transaction
from runtime.storage.wire import create_id
from runtime.system.documents import RecordMigrationDocument, ServiceWorkerDocument, StoredShapeDocument
from runtime.system.record_types import RECORD_MIGRATION, SERVICE_WORKER, STORED_SHAPE

IN_FORCE: Final = ("PREPARE", "EXPAND", "MOVE", "BACK", "SHARE")
"""The phases in which records may be in two spellings."""

SHARED: Final = frozenset({"EXPAND", "SHARE"})
"""The phases in which writes store both spellings."""

OPEN_TO_EARLIER: Final = frozenset({"PREPARE", "EXPAND"})
"""The phases in which workers of the earlier shape may start: each record has its spelling."""

ENDED: Final = ("DONE", "UNDONE")
"""The phases of a migration that is over: its records are moved, or all are as they were before."""

ALIVE: Final = timedelta(seconds=15)
"""A worker that has not announced itself for so long is taken for dead."""


@dataclass(frozen=True)
class Noted:
    """The shape in which the records of a type are stored; ``earlier``: what they were migrated from.

    ``alike``: shapes before it from which no step leads to it, as ``name_alike`` has them.
    """

    number: int
    shape: Shape
    earlier: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """The name of the shape."""
        return fingerprint(self.shape)

    def replace_shape(self, shape: Shape, *, is_alike: bool) -> Noted:
        """Return what is noted once the shape is another one, which no record has to be moved to."""
        own = name_alike(self.number, self.fingerprint)
        alike = tuple(dict.fromkeys((*self.alike, own))) if is_alike else ()
        return Noted(self.number, keep_removed(self.shape, shape), self.earlier, alike)

    def advance(self, number: int, former: Shape, shape: Shape) -> Noted:
        """Return what is noted once a migration has moved all records from one shape to another.

        The former one may not start again, unless it differs in what it says of former names alone.
        """
        moved_from = fingerprint(former)
        earlier = (*self.earlier, *((moved_from,) if moved_from != fingerprint(shape) else ()))
        return Noted(number, keep_removed(self.shape, shape), earlier)


def name_alike(number: int, fingerprint: str) -> str:
    """Return a shape with its number: an earlier version counts on and leaves the rest of the note alone."""
    return f"{number}:{fingerprint}"


def name_of(record_type: str, number: int) -> str:
    """Return the name of a migration: ``Airport.2``."""
    return f"{record_type}.{number}"


def show_phase(migration: RecordMigrationDocument) -> str:
    """Return what a worker announces that has applied the phase of a migration."""
    return f"{migration['refName']}:{migration['phase']}"


async def read_shapes(store: AnyStore, database: str) -> dict[str, Noted]:
    """Read the shapes that a realm has noted, by record type."""
    found = await store.find(as_service(STORED_SHAPE, database), EVERYTHING)
    return {one["refName"]: _read_noted(one) for one in found}


def _read_noted(document: StoredShapeDocument) -> Noted:
    lists = tuple(document.get("earlier", ())), tuple(document.get("alike", ()))
    return Noted(document["number"], json.loads(document["shape"]), *lists)


async def insert_shapes(store: Store, database: str, shapes: Mapping[str, Noted]) -> None:
    """Note shapes that a realm lacks. Another worker may do it too."""
    documents = [_build_shape(name, noted) for name, noted in shapes.items()]
    for error in (
        await store.insert_many(as_service(STORED_SHAPE, database, Action.CREATE), documents)
    ).values():
        if not isinstance(error, Duplicate):
            raise error


def _build_shape(name: str, noted: Noted) -> StoredShapeDocument:
    return complete_document(_shape_fields(noted), name, OF_NO_TENANT, now())


def _shape_fields(noted: Noted) -> StoredShapeDocument:
    return {
        "number": noted.number,
        "fingerprint": noted.fingerprint,
        "shape": json.dumps(noted.shape, sort_keys=True),
        "earlier": list(noted.earlier),
        "alike": list(noted.alike),
    }


async def replace_shape(store: AnyStore, database: str, name: str, noted: Noted) -> None:
    """Note another shape of a record type."""
    changes = build_update(_shape_fields(noted), now())
    access = as_service(STORED_SHAPE, database, Action.UPDATE)
    if await store.update_one(access, equals(refName=name), changes) is None:
        await store.insert(as_service(STORED_SHAPE, database, Action.CREATE), _build_shape(name, noted))


def by_record_type(
    migrations: Iterable[RecordMigrationDocument], database: str
) -> dict[str, RecordMigrationDocument]:
    """Return those of some migrations that move the records of a type in a realm, by type."""
    return {
        one["recordType"]: one for one in migrations if one["database"] == database and "recordType" in one
    }


def build_migration(
    database: str, steps: Sequence[str], who: str, at: datetime, **more: Any
) -> RecordMigrationDocument:
    """Build the fields of a migration that begins, in the phase ``MOVE`` unless ``more`` names another."""
    counts = {"moved": 0, "checked": 0}
    begun: Any = {"database": database, "phase": "MOVE", "steps": list(steps), **counts}
    return cast(RecordMigrationDocument, begun | {"startedBy": who, "startedDate": at} | more)


def build_overtaken(name: str) -> Misconfigured:
    """Build the error of a run that meets another one of the same migration."""
    return Misconfigured(f"another process changes the migration {name}; try again when it has ended")


@dataclass(frozen=True, slots=True)
class MigrationNotes:
    """The migrations and workers of all realms, which are noted in the realm ``default``."""

    store: Store
    default: str

    async def read_in_force(self) -> list[RecordMigrationDocument]:
        """Read the migrations in force, of all realms."""
        return await self.store.find(as_service(RECORD_MIGRATION, self.default), one_of("phase", IN_FORCE))

    async def read_all(self) -> list[RecordMigrationDocument]:
        """Read all migrations there have been, of all realms, the first ones first."""
        access = as_service(RECORD_MIGRATION, self.default)
        return await self.store.find(access, EVERYTHING, order=(("_id", 1),))

    async def find(
        self, name: str, database: str, inside: Transaction | None = None
    ) -> RecordMigrationDocument | None:
        """Find what is noted of a migration in a realm; None before its first run."""
        access = as_service(RECORD_MIGRATION, self.default)
        return await (inside or self.store).find_one(access, equals(refName=f"{name}@{database}"))

    async def insert(self, name: str, fields: RecordMigrationDocument) -> RecordMigrationDocument | None:
        """Store a migration; None when another worker has."""
        document = complete_document(fields, f"{name}@{fields['database']}", OF_NO_TENANT, now())
        document["_id"] = create_id()
        try:
            await self.store.insert(as_service(RECORD_MIGRATION, self.default, Action.CREATE), document)
        except Duplicate:
            return None
        return document

    async def begin_again(self, name: str, fields: RecordMigrationDocument) -> RecordMigrationDocument | None:
        """Begin a migration again whose records came back in the earlier shape; None if it is in force."""
        match = equals(refName=f"{name}@{fields['database']}") & one_of("phase", ENDED)
        gone = {"position", "finishedDate", "seconds", "acceptedLoss"} - fields.keys()
        changes = build_update(fields, now(), unset=sorted(gone))
        return await self.store.update_one(self._access_to_change(), match, changes)

    async def update(
        self,
        migration: RecordMigrationDocument,
        values: Mapping[str, Any],
        *unset: str,
        inside: Transaction | None = None,
    ) -> RecordMigrationDocument:
        """Change a migration that nobody has changed since it was read.

        So a transaction in which it is changed (``inside``) stores nothing of a run that another one has
        overtaken. Raises ``Misconfigured`` if somebody has changed it.
        """
        changes = build_update(values, now(), unset=unset)
        match = by_id(str(migration["_id"])) & equals(phase=migration["phase"], version=migration["version"])
        changed = await (inside or self.store).update_one(self._access_to_change(), match, changes)
        if changed is None:
            raise build_overtaken(migration["refName"])
        return changed

    async def read_after_update(
        self, migration: RecordMigrationDocument, values: Mapping[str, Any]
    ) -> RecordMigrationDocument:
        """Return a migration as it is after an update that got no answer: with the values, or as it was."""
        match = by_id(str(migration["_id"])) & equals(version=migration["version"] + 1)
        found = await self.store.find_one(as_service(RECORD_MIGRATION, self.default), match)
        wanted = {"phase": migration["phase"], **values}
        return found if found is not None and wanted.items() <= found.items() else migration

    async def read_workers(self) -> Sequence[ServiceWorkerDocument]:
        """Read the workers that are alive, by the clock of the store: those of machines may differ."""
        found = await self.store.find(as_service(SERVICE_WORKER, self.default), EVERYTHING)
        moment = await self.store.read_clock()
        return [one for one in found if one["aliveUntil"] > moment]

    async def announce(self, name: str, shapes: Sequence[str], seen: Sequence[str]) -> None:
        """Announce this process, or that it is still alive and what it has seen."""
        until = await self.store.read_clock() + ALIVE
        values: ServiceWorkerDocument = {"shapes": list(shapes), "seen": list(seen), "aliveUntil": until}
        access = as_service(SERVICE_WORKER, self.default, Action.UPDATE)
        if await self.store.update_one(access, equals(refName=name), Changes(set=values)) is None:
            document = complete_document(values, name, OF_NO_TENANT, now())
            await self.store.insert(as_service(SERVICE_WORKER, self.default, Action.CREATE), document)

    async def retire(self, name: str) -> None:
        """Remove this process from the workers."""
        access = as_service(SERVICE_WORKER, self.default, Action.DELETE)
        await self.store.delete_one(access, equals(refName=name))

    def _access_to_change(self) -> Access[RecordMigrationDocument]:
        return as_service(RECORD_MIGRATION, self.default, Action.UPDATE)
