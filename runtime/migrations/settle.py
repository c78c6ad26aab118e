"""Finding out what is in force in each realm, noting shapes, and beginning what has to begin."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from runtime.errors import IndexMissing, Misconfigured
from runtime.filter import EVERYTHING, Projection
from runtime.logs import log
from runtime.migrations.force import Found, find_force
from runtime.migrations.notes import (
    MigrationNotes,
    Noted,
    build_migration,
    by_record_type,
    insert_shapes,
    name_of,
    read_shapes,
    replace_shape,
    show_phase,
)
from runtime.model.record_type import RecordType
from runtime.spelling import Shape, Spelling, fingerprint, return_to_former
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import SERVICE_USER
from runtime.storage.store import Store
from runtime.system.documents import RecordMigrationDocument, ServiceWorkerDocument

_ID: Final = Projection(include=("id",))

Key = tuple[str, str]
"""A database, and the name of a record type or of its collection."""

Workers = Sequence[ServiceWorkerDocument]
Migrations = Sequence[RecordMigrationDocument]


@dataclass
class Settled:
    """What is in force: by record type, and by collection. ``refused``: what these specifications misread."""

    found: dict[Key, Found] = field(default_factory=dict)
    table: dict[Key, Spelling] = field(default_factory=dict)
    refused: dict[Key, Misconfigured] = field(default_factory=dict)


@dataclass
class Settling:
    """The part of a worker that decides; ``worker`` is its name. ``noted``: the shapes of each realm.

    ``only``: the record types whose migrations it begins, or brings forward; None: those of all.
    """

    notes: MigrationNotes
    kinds: Mapping[str, RecordType[Any]]
    shapes: Mapping[str, Shape]
    worker: str
    noted: dict[str, dict[str, Noted]] = field(default_factory=dict)
    only: set[str] | None = None
    _labels: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        return self.notes.store

    def label(self, kind: str) -> str:
        """Return what this worker announces of a record type; the shapes stay the same."""
        if kind not in self._labels:
            self._labels[kind] = f"{kind} {fingerprint(self.shapes[kind])}"
        return self._labels[kind]

    def show_unaware(self, database: str, kind: str) -> str:
        """Return what this worker announces as long as it does without a migration that is due."""
        return f"{name_of(kind, self.noted[database][kind].number + 1)}@{database}:NONE"

    def list_others(self, workers: Workers, kind: str) -> list[str]:
        """Return the workers alive that store a record type in another shape."""
        return [one["refName"] for one in workers if self.label(kind) not in one["shapes"]]

    def list_strangers(self, workers: Workers) -> list[str]:
        """Return the workers alive that store any record type in another shape, or know other types."""
        own = {self.label(kind) for kind in self.kinds}
        return [one["refName"] for one in workers if set(one["shapes"]) != own]

    def list_peers(self, workers: Workers) -> list[ServiceWorkerDocument]:
        return [one for one in workers if one["refName"] != self.worker]

    async def settle(self, databases: Sequence[str], migrations: Migrations) -> Settled:
        """Find what is in force in each realm, and begin what has to begin."""
        workers, settled = await self.notes.read_workers(), Settled()
        for database in databases:
            self.noted[database] = await self._read_noted(database)
            running = by_record_type(migrations, database)
            for name, kind in self.kinds.items():
                try:
                    found = await self._settle_one(database, kind, running.get(name), workers)
                except Misconfigured as error:
                    settled.refused[database, kind.collection] = error
                    continue
                settled.found[database, name] = found
                if found.spelling is not None:
                    settled.table[database, kind.collection] = found.spelling
        return settled

    async def _read_noted(self, database: str) -> dict[str, Noted]:
        """Read the noted shapes; note those that are not, as before the renames that are declared."""
        noted = await read_shapes(self.store, database)
        missing = {
            name: Noted(1, return_to_former(self.shapes[name])) for name in self.kinds if name not in noted
        }
        if missing:
            with suppress(IndexMissing):  # as long as an operator has not created them
                await insert_shapes(self.store, database, missing)
        return noted | missing

    async def _settle_one(
        self,
        database: str,
        kind: RecordType[Any],
        migration: RecordMigrationDocument | None,
        workers: Workers,
    ) -> Found:
        name, shape, noted = kind.name, self.shapes[kind.name], self.noted[database][kind.name]
        is_alone = not self.list_others(self.list_peers(workers), name)
        found = find_force(kind, shape, noted, migration, is_alone=is_alone)
        is_fresh = bool(found.steps) and migration is None and is_alone
        if is_fresh and await self._check_emptiness(database, kind):
            found = Found(todo="note")
        if found.todo == "note":
            later = noted.replace_shape(shape, is_alike=not is_fresh)
            self.noted[database][name] = later
            with suppress(IndexMissing):
                await replace_shape(self.store, database, name, later)
            return find_force(kind, shape, later, None, is_alone=True)
        if self.only is not None and name not in self.only:
            return found
        if found.todo == "begin":
            unaware = self.show_unaware(database, name)
            has_peers = any(unaware in one.get("seen", ()) for one in self.list_peers(workers))
            migration = await self.begin(database, name, found, has_peers=has_peers)
            return find_force(kind, shape, noted, migration, is_alone=True)
        if found.todo == "adopt" and migration is not None:
            values = {"toShape": fingerprint(shape), "steps": [one.name for one in found.steps]}
            with suppress(Misconfigured):  # another worker was faster
                await self.notes.update(migration, values)
        elif migration is not None and migration["phase"] == "PREPARE":
            await self._expand(migration, workers)
        return found

    async def _check_emptiness(self, database: str, kind: RecordType[Any]) -> bool:
        """Return whether there are no records, and hence nothing to migrate."""
        return await self.store.find_one(as_service(kind, database), EVERYTHING, projection=_ID) is None

    async def begin(
        self, database: str, kind: str, found: Found, who: str = SERVICE_USER, *, has_peers: bool
    ) -> RecordMigrationDocument | None:
        """Store the migration of a record type; None when another worker has.

        It is there, and done, where a backup of before it was restored: then it begins again, and peers may
        take the records for moved ones.
        """
        phase = found.choose_first_phase(has_peers=has_peers)
        noted = self.noted[database][kind]
        name = name_of(kind, noted.number + 1)
        fields = build_migration(
            database,
            [one.name for one in found.steps],
            who,
            await self.store.read_clock(),
            recordType=kind,
            number=noted.number + 1,
            phase=phase,
            fromShape=json.dumps(noted.shape, sort_keys=True),
            toShape=fingerprint(self.shapes[kind]),
        )
        log.info("migrations.begun", migration=name, database=database, phase=phase)
        try:
            begun = await self.notes.insert(name, fields)
            if begun is None and has_peers:
                fields["phase"] = "PREPARE"
            return begun or await self.notes.begin_again(name, fields)
        except IndexMissing:  # reads understand both spellings all the same
            return None

    async def _expand(self, migration: RecordMigrationDocument, workers: Workers) -> None:
        """Let writes store both spellings, once each worker of this shape reads both.

        A write of one that did not may be on its way, for the time of a command.
        """
        own = self.label(migration["recordType"])
        mine = [one for one in workers if own in one["shapes"]]
        rested_at = migration["startedDate"] + timedelta(seconds=self.store.seconds)
        rested = await self.store.read_clock() > rested_at
        if rested and all(show_phase(migration) in one.get("seen", ()) for one in mine):
            with suppress(Misconfigured):  # another worker was faster
                await self.notes.update(migration, {"phase": "EXPAND"})
