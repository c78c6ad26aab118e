"""Dynamic attributes: stored with their type, and text that becomes one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from bson import Int64, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import InvalidParameter, ValidationFailed
from runtime.filter import admits, compile_filter
from runtime.records.document.dynamic import (
    MAX_ATTRIBUTES,
    MAX_CHOICES,
    MAX_NAME,
    MAX_SETS,
    MAX_STRING,
    MAX_TEXT,
    Written,
    build_attribute,
    inferred_type,
    read_attributes,
)
from runtime.storage.wire import to_json
from tests.records.parcels import ID, PARCEL, stored

MOMENT = datetime(2026, 3, 27, 4, 12, 14)
TAKEN = {
    "String": ("x", "x"),
    "Text": ("x" * 5000, "x" * 5000),
    "Integer": (2**31 - 1, 2**31 - 1),
    "Long": (-(2**63), -(2**63)),
    "Float": (2, 2.0),
    "Double": (2.5, 2.5),
    "Date": ("2026-03-27", "2026-03-27"),
    "DateTime": ("2026-03-27T05:12:14+01:00", MOMENT),
    "Boolean": (False, False),
    "Select": ("red", "red"),
    "MultiSelect": (["a", "b"], ["a", "b"]),
    "ObjectRef": (ID, ObjectId(ID)),
    "Object": ({"a": [1]}, {"a": [1]}),
}


def typed(kind: str, value: Any) -> Any:
    return read_attributes({"s": {"n": {"type": kind, "value": value}}})["s"]["n"]["value"]


@pytest.mark.parametrize("kind", TAKEN)
def test_a_value_is_stored_with_its_type(kind: str) -> None:
    sent, kept = TAKEN[kind]
    found = typed(kind, sent)
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize("kind", TAKEN)
def test_what_is_stored_can_be_sent_back(kind: str) -> None:
    _sent, kept = TAKEN[kind]
    assert typed(kind, json.loads(to_json(kept))) == kept
    assert typed(kind, kept) == kept, "and what is typed already stays"


@pytest.mark.parametrize("kind", ["Integer", "Long", "Float", "Double"])
def test_an_integer_of_the_store_is_read_like_any_other(kind: str) -> None:
    assert typed(kind, Int64(2**31 - 1)) == 2**31 - 1
    if kind != "Integer":
        assert typed(kind, Int64(2**40)) == 2**40


@pytest.mark.parametrize("kind", ["Integer", "Long"])
def test_a_whole_number_is_an_integer(kind: str) -> None:
    found = typed(kind, 5.0)
    assert (found, type(found)) == (5, int)


def test_a_moment_of_any_zone_is_kept_in_utc() -> None:
    ahead = timezone(timedelta(hours=2))
    assert typed("DateTime", datetime(2026, 3, 27, 6, 12, 14, tzinfo=ahead)) == MOMENT


REFUSED = [
    *(("String", value) for value in (5, True, ["x"], "x" * (MAX_STRING + 1))),
    ("Text", "x" * (MAX_TEXT + 1)),
    *(("Integer", value) for value in (2**31, 1.5, 2.0**31, "5", True)),
    *(("Long", value) for value in (2**63, 1.5, 2.0**53, "5", False)),
    *(("Double", value) for value in ("2.5", True)),
    *(("Date", value) for value in ("2026-02-30", "27.3.2026", "2026-03-27T00:00:00Z", 5)),
    *(("DateTime", value) for value in ("2026-03-27", "2026-03-27T04:12:14", "now", 5)),
    *(("Boolean", value) for value in ("true", 1)),
    *(("MultiSelect", value) for value in ("a", [1], ["x"] * 201)),
    *(("ObjectRef", value) for value in ("xyz", 5, {})),
    *(("Object", value) for value in ([], "x")),
]


@pytest.mark.parametrize(("kind", "value"), REFUSED, ids=lambda part: repr(part)[:20])
def test_a_value_of_another_type_is_refused(kind: str, value: Any) -> None:
    with pytest.raises(ValidationFailed, match=rf"dynamicAttributes\.s\.n: is {kind}: ") as found:
        typed(kind, value)
    assert [one["path"] for one in found.value.details["violations"]] == ["dynamicAttributes.s.n"]


def test_every_wrong_attribute_is_told() -> None:
    wrong = {"type": "Long", "value": "x"}
    with pytest.raises(ValidationFailed) as found:
        read_attributes({"a": {"n": wrong, "m": {"type": "Long", "value": 1}}, "b": {"n": wrong}})
    paths = [one["path"] for one in found.value.details["violations"]]
    assert paths == ["dynamicAttributes.a.n", "dynamicAttributes.b.n"]


def test_an_attribute_may_be_without_a_value() -> None:
    assert read_attributes({"s": {"n": {"type": "Long"}}, "t": {}}) == {"s": {"n": {"type": "Long"}}, "t": {}}


def test_numbers_and_names_are_bounded() -> None:
    one = {"type": "Boolean", "value": True}
    most = {f"n{number}": one for number in range(MAX_ATTRIBUTES)}
    assert len(read_attributes({"s": most})["s"]) == MAX_ATTRIBUTES
    largest = {"String": "x" * MAX_STRING, "Text": "x" * MAX_TEXT, "MultiSelect": ["x"] * MAX_CHOICES}
    for kind, value in largest.items():
        whole = {"s" * MAX_NAME: {"n" * MAX_NAME: {"type": kind, "value": value}}}
        assert read_attributes(whole) == whole
    for attributes in (
        {"s": {**most, "more": one}},
        {f"s{number}": {} for number in range(MAX_SETS + 1)},
        {"s" * (MAX_NAME + 1): {}},
        {"s": {"n" * (MAX_NAME + 1): one}},
    ):
        with pytest.raises(ValidationFailed, match=r"more than|at most"):
            read_attributes(attributes)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("true", "Boolean"), ("True", "String"), ("5", "Integer"), ("-5", "Integer"), ("0", "Integer"),
        ("007", "String"), ("2147483648", "Long"), ("9223372036854775808", "String"), ("2.5", "Double"),
        ("-0.5", "Double"), ("00.5", "String"), ("2.", "String"), ("1e5", "String"), ("2026-03-27", "Date"),
        ("2026-02-30", "String"), ("2026-03-27T04:12:14Z", "DateTime"), ("2026-03-27T04:12", "String"),
        (f"@@{ID}", "ObjectRef"), (ID, "String"), ("red", "String"), ("", "String"),
    ],
)  # fmt: skip
def test_a_new_attribute_has_the_type_its_text_looks_like(text: str, kind: str) -> None:
    assert inferred_type(Written(text)) == kind
    assert inferred_type(Written(text, quoted=True)) == "String"


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("String", "007", "007"), ("Integer", "007", 7), ("Integer", "5.0", 5), ("Long", "1e3", 1000), ("Long", "2147483648", 2147483648),
        ("Double", "5", 5.0), ("Boolean", "true", True), ("Date", "2026-03-27", "2026-03-27"),
        ("DateTime", "2026-03-27T04:12:14Z", "2026-03-27T04:12:14.000Z"), ("ObjectRef", f"@@{ID}", ID),
        ("ObjectRef", ID, ID), ("Select", "red", "red"), ("MultiSelect", "red", ["red"]), ("Text", "5", "5"),
    ],
)  # fmt: skip
def test_text_is_read_by_the_type_it_has(kind: str, text: str, value: Any) -> None:
    made = build_attribute("dynamicAttributes.s.n", {"type": kind, "value": None}, Written(text))
    assert made == {"type": kind, "value": value}
    assert read_attributes({"s": {"n": made}})


def test_text_of_a_new_attribute() -> None:
    assert build_attribute("p", None, Written("5")) == {"type": "Integer", "value": 5}
    items = Written("[…]", items=(Written("a"), Written("b", quoted=True)))
    assert build_attribute("p", None, items) == {"type": "MultiSelect", "value": ["a", "b"]}


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("Integer", Written("five")),
        ("Integer", Written("5.5")),
        ("Integer", Written("2147483648")),
        ("Boolean", Written("yes")),
        ("Object", Written("x")),
        ("String", Written("[…]", items=())),
        ("String", Written("x" * (MAX_STRING + 1))),
    ],
    ids=str,
)
def test_text_that_the_type_cannot_read(kind: str, written: Written) -> None:
    with pytest.raises(InvalidParameter, match="p is ") as found:
        build_attribute("p", {"type": kind}, written)
    assert (found.value.details["field"], found.value.details["fieldType"]) == ("p", kind)


@given(st.text(max_size=30))
def test_any_text_makes_an_attribute_that_can_be_stored(text: str) -> None:
    made = build_attribute("p", None, Written(text))
    assert set(read_attributes({"s": {"n": made}})["s"]["n"]) == {"type", "value"}


@pytest.mark.parametrize(
    "text",
    [
        *("05401", "007.5", "-05", "00", "9223372036854775808", "9" * 30, "0", "-7", "10.50", "0.5", "true"),
        *("+351912345678", "+5", "12e4", "1E5", "5.", ".5", "+0.5", "-0"),
    ],
)
def test_a_filter_finds_what_the_same_text_has_set(text: str) -> None:
    made = read_attributes({"s": {"n": build_attribute("p", None, Written(text))}})
    record = stored(dynamicAttributes=made)
    assert admits(compile_filter(f"dynamicAttributes.s.n:{text}", PARCEL), record)
    assert not admits(compile_filter(f"dynamicAttributes.s.n:!{text}", PARCEL), record)


FOUND = [
    ("Long", 5, "n:>4"), ("Double", 2.5, "n:2.5"), ("Boolean", True, "n:true"), ("String", "red", "n:r*"),
    ("DateTime", "2026-03-27T04:12:14Z", "n:2026-03-27T05:12:14+01:00"),
    ("DateTime", "2026-03-27T04:12:14Z", "n:>2026-03-27T04:12:13Z"),
    ("Date", "2026-03-27", "n:2026-03-27"), ("Date", "2026-03-27", "n:<2026-03-28"),
    ("String", "2026-03-27T04:12:14Z", 'n:"2026-03-27T04:12:14Z"'),
    ("ObjectRef", ID, f"n:@@{ID}"), ("MultiSelect", ["a", "b"], "n:b"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "text"), FOUND, ids=[f"{row[0]} {row[2]}" for row in FOUND])
def test_filters_compare_values_with_their_type(kind: str, value: Any, text: str) -> None:
    attributes = read_attributes({"s": {"n": {"type": kind, "value": value}}})
    predicate = compile_filter(f"dynamicAttributes.s.{text}", PARCEL)
    assert admits(predicate, stored(dynamicAttributes=attributes))
    other = {"s": {"n": {"type": kind}}}
    assert not admits(predicate, stored(dynamicAttributes=other))


def test_moments_are_compared_as_moments() -> None:
    attributes = read_attributes({"s": {"n": {"type": "DateTime", "value": "2026-03-27T04:12:14Z"}}})
    later = compile_filter("dynamicAttributes.s.n:>2026-03-27T04:12:14Z", PARCEL)
    assert not admits(later, stored(dynamicAttributes=attributes))
    assert later.match == {
        "dynamicAttributes.s.n.value": {"$gt": datetime(2026, 3, 27, 4, 12, 14, tzinfo=UTC)}
    }
