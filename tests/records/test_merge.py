"""A stored record and what changes in it → the whole record."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import InvalidParameter, MalformedRequest, UnknownField, UnknownMember, ValidationFailed
from runtime.records.document.dynamic import Written
from runtime.records.document.merge import apply_values, expand_values, merge
from runtime.system.record_types import CREDENTIAL
from tests.records.parcels import ID, LENIENT, OTHER_ID, PARCEL, stored
from tests.records.test_merge_parts import patched

PLACE = {"city": "Rome", "street": "Main", "inside": {"floor": 2, "door": "back"}}
KEPT = ("version", "auditInfo", "references", "title")
"""What a save makes anew, hence is not part of what was sent."""


def after(record: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """The input document one expects: the record with changes; None for what is gone."""
    whole = {name: value for name, value in record.items() if name not in KEPT} | changed
    return {name: value for name, value in whole.items() if value is not None}


MERGES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "nothing": ({}, {}, {}),
    "a value": ({}, {"label": "Chair"}, {"label": "Chair"}),
    "a new value": ({}, {"count": 3}, {"count": 3}),
    "null clears": ({"count": 3}, {"count": None}, {"count": None}),
    "null for what is not there": ({}, {"count": None}, {}),
    "a decimal as text": ({}, {"weight": "2.50"}, {"weight": Decimal128("2.50")}),
    "a decimal as number": ({}, {"weight": 2.5}, {"weight": Decimal128("2.5")}),
    "a moment": ({}, {"dueAt": "2026-01-01T02:00:00+02:00"}, {"dueAt": datetime(2026, 1, 1)}),
    "an object merges": ({"place": PLACE}, {"place": {"city": "Oslo"}}, {"place": {**PLACE, "city": "Oslo"}}),
    "deeper": (
        {"place": PLACE},
        {"place": {"inside": {"door": None}}},
        {"place": {**PLACE, "inside": {"floor": 2}}},
    ),
    "an object that was not there": (
        {},
        {"place": {"city": "Oslo", "street": None}},
        {"place": {"city": "Oslo"}},
    ),
    "an object cleared": ({"place": PLACE}, {"place": None}, {"place": None}),
    "a list is replaced whole": (
        {"lines": [{"sku": "A", "quantity": 2}]},
        {"lines": [{"sku": "B", "quantity": None}, {"sku": "C", "quantity": 3}]},
        {"lines": [{"sku": "B"}, {"sku": "C", "quantity": 3}]},
    ),
    "a new item of a list gets its defaults": (
        {"lines": [{"sku": "A"}]},
        {"lines": [{"sku": "A"}, {"sku": "B"}]},
        {"lines": [{"sku": "A"}, {"sku": "B", "quantity": 1}]},
    ),
    "an item whose number is written in another way is not new": (
        {"lines": [{"sku": "A", "price": Decimal128("2.50")}]},
        {"lines": [{"sku": "A", "price": 2.5}]},
        {"lines": [{"sku": "A", "price": Decimal128("2.5")}]},
    ),
    "an item with another number is": (
        {"lines": [{"sku": "A", "price": Decimal128("2.50")}]},
        {"lines": [{"sku": "A", "price": 2.51}]},
        {"lines": [{"sku": "A", "price": Decimal128("2.51"), "quantity": 1}]},
    ),
    "an item that names its reference by the id alone is not new": (
        {"lines": [{"sku": "A", "carrier": {"entityId": ObjectId(ID), "entityRefName": "c-1"}}]},
        {"lines": [{"sku": "A", "carrier": {"entityId": ID}}]},
        {"lines": [{"sku": "A", "carrier": {"entityId": ObjectId(ID)}}]},
    ),
    "an item with another reference is": (
        {"lines": [{"sku": "A", "carrier": {"entityId": ObjectId(ID), "entityRefName": "c-1"}}]},
        {"lines": [{"sku": "A", "carrier": {"entityId": OTHER_ID, "entityRefName": "c-1"}}]},
        {"lines": [{"sku": "A", "quantity": 1,
            "carrier": {"entityId": ObjectId(OTHER_ID), "entityRefName": "c-1"}}]},
    ),
    "a new object gets its defaults": (
        {"place": {"city": "Rome"}},
        {"place": {"inside": {"floor": 1}}},
        {"place": {"city": "Rome", "inside": {"floor": 1, "door": "front"}}},
    ),
    "a new object of a map gets its defaults": (
        {"rooms": {"a": {"floor": 1}}},
        {"rooms": {"a": {"floor": 2}, "b": {"floor": 3}}},
        {"rooms": {"a": {"floor": 2}, "b": {"floor": 3, "door": "front"}}},
    ),
    "a null in a new object keeps its default away": (
        {},
        {"place": {"city": "Oslo", "inside": {"floor": 1, "door": None}}},
        {"place": {"city": "Oslo", "inside": {"floor": 1}}},
    ),
    "a map merges": ({"words": {"en": "a", "de": "b"}}, {"words": {"de": None}}, {"words": {"en": "a"}}),
    "free-form merges": ({"extra": {"a": [1], "b": 2}}, {"extra": {"b": {"c": 1}}}, {"extra": {"a": [1], "b": {"c": 1}}}),
    "free-form is replaced by a scalar": ({"extra": {"a": 1}}, {"extra": 5.0}, {"extra": 5.0}),
    "a reference": (
        {},
        {"customer": {"entityId": OTHER_ID}},
        {"customer": {"entityId": ObjectId(OTHER_ID)}},
    ),
    "an attribute": (
        {"dynamicAttributes": {"s": {"n": {"type": "Long", "value": 5}}}},
        {"dynamicAttributes": {"s": {"n": {"value": 6}}}},
        {"dynamicAttributes": {"s": {"n": {"type": "Long", "value": 6}}}},
    ),
    "what the server keeps is ignored": (
        {},
        {"title": "mine", "auditInfo": {"createdBy": "eve"}, "references": 5, "actionList": ["x"]},
        {},
    ),
    "the version is passed on": ({}, {"version": 3}, {"version": 3}),
    "the id it has": ({}, {"id": ID}, {}),
    "a hidden field": ({}, {"pin": "9999"}, {"pin": "9999"}),
}  # fmt: skip


@pytest.mark.parametrize(("members", "patch", "changed"), MERGES.values(), ids=MERGES)
def test_a_patch_is_merged(members: dict[str, Any], patch: dict[str, Any], changed: dict[str, Any]) -> None:
    record = stored(**members)
    before = deepcopy(record)
    found = merge(PARCEL, record, patch)
    assert found.document == after(record, **changed)
    assert record == before, "the stored record is left alone"


def test_values_of_every_type_come_through_unchanged() -> None:
    record = stored(
        count=0, ratio=0.1, urgent=False, born="2026-03-27", dueAt=datetime(2026, 3, 27, 4, 12, 14, 118000),
        source=ObjectId(OTHER_ID), tags=["a"], grid=[[1, 2], []], words={"en": "x"}, extra=[1.0, None, {"a": "1"}],
        place=PLACE, lines=[{"sku": "A"}], weight=Decimal128("1234567890123456789012345678.9012"),
        customer={"entityId": ObjectId(ID), "entityRefName": "C"}, carriers=[{"entityId": ObjectId(ID)}],
        dynamicAttributes={"s": {"at": {"type": "DateTime", "value": datetime(2026, 1, 1)}}},
    )  # fmt: skip
    assert merge(PARCEL, record, {}).document == after(record)
    assert apply_values(PARCEL, record, {}).document == after(record)


def test_defaults_do_not_come_back() -> None:
    """A field that was cleared, or that had no default when the record was made, stays absent."""
    document = merge(PARCEL, stored(count=5, place={"city": "Rome"}), {"count": None}).document
    assert not {"count", "size", "door"} & document.keys()


def test_what_the_type_no_longer_knows_stays() -> None:
    assert merge(PARCEL, stored(caption="old"), {"label": "New"}).document["caption"] == "old"


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "no object": ([], MalformedRequest, "JSON object"),
    "null": (None, MalformedRequest, "JSON object"),
    "an unknown member": ({"lable": 1}, UnknownMember, "unknown member lable; did you mean label"),
    "null for an unknown member": ({"lable": None}, UnknownMember, "label"),
    "unknown in an object": ({"place": {"citty": "x"}}, UnknownMember, r"place\.citty; did you mean city"),
    "null for unknown in an object": ({"place": {"citty": None}}, UnknownMember, "citty"),
    "unknown in an object of a map": ({"rooms": {"a": {"flor": 1}}}, UnknownMember, r"rooms\.a\.flor"),
    "unknown in an attribute": (
        {"dynamicAttributes": {"s": {"n": {"valu": 1}}}}, UnknownMember, r"dynamicAttributes\.s\.n\.valu",
    ),
    "unknown in an object, near none": (
        {"place": {"x": 1}}, UnknownMember, r"place\.x; the members are alarmCode, city, inside and street$",
    ),
    "unknown in a list": (
        {"lines": [{"sku": "A", "x": 1}]}, UnknownMember, r"lines\[0\]\.x; the members are carrier, price, quantity and sku$",
    ),
    "near one in a list": (
        {"lines": [{"quantitty": 1}]}, UnknownMember, r"lines\[0\]\.quantitty; did you mean quantity\?$",
    ),
    "a field nobody can send": ({"margin": None}, UnknownMember, "margin"),
    "another id": ({"id": OTHER_ID}, ValidationFailed, "id: cannot change"),
    "a required field cleared": ({"label": None}, ValidationFailed, "label: Field required"),
    "a required hidden field cleared": ({"pin": None}, ValidationFailed, "pin: Field required"),
    "a constraint word": ({"count": -1}, ValidationFailed, "count"),
    "another type": ({"count": "5"}, ValidationFailed, "count"),
    "a number beyond 64 bits": ({"count": 2**64}, ValidationFailed, "count"),
    "a number that is not finite": ({"ratio": float("inf")}, ValidationFailed, "ratio"),
    "an incomplete object": ({"place": {"street": "x"}}, ValidationFailed, "place.city: Field required"),
    "null in a list": ({"tags": [None]}, ValidationFailed, "tags"),
}  # fmt: skip


@pytest.mark.parametrize(("patch", "error", "said"), WRONG.values(), ids=WRONG)
def test_what_is_refused(patch: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        merge(PARCEL, stored(), patch)


def test_the_depth_of_a_patch_is_bounded() -> None:
    deep: Any = 1
    for _level in range(31):
        deep = {"a": deep}
    assert merge(PARCEL, stored(), {"extra": deep}).document["extra"] == deep
    for inner in ({"a": deep}, [deep]):
        with pytest.raises((MalformedRequest, ValidationFailed), match="32"):
            merge(PARCEL, stored(), {"extra": {"x": inner}})
    for _level in range(100_000):
        deep = [deep]
    with pytest.raises(MalformedRequest, match="32"):
        merge(PARCEL, stored(), {"extra": deep})


@pytest.mark.parametrize(
    ("patch", "emptied"),
    [
        pytest.param({}, set(), id="not named"),
        pytest.param({"note": None}, {"note"}, id="null"),
        pytest.param({"note": "x"}, set(), id="a value"),
        pytest.param({"place": {"alarmCode": None}}, {"place.alarmCode"}, id="inside an object"),
        pytest.param({"place": {"street": None}}, set(), id="beside it"),
        pytest.param({"place": None}, {"place.alarmCode"}, id="with its object"),
    ],
)
def test_hidden_values_stay_unless_cleared(patch: dict[str, Any], emptied: set[str]) -> None:
    assert merge(PARCEL, stored(place=PLACE), patch).emptied == emptied


def test_what_rules_hide_is_unknown() -> None:
    hidden = frozenset({"count", "place.street", "pin"})
    for patch in ({"count": 1}, {"count": None}, {"place": {"street": "x"}}):
        with pytest.raises(UnknownMember):
            merge(PARCEL, stored(), patch, hidden)
    with pytest.raises(UnknownMember) as found:
        merge(PARCEL, stored(), {"coun": 1}, hidden)
    assert "count" not in found.value.message, "a name near by does not give it away"
    with pytest.raises(UnknownMember) as found:
        merge(PARCEL, stored(), {"place": {"x": 1}}, hidden)
    assert found.value.message == "unknown member place.x; the members are alarmCode, city and inside"
    assert merge(PARCEL, stored(), {"pin": "9999"}, hidden).document["pin"] == "9999"


def test_a_lenient_type_tells_of_what_it_lets_through() -> None:
    found = merge(LENIENT, stored(), {"label": None, "count": -1})
    assert [one["path"] for one in found.violations] == ["label", "count"]
    assert found.document == after(stored(), label=None, count=-1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), JSON, max_size=3)


@given(OBJECTS, OBJECTS)
def test_free_form_members_merge_as_the_standard_says(target: dict[str, Any], patch: dict[str, Any]) -> None:
    found = merge(PARCEL, stored(extra=target), {"extra": patch}).document
    assert found["extra"] == patched(target, patch)


VALUES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "a scalar": ({}, {"count": 3}, {"count": 3}),
    "stored values": (
        {},
        {"weight": Decimal128("2.5"), "dueAt": datetime(2026, 1, 1), "source": ObjectId(OTHER_ID)},
        {"weight": Decimal128("2.5"), "dueAt": datetime(2026, 1, 1), "source": ObjectId(OTHER_ID)},
    ),
    "inside an object": ({"place": PLACE}, {"place.inside.floor": 5}, {"place": {**PLACE, "inside": {"floor": 5, "door": "back"}}}),
    "an object that was not there": ({}, {"place.city": "Oslo"}, {"place": {"city": "Oslo"}}),
    "None clears": ({"count": 3}, {"count": None}, {"count": None}),
    "None where nothing is": ({}, {"place.inside.door": None}, {}),
    "two paths of one object": ({}, {"place.city": "Oslo", "place.street": "S"}, {"place": {"city": "Oslo", "street": "S"}}),
    "an object as a whole": ({"place": PLACE}, {"place": {"city": "Oslo"}}, {"place": {"city": "Oslo"}}),
    "a map": ({}, {"words.en": "x"}, {"words": {"en": "x"}}),
    "free-form through a scalar": ({"extra": 5}, {"extra.a.b": 1}, {"extra": {"a": {"b": 1}}}),
    "a reference keeps its realm": (
        {"customer": {"entityId": ObjectId(ID), "realm": "r"}},
        {"customer": {"entityId": ObjectId(OTHER_ID)}},
        {"customer": {"entityId": ObjectId(OTHER_ID), "realm": "r"}},
    ),
    "text by the type of the attribute": (
        {"dynamicAttributes": {"s": {"n": {"type": "String", "value": "x"}}}},
        {"dynamicAttributes.s.n": Written("007")},
        {"dynamicAttributes": {"s": {"n": {"type": "String", "value": "007"}}}},
    ),
    "text of a new attribute": (
        {},
        {"dynamicAttributes.s.n": Written("2026-01-01T00:00:00Z")},
        {"dynamicAttributes": {"s": {"n": {"type": "DateTime", "value": datetime(2026, 1, 1)}}}},
    ),
    "an attribute taken away": (
        {"dynamicAttributes": {"s": {"n": {"type": "Long", "value": 1}}}},
        {"dynamicAttributes.s.n": None},
        {"dynamicAttributes": {"s": {}}},
    ),
    "a new object gets its defaults": (
        {"place": {"city": "Rome"}},
        {"place.inside.floor": 1, "lines": [{"sku": "A"}]},
        {
            "place": {"city": "Rome", "inside": {"floor": 1, "door": "front"}},
            "lines": [{"sku": "A", "quantity": 1}],
        },
    ),
    "a null in a new object keeps its default away": (
        {"place": {"city": "Rome"}},
        {"place.inside.floor": 1, "place.inside.door": None},
        {"place": {"city": "Rome", "inside": {"floor": 1}}},
    ),
    "an item as it is stored gets no default": (
        {"lines": [{"sku": "A"}, {"sku": "B", "quantity": 5}]},
        {"lines": [{"sku": "B", "quantity": 5}, {"sku": "A"}]},
        {"lines": [{"sku": "B", "quantity": 5}, {"sku": "A"}]},
    ),
    "the version": ({}, {"version": 4}, {"version": 4}),
}  # fmt: skip


@pytest.mark.parametrize(("members", "values", "changed"), VALUES.values(), ids=VALUES)
def test_values_are_applied(members: dict[str, Any], values: dict[str, Any], changed: dict[str, Any]) -> None:
    record = stored(**members)
    before = deepcopy(record)
    assert apply_values(PARCEL, record, values).document == after(record, **changed)
    assert record == before


def test_applied_values_are_checked_as_a_whole() -> None:
    with pytest.raises(ValidationFailed, match="label: Field required"):
        apply_values(PARCEL, stored(), {"label": None})
    with pytest.raises(ValidationFailed, match=r"place\.city"):
        apply_values(PARCEL, stored(), {"place.city": "x" * 21})
    record = stored(dynamicAttributes={"s": {"n": {"type": "Integer", "value": 1}}})
    with pytest.raises(InvalidParameter, match=r"dynamicAttributes\.s\.n is an integer"):
        apply_values(PARCEL, record, {"dynamicAttributes.s.n": Written("five")})


@pytest.mark.parametrize(
    ("values", "emptied"),
    [
        pytest.param({"note": None}, {"note"}, id="itself"),
        pytest.param({"place.alarmCode": None}, {"place.alarmCode"}, id="inside an object"),
        pytest.param({"place": None}, {"place.alarmCode"}, id="with its object"),
        pytest.param({"note": "x", "place.street": None}, set(), id="neither"),
    ],
)
def test_applied_values_clear_hidden_fields_by_name(values: dict[str, Any], emptied: set[str]) -> None:
    assert apply_values(PARCEL, stored(place=PLACE), values).emptied == emptied


@pytest.mark.parametrize("values", [{"lable": "x"}, {"lable": "x", "count": 1}, {"lable.x": 1}])
def test_applied_values_of_unknown_members_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UnknownMember, match="lable"):
        apply_values(PARCEL, stored(), values)


@pytest.mark.parametrize("name", sorted(CREDENTIAL.hidden))
def test_what_is_hidden_and_set_by_the_server_is_unknown(name: str) -> None:
    """A record of the service without routes is read and sent as one class, which lacks it."""
    for sent in (name, f"{name}s"):
        with pytest.raises(UnknownField) as in_bulk:
            expand_values(CREDENTIAL, {sent: "x"}, frozenset())
        with pytest.raises(UnknownMember) as patched:
            merge(CREDENTIAL, {}, {sent: "x"})
        for found in (in_bulk.value, patched.value):
            assert f"{name}?" not in found.message


class TestExpanded:
    """The values of a set in bulk: dotted names or nested members."""

    def test_dotted_and_nested_are_alike(self) -> None:
        assert expand_values(
            PARCEL, {"place.inside.floor": 1, "place.city": "x", "count": None}, frozenset()
        ) == {
            "place": {"inside": {"floor": 1}, "city": "x"},
            "count": None,
        }
        assert expand_values(PARCEL, {"place": {"city": "x"}}, frozenset()) == {"place": {"city": "x"}}

    @pytest.mark.parametrize(
        ("values", "error"),
        [
            pytest.param({"place": {}, "place.city": "x"}, InvalidParameter, id="a path inside another"),
            pytest.param({"place.city": "x", "place": None}, InvalidParameter, id="the other way round"),
            pytest.param({"lines.sku": "x"}, InvalidParameter, id="inside a list"),
            pytest.param({"auditInfo.createdBy": "x"}, InvalidParameter, id="kept by the server"),
            pytest.param({"citty": "x"}, UnknownField, id="unknown"),
        ],
    )
    def test_what_is_refused(self, values: dict[str, Any], error: type[Exception]) -> None:
        with pytest.raises(error):
            expand_values(PARCEL, values, frozenset())
