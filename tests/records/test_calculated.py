"""Calculated fields: templates and expressions, in an order that works, typed by their field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import wraps
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import Duplicate, Misconfigured
from runtime.filter.unreadable import Unreadable
from runtime.model.record_type import RecordType
from runtime.records.document.calculated import calculate, order_of, require_expressions
from runtime.seams import Expression, ExpressionFailed
from tests.records.parcels import ID, PARCEL, stored
from tests.rows import for_each_row


def twice(record: Mapping[str, Any]) -> Any:
    """Decimals are text on the wire."""
    return Decimal(record["weight"]) * 2 if "weight" in record else None


def made_by(**calculated: str) -> RecordType[Any]:
    return replace(PARCEL, calculated=calculated)


def test_fields_are_made_from_the_document() -> None:
    record = stored(place={"city": "Rome"}, title=None)
    assert calculate(PARCEL, record, {"weightTwice": twice}) == []
    assert record["title"] == "Lamp Rome"
    assert record["total"] == Decimal128("3.00")


def test_what_was_there_is_made_anew() -> None:
    record = stored(title="mine", total=Decimal128("1"), weight=None, label=None)
    assert calculate(PARCEL, record, {"weightTwice": twice}) == []
    assert not {"title", "total"} & record.keys(), "nothing known: no value"


TEMPLATES = [
    pytest.param("title", "{label}", "Lamp", id="text"),
    pytest.param("title", "{label}: {weight}", "Lamp: 1.50", id="a decimal as on the wire"),
    pytest.param("title", "{id} {version}", f"{ID} 4", id="id and version"),
    pytest.param("title", "{tags} {place}{label}", "Lamp", id="lists and objects are nothing"),
    pytest.param("title", "{born}", None, id="nothing known"),
    pytest.param("count", "{version}", 4, id="an integer field"),
    pytest.param("weight", "{version}.5", Decimal128("4.5"), id="a decimal field"),
    pytest.param("source", "{id}", ObjectId(ID), id="an id field"),
]


@pytest.mark.parametrize(("field", "template", "value"), TEMPLATES)
def test_a_template_is_typed_by_its_field(field: str, template: str, value: Any) -> None:
    record = stored()
    assert calculate(made_by(**{field: template}), record, {}) == []
    assert record.get(field) == value


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("total", "2.50", Decimal128("2.50")),
        ("total", Decimal("2.5"), Decimal128("2.5")),
        ("count", 5, 5),
        ("place", {"city": "Rome"}, {"city": "Rome"}),
        ("tags", ["a"], ["a"]),
        ("title", None, None),
    ],
)
def test_an_expression_answers_with_a_value_of_the_field(field: str, value: Any, kept: Any) -> None:
    record = stored(title=None)
    assert calculate(made_by(**{field: "it"}), record, {"it": lambda _record: value}) == []
    assert record.get(field) == kept


@pytest.mark.parametrize(
    ("field", "made", "path"),
    [
        pytest.param("count", "{label}", "count", id="a template of another type"),
        pytest.param("size", "{label}", "size", id="no word of the enum"),
        pytest.param("title", 5, "title", id="an expression of another type"),
        pytest.param("total", "101", "total", id="beyond a maximum"),
        pytest.param("place", {"city": 5}, "place.city", id="inside an object"),
    ],
)
def test_a_value_that_does_not_fit_is_told_and_left_out(field: str, made: Any, path: str) -> None:
    is_template = isinstance(made, str) and "{" in made
    record = stored(count=1, size="S")
    kind = made_by(**{field: made if is_template else "it"})
    found = calculate(kind, record, {"it": lambda _record: made})
    assert [one["path"] for one in found] == [path]
    assert field not in record


def test_an_expression_sees_the_record_as_on_the_wire() -> None:
    seen: list[Any] = []
    kind = made_by(title="look", note="{label}!")
    record = stored(customer={"entityId": ObjectId(ID)})
    calculate(kind, record, {"look": seen.append})
    (found,) = seen
    assert (found["id"], found["weight"], found["customer"]) == (ID, "1.50", {"entityId": ID})
    assert found["note"] == "Lamp!", "templates come first"
    assert "title" not in found


def test_an_expression_cannot_change_the_record() -> None:
    record = stored(place={"city": "Rome"})
    calculate(made_by(title="spoil"), record, {"spoil": lambda found: found["place"].clear()})
    assert record["place"] == {"city": "Rome"}


def test_fields_are_made_behind_those_they_name() -> None:
    kind = made_by(title="{note} b", note="{seenBy} a", seenBy="{label}")
    record = stored()
    assert calculate(kind, record, {}) == []
    assert record["title"] == "Lamp a b"


@pytest.mark.parametrize(
    ("calculated", "order"),
    [
        pytest.param({}, (), id="none"),
        pytest.param({"a": "{b}", "b": "{c}", "c": "x{d}"}, ("c", "b", "a"), id="a chain"),
        pytest.param({"a": "f", "b": "{x}"}, ("b", "a"), id="expressions behind templates"),
        pytest.param({"a": "f", "b": "g"}, ("a", "b"), id="expressions as declared"),
        pytest.param({"a": "{b.c}", "b": "f", "c": "g"}, ("b", "a", "c"), id="a template that waits for one"),
    ],
)
def test_the_order(calculated: dict[str, str], order: tuple[str, ...]) -> None:
    assert order_of(made_by(**calculated)) == order


@pytest.mark.parametrize("calculated", [{"a": "{a}"}, {"a": "{b}", "b": "{c}", "c": "{a}"}], ids=str)
def test_a_circle_is_refused(calculated: dict[str, str]) -> None:
    with pytest.raises(Misconfigured, match="calculated from each other"):
        require_expressions([made_by(**calculated)], {})


@given(st.permutations(["a", "b", "c", "d"]), st.data())
def test_no_field_is_made_before_what_it_names(names: list[str], data: st.DataObject) -> None:
    """Each field names some of those before it in a hidden order; the declared one is another."""
    needs = {
        name: data.draw(st.sets(st.sampled_from(names[:at]))) if at else set()
        for at, name in enumerate(names)
    }
    templates = {
        name: "".join(f"{{{one}}}" for one in sorted(needs[name])) or "{x}" for name in sorted(names)
    }
    order = order_of(made_by(**templates))
    assert sorted(order) == sorted(names)
    for name, named in needs.items():
        assert all(order.index(one) < order.index(name) for one in named)


def test_every_expression_must_be_supplied() -> None:
    require_expressions([PARCEL], {"weightTwice": twice})
    with pytest.raises(Misconfigured, match=r"Parcel\.total: .* weightTwice; did you mean weightTwise"):
        require_expressions([PARCEL], {"weightTwise": twice})


def test_what_an_expression_raises_is_a_fault() -> None:
    named = (
        rf"^Parcel {ID} \(\S+\): title .* bad raises ZeroDivisionError: .* \(test_calculated\.py, line \d+\)$"
    )
    with pytest.raises(ExpressionFailed, match=named) as found:
        calculate(made_by(title="bad"), stored(), {"bad": lambda _record: 1 / 0})
    assert isinstance(found.value.__cause__, ZeroDivisionError)


class Speechless(Exception):
    def __str__(self) -> str:
        raise KeyError


def fail(error: Exception) -> Expression:
    def raise_error(_record: Mapping[str, Any]) -> Any:
        raise error

    return raise_error


def divide(record: Mapping[str, Any]) -> Any:
    return 1 / 0


@wraps(divide)
def logged(record: Mapping[str, Any]) -> Any:
    return divide(record)


FAULTS: dict[str, tuple[Expression, str]] = {
    "behind a decorator": (
        logged,
        rf"ZeroDivisionError: .* \(test_calculated\.py, line {divide.__code__.co_firstlineno + 1}\)$",
    ),
    "in a library": (
        lambda _record: json.loads(""),
        r"JSONDecodeError: .* \(test_calculated\.py, line \d+\)$",
    ),
    "without a text": (fail(Speechless()), r"Speechless \(test_calculated\.py, line \d+\)$"),
    "before it begins": (lambda: None, r"TypeError: \S+ takes 0 positional arguments but 1 was given$"),  # type: ignore[dict-item] # what an application may supply
}


@for_each_row("row", FAULTS)
def test_the_line_of_a_fault_is_that_of_the_expression(row: tuple[Expression, str]) -> None:
    expression, text = row
    with pytest.raises(ExpressionFailed, match=rf"^Parcel {ID} \(\S+\): title .* bad raises {text}"):
        calculate(made_by(title="bad"), stored(), {"bad": expression})


def test_what_an_expression_refuses_is_a_refusal() -> None:
    refuse = fail(Duplicate("not twice"))
    for _record in range(2):  # the error may be one that is raised for many
        with pytest.raises(Duplicate) as found:
            calculate(made_by(title="bad"), stored(), {"bad": refuse})
    assert found.value.message == "not twice"
    (note,) = found.value.__notes__
    assert note == f"Parcel {ID} (P-1): title cannot be calculated, since the expression bad raises it"


def test_what_an_expression_cannot_read_is_a_violation() -> None:
    unreadable = fail(Unreadable("an integer", "5"))
    assert calculate(made_by(title="bad"), record := stored(), {"bad": unreadable}) == [
        {"path": "title", "message": "is calculated, and is not an integer"}
    ]
    assert "title" not in record
