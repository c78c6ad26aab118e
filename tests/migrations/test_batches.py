"""Batches: what a failed one does to the next, and how much of the time they take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import Misconfigured, StoreUnavailable
from runtime.migrations import batches
from runtime.migrations.batches import PATIENCE, run_batches
from runtime.migrations.pace import BatchPace, resize
from runtime.migrations.plan import Unfilled, plan_realm, plan_required
from runtime.migrations.removing import plan_removals
from tests.migrations.versions import CRATE, Opening

pytestmark = pytest.mark.anyio


def pace_of(*cycles: tuple[float, int | None, float, int | None]) -> BatchPace:
    pace = BatchPace()
    for seconds, during, rest, between in cycles:
        pace.note_batch(seconds, during)
        pace.note_pause(rest, between)
    return pace


@pytest.mark.parametrize(
    ("cycle", "share"),
    [
        pytest.param((0.25, 1000, 0.25, 1000), 0.9, id="a store with room"),
        pytest.param((0.25, 1200, 0.25, 1000), 0.9, id="more requests than before"),
        pytest.param((0.25, 0, 0.25, 0), 0.9, id="an idle store"),
        pytest.param((0.25, 0, 0.25, 4), 0.9, id="a store that nobody uses"),
        pytest.param((0.25, 680, 0.25, 1000), 0.5, id="a batch takes a third of all requests"),
        pytest.param((0.25, 200, 0.25, 1000), 0.3, id="a batch takes nearly all: it goes on, slowly"),
        pytest.param((0.25, None, 0.25, None), 0.6, id="a store that does not say"),
        pytest.param((0.01, 0, 0.01, 100), 0.6, id="not long enough to say"),
    ],
)
def test_requests_lose_a_sixth(cycle: tuple[float, int, float, int], share: float) -> None:
    pace = pace_of(cycle, cycle)
    assert pace.share == pytest.approx(share)
    assert pace.rest_after(0.9) == pytest.approx(0.9 / share - 0.9)


def test_what_was_long_ago_counts_less() -> None:
    quiet, busy = (0.25, 0, 0.25, 0), (0.25, 500, 0.25, 1000)
    assert pace_of(*[quiet] * 50, *[busy] * 30).share < 0.35
    assert pace_of(*[busy] * 50, *[quiet] * 200).share == 0.9


CYCLES = st.tuples(*[st.floats(0, 5), st.none() | st.integers(0, 10**5)] * 2)


@given(st.lists(CYCLES, max_size=20), st.floats(0, 5))
def test_there_is_always_time_for_both(cycles: list[Any], seconds: float) -> None:
    pace = pace_of(*cycles)
    assert 0.3 <= pace.share <= 0.9
    assert seconds * 0.1 <= pace.rest_after(seconds) <= seconds * 2.334


@given(st.integers(10, 10_000), st.floats(0, 10))
def test_a_batch_at_most_doubles(size: int, seconds: float) -> None:
    following = resize(size, seconds, target=0.25, least=10, most=10_000)
    assert 10 <= following <= min(10_000, size * 2)


class Served:
    """A store that has served so many requests more each time it is asked, if it says so."""

    def __init__(self, step: int | None) -> None:
        self._step, self._sum = step, 0

    async def count_served(self) -> int | None:
        if self._step is None:
            raise StoreUnavailable("not now")
        self._sum += self._step
        return self._sum


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []

    async def note(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr(batches.asyncio, "sleep", note)
    return found


@pytest.mark.parametrize("step", [5, 0, -3, None])
async def test_a_batch_that_fails_is_smaller_the_next_time(step: int | None, pauses: list[float]) -> None:
    sizes: list[int] = []
    told: list[int] = []

    async def work(size: int) -> int | None:
        sizes.append(size)
        if len(sizes) in (2, 3):
            raise StoreUnavailable("the store did not answer in time")
        return None if len(sizes) == 6 else size

    store: Any = Served(step)
    await run_batches(store, work, told.append)
    assert sizes[1:4] == [sizes[1], sizes[1] // 4, sizes[1] // 16]
    assert told == [sizes[0], sizes[3], sizes[4]]
    assert pauses[1:3] == [0.1, 0.2]


async def test_slow_batches_do_not_shrink_to_nothing(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a batch takes long because it waits, whatever its size."""
    sizes: list[int] = []

    async def read(_meter: object) -> tuple[float, int | None]:
        return 5.0, None

    async def work(size: int) -> int | None:
        sizes.append(size)
        if len(sizes) == 3:
            raise StoreUnavailable("the store did not answer in time")
        return None if len(sizes) == 8 else size

    monkeypatch.setattr(batches._Meter, "read", read)
    store: Any = Served(1)
    await run_batches(store, work, lambda _count: None)
    assert sizes == [500, 50, 50, 12, 24, 48, 50, 50]


async def test_one_that_always_fails_ends_the_run(pauses: list[float]) -> None:
    async def work(_size: int) -> int | None:
        raise StoreUnavailable("the store did not answer in time")

    store: Any = Served(1)
    with pytest.raises(StoreUnavailable):
        await run_batches(store, work, lambda _count: None)
    assert len(pauses) == PATIENCE


async def test_one_that_would_change_what_is_read_ends_the_run_at_once(pauses: list[float]) -> None:
    async def work(_size: int) -> int | None:
        raise Misconfigured("the records would not read the same")

    store: Any = Served(1)
    with pytest.raises(Misconfigured):
        await run_batches(store, work, lambda _count: None)
    assert pauses == []


async def test_what_a_plan_looks_for_is_looked_for_in_ranges(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One command for all records would meet its time limit where there are millions."""
    monkeypatch.setattr(batches, "COUNTED", 2)
    async with opening("old") as old:
        for number in range(5):
            await old.save(refName=str(number), status="GONE" if number in (1, 4) else None)
    database.parcels.update_many({"refName": {"$in": ["2", "4"]}}, {"$set": {"town": "Rome"}})
    async with opening("narrow") as narrow:
        (due,) = await plan_realm(narrow.keeper, narrow.realm)
        assert (due.losses, due.examples) == ({"Parcel.status.to-enum": 2}, [])
    async with opening("simple") as simple:
        for number in (1, 2, 3):
            (due,) = await plan_realm(simple.keeper, simple.realm, examples=number)
            assert [before["refName"] for before, _after in due.examples] == ["2", "4"][:number]


@contextmanager
def require_ranges(database: Any, most: int) -> Iterator[None]:
    """Fail where a command of the block looks at more parcels."""
    database.command("profile", 2)
    yield
    database.command("profile", 0)
    looked = [
        one.get("docsExamined", 0)
        for one in database["system.profile"].find({"ns": f"{database.name}.parcels"})
    ]
    database["system.profile"].drop()
    assert 0 < max(looked) <= most


async def test_what_is_not_declared_any_more_is_counted_in_ranges(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "COUNTED", 2)
    async with opening("old") as old:
        for number in range(5):
            await old.save(refName=str(number), status="GONE", tag="red" if number in (1, 3, 4) else None)
    async with opening("lean") as lean:
        with require_ranges(database, 2):
            (removal,) = await plan_removals(lean.keeper, lean.realm, examples=2)
        assert (removal.records, [one["refName"] for one in removal.examples]) == (3, ["1", "3"])


async def test_a_plan_counts_the_records_that_lack_a_required_field(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "COUNTED", 2)
    async with opening("crated") as service:
        crates = replace(service, kind=CRATE)
        await service.save(refName="parcel")
        for number in range(5):
            await crates.save(refName=str(number), label=str(number))
        assert await plan_required(service.keeper, service.realm) == []
        database.crates.update_one({"refName": "0"}, {"$unset": {"label": ""}})
        elsewhere = {"label": None, "dataDomain.tenantId": "globex"}
        database.crates.update_one({"refName": "4"}, {"$set": elsewhere})
        lacking = Unfilled("Crate.label", "Crate", 2)
        assert await plan_required(service.keeper, service.realm) == [lacking]
        monkeypatch.setattr(service.keeper.settling, "kinds", {"Crate": replace(CRATE, title="Box")})
        assert [one.name for one in await plan_required(service.keeper, service.realm)] == ["Box.label"]
        monkeypatch.setattr(service.keeper.settling, "kinds", {"Crate": replace(CRATE, lenient=True)})
        assert await plan_required(service.keeper, service.realm) == [], "its records may lack anything"
