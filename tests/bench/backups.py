"""Measure backup and restore: records per second of a realm with small and with usual records.

Run it on a machine with nothing else to do: `.venv/bin/python tests/bench/backups.py --records 200000`. It starts a
MongoDB of its own in a folder under /tmp (--folder).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bson import Decimal128, ObjectId
from pydantic import SecretStr
from pymongo import MongoClient

from runtime.backup import Place, erase_tenant, open_archive, restore, take_backup, verify_archive
from runtime.cli.opening import open_service
from runtime.settings import Settings
from runtime.storage.embedded import run_embedded

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


async def measure(settings: Settings, realm: str, records: int, key: bytes | None, folder: Path) -> None:
    path = folder / f"{realm}.backup"
    place = Place(realm, realm)
    async with open_service(settings) as service:
        begun = time.perf_counter()
        await take_backup(service, place, path, key, "bench", lambda _done: None)
        taken = time.perf_counter() - begun
        await erase_tenant(service, Place(realm, realm, "acme"), lambda _done: None)
        begun = time.perf_counter()
        archive = open_archive(path, key)
        verified = await verify_archive(archive)
        checked = time.perf_counter() - begun
        await restore(service, place, verified, replace=False, report=lambda _done: None)
        restored = time.perf_counter() - begun
        archive.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{realm}: backup {records / taken:,.0f}/s, restore {records / restored:,.0f}/s (of it verifying "
        f"{checked:.1f} of {restored:.1f} s), file {path.stat().st_size / records:.0f} bytes a record, "
        f"{memory} MB at most, load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--key", action="store_true", help="encrypt")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=options.folder) as name,
        run_embedded(Path(name), revive=True) as uri,
    ):
        for build, collection in ((small, "regions"), (usual, "orders")):
            realm = build.__name__
            rows = MongoClient(uri)[realm][collection]
            for start in range(0, options.records, 5000):
                rows.insert_many([build(n) for n in range(start, min(start + 5000, options.records))])
            settings = Settings.read(
                mongodb_uri=SecretStr(uri), default_realm=realm, data_folder=Path(name), environment="development",
                app="generated.app:create", log_level="WARNING",
            )  # fmt: skip
            asyncio.run(measure(settings, realm, options.records, KEY if options.key else None, Path(name)))


if __name__ == "__main__":
    main()
