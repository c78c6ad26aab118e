"""What a migration costs: a field of many small records is renamed while another process reads them.

``python tests/bench/migrations.py [--records N] [--alone]``. Prints how long the move takes, and how many reads a second
the other process does before, during and after; ``--alone``, without the other process, how much processor time a
thousand records take, in this process and in MongoDB. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from bson import ObjectId  # noqa: E402
from pymongo import MongoClient  # noqa: E402

from runtime.storage.embedded import run_embedded  # noqa: E402
from tests.migrations.versions import Running, run  # noqa: E402

REALM = "bench"
READERS = 8
AT_ONCE = 10_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="recordsmith-migrations-") as folder,
        run_embedded(Path(folder)) as uri,
    ):
        asyncio.run(fill(uri, Path(folder), options.records))
        if options.alone:
            asyncio.run(move_alone(uri, Path(folder)))
            return
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        reader = context.Process(target=read_all_the_time, args=(uri, folder, theirs), daemon=True)
        reader.start()
        ours.recv()
        asyncio.run(move(uri, Path(folder), ours))
        ours.send("end")
        reader.join(10)


async def fill(uri: str, folder: Path, number: int) -> None:
    """Store small records as an old version has them."""
    async with run("old", uri, REALM, folder) as old:
        await old.save(refName="first", town="Rome", weight=7)
    rows = MongoClient[dict[str, Any]](uri)[REALM].parcels
    (one,) = rows.find({})
    for start in range(0, number, AT_ONCE):
        rows.insert_many(
            {**one, "_id": ObjectId(f"{at + 1:024x}"), "refName": f"r{at}", "town": f"T{at % 1000}"}
            for at in range(start, start + AT_ONCE)
        )


async def move(uri: str, folder: Path, reader: Connection) -> None:
    """Rename the field, and ask the reader how it fares."""
    async with run("simple", uri, REALM, folder) as simple:
        show("before", await count_reads(reader, 8))
        reader.send("begin")
        began = time.monotonic()
        done = await simple.runner().run((), lambda _count: None)
        seconds = time.monotonic() - began
        reader.send("report")
        during = reader.recv()
        assert done is not None
        show("during", during)
        print(f"{done['moved']:,} records moved and {done['checked']:,} verified in {seconds:.1f} s")
        show("after", await count_reads(reader, 8))


async def move_alone(uri: str, folder: Path) -> None:
    """Rename the field, and print the processor time of that."""
    pid = MongoClient[dict[str, Any]](uri).admin.command("serverStatus")["pid"]
    async with run("simple", uri, REALM, folder) as simple:
        before = time.process_time(), read_seconds(pid)
        done = await simple.runner().run((), lambda _count: None)
        own, server = time.process_time() - before[0], read_seconds(pid) - before[1]
        assert done is not None
        each = done["moved"] / 1000
        print(f"{done['moved']:,} records moved, {done['checked']:,} verified; per 1,000 records: "
              f"{own / each * 1000:.1f} ms here, {server / each * 1000:.1f} ms in MongoDB")  # fmt: skip


def read_seconds(pid: int) -> float:
    """Return the processor time of a process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def count_reads(reader: Connection, seconds: float) -> float:
    """Return how many reads a second the other process does for a while."""
    reader.send("begin")
    await asyncio.sleep(seconds)
    reader.send("report")
    return float(await asyncio.to_thread(reader.recv))


def show(when: str, rate: float) -> None:
    """Print a figure."""
    print(f"{when:<7} {rate:8.0f} reads/s")


def read_all_the_time(uri: str, folder: str, pipe: Connection) -> None:
    """Read as a running service does, in a process of its own."""
    asyncio.run(_read(uri, Path(folder), pipe))


async def _read(uri: str, folder: Path, pipe: Connection) -> None:
    async with run("simple", uri, REALM, folder) as service:
        count = [0]
        readers = [asyncio.create_task(_read_records(service, count)) for _ in range(READERS)]
        pipe.send("ready")
        began, before = time.monotonic(), 0
        while (word := await asyncio.to_thread(pipe.recv)) != "end":
            if word == "begin":
                began, before = time.monotonic(), count[0]
            else:
                pipe.send((count[0] - before) / (time.monotonic() - began))
        for one in readers:
            one.cancel()


async def _read_records(service: Running, count: list[int]) -> None:
    chance = random.Random(count[0])
    while True:
        await service.read({"id": f"{chance.randrange(1, 1000):024x}"})
        count[0] += 1


if __name__ == "__main__":
    main()
