"""A process that ends by a kill in the middle of a migration: run by the tests, which look at what it leaves."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from runtime.migrations import by_hand, moving
from runtime.migrations.by_hand import ByHand, HandRunner
from tests.migrations.versions import Running, run


async def double(records: list[dict]) -> None:  # type: ignore[type-arg]
    for one in records:
        one["city"] = f"{one.get('city', '')}+"


def hand_runner(new: Running) -> HandRunner:
    return HandRunner(
        new.service,
        new.keeper.default,
        new.realm,
        new.realm,
        ByHand("0007_double", "Parcel", double),
        "operator",
    )


class Killer:
    """Kills this process after some batches."""

    def __init__(self, batches: int) -> None:
        self._left = batches

    def __call__(self, _records: int) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(uri: str, realm: str, keys: str, what: str) -> None:
    moving._FIRST = moving._MOST = by_hand._BATCH = 10
    async with run("new", uri, realm, Path(keys)) as new:
        if what == "by hand":
            await hand_runner(new).run(Killer(1))
        elif what == "undo":
            (migration,) = await new.list_migrations()
            await new.runner().undo(migration, Killer(2))
        else:
            await new.runner().run((), Killer(2))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
