"""Stored documents as lines: every one of them leads back to the same bytes."""

from __future__ import annotations

import base64
import json
import re
import struct
from datetime import datetime
from typing import Any

import bson
import pytest
from bson import (
    Binary,
    Code,
    DatetimeMS,
    DBRef,
    Decimal128,
    Int64,
    MaxKey,
    MinKey,
    ObjectId,
    Regex,
    Timestamp,
)
from bson.codec_options import DatetimeConversion
from bson.json_util import CANONICAL_JSON_OPTIONS, dumps, loads
from bson.raw_bson import RawBSONDocument
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.storage.extended_json import (
    NotRestorable,
    change_document,
    is_unambiguous,
    iterate_parts,
    parse_lines,
    render_lines,
    split_documents,
)

INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1).map(Int64)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = TEXT.filter(lambda name: "\0" not in name)
DECIMALS = (
    st.decimals(allow_nan=True, allow_infinity=True)
    .filter(lambda one: one.is_finite())
    .map(str)
    .filter(lambda text: len(text) < 30)
)
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), INT32, INT64, st.floats(allow_nan=True), TEXT, st.binary(max_size=8),
    st.builds(ObjectId, st.binary(min_size=12, max_size=12)),
    st.integers(-(2**62), 2**62).map(DatetimeMS),
    DECIMALS.map(Decimal128),
    st.builds(Binary, st.binary(max_size=8), st.integers(0, 255).filter(lambda subtype: subtype != 2)),
    st.builds(Timestamp, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)),
    st.sampled_from([MinKey(), MaxKey(), Regex("a", "i"), Decimal128("NaN"), DBRef("c", 1)]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50)
@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=5), max_size=3))
def test_every_document_comes_back_to_the_bit(documents: list[dict[str, Any]]) -> None:
    stored = [bson.encode(one) for one in documents]
    lines, number = render_lines(b"".join(stored))
    assert number == len(stored) == lines.count(b"\n")
    assert parse_lines(lines) == stored


def test_it_is_the_canonical_form_with_plain_integers() -> None:
    document = {
        "_id": ObjectId("6b0d0000000000000000000a"), "at": datetime(2026, 1, 2, 3), "n": 5, "big": Int64(5), "x": 1.0, "nan": float("nan"),
        "price": Decimal128("1.50"), "raw": b"\1", "list": [{"deep": 1}], "none": None, "yes": True, "t": "é\n",
    }  # fmt: skip
    lines, _number = render_lines(bson.encode(document))
    canonical = dumps(document, json_options=CANONICAL_JSON_OPTIONS)
    assert json.loads(lines) == json.loads(re.sub(r'{"\$numberInt": "(-?\d+)"}', r"\1", canonical))
    assert parse_lines(canonical.encode() + b"\n") == [bson.encode(document)]


@settings(max_examples=50)
@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_others_read_it_to_the_bit(document: dict[str, Any]) -> None:
    stored = bson.encode(document)
    lines, _number = render_lines(stored)
    if b"$recordsmithBson" not in lines:
        options = CANONICAL_JSON_OPTIONS.with_options(datetime_conversion=DatetimeConversion.DATETIME_MS)
        assert bson.encode(loads(lines, json_options=options)) == stored


NAN_WITH_PAYLOAD = b"\x10\x00\x00\x00\x01a\x00" + struct.pack("<Q", 0x7FF8_0000_0000_0001) + b"\x00"
SYMBOL = b"\x0e\x00\x00\x00\x0ea\x00\x02\x00\x00\x00b\x00\x00"
TWICE = b"\x13\x00\x00\x00\x10a\x00\x01\x00\x00\x00\x10a\x00\x02\x00\x00\x00\x00"
STRANGE_LIST = b"\x14\x00\x00\x00\x04a\x00\x0c\x00\x00\x00\x107\x00\x01\x00\x00\x00\x00\x00"


@pytest.mark.parametrize(
    "stored",
    [
        NAN_WITH_PAYLOAD, SYMBOL, TWICE, STRANGE_LIST,
        bson.encode({"a": {"$numberInt": "5"}}), bson.encode({"a": [{"$oid": "x"}]}),
        bson.encode({"$recordsmithBson": "eA=="}), bson.encode({"x": 1, "_id": 2})[:-1] + b"\0",
        bson.encode({"a": Code("f()", {"x": 1})}), bson.encode({"a": Regex("x", "i")}),
    ],
)  # fmt: skip
def test_what_has_no_exact_json_is_written_as_bytes(stored: bytes) -> None:
    lines, _number = render_lines(stored)
    assert parse_lines(lines) == [stored]


def _nest(depth: int) -> bytes:
    """Build a document in a document, so deep, from its bytes: no encoder goes that deep."""
    empty = bson.encode({})
    member = b"\x03a\0"
    sizes = range(len(empty) + depth * (len(empty) + len(member)), len(empty), -len(empty) - len(member))
    heads = (struct.pack("<i", size) + member for size in sizes)
    return b"".join(heads) + empty + b"\0" * depth


DEEP_LINE = b'{"$recordsmithBson":"' + base64.b64encode(_nest(50_000)) + b'"}'


@pytest.mark.parametrize(
    "line",
    [
        b"[]", b"{", b'{"a":{"$oid":"x"}}', b'{"a":{"$numberInt":"x"}}', b'{"$recordsmithBson":"?"}',
        b'{"$recordsmithBson":"AAAA"}', b'{"a":{"$date":{}}}', b'{"a":{"$numberDecimal":"x"}}', b'{"a\\u0000":1}',
        b'{"a":' * 1000 + b"1" + b"}" * 1000, DEEP_LINE,
    ],
)  # fmt: skip
def test_what_is_not_a_document_is_refused(line: bytes) -> None:
    with pytest.raises(NotRestorable):
        parse_lines(line + b"\n")


def _join(*parts: bytes) -> bytes:
    body = b"".join(part[4:-1] for part in parts)
    return (len(body) + 5).to_bytes(4, "little") + body + b"\0"


OWN, OTHER = (bson.encode({"dataDomain": {"tenantId": one}}) for one in ("acme", "zeta"))


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (OWN, True), (SYMBOL, True), (NAN_WITH_PAYLOAD, True), (bson.encode({"a": [1, {"b": 1}], "b": 1}), True),
        (bson.encode({"a": Code("f()", {"x": 1})}), True), (TWICE, False), (_join(OTHER, OWN), False),
        (_join(OTHER, SYMBOL, OWN), False), (bson.encode({"a": [RawBSONDocument(_join(OTHER, OWN))]}), False),
    ],
)  # fmt: skip
def test_names_that_come_twice_are_seen(stored: bytes, expected: bool) -> None:
    assert is_unambiguous(stored) is expected


def test_batches_are_cut_between_documents() -> None:
    stored = [bson.encode({"n": n, "t": "x" * n}) for n in range(60)]
    parts = list(iterate_parts(b"".join(stored), 300))
    assert len(parts) > 5
    assert [one for part in parts for one in split_documents(part)] == stored


def test_a_change_leaves_other_values_their_types() -> None:
    stored = bson.encode({"a": Int64(1), "b": 1, "c": 1.0, "d": "x"})
    changed = change_document(stored, lambda document: document.pop("d"))
    assert changed == bson.encode({"a": Int64(1), "b": 1, "c": 1.0})
