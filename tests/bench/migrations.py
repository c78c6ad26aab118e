"""What a migration costs: a field of many small records is renamed while another process reads them.

``python tests/bench/migrations.py [--records N] [--rate N | --alone]``. Prints how long the move takes, and how many reads
a second the other process does before, during and after, and how long they take. It reads as fast as it can, which needs
more than the processors of a small machine have; with ``--rate`` so many a second, as the users of a service do.
``--alone``, without the other process, prints how much processor time a thousand records take, in this process and in
MongoDB. Nothing is asserted.
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
    parser.add_argument("--rate", type=int, default=0)
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
        reader = context.Process(
            target=read_all_the_time, args=(uri, folder, theirs, options.rate), daemon=True
        )
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
        print(f"{done['moved']:,} records moved and {done['checked']:,} verified in {done['seconds']:.1f} s, "
              f"{done['moved'] / done['seconds']:,.0f} a second; with the waits for phases {seconds:.1f} s")  # fmt: skip
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


async def count_reads(reader: Connection, seconds: float) -> list[float]:
    """Return how long the reads took that the other process does in a while, and the seconds of that."""
    reader.send("begin")
    await asyncio.sleep(seconds)
    reader.send("report")
    report: list[float] = await asyncio.to_thread(reader.recv)
    return report


def show(when: str, report: list[float]) -> None:
    """Print figures."""
    seconds, *times = report
    times.sort()
    median, late = (times[int(len(times) * part)] * 1000 for part in (0.5, 0.99))
    print(f"{when:<7} {len(times) / seconds:8.0f} reads/s, median {median:.1f} ms, 99 % within {late:.1f} ms")


def read_all_the_time(uri: str, folder: str, pipe: Connection, rate: int) -> None:
    """Read as a running service does, in a process of its own."""
    asyncio.run(_read(uri, Path(folder), pipe, rate))


async def _read(uri: str, folder: Path, pipe: Connection, rate: int) -> None:
    async with run("simple", uri, REALM, folder) as service:
        times: list[float] = []
        each = READERS / rate if rate else 0.0
        readers = [asyncio.create_task(_read_records(service, times, each, seed)) for seed in range(READERS)]
        pipe.send("ready")
        began = time.monotonic()
        while (word := await asyncio.to_thread(pipe.recv)) != "end":
            if word == "begin":
                began = time.monotonic()
                times.clear()
            else:
                pipe.send([time.monotonic() - began, *times])
        for one in readers:
            one.cancel()


async def _read_records(service: Running, times: list[float], each: float, seed: int) -> None:
    """Read one record after the other; a read is due every ``each`` seconds, and late from then on."""
    chance, due = random.Random(seed), time.monotonic()
    while True:
        due = max(due + each, time.monotonic() - 1) if each else time.monotonic()
        if (early := due - time.monotonic()) > 0:
            await asyncio.sleep(early)
        await service.read({"id": f"{chance.randrange(1, 1000):024x}"})
        times.append(time.monotonic() - due)


if __name__ == "__main__":
    main()
