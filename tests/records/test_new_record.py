"""A new record that is built of stored values is the one that reading them from JSON builds, or none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bson import Decimal128, encode
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import ServiceError
from runtime.model.record_type import RecordType
from runtime.records.document.lenient import read_input
from runtime.records.document.new_record import build_as_stored
from runtime.records.document.sent import read_sent
from runtime.storage.wire import to_json
from tests.records.parcels import LENIENT, PARCEL

Document = dict[str, Any]

OPEN = replace(PARCEL, hidden=frozenset())
NEW = {"label": "Lamp", "pin": "1234"}

VALUES: dict[str, list[Any]] = {
    "refName": ["P-1", "", "x" * 201, 5],
    "displayName": ["Lamp 1", ""],
    "activeStatus": ["INACTIVE", "GONE"],
    "label": ["Lamp", "ü \u0000 $", "L", None],
    "code": ["", "$code", "x" * 5000, 7],
    "size": ["S", "XL", None],
    "count": [0, -1, 2**40, 2**70, True, "1"],
    "ratio": [0.5, 3, "0.5"],
    "weight": [Decimal128(text) for text in ("1.50", "-1", "0", "1E+3", "NaN", "1.50000")],
    "urgent": [True, 1],
    "born": ["2026-03-27", "2026-3-27", "2026-02-30"],
    "dueAt": ["2026-03-27T00:00:00Z"],
    "source": ["65f0c0ffee00c0ffee00c0de"],
    "title": ["Lamp"],
    "pin": ["1234", "123", None],
    "note": ["fragile"],
}
"""Member → values that cells may hold, good and bad."""

MEMBERS = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in VALUES.items()}
)


def build_by_json(kind: RecordType[Any], values: Document) -> Document | None:
    try:
        return read_sent(kind, read_input(kind, to_json(values))).document
    except (ServiceError, TypeError):  # TypeError: JSON has no such number
        return None


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in VALUES.items() for value in values]
)
def test_a_value_is_built_as_by_json(name: str, value: Any) -> None:
    require_as_by_json({name: value})


@given(members=MEMBERS)
def test_values_are_built_as_by_json(members: Document) -> None:
    require_as_by_json(members)


def require_as_by_json(members: Document) -> None:
    values = NEW | members
    built = build_as_stored(OPEN, values)
    expected = build_by_json(OPEN, values)
    assert built is None or (expected is not None and encode(built) == encode(expected))  # in the same order


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, {"size": "M", "count": 7}),
        ({"count": 3, "weight": Decimal128("1.50")}, {"size": "M", "count": 3, "weight": Decimal128("1.50")}),
    ],
)
def test_plain_values_need_no_json(members: Document, expected: Document) -> None:
    assert build_as_stored(OPEN, NEW | members) == NEW | expected


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        pytest.param(PARCEL, NEW, id="hidden fields may be missing"),
        pytest.param(replace(LENIENT, hidden=frozenset()), NEW, id="lenient: what is wrong is stored"),
        pytest.param(OPEN, {"label": "Lamp"}, id="a required one is missing"),
        pytest.param(OPEN, NEW | {"size": None}, id="a default is cleared"),
        pytest.param(OPEN, NEW | {"tags": ["a"]}, id="a list"),
        pytest.param(OPEN, NEW | {"place.city": "Rome"}, id="inside an object"),
        pytest.param(OPEN, NEW | {"customer": "C-1"}, id="no reference"),
        pytest.param(OPEN, NEW | {"version": 4}, id="kept by the server"),
        pytest.param(OPEN, NEW | {"id": "65f0c0ffee00c0ffee00c0de"}, id="an id of its own"),
        pytest.param(OPEN, NEW | {"weight": Decimal128("1E+3")}, id="written another way"),
        pytest.param(OPEN, NEW | {"nothing": "x"}, id="unknown"),
    ],
)
def test_whatever_else_is_left_to_the_class(kind: RecordType[Any], values: Document) -> None:
    assert build_as_stored(kind, values) is None


def test_each_new_record_has_members_of_its_own() -> None:
    first = build_as_stored(OPEN, NEW)
    assert first is not None
    first["size"] = "L"
    assert (build_as_stored(OPEN, NEW) or {})["size"] == "M"
