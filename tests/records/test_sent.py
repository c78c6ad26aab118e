"""What was sent, in stored form: hidden fields that are cleared, attributes that are typed."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from runtime.errors import ValidationFailed
from runtime.records.document.lenient import read_input
from runtime.records.document.sent import Sent, read_sent
from tests.records.parcels import LENIENT, PARCEL

CITY = {"city": "Rome"}


def sent(kind: Any = PARCEL, **members: Any) -> Sent:
    body = {"label": "Lamp", "pin": "12345", **members}
    return read_sent(kind, read_input(kind, json.dumps(body).encode()))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        pytest.param({}, set(), id="not sent"),
        pytest.param({"note": "x"}, set(), id="with a value"),
        pytest.param({"note": None}, {"note"}, id="null"),
        pytest.param({"label": "Lamp", "count": None}, set(), id="null of another field"),
        pytest.param({"place": CITY}, set(), id="an object without it"),
        pytest.param({"place": {**CITY, "alarmCode": None}}, {"place.alarmCode"}, id="null in an object"),
        pytest.param({"place": {**CITY, "alarmCode": "1"}}, set(), id="a value in an object"),
        pytest.param({"place": None}, {"place.alarmCode"}, id="the object around it null"),
        pytest.param({"place": None, "note": None}, {"place.alarmCode", "note"}, id="both"),
    ],
)
def test_hidden_fields_are_cleared_by_null_alone(members: dict[str, Any], expected: set[str]) -> None:
    assert sent(**members).emptied == expected


def test_lenient_input_clears_alike() -> None:
    body = b'{"label": "x", "place": {"alarmCode": null}, "note": null}'
    assert read_sent(LENIENT, read_input(LENIENT, body)).emptied == {"place.alarmCode", "note"}


def test_violations_travel_along() -> None:
    assert [one["path"] for one in sent(LENIENT, label="x").violations] == ["label"]
    assert sent().violations == []


def test_attributes_are_stored_with_their_type() -> None:
    attributes = {"set": {"at": {"type": "DateTime", "value": "2026-03-27T04:12:14+01:00"}}}
    document = sent(dynamicAttributes=attributes).document
    assert document["dynamicAttributes"] == {
        "set": {"at": {"type": "DateTime", "value": datetime(2026, 3, 27, 3, 12, 14)}}
    }


def test_wrong_attributes_are_refused_by_lenient_types_too() -> None:
    with pytest.raises(ValidationFailed, match=r"dynamicAttributes\.set\.n"):
        sent(LENIENT, dynamicAttributes={"set": {"n": {"type": "Integer", "value": "five"}}})


def test_defaults_are_filled_in_unless_members_are_named() -> None:
    body = read_input(PARCEL, b'{"label": "Lamp", "pin": "12345", "place": {"city": "Rome"}}')
    assert read_sent(PARCEL, body).document["count"] == 7
    named = read_sent(PARCEL, body, only={"label", "count", "place", "unknown"})
    assert named.document == {"label": "Lamp", "place": {"city": "Rome"}}
    assert read_sent(PARCEL, body, only=set()).document == {}
