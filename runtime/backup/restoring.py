"""Restoring a backup: all of it or nothing, into a realm or tenant without records.

The file is read to its end first. Then the place is marked (``marks.py``), emptied if requested, filled and
counted. A refusal undoes what was stored. A process that dies leaves the mark: the realm does not serve until
the restore of the same file, which begins again, has ended, or it is abandoned.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from runtime.backup.archive import ArchiveReader, Chunk
from runtime.backup.by_hand import parse_notes, replace_notes, require_same_notes
from runtime.backup.converting import converting
from runtime.backup.manifest import Head, Manifest, digest_specs
from runtime.backup.marks import Mark, find_mark, set_mark, take_over
from runtime.backup.moving import adapt_credential
from runtime.backup.parts import (
    Kind,
    Place,
    count_records,
    is_backed_up,
    is_content,
    is_removed,
    list_kinds,
    make_up,
    remove_records,
)
from runtime.backup.problems import BackupProblem, Damaged, Interrupted, InTheWay, Unfit
from runtime.backup.shapes import require_same_shapes, require_settled
from runtime.call import Service
from runtime.errors import ServiceError
from runtime.storage.access import Action
from runtime.storage.extended_json import NotRestorable, parse_lines
from runtime.storage.indexes import apply_indexes, drop_planned_indexes
from runtime.system.record_types import CREDENTIAL, STORED_SHAPE

Report = Callable[[int], None]

_INSERTS_AT_ONCE: Final = 2
_MANY: Final = 5000


@dataclass(frozen=True, slots=True)
class Restored:
    """A finished restore. ``is_same_specs``: the record types are those of the backup."""

    head: Head
    manifest: Manifest
    is_same_specs: bool


class Verified:
    """An open archive whose every byte was checked; ``verify_archive`` creates it."""

    def __init__(self, archive: ArchiveReader, head: Head, manifest: Manifest) -> None:
        self.archive = archive
        self.head = head
        self.manifest = manifest


async def verify_archive(archive: ArchiveReader) -> Verified:
    """Read a file to its end. Raises ``Damaged``, ``Unfit``."""
    return Verified(archive, *await asyncio.to_thread(archive.verify))


def open_archive(path: Path, key: bytes | None) -> ArchiveReader:
    """Open a file; close it. Raises ``Damaged`` where it cannot be read."""
    try:
        return ArchiveReader(path, key)
    except OSError as error:
        raise Damaged(f"{path} cannot be read: {error.strerror}") from error


async def restore(
    service: Service, place: Place, file: Verified, *, replace: bool, report: Report
) -> Restored:
    """Store what a backup has into a realm, or the tenant it is of.

    ``replace``: remove the records that are there. Raises ``InTheWay`` for records otherwise, ``Unfit`` for
    what does not belong here, ``Damaged``; then everything is as it was. Where records were removed it raises
    ``Interrupted`` instead, and the mark stays.
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
    await _look_again(service, place, mark, is_to_be_empty=not (replace or mark.is_continued))
    try:
        if replace or mark.is_continued:
            await _clear(service, place, mark)
        if place.tenant is None:
            await remove_records(service, place, STORED_SHAPE)
        await _drop_indexes(service, place, file.manifest)
        await _fill(service, place, file, mark, report)
        await apply_indexes(service.store, place.database, service.catalog)
        await _compare(service, place, file.manifest)
        if place.tenant is None:
            await replace_notes(service, place, notes)
    except (BackupProblem, ServiceError) as error:
        if replace or mark.is_continued:
            raise Interrupted(
                f"{error.message}. {place} stays marked: restore again, or --abandon"
            ) from error
        await _clear(service, place, mark)
        await apply_indexes(service.store, place.database, service.catalog)
        await mark.remove()
        raise
    await mark.remove()
    return Restored(file.head, file.manifest, file.head.specs == digest_specs(service.catalog))


async def abandon(service: Service, place: Place) -> None:
    """Remove what an interrupted restore stored, and its mark. Raises ``Interrupted`` where there is none."""
    mark = await take_over(service, place)
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
    """Look again, now that nothing begins here any more: what was stored or begun in between stays."""
    try:
        await require_settled(service, place)
        if is_to_be_empty:
            await _require_empty(service, place)
    except (BackupProblem, ServiceError):
        if not mark.is_continued:
            await mark.remove()
        raise


async def _clear(service: Service, place: Place, mark: Mark) -> None:
    for kind in reversed(await list_kinds(service, place)):
        if is_removed(kind.collection):
            await mark.beat()
            await remove_records(service, place, kind)


async def _fill(service: Service, place: Place, file: Verified, mark: Mark, report: Report) -> None:
    kinds = {kind.collection: kind for kind in await list_kinds(service, place)}
    done = 0
    storing: set[asyncio.Task[int]] = set()
    names: deque[str] = deque()
    with converting(parse_lines) as converter, _translate():
        parsed = converter.convert(_read_ahead(file.archive.chunks(), names))
        try:
            async for documents in parsed:
                name = names.popleft()
                kind = kinds.get(name) or make_up(name)
                storing.add(asyncio.create_task(_store(service, place, kind, documents, file.head)))
                while len(storing) >= _INSERTS_AT_ONCE:
                    ended, storing = await asyncio.wait(storing, return_when=asyncio.FIRST_COMPLETED)
                    done += sum(await asyncio.gather(*ended))
                report(done)
                await mark.beat()
            done += sum(await asyncio.gather(*storing))
        finally:
            await asyncio.gather(*storing, return_exceptions=True)
            await parsed.aclose()
    report(done)


async def _drop_indexes(service: Service, place: Place, manifest: Manifest) -> None:
    """Drop the indexes of large collections of an empty realm: they are built once it is filled."""
    for kind in service.catalog if place.tenant is None else ():
        if manifest.collections.get(kind.collection, {"records": 0})["records"] >= _MANY:
            await drop_planned_indexes(service.store, place.database, kind)


@contextmanager
def _translate() -> Iterator[None]:
    try:
        yield
    except NotRestorable as error:
        raise Damaged(f"the backup is damaged: {error}") from None


async def _read_ahead(chunks: Iterator[Chunk], names: deque[str]) -> AsyncGenerator[bytes, None]:
    """Yield the lines of each chunk, and remember of which collection they are."""
    while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
        names.append(chunk.collection)
        yield chunk.lines


async def _store(service: Service, place: Place, kind: Kind, documents: list[bytes], head: Head) -> int:
    if kind.collection == CREDENTIAL.collection and head.realm != place.realm:
        documents = [adapt_credential(one, head.realm, place.realm) for one in documents]
    access = place.allow(kind, Action.CREATE)
    if errors := await service.store.insert_encoded(access, documents):
        raise InTheWay(
            f"{len(errors)} of {kind.collection} are refused: {next(iter(errors.values())).message}"
        )
    return len(documents)


async def _compare(service: Service, place: Place, manifest: Manifest) -> None:
    """Compare what is stored with the manifest; what expires may be gone already."""
    kinds = [kind for kind in await list_kinds(service, place) if is_content(kind.collection)]
    found = await count_records(service, place, kinds)
    for kind in kinds:
        expected: dict[str, Any] = manifest.collections.get(kind.collection, {"records": 0})
        number = found.get(kind.collection, 0)
        expires = any(index.expire_after_seconds is not None for index in kind.indexes)
        if number > expected["records"] or (number < expected["records"] and not expires):
            found_now = f"{kind.collection} has {number} records in place of {expected['records']}"
            raise InTheWay(f"{found_now}: others write to {place}; stop them")
