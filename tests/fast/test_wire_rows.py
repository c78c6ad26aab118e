"""Rows that are decoded for the wire: the same JSON as of rows that are decoded as ever."""

from __future__ import annotations

import gc
import sys
from datetime import datetime
from decimal import Decimal
from typing import Any

import bson
import pytest
from bson import Binary, Decimal128, Int64, ObjectId, Timestamp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from runtime.fast import wire_rows
from runtime.fast.decimals import format_bid, format_decimal
from runtime.fast.timestamps import format_timestamp
from runtime.fast.wire_rows import WireRows, format_milliseconds
from runtime.storage.wire import to_json
from tests.properties import examples

Document = dict[str, Any]

FIRST, LAST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999000)
HOSTILE = "\0\x07_id\0" + "x" * 12 + "\x03\x04firstBatch\0"

TIMESTAMPS = st.datetimes().map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000))
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=3).map(
    lambda number: Decimal128(number.quantize(Decimal("0.001")) if abs(number) < 10**20 else Decimal(1))
)
SINGLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.binary(min_size=12, max_size=12).map(ObjectId),
    TIMESTAMPS,
    DECIMALS,
)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    SINGLE, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4)
)
ROWS = st.lists(st.dictionaries(NAMES, VALUES, max_size=6), max_size=14)


def answered(rows: list[Any], **more: Any) -> bytes:
    """An answer of the store to a find."""
    cursor = {"firstBatch": rows, "id": Int64(0), "ns": "main.items"}
    return bson.encode({"cursor": cursor, "ok": 1.0, "operationTime": Timestamp(1, 1), **more})


def test_the_decoder_is_there() -> None:
    assert wire_rows._decode is not None
    assert type(bson.decode(bson.encode({"a": ObjectId()}))["a"]) is ObjectId, "the driver's own is as it was"


@settings(max_examples=examples(30, nightly=5000))
@given(ROWS)
@example(
    [{"a": FIRST, "b": LAST, "c": Decimal128("NaN"), "d": Decimal128("1E+30"), "e": Decimal128("-0.00")}]
)
@example([{"a": HOSTILE, "_id": ObjectId(b"a-b-c-d-e-f-")}] * 12)
def test_rows_are_the_same_json_and_each_is_found_as_it_is_stored(rows: list[Document]) -> None:
    wire, answer = WireRows(), answered(rows)
    decoded, plain = wire.decode(answer), bson.decode(answer)
    assert decoded is not None
    found, stored = decoded["cursor"].pop("firstBatch"), plain["cursor"].pop("firstBatch")
    assert decoded == plain
    assert to_json(found) == to_json(stored)
    for number, row in enumerate(stored):
        assert bson.encode(wire.stored(found, number)) == bson.encode(row)


def test_what_is_found_is_text_already() -> None:
    record = {"_id": ObjectId(), "at": LAST, "parts": [{"price": Decimal128("1.50")}]}
    decoded = WireRows().decode(memoryview(answered([record])))
    assert decoded is not None
    assert decoded["cursor"]["firstBatch"] == [
        {"_id": str(record["_id"]), "at": "9999-12-31T23:59:59.999Z", "parts": [{"price": "1.50"}]}
    ]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(bson.encode({"ok": 1.0}), id="no cursor"),
        pytest.param(bson.encode({"ok": 1.0, "cursor": {"firstBatch": []}}), id="in another order"),
        pytest.param(bson.encode({"cursor": {"nextBatch": [], "id": 1}, "ok": 1.0}), id="a further batch"),
        pytest.param(bson.encode({"cursor": {"firstBatch": {}, "id": 1}, "ok": 1.0}), id="no list"),
        pytest.param(answered([], ok=0.0), id="a refusal"),
        pytest.param(answered([{"at": 1}])[:-9], id="cut off"),
        pytest.param(
            answered([{"at": datetime(1970, 1, 1)}]).replace(
                b"\x09at\0" + bytes(8), b"\x09at\0" + b"\x7f" * 8
            ),
            id="a timestamp that the calendar does not have",
        ),
        pytest.param(answered([{"text": "ab"}]).replace(b"ab\0", b"\xff\xfe\0"), id="text that is not UTF-8"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_other_answers_are_left_to_the_driver(answer: bytes) -> None:
    assert WireRows().decode(answer) is None


def test_rows_that_were_decoded_elsewhere_are_returned_as_they_are() -> None:
    wire, rows = WireRows(), [{"n": 1}, {"n": 2}]
    assert wire.stored(rows, 1) is rows[1]
    assert wire.decode(answered(rows)) is not None
    assert wire.stored(rows, 1) is rows[1]


def test_where_the_driver_cannot_be_loaded_again_nothing_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bson._cbson", None)
    assert wire_rows._load() is None
    monkeypatch.setattr(wire_rows, "_decode", None)
    assert WireRows().decode(answered([{"n": 1}])) is None


def test_binary_values_stay_what_they_are() -> None:
    decoded = WireRows().decode(answered([{"b": Binary(b"ab", 128), "n": Int64(5)}]))
    assert decoded is not None
    assert decoded["cursor"]["firstBatch"] == [{"b": Binary(b"ab", 128), "n": 5}]


def test_nothing_is_lost_in_memory() -> None:
    answer = answered([{"_id": ObjectId(), "at": LAST, "price": Decimal128("1.50")}] * 50)
    for _time in range(20):
        WireRows().decode(answer)
    gc.collect()
    before = sys.getallocatedblocks()
    for _time in range(200):
        WireRows().decode(answer)
    gc.collect()
    assert sys.getallocatedblocks() - before < 1000


@given(TIMESTAMPS)
@example(FIRST)
@example(LAST)
def test_milliseconds_are_written_like_timestamps(at: datetime) -> None:
    milliseconds = (at - datetime(1970, 1, 1)) // (datetime(1970, 1, 2) - datetime(1970, 1, 1)).resolution
    assert format_milliseconds(milliseconds // 1000) == format_timestamp(at)


@given(st.binary(min_size=16, max_size=16))
@example(Decimal128("Infinity").bid)
@example(Decimal128("-NaN").bid)
@example(Decimal128("-0.00").bid)
@example(Decimal128("9" * 34 + "E-6176").bid)
def test_decimals_are_written_like_those_of_the_driver(bid: bytes) -> None:
    assert format_bid(bid) == format_decimal(Decimal128.from_bid(bid))
