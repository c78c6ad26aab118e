"""In process and in MongoDB a predicate holds for the same documents."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any

import pytest
from bson import Binary, Decimal128, Int64, ObjectId
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo.collection import Collection

from runtime.filter import (
    EVERYTHING,
    NOTHING,
    Predicate,
    admits,
    any_of,
    by_ids,
    compile_filter,
    differs,
    equals,
    none_of,
    one_of,
    without_collation,
)
from runtime.filter.print import print_filter
from runtime.filter.wildcard import wildcard_pattern
from runtime.model.field_type import FieldType, ValueKind
from tests.filter.sample import OID, SHIPMENT
from tests.filter.test_against_plain import stored
from tests.filter.trees import NAMES, random_filter, random_kind, random_record
from tests.properties import examples

RECORDS, FILTERS = 40, 40
BATCHES = examples(13, nightly=1000)  # 20,800 pairs in each of the two properties of the suite

Rows = Collection[dict[str, Any]]


def compare(rows: Rows, documents: list[dict[str, Any]], predicate: Predicate) -> None:
    """The documents are those of the collection."""
    found = {row["_id"] for row in rows.find(predicate.match, {"_id": 1})}
    admitted = {document["_id"] for document in documents if admits(predicate, document)}
    different = [document for document in documents if document["_id"] in found ^ admitted]
    assert not different, (predicate, different[:2])


def replace_all(rows: Rows, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows.delete_many({})
    rows.insert_many(documents)
    return documents


@settings(max_examples=BATCHES)
@given(seed=st.integers(0, 2**32))
def test_filters_hold_for_what_the_store_finds(rows: Rows, seed: int) -> None:
    random = Random(seed)
    kind = random_kind(random)
    fields = {name: kind.fields[name] for name in NAMES}
    plain = [random_record(random, fields) for _ in range(RECORDS)]
    shape = FieldType(ValueKind.OBJECT, fields)
    documents = replace_all(rows, [{"_id": at, **stored(one, shape)} for at, one in enumerate(plain)])
    for _ in range(FILTERS):
        text = print_filter(random_filter(random, kind))
        compare(rows, documents, compile_filter(text, kind))


DAY = datetime(2026, 1, 1)
COMPARED = [
    *(None, True, False, 0, 1, 2, 5, -1, Int64(2**40), 2**53, 2**53 + 1, 0.0, -0.0, 1.0, 2.5, float(2**53)),
    *(0.1, Decimal128("0.1"), Decimal128("1"), Decimal128("2.50"), Decimal128("-1.5"), Decimal128("-0")),
    *("", "a", "A", "ab", "b", "ÿ", "\uffff", "\U0001f600", "a\nb"),
    *(DAY, DAY + timedelta(milliseconds=1), DAY + timedelta(days=1), ObjectId(OID), ObjectId("0" * 24)),
]
STORED = [
    *(*COMPARED, math.inf, -math.inf, math.nan, Decimal128("NaN"), Decimal128("-Infinity"), Binary(b"a")),
    *(Decimal128("0.1000000000000000055511151231257827"), Decimal128("9007199254740993"), "a" * 300),
]
TYPES = [["string"], ["number"], ["bool"], ["date"], ["objectId"], ["object"], ["array"], ["string", "array"]]
PATTERNS = ["a*", "*b", "a?", "*a*b", "?", "*", "b*?a", "aB"]


def random_document(random: Random, depth: int = 3) -> dict[str, Any]:
    names = random.sample(["a", "b", "0", "1"], random.randrange(4))
    return {name: _random_value(random, depth) for name in names}


def _random_value(random: Random, depth: int) -> Any:
    shape = random.random() if depth else 1
    if shape < 0.3:
        return [_random_value(random, depth - 1) for _ in range(random.randrange(4))]
    return random_document(random, depth - 1) if shape < 0.55 else random.choice(STORED)


def random_match(random: Random, depth: int = 2) -> dict[str, Any]:
    shape = random.randrange(9) if depth else 8
    if shape < 3:
        inner = [random_match(random, depth - 1) for _ in range(random.randrange(1, 3))]
        return {("$and", "$or", "$nor")[shape]: inner}
    path = ".".join(random.choice("aabb01") for _ in range(random.choice([1, 1, 2, 2, 3])))
    return {path: random.choice(COMPARED) if shape == 3 else _random_operators(random, depth)}


def _random_operators(random: Random, depth: int) -> dict[str, Any]:
    pattern = wildcard_pattern(random.choice(PATTERNS), ignore_case=random.random() < 0.4)
    value = random.choice(COMPARED)
    among = random.choices([*COMPARED, pattern, pattern], k=random.randrange(4))
    order = random.choice(["$gt", "$gte", "$lt", "$lte"])
    single: list[dict[str, Any]] = [
        {"$eq": value},
        {order: value if value is not None else 1},
        {"$gte": 1, "$lte": random.choice([2, 5])},
        {"$in": among},
        {"$regex": pattern},
        {"$size": random.randrange(4)},
    ]
    negated = [{"$ne": value}, {"$nin": among}, {"$not": random.choice(single)}]
    others: list[dict[str, Any]] = [{"$type": random.choice(TYPES)}, {"$exists": random.random() < 0.5}]
    if depth:
        inside = random_match if random.random() < 0.6 else _random_operators
        others += [{"$elemMatch": inside(random, depth - 1)}] * 2
    return random.choice([*single, *negated, *others])


@settings(max_examples=BATCHES)
@given(seed=st.integers(0, 2**32))
def test_operators_hold_for_what_the_store_finds(rows: Rows, seed: int) -> None:
    """Whatever is stored: lists in lists, names that are numbers, values of any type in any place."""
    random = Random(seed)
    documents = replace_all(rows, [{**random_document(random), "_id": at} for at in range(RECORDS)])
    for _ in range(FILTERS):
        compare(rows, documents, Predicate(random_match(random)))


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        pytest.param({"qty": 5}, "qty:5", True, id="equal"),
        pytest.param({"qty": 5.0}, "qty:5", True, id="a whole double"),
        pytest.param({"qty": Decimal128("5.00")}, "qty:5", True, id="a decimal of another scale"),
        pytest.param({"qty": True}, "qty:1", False, id="true is not 1"),
        pytest.param({"active": 1}, "active:true", False, id="1 is not true"),
        pytest.param({"qty": "5"}, "qty:5", False, id="text is no number"),
        pytest.param({"qty": "5"}, "qty:>4", False, id="orders are those of one type"),
        pytest.param({"qty": math.nan}, "qty:<5", False, id="what is no number is not less"),
        pytest.param({"qty": math.nan}, "!!qty:<5", True, id="and so outside"),
        pytest.param({"qty": Decimal128("NaN")}, "qty:>=5", False, id="a decimal that is none"),
        pytest.param({"weight": 0.1}, "weight:0.1", True, id="a double"),
        pytest.param({"weight": Decimal128("0.1")}, "weight:0.1", False, id="a decimal beside it"),
        pytest.param({}, "qty:null", True, id="missing is null"),
        pytest.param({"qty": None}, "qty:null", True, id="null"),
        pytest.param({"qty": None}, "qty:~", False, id="null is not there"),
        pytest.param({}, "qty:!5", True, id="missing does not equal"),
        pytest.param({"lines": []}, "lines.sku:null", False, id="no line lacks it"),
        pytest.param({"lines": [{}]}, "lines.sku:null", True, id="a line lacks it"),
        pytest.param({}, "lines.sku:null", True, id="no lines at all"),
        pytest.param({"address": 5}, "address.city:null", True, id="nothing to step into"),
        pytest.param({"tags": ["a", "b"]}, "tags:b", True, id="any of a list"),
        pytest.param({"tags": ["a", "b"]}, "tags:!b", False, id="none of a list"),
        pytest.param({"scores": [1, 9]}, "scores:>2 && scores:<5", True, id="two elements"),
        pytest.param({"scores": [1, 9]}, "scores:{value:>2 && value:<5}", False, id="one element"),
        pytest.param({}, "lines:every{quantity:>0}", True, id="every line of none"),
        pytest.param({"lines": None}, "lines:every{quantity:>0}", True, id="every line of null"),
        pytest.param({"lines": []}, "lines:every{quantity:>0}", True, id="every line of an empty list"),
        pytest.param({"lines": [{}]}, "lines:every{quantity:>0}", False, id="a line that lacks it"),
        pytest.param(
            {"lines": [{"quantity": 1}, {"quantity": 0}]}, "lines:every{quantity:>0}", False, id="one fails"
        ),
        pytest.param(
            {"lines": [{"tags": ["a"]}, {"tags": ["a", "b"]}]}, "lines.tags:every{value:a}", False, id="deep"
        ),
        pytest.param({"scores": [2, 3]}, "scores:every{value:>1 && value:<4}", True, id="every score"),
        pytest.param({"scores": [2, 4]}, "scores:every{value:>1 && value:<4}", False, id="not every score"),
        pytest.param({}, "scores.size:0", True, id="a missing list has no elements"),
        pytest.param({"scores": None}, "scores.size:<1", True, id="null has none"),
        pytest.param({"scores": [1]}, "scores.size:0", False, id="one element"),
        pytest.param({"scores": [1, 1, 1]}, "scores.size:>2", True, id="more than two"),
        pytest.param({"scores": [1, 1]}, "scores.size:>2", False, id="not more than two"),
        pytest.param({"lines": []}, "lines.tags.size:0", False, id="no line without tags"),
        pytest.param({}, "lines.tags.size:0", False, id="no lines"),
        pytest.param({"lines": [{}]}, "lines.tags.size:0", True, id="a line without tags"),
        pytest.param({"lines": [{"tags": ["a"]}, {}]}, "lines.tags.size:!1", False, id="none of them is one"),
        pytest.param({"name": "JOHN"}, "name:j*~ci", True, id="a pattern without case"),
        pytest.param({"name": "İ"}, "name:i~ci", False, id="a letter whose lower case is two"),
        pytest.param({"name": "ſ"}, "name:S~ci", True, id="a letter of three cases"),
        pytest.param({"name": "ß"}, 'name:"ẞ"~ci', True, id="a letter with a late capital"),
        pytest.param({"name": "ა"}, 'name:"Ა"~ci', True, id="capitals that older engines do not know"),
        pytest.param({"name": "a\n"}, "name:a", False, id="a line end counts"),
        pytest.param({"name": ["x", None]}, "name:null", True, id="null in a list"),
        pytest.param({"placed": DAY}, "placed:2026-01-01", True, id="a moment without zone is UTC"),
    ],
)
def test_one_document(rows: Rows, value: dict[str, Any], text: str, expected: bool) -> None:
    predicate = compile_filter(text, SHIPMENT)
    documents = replace_all(rows, [{"_id": 1, **value}])
    assert admits(predicate, documents[0]) is expected
    compare(rows, documents, predicate)


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(datetime(2026, 1, 1, 23, 59, 59, 999_999), id="finer than the store keeps"),
        pytest.param(datetime(2026, 1, 1, 12, tzinfo=UTC), id="UTC"),
        pytest.param(datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=2))), id="another zone"),
    ],
)
def test_moments_are_compared_as_the_store_will_keep_them(rows: Rows, moment: datetime) -> None:
    document = {"_id": 1, "placed": moment}
    for text in ("placed:2026-01-01", "placed:<=2026-01-01T23:59:59.999Z", "placed:2026-01-02"):
        predicate = compile_filter(text, SHIPMENT)
        assert admits(predicate, document) is ("01-02" not in text)
        compare(rows, replace_all(rows, [document]), predicate)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        pytest.param(EVERYTHING, True, id="everything"),
        pytest.param(NOTHING, False, id="nothing"),
        pytest.param(equals(refName="X", version=1), True, id="equals"),
        pytest.param(equals(refName="X", version=True), False, id="equals, of another type"),
        pytest.param(differs(refName="X"), False, id="differs"),
        pytest.param(differs(other=1), True, id="a missing field differs"),
        pytest.param(one_of("refName", ["X", "Y"]), True, id="one of"),
        pytest.param(by_ids([OID]), True, id="by ids"),
        pytest.param(any_of([]), False, id="any of none"),
        pytest.param(any_of([NOTHING, equals(refName="X")]), True, id="any of"),
        pytest.param(none_of([]), True, id="none of none"),
        pytest.param(none_of([NOTHING, equals(refName="Y")]), True, id="none of"),
        pytest.param(none_of([NOTHING, EVERYTHING]), False, id="none of everything"),
        pytest.param(equals(refName="X") & equals(version=1), True, id="both"),
    ],
)
def test_other_predicates(rows: Rows, predicate: Predicate, expected: bool) -> None:
    documents = replace_all(rows, [{"_id": ObjectId(OID), "refName": "X", "version": 1}])
    assert admits(predicate, documents[0]) is expected
    compare(rows, documents, predicate)


def test_edges_are_compared_by_id() -> None:
    predicate = compile_filter(f"hasEdge(owns, {OID})", SHIPMENT, edges=lambda *question: by_ids([OID]))
    assert admits(predicate, {"_id": ObjectId(OID)})
    assert not admits(predicate, {"_id": ObjectId("0" * 24)})


@pytest.mark.parametrize(
    "match",
    [
        pytest.param({"$text": {"$search": "x"}}, id="text search"),
        pytest.param({"$where": "true"}, id="code"),
        pytest.param({"$expr": {"$eq": [1, 1]}}, id="expressions"),
        pytest.param({"a": {"$mod": [2, 0]}}, id="an operator that we do not write"),
        pytest.param({"a": {"$not": {"$mod": [2, 0]}}}, id="one inside"),
        pytest.param({"a": {"$elemMatch": {"$mod": [2, 0]}}}, id="one of elements"),
        pytest.param({"a": b"x"}, id="a value of a type that no filter writes"),
        pytest.param({"a": {"$gt": b"x"}}, id="a bound of such a type"),
    ],
)
def test_other_operators_are_a_mistake_of_the_program(match: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="decided on one document"):
        admits(Predicate(match), {"_id": 1, "a": [1]})


@pytest.mark.parametrize(
    "text", ["text(red)", "text(re*)", "text(red re*)", "qty:1 || text(re*)", "!!text(re*)"]
)
def test_text_search_is_refused_by_name(text: str) -> None:
    predicate = compile_filter(text, SHIPMENT, searches=lambda _search: [])
    for document in ({"_id": 1, "name": "red"}, {"_id": 1}):
        with pytest.raises(ValueError, match="decided on one document"):
            admits(predicate, document)


def test_a_pattern_for_the_store_alone_is_refused_by_name() -> None:
    for match in ({"name": {"$gt": "é"}}, {"name": {"$elemMatch": {"$lt": "a"}}}):
        with pytest.raises(ValueError, match="decided on one document"):
            admits(Predicate(without_collation(match)), {"_id": 1, "name": ["x"]})


@pytest.mark.parametrize("name", [r"\p{L}", r"\x{41}*", r"\\p{"])
def test_a_literal_that_looks_like_one_is_decided(rows: Rows, name: str) -> None:
    documents = [{"_id": 1, "name": name}, {"_id": 2, "name": "x"}]
    rows.delete_many({})
    rows.insert_many(documents)
    predicate = compile_filter(f'name:"{name}"*', SHIPMENT)
    assert admits(predicate, documents[0])
    compare(rows, documents, predicate)
