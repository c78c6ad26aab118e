"""From an archive into the store: records are converted, inserted and counted."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from typing import Any, Final

from runtime.backup.archive import ArchiveReader, Chunk
from runtime.backup.converting import converting
from runtime.backup.manifest import Head, Manifest
from runtime.backup.marks import Mark
from runtime.backup.moving import adapt_credential, require_own_users
from runtime.backup.parts import (
    Kind,
    Place,
    Report,
    count_records,
    is_backed_up,
    is_content,
    list_kinds,
    make_up,
)
from runtime.backup.problems import Damaged, InTheWay
from runtime.call import Service
from runtime.model.counting import count_things
from runtime.storage.access import Action
from runtime.storage.extended_json import NotRestorable, parse_lines
from runtime.storage.indexes import drop_planned_indexes
from runtime.system.record_types import CREDENTIAL

_INSERTS_AT_ONCE: Final = 2
_MANY: Final = 5000


async def fill(
    service: Service, place: Place, archive: ArchiveReader, head: Head, mark: Mark, report: Report
) -> None:
    """Store all records of an archive. Raises ``Damaged``, and ``InTheWay`` for what is refused."""
    kinds = {kind.collection: kind for kind in await list_kinds(service, place)}
    done = 0
    storing: set[asyncio.Task[int]] = set()
    names: deque[str] = deque()
    with converting(parse_lines) as converter:
        parsed = converter.convert(_read_ahead(archive.chunks(), names))
        try:
            async for documents in parsed:
                name = names.popleft()
                kind = kinds.get(name) or make_up(name)
                storing.add(asyncio.create_task(_store(service, place, kind, documents, head)))
                while len(storing) >= _INSERTS_AT_ONCE:
                    ended, storing = await asyncio.wait(storing, return_when=asyncio.FIRST_COMPLETED)
                    done += sum(await asyncio.gather(*ended))
                report(done)
                await mark.beat()
            done += sum(await asyncio.gather(*storing))
        except NotRestorable as error:
            raise Damaged(f"the backup is damaged: {error}") from None
        finally:
            await asyncio.gather(*storing, return_exceptions=True)
            await parsed.aclose()
    report(done)


async def drop_indexes(service: Service, place: Place, manifest: Manifest) -> None:
    """Drop the indexes of large collections of an empty realm: they are built once it is filled."""
    for kind in service.catalog if place.tenant is None else ():
        if manifest.collections.get(kind.collection, {"records": 0})["records"] >= _MANY:
            await drop_planned_indexes(service.store, place.database, kind)


async def _read_ahead(chunks: Iterator[Chunk], names: deque[str]) -> AsyncGenerator[bytes, None]:
    """Yield the lines of each chunk, and remember of which collection they are."""
    while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
        if not is_backed_up(chunk.collection):
            raise Damaged("the backup was changed after it was verified")
        names.append(chunk.collection)
        yield chunk.lines


async def _store(service: Service, place: Place, kind: Kind, documents: list[bytes], head: Head) -> int:
    if kind.collection == CREDENTIAL.collection and head.realm != place.realm:
        documents = [adapt_credential(one, head.realm, place.realm) for one in documents]
    if kind.collection == CREDENTIAL.collection and place.tenant is not None:
        require_own_users(documents, place.tenant)
    access = place.allow(kind, Action.CREATE)
    if errors := await service.store.insert_encoded(access, documents):
        raise InTheWay(
            f"{len(errors)} of {kind.collection} are refused: {next(iter(errors.values())).message}"
        )
    return len(documents)


async def compare(service: Service, place: Place, manifest: Manifest) -> None:
    """Compare what is stored with the manifest; what expires may be gone already."""
    kinds = [kind for kind in await list_kinds(service, place) if is_content(kind.collection)]
    found = await count_records(service, place, kinds)
    for kind in kinds:
        expected: dict[str, Any] = manifest.collections.get(kind.collection, {"records": 0})
        number = found.get(kind.collection, 0)
        expires = any(index.expire_after_seconds is not None for index in kind.indexes)
        if number > expected["records"] or (number < expected["records"] and not expires):
            found_now = (
                f"{kind.collection} has {count_things(number, 'record')} in place of {expected['records']}"
            )
            raise InTheWay(f"{found_now}: others write to {place}; stop them")
