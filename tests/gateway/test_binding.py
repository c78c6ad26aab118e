"""Arguments in filters: values of the tree. Whatever a text says, it is compared and never understood."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.record_types import CATALOG
from runtime.filter import compile_filter
from runtime.gateway.binding import bind_arguments
from runtime.model.record import EntityReference

SHIPMENT = CATALOG["Shipment"]
NOTHING: frozenset[str] = frozenset()
CUSTOMER = EntityReference(entityId="65f0c0ffee00c0ffee00c0de")


def match(text: str, words: frozenset[str] = NOTHING, **values: Any) -> dict[str, Any]:
    found: dict[str, Any] = compile_filter(bind_arguments(text, values, words), SHIPMENT).match
    return found


VALUES: list[tuple[str, dict[str, Any], str]] = [
    ("weightKg:>${v}", {"v": Decimal("12.500")}, "weightKg:>12.500"),
    ("weightKg:${v}", {"v": Decimal("-1E+2")}, "weightKg:-100"),
    ("version:>${v}", {"v": 3}, "version:>3"),
    ("departsAt:<${v}", {"v": datetime(2026, 3, 27, tzinfo=UTC)}, "departsAt:<2026-03-27T00:00:00.000Z"),
    ("lines:{ sku:${v} && quantity:>=${n} }", {"v": "A-1", "n": 2}, "lines:{ sku:A-1 && quantity:>=2 }"),
    ("notes:^${v}", {"v": ["a*", "b"]}, 'notes:^["a*","b"]'),
    ("notes:!^${v}", {"v": ["a"]}, "notes:!^[a]"),
    ("notes:^${v}", {"v": []}, "notes:^[]"),
    ("notes:!^${v}", {"v": []}, "notes:!^[]"),
    ("lines:{ sku:^${v} && quantity:>1 }", {"v": []}, "lines:{ sku:^[] && quantity:>1 }"),
    ("customer:${v}", {"v": CUSTOMER}, f"customer:@@{CUSTOMER.entity_id}"),
    ("customer:^${v}", {"v": [CUSTOMER]}, f"customer:^[@@{CUSTOMER.entity_id}]"),
    ("customer.entityId:${v}", {"v": CUSTOMER}, f"customer.entityId:{CUSTOMER.entity_id}"),
    ("!!(notes:${v} || refName:${v})", {"v": "x"}, "!!(notes:x || refName:x)"),
]


@pytest.mark.parametrize(("text", "values", "meant"), VALUES)
def test_values_are_typed_by_their_fields(text: str, values: dict[str, Any], meant: str) -> None:
    assert match(text, **values) == compile_filter(meant, SHIPMENT).match


def test_words_of_the_specification_are_bare() -> None:
    words = frozenset({"v"})
    assert match("status:${v}", words, v="LOST") == compile_filter("status:LOST", SHIPMENT).match
    assert match("status:^${v}", words, v=["LOST", "BOOKED"]) == {"status": {"$in": ["LOST", "BOOKED"]}}


@pytest.mark.parametrize("word", ["A*", "?", "null"])
def test_a_word_is_itself_whatever_it_means_in_a_filter(word: str) -> None:
    words = frozenset({"v"})
    assert match("notes:${v}", words, v=word) == {"notes": {"$eq": word}}
    assert match("notes:^${v}", words, v=[word]) == {"notes": {"$in": [word]}}


def test_other_variables_stay() -> None:
    assert bind_arguments("notes:${v} && refName:${principalId}", {"v": "x"}, NOTHING).endswith(
        "${principalId}"
    )


@given(st.text(max_size=60))
def test_a_text_is_compared_whole(value: str) -> None:
    assert match("notes:${v} && status:LOST", v=value) == {
        "$and": [{"notes": {"$eq": value}}, {"status": {"$eq": "LOST"}}]
    } or match("notes:${v}", v=value) == {"notes": {"$eq": value}}


@pytest.mark.parametrize(
    "value",
    [
        "*",
        "x || id:~",
        '" || id:~ || "',
        "null",
        "${principalId}",
        "$refName",
        "@@" + "0" * 24,
        "~ci",
        "a~ci",
    ],
)
def test_no_text_means_anything_else(value: str) -> None:
    assert match("notes:${v}", v=value) == {"notes": {"$eq": value}}
    assert match("notes:^${v}", v=[value]) == {"notes": {"$in": [value]}}
