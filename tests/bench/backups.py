"""Measure backup and restore: records per second of a realm with small and with usual records.

Run it on a machine with nothing else to do: `.venv/bin/python tests/bench/backups.py --records 200000`. It starts a
MongoDB of its own in a folder under /tmp (--folder). Processor time per record is that of this process, of its
conversions and of MongoDB together: on a shared machine it is the steadier figure.

What it imports from the service is imported late, as by the command: each process that converts imports this file.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bson import Decimal128, ObjectId
from processes import cpu_seconds

if TYPE_CHECKING:
    from runtime.settings import Settings

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
KEY = bytes(32)


def small(number: int) -> dict[str, Any]:
    """A record with the common fields and two of its own: some 350 bytes."""
    return {
        "_id": ObjectId(), "refName": f"R-{number:08}", "displayName": f"Region {number}",
        "dataDomain": {"tenantId": "acme", "ownerId": "ann@acme.example", "dataSegment": 0},
        "activeStatus": "ACTIVE", "version": 1, "name": f"Region {number}", "code": f"{number:x}",
        "auditInfo": {"createdBy": "ann", "createdDate": NOW, "lastUpdatedBy": "ann", "lastUpdatedDate": NOW},
    }  # fmt: skip


def usual(number: int) -> dict[str, Any]:
    """A record with references, decimals and a list: some 900 bytes."""
    lines = [{"sku": f"S{n}", "quantity": n, "price": Decimal128("12.50")} for n in range(4)]
    customer = {
        "entityId": ObjectId(),
        "entityType": "Customer",
        "entityRefName": "C",
        "entityDisplayName": "C one",
    }
    return {**small(number), "status": "OPEN", "total": Decimal128("129.90"), "customer": customer, "lines": lines,
            "note": "x" * 120}  # fmt: skip


@contextmanager
def timed(what: str, records: int, store: int) -> Iterator[None]:
    """Print how fast the block went through so many records, and the processor time it took."""
    begun, used = time.perf_counter(), used_seconds(store)
    yield
    seconds, cpu = time.perf_counter() - begun, used_seconds(store) - used
    print(f"  {what}: {records / seconds:,.0f}/s, {cpu / records * 1e6:.1f} µs of processor time a record")


def used_seconds(store: int) -> float:
    """Processor time so far of this process, of those it has waited for, and of MongoDB."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system + (cpu_seconds(store) or 0)


async def measure(settings: Settings, realm: str, records: int, key: bytes | None, store: int) -> None:
    from runtime.backup import Place, erase_tenant, open_archive, restore, take_archive, verify_archive
    from runtime.cli.opening import open_service

    path = settings.data_folder / f"{realm}.backup"
    place = Place(realm, realm)
    async with open_service(settings) as service:
        with timed("backup", records, store):
            await take_archive("backup", service, place, path, key, "bench", lambda _done: None)
        await erase_tenant(service, Place(realm, realm, "acme"), lambda _done: None)
        archive = open_archive(path, key)
        with timed("restore", records, store):
            with timed("of it verifying", records, store):
                verified = await verify_archive(archive)
            await restore(service, place, verified, replace=False, report=lambda _done: None)
        archive.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    size = path.stat().st_size / records
    print(f"  {size:.0f} bytes a record in the file, {memory} MB at most, load {os.getloadavg()[0]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--key", action="store_true", help="encrypt")
    options = parser.parse_args()
    from pydantic import SecretStr
    from pymongo import MongoClient

    from runtime.settings import Settings
    from runtime.storage.embedded import run_embedded

    with (
        tempfile.TemporaryDirectory(dir=options.folder) as name,
        run_embedded(Path(name), revive=True) as uri,
    ):
        store: int = MongoClient[Any](uri).admin.command("serverStatus")["pid"]
        for build, collection in ((small, "regions"), (usual, "orders")):
            realm = build.__name__
            rows = MongoClient[Any](uri)[realm][collection]
            for start in range(0, options.records, 5000):
                rows.insert_many([build(n) for n in range(start, min(start + 5000, options.records))])
            settings = Settings.read(
                mongodb_uri=SecretStr(uri), default_realm=realm, data_folder=Path(name), environment="development",
                app="generated.app:create", log_level="WARNING", change_streams=False,
            )  # fmt: skip
            print(f"{options.records:,} {realm} records")
            asyncio.run(measure(settings, realm, options.records, KEY if options.key else None, store))


if __name__ == "__main__":
    main()
