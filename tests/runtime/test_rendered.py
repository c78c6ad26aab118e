"""Embedded records as JSON: the same as by the plain way, whatever was rendered before."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from typing import Any

import bson
import orjson
from bson import Decimal128, ObjectId
from bson.raw_bson import RawBSONDocument
from hypothesis import given
from hypothesis import strategies as st

from runtime.storage.wire import render_encoded, render_fragment

from .conftest import MOMENT

Document = dict[str, Any]

IDS = st.binary(min_size=12, max_size=12).map(ObjectId)
VALUES = st.recursive(
    st.none() | st.booleans() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
    | st.integers(-(2**63), 2**63 - 1) | st.just(MOMENT.replace(tzinfo=None)) | IDS
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-99, max_value=99).map(Decimal128),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
DOCUMENTS = st.builds(
    lambda one, rest: {"_id": one, **rest}, IDS, st.dictionaries(st.sampled_from("pqrst"), VALUES)
)


def render(document: Document) -> tuple[bytes, bytes, int]:
    record_id, fragment = render_encoded(RawBSONDocument(bson.encode(document)))
    return record_id, orjson.dumps(fragment.json), fragment.size


@given(DOCUMENTS)
def test_both_ways_write_the_same(document: Document) -> None:
    plain = render_fragment(document)
    expected = document["_id"].binary, orjson.dumps(plain.json), plain.size
    assert render(document) == expected
    assert render(document) == expected, "kept"


def test_each_change_shows() -> None:
    """Though the id stays, and with it all that a cache by ids would look at."""
    record: Document = {"_id": ObjectId(), "name": "Acme", "limit": Decimal128(Decimal("1.50")), "version": 1}
    first = render(record)
    for change in ({"name": "Acne"}, {"limit": Decimal128(Decimal("1.5"))}, {"version": 2}):
        assert render(record | change) != first
    assert render({name: value for name, value in record.items() if name != "limit"}) != first
    assert render(record) == first


def test_large_documents_are_not_kept() -> None:
    record: Document = {"_id": ObjectId(), "text": "x" * 2000}
    assert b"x" * 2000 in render(record)[1]
    encoded = RawBSONDocument(bson.encode(record))
    assert render_encoded(encoded)[1].json is not render_encoded(encoded)[1].json


def test_kept_documents_take_no_more_room_than_their_bytes() -> None:
    records = [RawBSONDocument(bson.encode({"_id": ObjectId(), "text": "x" * 900})) for _number in range(500)]
    tracemalloc.start()
    try:
        for record in records:
            render_encoded(record)
        assert tracemalloc.get_traced_memory()[0] < 500 * 3 * 1024
    finally:
        tracemalloc.stop()
