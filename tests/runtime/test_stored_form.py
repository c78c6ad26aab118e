"""What is stored is sound exactly where its class would take it as it is read: told without writing it out."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest
from annotated_types import Gt
from bson import Decimal128, Int64, ObjectId
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from runtime.errors import ValidationFailed
from runtime.model.record import ExactDecimal, Moment, RecordInput, members
from runtime.model.record_type import RecordType
from runtime.storage.codec import encode_member
from runtime.storage.stored_form import is_settled, is_sound
from runtime.storage.wire import to_json
from tests.records.parcels import ID, PARCEL, Parcel, stored

Document = dict[str, Any]

SENT = frozenset(members(PARCEL.input)) - {"id", "version", "auditInfo", "references", "actionList"}

REFERENCE = {"entityId": ObjectId(ID), "entityType": "Customer", "entityRefName": "C-1"}
ATTRIBUTE = {"type": "DateTime", "value": datetime(2026, 3, 27)}

GOOD: dict[str, list[Any]] = {
    "refName": ["P-1"],
    "activeStatus": ["INACTIVE"],
    "dataDomain": [{}, {"tenantId": "acme", "ownerId": "ann", "dataSegment": 0}],
    "label": ["Lamp", "ü \u0000 $"],
    "code": ["", "x" * 5000],
    "size": ["S", "L"],
    "count": [0, Int64(2**40)],
    "ratio": [0.5, 3],
    "weight": [Decimal128("0.001"), Decimal128("1E+3"), Decimal128("1234567890123456789012345678901234")],
    "urgent": [True],
    "born": ["2026-03-27"],
    "dueAt": [datetime(1, 1, 1), datetime(2026, 3, 27)],
    "source": [ObjectId(ID)],
    "tags": [[], ["a", "b", "c"]],
    "grid": [[[1, 2], []]],
    "words": [{}, {"en": "x"}],
    "rooms": [{"hall": {"floor": 1}}],
    "extra": [{"a": [1, datetime(2026, 3, 27), ObjectId(ID), Decimal128("1.5")]}, [[]], "text", 5, False],
    "place": [{"city": "Rome"}, {"city": "Rome", "inside": {"floor": 0, "door": "back"}}],
    "lines": [[], [{"sku": "A", "quantity": 2}, {"sku": "B"}]],
    "customer": [REFERENCE, {"entityId": ObjectId(ID)}],
    "carriers": [[REFERENCE, REFERENCE]],
    "dynamicAttributes": [{"colours": {"paint": ATTRIBUTE}}, {}],
    "pin": ["1234"],
}
"""Member → stored values."""

BAD: dict[str, list[Any]] = {
    "refName": ["", "x" * 201, 5],
    "activeStatus": ["GONE", ""],
    "dataDomain": [[], {"tenantId": 5}, {"tenant": "acme"}, {"dataSegment": 2**31}],
    "label": ["L", "x" * 21, 7, b"Lamp"],
    "size": ["XL", 1],
    "count": [-1, "1", 1.5, True],
    "ratio": ["0.5", True],
    "weight": [Decimal128("0"), Decimal128("-1"), 1 + 1j],
    "urgent": [1, "true"],
    "born": ["2026-3-27", "2026-02-30", 20260327],
    "dueAt": [1774569600, "soon"],
    "source": ["nowhere", 7],
    "tags": [["a", "a"], ["a", "b", "c", "d"], "a", [1]],
    "grid": [[1], [["1"]]],
    "words": [{"en": ""}, {"en": 1}, []],
    "rooms": [{"hall": {}}, {"hall": {"floor": -1}}],
    "place": [{}, {"city": "x" * 21}, {"city": "Rome", "planet": "Earth"}, {"city": "Rome", "inside": {}}],
    "lines": [[{}], [{"sku": "a"}], [{"sku": "A", "quantity": "2"}], {"sku": "A"}],
    "customer": [{}, {"entityId": "nobody"}, {"entityId": ObjectId(ID), "name": "x"}, ID],
    "carriers": [[REFERENCE, {}], REFERENCE],
    "dynamicAttributes": [{"colours": {"paint": {"value": 1}}}, {"colours": []}, []],
    "pin": ["123"],
}


def list_rows(values: dict[str, list[Any]]) -> list[Any]:
    return [
        pytest.param(name, value, id=f"{name}-{at}")
        for name in values
        for at, value in enumerate(values[name])
    ]


def takes(record: Document) -> bool:
    """Whether the class takes the record as it is read; what is hidden was sent before."""
    shown = {"pin": "1234", **{name: value for name, value in record.items() if name in SENT}}
    try:
        PARCEL.input.model_validate_json(to_json(shown))
    except (ValidationError, TypeError):  # TypeError: no such thing is written
        return False
    return True


@pytest.mark.parametrize(("name", "value"), list_rows(GOOD))
def test_what_the_class_takes_is_sound(name: str, value: Any) -> None:
    record = stored(**{name: value})
    assert takes(record)
    assert is_sound(PARCEL, record, SENT)


@pytest.mark.parametrize(("name", "value"), list_rows(BAD))
def test_what_the_class_refuses_is_not(name: str, value: Any) -> None:
    record = stored(**{name: value})
    assert not takes(record)
    assert not is_sound(PARCEL, record, SENT)


@given(st.dictionaries(st.sampled_from(sorted({*GOOD, *BAD})), st.integers(0, 9), max_size=4))
def test_of_many_members_all_have_to_be(chosen: dict[str, int]) -> None:
    values = {name: [*GOOD.get(name, []), *BAD.get(name, [])] for name in chosen}
    record = stored(**{name: values[name][at % len(values[name])] for name, at in chosen.items()})
    assert is_sound(PARCEL, record, SENT) == takes(record)


@pytest.mark.parametrize(
    ("record", "sound"),
    [
        ({"label": None}, False),
        ({"weight": None, "title": None}, True),
        ({"forgotten": object()}, True),
        ({"version": "x", "auditInfo": 5, "references": "none"}, True),
    ],
    ids=["a required member is missing", "others are not there", "unknown ones", "those of the server"],
)
def test_what_is_looked_at(record: Document, sound: bool) -> None:
    assert is_sound(PARCEL, stored(**record), SENT) is sound


@pytest.mark.parametrize("value", [Decimal128("NaN"), Decimal128("Infinity"), Decimal128("-0.00")])
def test_a_decimal_that_is_no_amount(value: Decimal128) -> None:
    assert not is_sound(PARCEL, stored(weight=value), SENT)


@pytest.mark.parametrize(
    "value", ["", "Lamp", True, 0, -(2**63), 2**63 - 1, Decimal128("1.50"), Decimal128("-0.0")]
)
def test_a_value_that_is_stored_as_it_would_be_again(value: Any) -> None:
    assert is_settled(value)


@pytest.mark.parametrize(
    "value",
    [
        2**63,
        -(2**63) - 1,
        1.5,
        Decimal128("1E+3"),
        Decimal128("NaN"),
        datetime(2026, 3, 27),
        ObjectId(ID),
        ["Lamp"],
        {"a": 1},
        None,
    ],
)
def test_one_that_may_become_another_or_is_more_than_one(value: Any) -> None:
    assert not is_settled(value)


class TestMember:
    @pytest.mark.parametrize(
        ("name", "sent", "expected"),
        [
            ("label", "Lamp", "Lamp"),
            ("count", 3, 3),
            ("ratio", 3, 3.0),
            ("weight", "2.50", Decimal128("2.50")),
            ("weight", 2.5, Decimal128("2.5")),
            ("weight", 2, Decimal128("2")),
            ("urgent", False, False),
            ("born", "2026-03-27", "2026-03-27"),
            ("dueAt", "2026-03-27T04:12:14.1189+02:00", datetime(2026, 3, 27, 2, 12, 14, 118000)),
            ("source", ID, ObjectId(ID)),
            ("source", ID.upper(), ObjectId(ID)),
            ("extra", 7, 7),
            ("size", "L", "L"),
        ],
    )
    def test_is_stored_as_with_the_whole(self, name: str, sent: Any, expected: Any) -> None:
        found = encode_member(PARCEL, name, sent)
        assert (type(found), found) == (type(expected), expected)

    @pytest.mark.parametrize(
        ("name", "sent"),
        [
            ("label", "L"),
            ("label", 5),
            ("count", "3"),
            ("count", 3.0),
            ("count", True),
            ("ratio", float("nan")),
            ("ratio", "0.5"),
            ("weight", "0"),
            ("weight", "1e3"),
            ("weight", 0.1234567890123456789),
            ("weight", True),
            ("urgent", 1),
            ("born", "27.3.2026"),
            ("born", 20260327),
            ("dueAt", "2026-03-27T04:12:14"),
            ("dueAt", 1774569600),
            ("source", ID[:-1]),
            ("size", "l"),
            ("tags", "a"),
            ("place", "Rome"),
            ("dueAt", "0001-01-01T00:00:00+14:00"),
        ],
    )
    def test_is_refused_as_with_the_whole(self, name: str, sent: Any) -> None:
        with pytest.raises(ValidationError):
            encode_member(PARCEL, name, sent)

    @pytest.mark.parametrize(
        ("name", "sent"),
        [("count", 2**63), ("weight", "9" * 35), ("extra", 2**64)],
    )
    def test_that_the_store_cannot_keep(self, name: str, sent: Any) -> None:
        with pytest.raises(ValidationFailed, match=name):
            encode_member(PARCEL, name, sent)


class Ticket(RecordInput):
    until: Annotated[Moment, Gt(datetime(2026, 1, 1, tzinfo=UTC))]


def test_moments_with_rules_of_their_own_are_left_to_the_class() -> None:
    kind = RecordType(
        name="Ticket", area="post", model=Parcel, input=Ticket, collection="tickets",
        base_path="/post/tickets",
    )  # fmt: skip
    record = stored(until=datetime(2026, 3, 27))
    assert not is_sound(kind, record, frozenset({"until"}))
    assert is_sound(kind, record, frozenset({"refName"}))


class Weighed(RecordInput):
    net: Annotated[Decimal | None, ExactDecimal()] = None


@pytest.mark.parametrize(
    ("text", "sound"), [("-1.50", True), ("1E+3", True), ("NaN", False), ("Infinity", False)]
)
def test_a_decimal_without_rules_is_a_number(text: str, sound: bool) -> None:
    kind = RecordType(
        name="Weighed", area="post", model=Parcel, input=Weighed, collection="weighed",
        base_path="/post/weighed",
    )  # fmt: skip
    assert is_sound(kind, stored(net=Decimal128(text)), frozenset({"net"})) is sound
