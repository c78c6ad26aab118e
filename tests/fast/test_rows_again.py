"""Rows that come again are the same JSON as those that are decoded and written anew."""

from __future__ import annotations

import sys
import threading
import tracemalloc
from typing import Any

import bson
import pytest
from bson import Int64, Timestamp
from hypothesis import example, given

from runtime.fast import rows_again, wire_rows
from runtime.fast.rows_again import LONGEST, MOST_BYTES, MOST_SECONDS, OVERHEAD, RowMemory, RowsAgain
from runtime.fast.wire_rows import WireRows
from runtime.storage.wire import render_list, to_json
from tests.fast.test_wire_rows import ROWS, Document


def answered(rows: list[Document], cursor: int = 0, at: int = 1) -> bytes:
    """An answer of the store to a find; what is behind the rows differs from time to time."""
    found = {"firstBatch": rows, "id": Int64(cursor), "ns": "main.items"}
    return bson.encode({"cursor": found, "ok": 1.0, "operationTime": Timestamp(at, 1)})


@given(ROWS)
@example([])
@example([{"": []}])
def test_rows_are_the_same_each_time(rows: list[Document]) -> None:
    plain = bson.decode(answered(rows))["cursor"]["firstBatch"]
    for time in range(1, 5):
        wire, answer = WireRows(), answered(rows, cursor=time, at=time)
        decoded = wire.decode(memoryview(answer))
        assert decoded is not None
        found = decoded["cursor"].pop("firstBatch")
        there = bson.decode(answer)
        del there["cursor"]["firstBatch"]
        assert decoded == there, "what is behind the rows is of this answer"
        text = wire.once("all", found, lambda found=found: to_json(found))
        assert (text if time > 2 else text or to_json(found)) == to_json(plain)
        for number, row in enumerate(plain):
            assert bson.encode(wire.stored(found, number)) == bson.encode(row)


def test_rows_are_remembered_from_the_second_time_on_and_written_once() -> None:
    written = []

    def ask(rows: list[Document], shown: int) -> Any:
        wire = WireRows()
        decoded = wire.decode(answered(rows))
        assert decoded is not None
        some = decoded["cursor"]["firstBatch"][:shown]
        return wire.once("some", some, lambda: written.append(shown) or to_json(some))

    rows: list[Document] = [{"name": "written once", "n": number} for number in range(3)]
    assert ask(rows, 3) is None, "nobody may ask again"
    texts = [ask(rows, 3) for _time in range(3)]
    assert texts == [to_json(rows)] * 3
    assert ask(rows, 2) == to_json(rows[:2])
    assert written == [3, 2]
    assert ask([*rows, {"n": 3}], 3) is None, "another answer"


def test_rows_that_were_found_elsewhere_are_others_though_they_are_equal() -> None:
    for _time in range(2):
        again = WireRows()
        found = again.decode(answered([{"name": "found twice"}]))
    assert found is not None
    rows = found["cursor"]["firstBatch"]
    assert again.once("a", rows, lambda: "these") == "these"
    assert again.once("a", [dict(rows[0])], lambda: "others") == "others"
    assert again.once("a", rows, lambda: "these, made anew") == "these"


def remember(memory: RowMemory, batch: bytes) -> RowsAgain | None:
    memory.keep(batch, [])
    return memory.keep(batch, [])


def test_what_was_used_longest_ago_makes_room() -> None:
    memory = RowMemory(most_bytes=3 * (10 + OVERHEAD))
    for batch in (b"a" * 10, b"b" * 10, b"c" * 10):
        assert remember(memory, batch) is not None
    assert memory.find(b"a" * 10)
    remember(memory, b"d" * 10)
    assert [bool(memory.find(sign * 10)) for sign in (b"a", b"b", b"c", b"d")] == [True, False, True, True]
    remember(memory, b"e" * (31 + 2 * OVERHEAD))
    assert not any(
        memory.find(batch) for batch in (b"a" * 10, b"c" * 10, b"d" * 10, b"e" * (31 + 2 * OVERHEAD))
    )


def test_the_same_rows_take_their_room_once() -> None:
    memory = RowMemory(most_bytes=2 * (10 + OVERHEAD))
    for _time in range(5):
        remember(memory, b"a" * 10)
    remember(memory, b"b" * 10)
    assert memory.find(b"a" * 10)
    assert memory.find(b"b" * 10)


def test_long_answers_are_not_remembered() -> None:
    memory = RowMemory(most_bytes=4 * LONGEST)
    assert remember(memory, bytes(LONGEST)) is not None
    assert remember(memory, bytes(LONGEST + 1)) is None
    assert memory.find(bytearray(LONGEST + 1)) is None, "not even hashed"


def test_what_nobody_asks_for_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(rows_again, "monotonic", lambda: now)
    memory = RowMemory()
    remember(memory, b"asked for")
    remember(memory, b"not asked for")
    now += MOST_SECONDS - 1
    assert memory.find(b"asked for")
    now += 2
    memory.forget()
    assert [bool(memory.find(batch)) for batch in (b"asked for", b"not asked for")] == [True, False]


def test_rows_are_found_while_another_thread_forgets() -> None:
    memory, end = RowMemory(), threading.Event()
    batches = [b"%d" % number for number in range(100)]
    for batch in batches:
        remember(memory, batch)

    def find() -> None:
        while not end.is_set():
            for batch in batches:
                memory.find(batch)

    interval, finding = sys.getswitchinterval(), threading.Thread(target=find)
    sys.setswitchinterval(1e-6)
    finding.start()
    try:
        for _time in range(50_000):
            memory.forget()
    finally:
        end.set()
        finding.join()
        sys.setswitchinterval(interval)
    assert all(map(memory.find, batches))


def test_short_answers_take_no_more_room_than_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a few objects around it, whose size is not that of the answer."""
    memory = RowMemory()
    monkeypatch.setattr(wire_rows, "MEMORY", memory)
    tracemalloc.start()
    try:
        for number in range(10_000):
            for _time in range(2):
                wire = WireRows()
                found = wire.decode(answered([{"_id": number}]))
                assert found is not None
                rows = found["cursor"]["firstBatch"]
                wire.once((), rows, lambda rows=rows: render_list(rows))
        assert tracemalloc.get_traced_memory()[0] < 8 * MOST_BYTES
    finally:
        tracemalloc.stop()


def test_rows_of_several_answers_are_not_remembered_together() -> None:
    for _time in range(4):
        wire, rows = WireRows(), list[Document]()
        for answer in (answered([{"name": "of the first window"}]), answered([])):
            decoded = wire.decode(answer)
            assert decoded is not None
            rows += decoded["cursor"]["firstBatch"]
        assert wire.once("page", rows, lambda: "text") is None, "the size of the last answer is not theirs"


def test_a_few_things_are_made_of_the_same_rows() -> None:
    again = RowsAgain([])
    assert [again.once(number % 20, lambda number=number: number) for number in range(40)] == list(range(40))
    assert len(again._made) <= 8
