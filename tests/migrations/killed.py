"""A process that ends by a kill in the middle of a migration: run by the tests, which look at what it leaves."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from runtime.migrations import ByHand, HandRunner, Removal, Remover, batches, by_hand
from runtime.migrations import run as advancing
from runtime.migrations.related import Related
from runtime.storage.store import Store
from tests.migrations.versions import Running, run


async def double(records: list[dict]) -> None:  # type: ignore[type-arg]
    for one in records:
        one["city"] = f"{one.get('city', '')}+"


async def pack(records: list[dict], related: Related) -> None:  # type: ignore[type-arg]
    """Create two crates for each parcel, of which the parcel shows the first."""
    for one in records:
        crate = await related.save("Crate", {"label": one["refName"], "town": one["city"]}, of=one)
        await related.save("Crate", {"label": f"{one['refName']} lid"}, of=one, part="lid")
        one["tag"] = f"{one.get('tag', '')}/{crate['label']}"


async def unpack(records: list[dict], related: Related) -> None:  # type: ignore[type-arg]
    for one in records:
        if await related.find("Crate", of=one) is not None:
            one["tag"] = one["tag"].partition("/")[0]
        await related.remove("Crate", of=one)
        await related.remove("Crate", of=one, part="lid")


DOUBLE = ByHand("0007_double", "Parcel", double)
PACK = ByHand("0008_pack", "Parcel", pack, unpack)


def hand_runner(new: Running, migration: ByHand = DOUBLE) -> HandRunner:
    return HandRunner(new.service, new.keeper, new.realm, new.realm, migration, "operator")


async def wait_for_nothing(_store: Store) -> None:
    """Do not wait."""


def remover(new: Running) -> Remover:
    removal = Removal("Parcel.tag.removed", "Parcel", "tag", 0)
    return Remover(new.keeper, new.realm, removal, "operator")


VERSION_OF = {"pack": "crated", "unpack": "crated", "remove": "lean"}


class Killer:
    """Kills this process after some batches."""

    def __init__(self, batches: int) -> None:
        self._left = batches

    def __call__(self, _records: int) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(uri: str, realm: str, keys: str, what: str) -> None:
    advancing._wait_for_writes = wait_for_nothing  # nobody writes here
    batches._FIRST = batches._MOST = by_hand._BATCH = 10
    batches._TARGET_SECONDS = by_hand._TARGET_SECONDS = 1000
    async with run(VERSION_OF.get(what, "new"), uri, realm, Path(keys)) as new:
        if what == "by hand":
            await hand_runner(new).run(Killer(1))
        elif what == "remove":
            await remover(new).run(Killer(2))
        elif what == "pack":
            await hand_runner(new, PACK).run(Killer(2))
        elif what == "unpack":
            await hand_runner(new, PACK).undo(Killer(2))
        elif what == "undo":
            (migration,) = await new.list_migrations()
            await new.runner().undo(migration, Killer(2))
        else:
            await new.runner().run((), Killer(2))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
