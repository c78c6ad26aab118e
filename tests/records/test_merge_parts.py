"""A partial write leaves what it does not name as it is stored: in every case as if the whole record had been
written out, changed there, and read again."""

from __future__ import annotations

from collections.abc import Iterable, Set
from datetime import datetime
from typing import Any

import pytest
from bson import Decimal128, Int64, ObjectId
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json
from pydantic_core import to_json as to_json_text

from runtime.errors import ServiceError
from runtime.records.document.lenient import read_input
from runtime.records.document.merge import apply_values, merge
from runtime.records.document.sent import read_sent
from runtime.records.document.targets import kept_by_server, sent_fields
from runtime.storage.wire import to_json, to_wire
from tests.records.parcels import ID, LENIENT, PARCEL, stored

Document = dict[str, Any]

SMALL = st.text(max_size=5)
WORDS = st.dictionaries(st.sampled_from(["en", "de"]), SMALL, max_size=2)
FREE = st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | SMALL, st.lists, max_leaves=4)
STORED: dict[str, st.SearchStrategy[Any]] = {
    "label": st.sampled_from(["Chair", "", "x" * 300, 'ü \\ " $']),
    "count": st.integers(-3, 3) | st.just(Int64(2**40)) | st.just("three"),
    "weight": st.sampled_from([Decimal128("2.50"), Decimal128("1E+3"), Decimal128("-0.0"), "heavy"]),
    "dueAt": st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(
        lambda m: m.replace(microsecond=118000)
    ),
    "place": st.fixed_dictionaries({}, optional={"city": SMALL, "street": SMALL, "unknown": SMALL}),
    "lines": st.lists(
        st.fixed_dictionaries({"sku": SMALL}, optional={"quantity": st.integers(0, 3)}), max_size=2
    ),
    "words": WORDS,
    "extra": FREE,
    "ratio": st.sampled_from([0.5, 3, True, "0.5"]),
    "urgent": st.sampled_from([True, 1]),
    "size": st.sampled_from(["S", "XL"]),
    "born": st.sampled_from(["2026-03-27", "2026-3-27", datetime(2026, 3, 27)]),
    "source": st.sampled_from([ObjectId(ID), ID, "nowhere"]),
    "pin": st.sampled_from(["1234", "1"]),
    "customer": st.just({"entityId": ObjectId(ID), "entityType": "Customer"}),
    "forgotten": SMALL,
}
PATCHES = st.fixed_dictionaries(
    {},
    optional={
        "label": st.sampled_from(["Table", None, 5]),
        "count": st.sampled_from([1, None, 10**30, float("inf"), "1"]),
        "weight": st.sampled_from(["1.25", 1.5, None, "1e3"]),
        "dueAt": st.sampled_from(["2026-03-27T04:12:14Z", None]),
        "place": st.sampled_from([None, {"city": "Oslo"}, {"street": None}]),
        "words": st.sampled_from([None, {"en": "x"}, {"de": None}]),
        "extra": FREE,
        "ratio": st.sampled_from([0.25, 2, float("nan"), 10**400, True, None]),
        "urgent": st.sampled_from([True, 0, "true", None]),
        "size": st.sampled_from(["L", "l", None]),
        "born": st.sampled_from(["2026-03-27", "27.3.2026", 20260327, None]),
        "source": st.sampled_from([ID, ID.upper(), None]),
        "refName": st.sampled_from(["P-2", "", "x" * 201, None]),
        "version": st.sampled_from([4, 0, 2**31, "4"]),
        "id": st.just(ID),
    },
).flatmap(lambda patch: st.sampled_from([patch, *({name: value} for name, value in patch.items())]))
"""Some members at once, or one of them: few are checked by themselves."""

VALUES = st.fixed_dictionaries(
    {},
    optional={
        "label": st.sampled_from(["Table", None]),
        "count": st.sampled_from([1, None, Int64(2**50)]),
        "weight": st.sampled_from([Decimal128("1.25"), Decimal128("1E+3"), Decimal128("-1"), None]),
        "dueAt": st.just(datetime(2026, 3, 27)),
        "place.city": st.sampled_from(["Oslo", None, "x" * 50]),
        "words.en": st.sampled_from(["x", None]),
        "ratio": st.sampled_from([0.25, None]),
        "urgent": st.sampled_from([True, None]),
        "extra": st.sampled_from([2**63, "text", 1.5, [1]]),
        "pin": st.sampled_from(["4321", "4", None]),
        "note": st.sampled_from(["x", None]),
        "version": st.sampled_from([4, 0]),
        "born": st.sampled_from(["2026-03-27", "2026-99-99"]),
        "source": st.just(ObjectId(ID)),
        "size": st.sampled_from(["L", "l"]),
    },
).flatmap(lambda values: st.sampled_from([values, *({name: value} for name, value in values.items())]))
RECORDS = st.fixed_dictionaries({}, optional=STORED).map(lambda members: stored(**members))


def written_out(kind: Any, record: Document) -> Document:
    """The whole record as its caller could send it back."""
    known = sent_fields(kind)
    shown = {
        name: value for name, value in to_wire(record).items()
        if name in known and name != "version" and not kept_by_server(kind, name)
    }  # fmt: skip
    body: Document = from_json(to_json(shown))
    return body


def read_again(kind: Any, record: Document, body: Document, cleared: Set[str]) -> Document:
    text = to_json_text(body, inf_nan_mode="constants")
    document = read_sent(
        kind, read_input(kind, text, kind.hidden - cleared), only=kind.fields.keys()
    ).document
    rest = {name: value for name, value in record.items() if name not in kind.fields and name != "_id"}
    return {**rest, **document}


def whole(
    kind: Any, record: Document, body: Document, named: Iterable[str], cleared: Set[str] = frozenset()
) -> Document:
    """All is read again, and what nobody named is what is stored to the bit: 1E+3 does not become 1000.
    ``cleared``: hidden fields count as missing then."""
    found = read_again(kind, record, body, cleared)
    stays = found.keys() & record.keys() - set(named)
    return found | {name: record[name] for name in stays}


def patched(target: Any, patch: Any) -> Any:
    """RFC 7396 §2, word for word."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = patched(result.get(name), value)
    return result


def outcome(work: Any) -> Any:
    """A document with the types of its values, or what is wrong: bits count, 2.5 is not 2.50."""
    try:
        return repr(sorted(work().items()))
    except ServiceError as error:
        return type(error), error.details


@pytest.mark.parametrize("kind", [PARCEL, LENIENT], ids=["strict", "lenient"])
@given(record=RECORDS, patch=PATCHES)
def test_a_patch(kind: Any, record: Document, patch: Document) -> None:
    expected = outcome(lambda: whole(kind, record, patched(written_out(kind, record), patch), patch))
    assert outcome(lambda: merge(kind, record, patch).document) == expected


@pytest.mark.parametrize("kind", [PARCEL, LENIENT], ids=["strict", "lenient"])
@given(record=RECORDS, values=VALUES)
def test_values_by_path(kind: Any, record: Document, values: Document) -> None:
    body = written_out(kind, record)
    for path, value in values.items():
        *way, last = path.split(".")
        here = body
        for step in way:
            if not isinstance(here.get(step), dict):
                here[step] = {}
            here = here[step]
        if value is None:
            here.pop(last, None)
        else:
            here[last] = from_json(to_json(value))
        if way and not here and way[0] not in record:  # nothing is made only to clear something in it
            del body[way[0]]
    named = [path.partition(".")[0] for path in values]
    cleared = {path for path, value in values.items() if value is None}
    expected = outcome(lambda: whole(kind, record, body, named, cleared))
    assert outcome(lambda: apply_values(kind, record, values).document) == expected
