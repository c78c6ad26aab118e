"""How many records a stream reads at once: by their size, by whether its caller keeps up, and by what all share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any

import pytest
from pymongo import AsyncMongoClient

from runtime.admission import FixedLimit, Gate, Turn
from runtime.storage.store import batches
from runtime.storage.store.batches import SMALL, Batches, Room, in_bytes, size_of_each
from runtime.storage.store.changes import Document

KB = 1024
FEW = SMALL // 1024
"""Records of 1 KB in a small batch."""


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        pytest.param([], 1200, id="none are there"),
        pytest.param([30] * 20, 1200, id="small ones: as many as may be"),
        pytest.param([5000] * 20, 19, id="5 KB each: 96 KB of them"),
        pytest.param([100] * 19 + [100_000], 19, id="one that is large counts"),
        pytest.param([10**7], 1, id="the largest there are: one by one"),
    ],
)
def test_what_is_read_at_once_is_bound_by_number_and_by_bytes(characters: list[int], expected: int) -> None:
    assert in_bytes(96 * KB, size_of_each([{"text": "x" * each} for each in characters])) == expected


@asynccontextmanager
async def _freely() -> AsyncIterator[None]:
    yield


@pytest.fixture
async def records(mongo_uri: str, realm: str) -> AsyncIterator[Any]:
    """A collection of 3 MB."""
    async with AsyncMongoClient[dict[str, Any]](mongo_uri) as client:
        rows = client[realm]["rows"]
        await rows.insert_many([{"n": n, "text": "x" * 1000} for n in range(3000)])
        yield rows


async def sizes(
    records: Any, room: Room, pauses: Sequence[float], monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """The length of each batch; ``pauses``: how long the caller takes over each, by a clock of its own."""
    now = 0.0
    monkeypatch.setattr(batches.time, "monotonic", lambda: now)
    found: list[int] = []
    pause = iter(pauses)
    async with AsyncExitStack() as stack:
        read = Batches(records.find({}, sort=[("_id", 1)]), 1024, _freely, Turn(), room)
        stack.push_async_callback(read.aclose)
        seen: list[int] = []
        async for batch in read:
            found.append(len(batch))
            seen += [row["n"] for row in batch]
            now += next(pause, 0.0)
    assert seen == list(range(3000))  # whatever the sizes: each record once, in order
    return found


class TestPace:
    pytestmark = pytest.mark.anyio

    async def test_for_who_keeps_up_batches_grow(self, records: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        room = Room()
        assert await sizes(records, room, [], monkeypatch) == [
            *(FEW * many for many in (1, 1, 2, 4, 8, 16)),
            1024,
            440,
        ]
        assert room.free == Room().free

    async def test_for_who_is_slow_they_stay_small(
        self, records: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = await sizes(records, Room(), [1.0] * 100, monkeypatch)
        assert set(found[:-1]) == {FEW}

    async def test_who_becomes_slow_has_small_ones_again(
        self, records: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The one that was asked for already is as it is."""
        found = await sizes(records, Room(), [0, 0, 0, 1.0, 1.0, 1.0, 1.0], monkeypatch)
        assert found[:7] == [FEW, FEW, 2 * FEW, 4 * FEW, 8 * FEW, FEW, FEW]

    async def test_what_other_streams_take_does_not_make_a_caller_slow(
        self, records: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = 0.0
        monkeypatch.setattr(batches.time, "monotonic", lambda: now)

        def convert(rows: list[Document]) -> bytes:
            nonlocal now
            now += 1.0
            return b"." * len(rows)

        read = Batches(records.find({}), 1024, _freely, Turn(), Room())
        async with aclosing(read):
            found = [len(await read.convert(batch, convert)) async for batch in read]
        assert found[:4] == [FEW, FEW, 2 * FEW, 4 * FEW]

    @pytest.mark.parametrize("is_busy", [False, True])
    async def test_no_batch_is_read_ahead_while_another_stream_computes(
        self, records: Any, *, is_busy: bool
    ) -> None:
        """It would only wait, in the queue of those that use the store, in front of short requests."""
        room, gate = Room(), Gate("test", FixedLimit(1), 0.0)
        read = Batches(records.find({}), 1024, _freely, gate.turn("a"), room)
        async with aclosing(read), AsyncExitStack() as stack:
            if is_busy:
                await stack.enter_async_context(room.work)
            found = [len(await anext(read)) for _batch in range(3)]
            assert gate.taken == (0 if is_busy else 1)
        assert found == [FEW, FEW, 2 * FEW]

    async def test_without_room_they_stay_small(self, records: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        room = Room(0)
        assert set((await sizes(records, room, [], monkeypatch))[:-1]) == {FEW}
        assert room.free == 0

    async def test_who_breaks_off_gives_the_room_back(self, records: Any) -> None:
        room = Room()
        read = Batches(records.find({}), 1024, _freely, Turn(), room)
        for _batch in range(4):
            await anext(read)
        assert room.free < Room().free
        await read.aclose()
        assert room.free == Room().free

    async def test_each_batch_behind_the_first_takes_a_turn(self, records: Any) -> None:
        """The first is read in the turn of the request: waiting for another inside of it could wait for ever."""
        gate = Gate("test", FixedLimit(1), 0.0)
        read = Batches(records.find({}), 1024, _freely, gate.turn("a"), Room())
        async with gate.turn("a"):
            await anext(read)
        assert [len(batch) async for batch in read][:1] == [FEW]
        await read.aclose()
        assert (gate.taken, gate.waiting) == (0, 0)


@pytest.mark.anyio
async def test_other_work_has_a_turn_between_stretches_of_any_stream(records: Any) -> None:
    """Long batches of many exports in one turn of the loop would keep each short request waiting for seconds."""
    room, turns, found = Room(), 0, list[tuple[int, int]]()

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def convert(batch: list[Document]) -> bytes:
        found.append((turns, len(batch)))
        return b"".join(b"%d," % row["n"] for row in batch)

    batch, counting = [{"n": n} for n in range(1000)], asyncio.create_task(count_turns())
    streams = [Batches(records.find({}), 1024, _freely, Turn(), room) for _stream in range(3)]
    converted = await asyncio.gather(*(stream.convert(batch, convert) for stream in streams))
    counting.cancel()
    assert converted == [b"".join(b"%d," % n for n in range(1000))] * 3
    assert len({turn for turn, _size in found}) == len(found)
    assert {size for _turn, size in found} == {128, 1000 % 128}
