"""The feed of a process, passed on: each write behind the place at which a listener joins, and none before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from runtime.storage.hub import open_hub
from runtime.storage.store import Place, Written

pytestmark = pytest.mark.anyio


def place(number: int) -> Place:
    return Place(f"82{number:08X}{1:08X}2C")


def written(number: int, collection: str) -> Written:
    change = {
        "_id": {"_data": place(number).token}, "ns": {"db": "realm", "coll": collection},
        "documentKey": {"_id": number}, "fullDocument": {"_id": number},
    }  # fmt: skip
    return Written.of(change, "created")


class PlannedFeed:
    """A feed whose stream delivers what is written at once, without giving anybody a turn first.

    So does a stream that begins where writes lie already: they come with its first answer.
    """

    def __init__(self, collections: Callable[[], frozenset[str]], log: list[Written]) -> None:
        self._collections, self._log = collections, log
        self.followed: frozenset[str] = frozenset()
        self.place: Place | None = place(0)

    async def read(self, on_begin: Callable[[], None]) -> AsyncGenerator[Written, None]:
        while wanted := self._collections():
            await asyncio.sleep(0.01)
            self.followed = wanted
            on_begin()
            while self._collections() == wanted:
                assert self.place is not None
                here = self.place
                found = [one for one in self._log if one.place > here and one.collection in wanted]
                if not found:
                    await asyncio.sleep(0)
                    continue
                yield found[0]
                self.place = found[0].place


@dataclass
class PlannedStore:
    log: list[Written] = field(default_factory=list)

    def feed(self, collections: Callable[[], frozenset[str]]) -> PlannedFeed:
        return PlannedFeed(collections, self.log)


@dataclass(eq=False)
class Ear:
    collections: frozenset[str]
    database: str = "realm"
    taken: list[Place] = field(default_factory=list)
    is_over: bool = False

    def take(self, one: Written) -> None:
        self.taken.append(one.place)

    def end(self) -> None:
        self.is_over = True


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"tasks"}, {"shipments"}, id="another collection"),
        pytest.param({"tasks"}, {"tasks", "shipments"}, id="one more"),
        pytest.param({"tasks", "shipments"}, {"tasks"}, id="one of them"),
        pytest.param({"tasks"}, {"tasks"}, id="the same"),
    ],
)
@pytest.mark.parametrize("backlog", [0, 1, 5])
async def test_a_listener_takes_what_lies_behind_its_place(
    first: set[str], second: set[str], backlog: int
) -> None:
    """Since it reads everything up to that place itself, more would come twice, and less would be lost."""
    store: Any = PlannedStore()
    async with open_hub(store, 10, 10) as hub:
        early, late = Ear(frozenset(first)), Ear(frozenset(second))
        places = [await hub.join(early)]
        joining = asyncio.create_task(hub.join(late))
        store.log += [
            written(number, name) for number, name in enumerate(("tasks", "shipments") * backlog, start=1)
        ]
        places.append(await joining)
        store.log += [written(100, "tasks"), written(101, "shipments")]
        await asyncio.sleep(0.1)
        for ear, joined in zip((early, late), places, strict=True):
            behind = [
                one.place for one in store.log if one.collection in ear.collections and one.place > joined
            ]
            assert ear.taken == behind
            assert not ear.is_over
        hub.leave(early)
        hub.leave(late)
