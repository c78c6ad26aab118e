"""The feed of a process, passed on: each write behind the place at which a listener joins, and none before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from runtime import event_loop
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.hub import open_hub
from runtime.storage.store import CollectionName, Place, Written
from runtime.storage.store.spellings import Spellings

from .conftest import WIDGET, stored_widget

pytestmark = pytest.mark.anyio


def place(number: int) -> Place:
    return Place(f"82{number:08X}{1:08X}2C")


def written(number: int, collection: str, database: str = "realm") -> Written:
    change = {
        "_id": {"_data": place(number).token}, "ns": {"db": database, "coll": collection},
        "operationType": "insert", "documentKey": {"_id": number}, "fullDocument": {"_id": number},
    }  # fmt: skip
    return Written.of(change, Spellings())


@pytest.mark.parametrize(
    ("database", "collection", "tenant", "is_shown"),
    [
        pytest.param("realm", WIDGET.collection, "acme", True, id="its own"),
        pytest.param("other", WIDGET.collection, "acme", False, id="another realm"),
        pytest.param("realm", "others", "acme", False, id="another type"),
        pytest.param("realm", WIDGET.collection, "globex", False, id="another tenant"),
    ],
)
def test_a_write_is_shown_to_an_access_that_reaches_it(
    database: str, collection: str, tenant: str, is_shown: bool
) -> None:
    record = {**stored_widget(tenant=tenant), "apiToken": "secret"}
    change = {
        "_id": {"_data": place(1).token}, "ns": {"db": database, "coll": collection},
        "operationType": "insert", "documentKey": {"_id": record["_id"]}, "fullDocument": record,
    }  # fmt: skip
    access = Access(WIDGET, Action.VIEW, "realm", DomainScope("acme"), hidden=WIDGET.hidden)
    seen = Written.of(change, Spellings()).show(access)
    assert (seen.before, seen.after is not None) == (None, is_shown)
    assert "apiToken" not in (seen.after or {})


class PlannedFeed:
    """A feed whose stream delivers what is written at once, without giving anybody a turn first.

    So does a stream that begins where writes lie already: they come with its first answer.
    """

    def __init__(self, collections: Callable[[], frozenset[CollectionName]], log: list[Written]) -> None:
        self._collections, self._log = collections, log
        self.followed: frozenset[CollectionName] = frozenset()
        self.place: Place | None = place(0)

    async def read(self, on_begin: Callable[[], None]) -> AsyncGenerator[Written, None]:
        while wanted := self._collections():
            await asyncio.sleep(0.01)
            self.followed = wanted
            on_begin()
            while self._collections() == wanted:
                assert self.place is not None
                here = self.place
                found = [
                    one for one in self._log if one.place > here and (one.database, one.collection) in wanted
                ]
                if not found:
                    await asyncio.sleep(0)
                    continue
                yield found[0]
                self.place = found[0].place


@dataclass
class PlannedStore:
    log: list[Written] = field(default_factory=list)

    def feed(self, collections: Callable[[], frozenset[CollectionName]]) -> PlannedFeed:
        return PlannedFeed(collections, self.log)


@dataclass(eq=False)
class Ear:
    collections: frozenset[str]
    database: str = "realm"
    taken: list[Place] = field(default_factory=list)
    prepared: list[Place] = field(default_factory=list)
    is_over: bool = False

    async def prepare(self, one: Written) -> None:
        self.prepared.append(one.place)

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


async def test_a_listener_of_another_database_joins_without_a_loss() -> None:
    """The collections have the same name; each takes what lies behind its place in its own database."""
    store: Any = PlannedStore()
    store.log += [written(number, "tasks", name) for number, name in enumerate(("realm", "third"), start=1)]
    async with open_hub(store, 10, 10) as hub:
        ears = [Ear(frozenset({"tasks"}), name) for name in ("realm", "elsewhere")]
        places = [await hub.join(ear) for ear in ears]
        store.log += [written(3, "tasks", "elsewhere"), written(4, "tasks"), written(5, "tasks", "elsewhere")]
        await wait_for(lambda: hub.place == place(5))
        for ear, joined in zip(ears, places, strict=True):
            assert ear.taken == [
                one.place for one in store.log if one.database == ear.database and one.place > joined
            ]


@dataclass(eq=False)
class SlowEar(Ear):
    """Does something in the turns that the hub gives others while it passes on a write."""

    turns: Callable[[], Any] = lambda: None

    def take(self, one: Written) -> None:
        super().take(one)
        asyncio.get_running_loop().call_soon(self.turns)


@pytest.fixture
def paced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "_PACE_SECONDS", -1)


async def wait_for(condition: Callable[[], Any]) -> None:
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0.0005)
    raise AssertionError("it did not come to that")


@pytest.mark.usefixtures("paced")
async def test_others_have_turns_while_a_write_is_passed_on() -> None:
    store: Any = PlannedStore()
    async with open_hub(store, 10, 10) as hub:
        tasks = frozenset({"tasks"})
        last = Ear(tasks)
        reached: list[int] = []
        for ear in (*(SlowEar(tasks, turns=lambda: reached.append(len(last.taken))) for _ in range(3)), last):
            await hub.join(ear)
        store.log.append(written(1, "tasks"))
        await wait_for(lambda: last.taken)
        assert reached == [0, 0, 0]


@pytest.mark.usefixtures("paced")
async def test_who_joins_while_a_write_is_passed_on_takes_it_if_it_lies_behind() -> None:
    store: Any = PlannedStore()
    async with open_hub(store, 10, 10) as hub:
        tasks = frozenset({"tasks"})
        late, places = Ear(tasks), list[Place]()

        async def join() -> None:
            places.append(await hub.join(late))

        joining: list[asyncio.Task[None]] = []
        first = SlowEar(tasks, turns=lambda: joining or joining.append(asyncio.create_task(join())))
        for ear in (first, *(Ear(tasks) for _ in range(5))):
            await hub.join(ear)
        store.log += [written(1, "tasks"), written(2, "tasks")]
        await wait_for(lambda: len(late.taken) and late.taken[-1] == place(2))
        assert late.taken == [one.place for one in store.log if one.place > places[0]]
        assert len(first.taken) == 2


@pytest.mark.usefixtures("paced")
async def test_who_leaves_while_a_write_is_passed_on_does_not_take_it() -> None:
    store: Any = PlannedStore()
    async with open_hub(store, 10, 10) as hub:
        tasks = frozenset({"tasks"})
        second, third = Ear(tasks), Ear(tasks)
        for ear in (SlowEar(tasks, turns=lambda: hub.leave(second)), second, third):
            await hub.join(ear)
        store.log.append(written(1, "tasks"))
        await wait_for(lambda: third.taken)
        assert second.taken == []


async def test_what_takes_long_is_prepared_before_it_is_taken() -> None:
    store: Any = PlannedStore()
    async with open_hub(store, 10, 10) as hub:
        ear, broken, other = (
            Ear(frozenset({"tasks"})),
            BrokenEar(frozenset({"tasks"})),
            Ear(frozenset({"tasks"})),
        )
        for one in (ear, broken, other):
            await hub.join(one)
        store.log += [written(1, "tasks"), written(2, "tasks")]
        await wait_for(lambda: len(other.taken) == 2)
        assert ear.prepared == ear.taken == [place(1), place(2)]
        assert (broken.is_over, broken.taken, other.is_over) == (True, [], False)


class BrokenEar(Ear):
    async def prepare(self, one: Written) -> None:
        raise ValueError("a fault")
