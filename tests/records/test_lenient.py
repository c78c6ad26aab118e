"""What a lenient record type lets through, and what nobody does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import MalformedRequest, UnknownMember, ValidationFailed
from runtime.model.catalog import Catalog
from runtime.records.document.lenient import read_input, violations_in
from runtime.storage.codec import encode_document
from tests.records.parcels import ID, LENIENT, PARCEL

SOUND = {"label": "Lamp", "pin": "12345"}


def body(**members: Any) -> bytes:
    return json.dumps({**SOUND, **members}).encode()


BROKEN = {
    "too short": ({"label": "x"}, "label"),
    "too long": ({"label": "x" * 21}, "label"),
    "below a minimum": ({"count": -1}, "count"),
    "a decimal out of range": ({"weight": "0"}, "weight"),
    "a pattern": ({"lines": [{"sku": "A"}, {"sku": "b"}]}, "lines[1].sku"),
    "too many items": ({"tags": ["a", "b", "c", "d"]}, "tags"),
    "an item twice": ({"tags": ["a", "a"]}, "tags"),
    "an empty value in a map": ({"words": {"en": ""}}, "words.en"),
    "required inside an object": ({"place": {"street": "Main"}}, "place.city"),
    "a range two objects deep": ({"place": {"city": "Rome", "inside": {"floor": -1}}}, "place.inside.floor"),
    "required inside a map": ({"rooms": {"a": {}}}, "rooms.a.floor"),
}
NEVER = {
    "text for a number": ({"count": "5"}, "count"),
    "a number for text": ({"label": 5}, "label"),
    "an unknown word of an enum": ({"size": "XL"}, "size"),
    "no date": ({"born": 5}, "born"),
    "a moment without a zone": ({"dueAt": "2026-01-01T00:00:00"}, "dueAt"),
    "a rounded decimal": ({"weight": 0.1234567890123456789}, "weight"),
    "an object for a list": ({"tags": {}}, "tags"),
    "a reference without an id": ({"customer": {}}, "customer.entityId"),
    "an attribute without a type": ({"dynamicAttributes": {"s": {"n": {"value": 1}}}}, "type"),
    "a common field": ({"refName": ""}, "refName"),
    "a version": ({"version": 0}, "version"),
}


@pytest.mark.parametrize(("members", "path"), BROKEN.values(), ids=BROKEN)
def test_a_lenient_type_takes_what_breaks_a_constraint(members: dict[str, Any], path: str) -> None:
    found = read_input(LENIENT, body(**members))
    assert [one["path"] for one in violations_in(found)] == [path]
    document = encode_document(LENIENT, found)
    assert set(members) <= set(document)


@pytest.mark.parametrize(("members", "path"), BROKEN.values(), ids=BROKEN)
def test_a_strict_type_does_not(members: dict[str, Any], path: str) -> None:
    with pytest.raises(ValidationFailed) as found:
        read_input(PARCEL, body(**members))
    assert [one["path"] for one in found.value.details["violations"]] == [path]


@pytest.mark.parametrize(("members", "path"), NEVER.values(), ids=NEVER)
def test_types_must_be_right_all_the_same(members: dict[str, Any], path: str) -> None:
    with pytest.raises(ValidationFailed) as found:
        read_input(LENIENT, body(**members, place={}))
    paths = [one["path"] for one in found.value.details["violations"]]
    assert any(path in one for one in paths)
    assert "place.city" in paths, "what a lenient type would have let through is told as well"


def test_an_id_must_be_one_all_the_same() -> None:
    with pytest.raises(MalformedRequest, match="source: should be an id") as found:
        read_input(LENIENT, body(source="xyz", place={}))
    assert [one["path"] for one in found.value.details["violations"]] == ["source", "place.city"]


def test_a_required_field_may_be_missing() -> None:
    found = read_input(LENIENT, b'{"place": {"city": "Rome", "inside": {"floor": 1}}}')
    assert [one["path"] for one in violations_in(found)] == ["label", "pin"]
    assert encode_document(LENIENT, found) == {
        "size": "M",
        "count": 7,
        "place": {"city": "Rome", "inside": {"floor": 1, "door": "front"}},
    }


def test_sound_input_has_no_violations() -> None:
    found = read_input(LENIENT, body())
    assert type(found) is LENIENT.input
    assert violations_in(found) == []


@pytest.mark.parametrize("kind", [PARCEL, LENIENT], ids=["strict", "lenient"])
def test_what_no_type_lets_through(kind: Any) -> None:
    with pytest.raises(UnknownMember, match="labell; did you mean label"):
        read_input(kind, body(labell="x", label=""))
    with pytest.raises(UnknownMember, match=r"place\.town"):
        read_input(kind, body(place={"town": "x"}))
    with pytest.raises(MalformedRequest):
        read_input(kind, b"{")


def test_a_route_finds_the_record_type_of_its_body() -> None:
    catalog = Catalog((LENIENT,))
    assert catalog.of_input(LENIENT.input) is LENIENT
    assert catalog.of_input(LENIENT.model) is None


class TestUnseen:
    """Fields that the store hides may be absent from a record that was read."""

    def test_a_required_one_is_not_missing(self) -> None:
        found = read_input(PARCEL, b'{"label": "Lamp"}', PARCEL.hidden)
        assert violations_in(found) == []
        assert encode_document(PARCEL, found) == {"label": "Lamp", "size": "M", "count": 7}

    def test_nothing_else_is_excused(self) -> None:
        with pytest.raises(ValidationFailed) as found:
            read_input(PARCEL, b'{"label": "x"}', PARCEL.hidden)
        assert [one["path"] for one in found.value.details["violations"]] == ["label"]

    def test_one_that_was_sent_is_checked(self) -> None:
        with pytest.raises(ValidationFailed, match="pin"):
            read_input(PARCEL, body(pin="1"), PARCEL.hidden)

    def test_a_lenient_type_does_not_tell_of_it(self) -> None:
        found = read_input(LENIENT, b'{"label": "x"}', PARCEL.hidden)
        assert [one["path"] for one in violations_in(found)] == ["label"]


VALUES = st.fixed_dictionaries(
    {"label": st.text(max_size=25), "pin": st.just("12345")},
    optional={
        "count": st.integers(-5, 5),
        "tags": st.lists(st.sampled_from("abcd"), max_size=5),
        "words": st.dictionaries(st.sampled_from(["en", "de"]), st.text(max_size=2)),
        "place": st.fixed_dictionaries({}, optional={"city": st.text(max_size=25)}),
        "source": st.sampled_from([ID, None]),
    },
)


@given(VALUES)
def test_lenient_means_strict_with_remarks(members: dict[str, Any]) -> None:
    """What strict input takes, lenient input takes alike; what it refuses, lenient input tells of."""
    text = json.dumps(members).encode()
    lenient = read_input(LENIENT, text)
    refused: list[Any] = []
    try:
        strict = read_input(PARCEL, text)
    except ValidationFailed as error:
        refused = error.details["violations"]
    else:
        assert encode_document(LENIENT, lenient) == encode_document(PARCEL, strict)
    assert violations_in(lenient) == refused
