"""How long a decision may take is estimated by what filter and record hold."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId

from runtime.filter import EVERYTHING, MOST_AT_ONCE, RecordWeight, WeighedFilter, compile_filter, weigh_record
from tests.filter.sample import OID, SHIPMENT

WORST = " || ".join(f"name:*{'a?' * (95 + k % 8)}b{k}*" for k in range(75))
"""About as many characters as a filter may have."""

MANY = f"name:^[{','.join(f'a{k}*' for k in range(1000))}]"


@pytest.mark.parametrize(
    ("document", "weight"),
    [
        pytest.param(None, (1, 0), id="no record"),
        pytest.param({}, (1, 0), id="an empty one"),
        pytest.param({"a": "xyz", "b": 5, "c": None}, (4, 3), id="texts and other values"),
        pytest.param({"a": {"b": ["x", ["yz", {"c": "é漢"}]]}}, (8, 5), id="at any depth"),
        pytest.param({"_id": ObjectId(OID), "tags": []}, (3, 0), id="an empty list"),
    ],
)
def test_what_a_record_weighs(document: Any, weight: tuple[int, int]) -> None:
    assert weigh_record(document) == weight


def weighed(text: str) -> WeighedFilter:
    return WeighedFilter.of(compile_filter(text, SHIPMENT))


@pytest.mark.parametrize(
    ("lighter", "heavier"),
    [
        pytest.param("qty:1", "qty:1 && qty:2", id="more conditions"),
        pytest.param("name:a*", "name:a* || name:b*", id="more patterns"),
        pytest.param("name:*a?b*", "name:*a?b?c*", id="longer ones"),
        pytest.param("name:a", "name:*a*", id="a pattern"),
        pytest.param("name:^[a,b]", "name:^[a,*b*]", id="one in a list"),
        pytest.param("tags:!a*", "tags:!a* && tags:!b*", id="under a negation"),
        pytest.param("lines:{sku:a*}", "lines:{sku:a* && sku:b*}", id="of elements"),
    ],
)
def test_a_filter_that_asks_for_more_takes_longer(lighter: str, heavier: str) -> None:
    record = RecordWeight(1000, 100_000)
    assert weighed(lighter).estimate_seconds(record) < weighed(heavier).estimate_seconds(record)


@pytest.mark.parametrize(
    ("text", "record", "is_made_aside"),
    [
        pytest.param("status:PENDING && name:*a*", RecordWeight(200, 10_000), False, id="a usual record"),
        pytest.param("status:PENDING", RecordWeight(2000, 10**6), False, id="a condition on a large one"),
        pytest.param("status:PENDING", RecordWeight(50_000, 0), True, id="on one of many values"),
        pytest.param(MANY, RecordWeight(1500, 500), True, id="a list of patterns, many short values"),
        pytest.param(MANY.replace("*", ""), RecordWeight(1500, 500), False, id="a list of values"),
        pytest.param(WORST, RecordWeight(50, 2000), False, id="the worst filter, a usual record"),
        pytest.param(WORST, RecordWeight(50, 100_000), True, id="the worst filter, a large one"),
        pytest.param("name:*a*", RecordWeight(50, 5 * 10**6), True, id="a usual filter, the largest record"),
    ],
)
def test_what_takes_long_is_made_aside(text: str, record: RecordWeight, is_made_aside: bool) -> None:
    assert (weighed(text).estimate_seconds(record) > MOST_AT_ONCE) is is_made_aside


def test_equal_filters_have_one_fingerprint() -> None:
    same = [
        weighed(text).fingerprint
        for text in ("name:a* && qty:1", " name:a*&&qty:#1 ", f"name:a*&&qty:1{' ' * 3000}")
    ]
    other = [
        weighed(text).fingerprint for text in ("name:a* || qty:1", "name:a && qty:1", "name:a*~ci && qty:1")
    ]
    assert len({*same}) == 1
    assert len({*same, *other}) == 4


def test_what_admits_every_record_takes_no_time() -> None:
    assert WeighedFilter.of(EVERYTHING).is_empty
    assert WeighedFilter.of(EVERYTHING).estimate_seconds(RecordWeight(10**6, 10**7)) == 0
