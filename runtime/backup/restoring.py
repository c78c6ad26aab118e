"""Restoring a backup: all of it or nothing, into a realm or tenant without records.

The file is read to its end first. Then the place is marked (``marks.py``), emptied if requested, filled and
counted. A refusal undoes what was stored. A process that dies leaves the mark: the realm does not serve until
the restore of the same file, which begins again, has ended, or it is abandoned.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.backup.archive import ArchiveReader
from runtime.backup.by_hand import parse_notes, replace_notes, require_same_notes
from runtime.backup.filling import compare, drop_indexes, fill
from runtime.backup.manifest import Head, Manifest, digest_specs
from runtime.backup.marks import Mark, find_mark, set_mark, take_over
from runtime.backup.parts import (
    Place,
    Report,
    count_records,
    is_backed_up,
    is_content,
    is_removed,
    list_kinds,
    remove_records,
)
from runtime.backup.problems import BackupProblem, Interrupted, InTheWay, Unfit, Unreadable
from runtime.backup.shapes import require_same_shapes, require_settled
from runtime.call import Service
from runtime.errors import ServiceError
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import explain_faults
from runtime.system.documents import RecordMigrationDocument
from runtime.system.record_types import STORED_SHAPE

_BUILDS_AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True)
class Restored:
    """A finished restore. ``is_same_specs``: the record types are those of the backup."""

    head: Head
    manifest: Manifest
    is_same_specs: bool


@dataclass(frozen=True, slots=True)
class Verified:
    """An open archive whose every byte was checked; ``verify_archive`` creates it."""

    archive: ArchiveReader
    head: Head
    manifest: Manifest


async def verify_archive(archive: ArchiveReader) -> Verified:
    """Read a file to its end. Raises ``Damaged``, ``Unfit``."""
    return Verified(archive, *await asyncio.to_thread(archive.verify))


def open_archive(path: Path, key: bytes | None) -> ArchiveReader:
    """Open a file; close it. Raises ``Unreadable``, ``Damaged``."""
    try:
        return ArchiveReader(path, key)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from error


async def restore(
    service: Service, place: Place, file: Verified, *, replace: bool, report: Report
) -> Restored:
    """Store what a backup has into a realm, or the tenant it is of.

    ``replace``: remove what is there. Raises ``InTheWay`` for records otherwise, ``Unfit`` for what does not
    belong here, ``Damaged``, ``Misconfigured`` for faults of MongoDB; if that is only seen once records are
    stored they are removed, with the sign-ins, deliveries and notes of shapes of a realm that has no records.
    Where records were removed first it raises ``Interrupted`` instead, and the mark stays.
    """
    _require_fit(file, place)
    notes = parse_notes(file.head.migrations, place)
    await require_settled(service, place)
    if place.tenant is not None:
        await require_same_shapes(service, place, file.head.shapes)
        await require_same_notes(service, place, file.head.migrations)
    is_begun = await find_mark(service, place) is not None
    if not (replace or is_begun):
        await _require_empty(service, place)
    await apply_indexes(service.store, place.database, service.catalog)
    mark = await set_mark(service, place, file.head.id)
    async with mark.release_if_cancelled():
        await _restore_marked(
            service, place, file, mark, notes, is_replacing=replace or mark.is_continued, report=report
        )
    await mark.remove()
    return Restored(file.head, file.manifest, file.head.specs == digest_specs(service.catalog))


async def _restore_marked(
    service: Service,
    place: Place,
    file: Verified,
    mark: Mark,
    notes: list[RecordMigrationDocument] | None,
    *,
    is_replacing: bool,
    report: Report,
) -> None:
    """Do what ``restore`` does while the place is marked."""
    await _look_again(service, place, mark, is_to_be_empty=not is_replacing)
    try:
        with explain_faults():
            if is_replacing:
                await _remove_former(service, place, mark)
            await _store(service, place, file, mark, report)
            if place.tenant is None:
                await replace_notes(service, place, notes)
    except (BackupProblem, ServiceError) as error:
        if is_replacing:
            raise Interrupted(
                f"{error.message}. {place} stays marked: restore again, or --abandon"
            ) from error
        await _clear(service, place, mark)
        await apply_indexes(service.store, place.database, service.catalog)
        await mark.remove()
        raise


async def _remove_former(service: Service, place: Place, mark: Mark) -> None:
    """Remove what is there; of a tenant its users first, since no mark keeps them from writing."""
    if place.tenant is not None:
        await _clear(service, place, mark)
        await mark.await_workers()
    await _clear(service, place, mark)


async def _store(service: Service, place: Place, file: Verified, mark: Mark, report: Report) -> None:
    """Store everything, and compare it with the manifest."""
    if place.tenant is None:
        await remove_records(service, place, STORED_SHAPE)
    await drop_indexes(service, place, file.manifest)
    await fill(service, place, file.archive, file.head, mark, report)
    await apply_indexes(service.store, place.database, service.catalog, at_once=_BUILDS_AT_ONCE)
    await compare(service, place, file.manifest)
    await require_settled(service, place)


async def abandon(service: Service, place: Place) -> None:
    """Remove what an interrupted restore stored, and its mark. Raises ``Interrupted`` where there is none."""
    mark = await take_over(service, place)
    async with mark.release_if_cancelled():
        await _clear(service, place, mark)
    await mark.remove()


def _require_fit(file: Verified, place: Place) -> None:
    if file.head.content != "backup":
        raise Unfit("this is an export, which lacks what is hidden: only a backup can be restored")
    if file.head.tenant != place.tenant:
        raise Unfit(f"the backup is of {file.head.tenant or 'a whole realm'}, not of {place}")
    if strange := [name for name in file.manifest.collections if not is_backed_up(name) or "$" in name]:
        raise Unfit(f"no backup contains the collection {strange[0][:60]}")


async def _require_empty(service: Service, place: Place) -> None:
    kinds = [kind for kind in await list_kinds(service, place) if is_content(kind.collection)]
    if counts := await count_records(service, place, kinds):
        found = ", ".join(f"{number} {name}" for name, number in list(counts.items())[:5])
        raise InTheWay(f"{place} holds records ({found}): --replace removes them first")


async def _look_again(service: Service, place: Place, mark: Mark, *, is_to_be_empty: bool) -> None:
    """Look again, once nothing begins here any more: what was stored or begun in between stays."""
    try:
        if place.tenant is None:
            await mark.await_workers()
        await require_settled(service, place)
        if is_to_be_empty:
            await _require_empty(service, place)
    except (BackupProblem, ServiceError, asyncio.CancelledError):
        if not mark.is_continued:
            await mark.remove()
        raise


async def _clear(service: Service, place: Place, mark: Mark) -> None:
    for kind in reversed(await list_kinds(service, place)):
        if is_removed(kind.collection):
            await mark.beat()
            await remove_records(service, place, kind)
