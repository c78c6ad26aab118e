"""Two fields of one record compared: what may be, what missing values mean, in the store and in process."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from bson import Decimal128, Int64, ObjectId
from hypothesis import given
from hypothesis import strategies as st
from pymongo.collection import Collection

from runtime.errors import FilterType, RequestError, UnknownField
from runtime.filter import admits, compile_filter, named_fields, under_former_names
from tests.filter.sample import OID, SHIPMENT

Rows = Collection[dict[str, Any]]


def of_type(path: str, *types: str) -> dict[str, Any]:
    return {"$in": [{"$type": path}, list(types)]}


def test_types_are_part_of_the_comparison() -> None:
    numbers = ("int", "long", "double", "decimal")
    assert compile_filter("qty:<$price", SHIPMENT).match == {
        "$expr": {
            "$and": [
                of_type("$qty", *numbers),
                of_type("$price", *numbers),
                {"$gte": ["$qty", -math.inf]},
                {"$gte": ["$price", -math.inf]},
                {"$lt": ["$qty", "$price"]},
            ]
        }
    }
    texts = [of_type("$name", "string"), of_type("$address.city", "string")]
    equal = {"$expr": {"$and": [*texts, {"$eq": ["$name", "$address.city"]}]}}
    assert compile_filter("name:!$address.city", SHIPMENT).match == {"$nor": [equal]}


EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("document", "text", "expected"),
    [
        pytest.param({"qty": 5, "weight": 5.5}, "qty:<$weight", True, id="integer and number"),
        pytest.param({"qty": 5, "price": Decimal128("5.00")}, "qty:$price", True, id="integer and decimal"),
        pytest.param(
            {"weight": 0.1, "price": Decimal128("0.1")}, "weight:$price", False, id="a double is itself"
        ),
        pytest.param({"qty": 2**53 + 1, "weight": 2.0**53}, "qty:>$weight", True, id="to the last digit"),
        pytest.param({"qty": 5}, "qty:<=$qty", True, id="a field and itself"),
        pytest.param({"placed": EARLY, "createdDate": LATE}, "placed:<=$placed", True, id="moments"),
        pytest.param({"name": "a", "refName": "b"}, "name:<$refName", True, id="texts in order"),
        pytest.param({"name": "PENDING", "status": "PENDING"}, "name:$status", True, id="text and a word"),
        pytest.param(
            {"owner": ObjectId(OID), "customer": {"entityId": ObjectId(OID)}},
            "customer:$owner",
            True,
            id="a reference and an id",
        ),
        pytest.param({"labels": {"a": "x", "b": "x"}}, "labels.a:$labels.b", True, id="keys of a map"),
        pytest.param({"address": {"city": "x", "zip": "x"}}, "address:{city:$zip}", True, id="in an object"),
        pytest.param({"qty": 5}, "qty:<$weight", False, id="less than what is missing"),
        pytest.param({"qty": 5}, "qty:>$weight", False, id="greater than what is missing"),
        pytest.param({"weight": 5.0}, "qty:<$weight", False, id="missing is not less"),
        pytest.param({"qty": None, "weight": 5.0}, "qty:<$weight", False, id="null is not less"),
        pytest.param({"qty": None, "weight": 5.0}, "qty:<=$weight", False, id="null is not at most"),
        pytest.param({}, "qty:$weight", False, id="two missing values are not equal"),
        pytest.param({"qty": None, "weight": None}, "qty:$weight", False, id="two nulls are not equal"),
        pytest.param({}, "qty:!$weight", True, id="the opposite holds"),
        pytest.param({"qty": 5}, "!!qty:<$weight", True, id="the opposite of an ordering"),
        pytest.param({"qty": math.nan, "weight": math.nan}, "qty:$weight", False, id="no number equals none"),
        pytest.param({"qty": math.nan, "weight": 5.0}, "qty:<$weight", False, id="no number is not less"),
        pytest.param({"qty": "5", "weight": 6.0}, "qty:<$weight", False, id="another type than declared"),
        pytest.param({"qty": "a", "weight": "a"}, "qty:$weight", False, id="two of another type"),
        pytest.param({"qty": [5], "weight": 5.0}, "qty:$weight", False, id="a list where none belongs"),
        pytest.param({"name": "a", "refName": "A"}, "name:$refName", False, id="case matters"),
    ],
)
def test_one_document(rows: Rows, document: dict[str, Any], text: str, expected: bool) -> None:
    predicate = compile_filter(text, SHIPMENT)
    rows.delete_many({})
    rows.insert_one({"_id": 1, **document})
    assert admits(predicate, document) is expected
    assert bool(rows.count_documents(predicate.match)) is expected
    assert compile_filter(text, SHIPMENT, for_rule=True) == predicate


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        pytest.param("placed:<$qty", 9, "placed is a date-time and qty a number", id="of two families"),
        pytest.param("qty:$name", 5, "compare qty with a number, such as $price", id="what would be right"),
        pytest.param("born:$placed", 6, "born is a date and placed a date-time", id="dates and moments"),
        pytest.param("born:$name", 6, "born is a date and name a text", id="dates are kept as text"),
        pytest.param("active:>$active", 9, "active is a boolean, which has no order", id="booleans in order"),
        pytest.param("customer:<$owner", 1, "customer is a reference, which has no order", id="references"),
        pytest.param("tags:$name", 6, "tags is a list or inside a list", id="a list"),
        pytest.param("name:$tags", 6, "tags is a list or inside a list", id="with a list"),
        pytest.param("lines.sku:$name", 11, "lines.sku is a list or inside", id="through a list"),
        pytest.param("carriers:$owner", 10, "is a list or inside a list", id="a list of references"),
        pytest.param("lines:{sku:$sku}", 12, "sku is a list or inside a list", id="inside an element"),
        pytest.param("meta:{a:$b}", 9, "a is free-form", id="inside what is free-form"),
        pytest.param("tags:{value:$value}", 13, "outside of lists", id="an element"),
        pytest.param("name:^[a,$refName]", 10, "outside of lists", id="in a list of values"),
        pytest.param("meta.a:$name", 8, "meta.a is free-form", id="free form"),
        pytest.param("name:$meta.a", 6, "meta.a is free-form", id="with free form"),
        pytest.param("address:$address", 9, "address is an object", id="objects"),
        pytest.param("labels:$labels", 8, "labels is a map", id="maps"),
    ],
)
def test_what_cannot_be_compared_is_refused(text: str, column: int, message: str) -> None:
    for for_rule in (False, True):
        with pytest.raises(FilterType) as refused:
            compile_filter(text, SHIPMENT, for_rule=for_rule)
        assert message in refused.value.message
        assert refused.value.details["column"] == column


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        pytest.param("name:$apiToken", frozenset(), id="hidden by the record type"),
        pytest.param("apiToken:$name", frozenset(), id="hidden on the left"),
        pytest.param("name:<$address.secret", frozenset(), id="hidden inside"),
        pytest.param("address:{city:$secret}", frozenset(), id="hidden inside, by its short name"),
        pytest.param("qty:>$weight", frozenset({"weight"}), id="withheld by rules"),
        pytest.param("qty:>$weight", frozenset({"qty"}), id="withheld on the left"),
        pytest.param("name:$address.city", frozenset({"address"}), id="inside of what is withheld"),
    ],
)
def test_hidden_fields_are_unknown_on_both_sides(text: str, hidden: frozenset[str]) -> None:
    with pytest.raises(UnknownField) as refused:
        compile_filter(text, SHIPMENT, hidden=hidden)
    assert set(refused.value.details["nearest"]).isdisjoint({*SHIPMENT.hidden, *hidden, "secret"})


def test_advice_names_no_hidden_field() -> None:
    with pytest.raises(FilterType, match=r"such as \$weight"):
        compile_filter("qty:$name", SHIPMENT, hidden=frozenset({"price"}))


def test_a_variable_without_braces_is_pointed_out() -> None:
    with pytest.raises(UnknownField, match=r"a variable is written \$\{principalId\}") as refused:
        compile_filter("name:x && owner:$principalId", SHIPMENT)
    assert refused.value.details["column"] == 17


def test_both_fields_are_named() -> None:
    assert named_fields("a:<$b && c:{d:$e}") == {"a", "b", "c", "c.d", "c.e"}


@pytest.mark.parametrize(
    "path", ["a.$where", '"$where"', 'labels."$where"', 'labels."\0"', "$$ROOT", "$ROOT"]
)
def test_a_path_never_becomes_an_operator(path: str) -> None:
    with pytest.raises(RequestError):
        compile_filter(f"name:${path}", SHIPMENT)


FILTERS = ["qty:<$weight", "qty:>=$price", "weight:$price", "name:!$refName", "owner:$customer || qty:>$qty"]
VALUES = [
    *(None, True, 0, 1, Int64(2**40), 2**53 + 1, 1.0, 2.5, float(2**53), math.nan, math.inf, -math.inf),
    *(Decimal128("1.0"), Decimal128("2.50"), Decimal128("NaN"), "", "a", "A", "ÿ", "\U0001f600", "\uffff"),
    *(ObjectId(OID), EARLY.replace(tzinfo=None), [1, 2.5], ["a"], {"entityId": ObjectId(OID)}, {}),
]
NAMES = ["qty", "weight", "price", "name", "refName", "owner", "customer"]


@given(seed=st.integers(0, 2**32))
def test_it_holds_for_what_the_store_finds(rows: Rows, seed: int) -> None:
    """Whatever is stored where, under former names too."""
    random = Random(seed)
    documents = [
        {"_id": at, **{name: random.choice(VALUES) for name in NAMES if random.random() < 0.9}}
        for at in range(40)
    ]
    rows.delete_many({})
    rows.insert_many(documents)
    expected = {}
    for text in FILTERS:
        predicate = compile_filter(text, SHIPMENT)
        expected[text] = {one["_id"] for one in documents if admits(predicate, one)}
        assert {row["_id"] for row in rows.find(predicate.match, {"_id": 1})} == expected[text], text
    renamed = {"qty": "amount", "price": "cost", "customer": "client"}
    rows.update_many({"_id": {"$mod": [2, 0]}}, {"$rename": renamed})
    for text, ids in expected.items():
        match = under_former_names(compile_filter(text, SHIPMENT).match, renamed)
        assert {row["_id"] for row in rows.find(match, {"_id": 1})} == ids, text
