"""Taking a backup, or an export: all that is read is of one moment, while the service runs."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal
from uuid import uuid4

from runtime.backup.archive import ArchiveWriter, Chunk
from runtime.backup.by_hand import note_migrations, read_migrations
from runtime.backup.converting import Converter, converting
from runtime.backup.manifest import Head, Manifest, digest_specs
from runtime.backup.marks import require_whole
from runtime.backup.parts import Kind, Place, Report, is_backed_up, is_exported, list_kinds
from runtime.backup.problems import NothingStored
from runtime.backup.shapes import read_shapes, require_all_settled
from runtime.call import Service
from runtime.storage.extended_json import iterate_parts, render_lines
from runtime.storage.store import Snapshot
from runtime.system.record_types import REVISION

CHUNK_BYTES: Final = 2**20

Content = Literal["backup", "export"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A finished archive."""

    head: Head
    manifest: Manifest


async def take_archive(
    content: Content,
    service: Service,
    place: Place,
    path: Path,
    key: bytes | None,
    version: str,
    report: Report,
) -> Taken:
    """Write everything of a realm or tenant, secrets included, into a file that can be restored.

    An ``export`` lacks hidden fields and notes of the service. Raises ``InTheWay`` for a file that exists,
    ``Unwritable`` for one that cannot be written, ``Unfit`` while a migration is in force, ``Interrupted``
    for what is being restored, ``NothingStored`` for an unknown tenant, ``Misconfigured`` when it takes
    longer than MongoDB keeps the past, ``StoreUnavailable``. Then nothing is left of the file.
    """
    async with service.store.open_snapshot() as snapshot:
        await require_whole(service, place, snapshot)
        head = await _build_head(content, service, place, snapshot, version)
        kinds = await _list_kinds(content, service, place)
        with closing(ArchiveWriter(path, key, head)) as writer, converting(render_lines) as converter:
            done = 0
            for kind in kinds:
                writer.announce(kind.collection)
                batches = _read(snapshot, place, kind, is_export=content == "export")
                async with aclosing(_read_chunks(converter, batches, kind)) as chunks:
                    async for chunk in chunks:
                        await asyncio.to_thread(writer.write, chunk)
                        done += chunk.records
                        report(done)
            if place.tenant is not None and not done:
                raise NothingStored(f"nothing is stored of {place}")
            return Taken(head, await asyncio.to_thread(writer.finish))


async def _build_head(
    content: Content, service: Service, place: Place, snapshot: Snapshot, version: str
) -> Head:
    """Build the head of what the snapshot shows. Raises ``Unfit`` if it shows records that are migrated."""
    migrations = await read_migrations(service, place, snapshot)
    require_all_settled(migrations)
    return Head(
        content=content,
        id=uuid4().hex,
        realm=place.realm,
        tenant=place.tenant,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version,
        specs=digest_specs(service.catalog),
        shapes=await read_shapes(service, place, snapshot),
        migrations=note_migrations(migrations),
    )


async def _list_kinds(content: Content, service: Service, place: Place) -> list[Kind]:
    """List what is to be read; call it once the snapshot has read, or a new collection is missed."""
    kinds = await list_kinds(service, place)
    if content == "export":
        return [kind for kind in kinds if is_exported(service, kind.collection)]
    return [kind for kind in kinds if is_backed_up(kind.collection)]


def _read(snapshot: Snapshot, place: Place, kind: Kind, *, is_export: bool) -> AsyncGenerator[bytes, None]:
    access = place.allow(kind)
    # What is hidden of a revision is not secret: no value of a hidden field is recorded in it.
    if is_export and kind.collection != REVISION.collection:
        return snapshot.read_shown(access)
    return snapshot.read_whole(access)


async def _read_chunks(
    converter: Converter[bytes, tuple[bytes, int]], batches: AsyncGenerator[bytes, None], kind: Kind
) -> AsyncGenerator[Chunk, None]:
    async def read_parts() -> AsyncGenerator[bytes, None]:
        async with aclosing(batches):
            async for batch in batches:
                for part in iterate_parts(batch, CHUNK_BYTES):
                    yield part

    async for lines, records in converter.convert(read_parts()):
        yield Chunk(kind.collection, records, lines)
