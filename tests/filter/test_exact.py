"""A match without the collation of its command finds, on the real MongoDB, what it finds without one."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from bson import ObjectId
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo.collection import Collection

from runtime.errors import InvalidParameter
from runtime.filter import OWN_ID, compile_filter, without_collation
from runtime.filter.exact import MAX_EXACT, MAX_ORDERED
from runtime.filter.print import print_filter
from runtime.filter.resource import named
from runtime.model.field_type import FieldType, ValueKind
from tests.filter.sample import OID, SHIPMENT
from tests.filter.test_against_plain import BATCHES, stored
from tests.filter.trees import NAMES, random_filter, random_kind, random_record
from tests.properties import examples

WITHOUT_CASE = {"locale": "en", "strength": 2, "caseFirst": "off"}
RECORDS, FILTERS = 40, 40
POINTS = ["\0", "A", "Z", "a", "b", "\n", ".", "é", "É", "\ud7ff", "\ue000", "\U0010ffff", "ß", "]", "^", "-"]

OID_OF = [ObjectId(OID), ObjectId("65f0c0ffee00c0ffee00c0df"), ObjectId("65f0c0ffee00c0ffee00c0d0")]

ORDERED_TEXTS = re.compile(r"\['string'\]\]\}, \{'\$(?:lt|gt)e?': \['\$")

Document = dict[str, Any]


def ids(rows: Collection[Document], match: Any, collation: Any = None) -> set[Any]:
    return {row["_id"] for row in rows.find(match, {"_id": 1}, collation=collation)}


def rewritten(match: Any) -> Document | None:
    """Without a collation; None where two texts of a record are ordered, which is refused."""
    if not ORDERED_TEXTS.search(str(match)):
        return without_collation(match)
    with pytest.raises(InvalidParameter, match="orders two fields with text"):
        without_collation(match)
    return None


@settings(max_examples=BATCHES)
@given(seed=st.integers(0, 2**32))
def test_a_collation_changes_nothing(rows: Collection[Document], seed: int) -> None:
    random = Random(seed)
    kind = random_kind(random)
    fields = {name: kind.fields[name] for name in NAMES}
    rows.delete_many({})
    rows.insert_many(
        {"_id": at, **stored(random_record(random, fields), FieldType(ValueKind.OBJECT, fields))}
        for at in range(RECORDS)
    )
    for _ in range(FILTERS):
        match = compile_filter(text := print_filter(random_filter(random, kind)), kind).match
        if (exact := rewritten(match)) is None:
            assert "$" in text
            continue
        assert ids(rows, exact, WITHOUT_CASE) == ids(rows, match), (text, match, exact)
        assert ids(rows, exact) == ids(rows, match), (text, match, exact)


texts = st.text(st.sampled_from(POINTS), max_size=4)


@settings(max_examples=examples(200, nightly=5000))
@given(stored_texts=st.lists(texts, min_size=1, max_size=12, unique=True), bound=texts)
def test_texts_are_ordered_by_their_code_points(
    rows: Collection[Document], stored_texts: list[str], bound: str
) -> None:
    rows.delete_many({})
    rows.insert_many({"_id": at, "name": text} for at, text in enumerate([*stored_texts, None, 5]))
    for operator, holds in {
        "$lt": str.__lt__, "$lte": str.__le__, "$gt": str.__gt__, "$gte": str.__ge__, "$eq": str.__eq__
    }.items():  # fmt: skip
        exact = without_collation({"name": {operator: bound}})
        expected = {at for at, text in enumerate(stored_texts) if holds(text, bound)}
        assert ids(rows, exact, WITHOUT_CASE) == expected, (operator, bound)
        assert ids(rows, {"name": {operator: bound}}) == expected


STORED: list[Document] = [
    {"_id": 0, "name": "acme", "tags": ["A", "b"], "note": "acme"},
    {"_id": 1, "name": "ACME", "tags": ["a"], "note": "acme"},
    {"_id": 2, "name": "Äcme", "tags": [], "note": "äcme"},
    {"_id": 3},
]


@pytest.mark.parametrize(
    ("match", "expected", "unguarded"),
    [
        pytest.param({"name": "acme"}, {0}, {0, 1}, id="equal"),
        pytest.param({"name": {"$eq": "acme"}}, {0}, {0, 1}, id="as an operator"),
        pytest.param({"name": {"$ne": "acme"}}, {1, 2, 3}, {2, 3}, id="not equal"),
        pytest.param({"name": {"$in": ["acme", None]}}, {0, 3}, {0, 1, 3}, id="in"),
        pytest.param({"name": {"$nin": ["acme", None]}}, {1, 2}, {2}, id="not in"),
        pytest.param({"name": {"$not": {"$gte": "B", "$lte": "b"}}}, {1, 2, 3}, {0, 1, 2, 3}, id="not between"),
        pytest.param({"tags": {"$elemMatch": {"$gt": "A", "$lt": "a1"}}}, {1}, set(), id="of an element"),
        pytest.param({"tags": {"$elemMatch": {"$nin": ["a"]}}}, {0}, {0}, id="not of an element"),
        pytest.param({"$or": [{"name": "ACME"}, {"name": "x"}]}, {1}, {0, 1}, id="or"),
        pytest.param({"$nor": [{"$and": [{"name": "ACME"}]}]}, {0, 2, 3}, {2, 3}, id="nor"),
        pytest.param(
            {"$expr": {"$and": [{"$in": [{"$type": "$name"}, ["string"]]},
                                {"$in": [{"$type": "$note"}, ["string"]]},
                                {"$eq": ["$name", "$note"]}]}},
            {0}, {0, 1, 2}, id="two fields",
        ),
    ],
)  # fmt: skip
def test_each_comparison_needs_its_guard(
    rows: Collection[Document], match: Document, expected: set[int], unguarded: set[int]
) -> None:
    rows.delete_many({})
    rows.insert_many(STORED)
    assert ids(rows, match) == expected
    assert ids(rows, match, WITHOUT_CASE) == unguarded
    assert ids(rows, without_collation(match), WITHOUT_CASE) == expected


def test_the_own_id_of_a_record_in_other_letters_is_another_text(rows: Collection[Document]) -> None:
    rows.delete_many({})
    match = compile_filter("name:${resourceId}", SHIPMENT, {"resourceId": OWN_ID}).match
    rows.insert_many({"_id": OID_OF[at], "name": name} for at, name in enumerate([OID, OID.upper(), 5]))
    assert ids(rows, without_collation(match), WITHOUT_CASE) == ids(rows, match)


def test_records_that_rules_name_are_the_same(rows: Collection[Document]) -> None:
    rows.delete_many({})
    rows.insert_many({"_id": one, "refName": name} for one, name in zip(OID_OF, ["a", "A", "ä"], strict=True))
    for pattern in ("a", "a*", OID, f"{OID[:5]}*"):
        match = named(pattern).match
        assert ids(rows, without_collation(match), WITHOUT_CASE) == ids(rows, match)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("name:>" + "x" * (MAX_ORDERED + 1), "no text of more than 200 characters", id="ordered"),
        pytest.param('name:"' + "x" * (MAX_EXACT + 1) + '"', "no text of more than 4000", id="equal"),
        pytest.param("name:!" + "x" * (MAX_EXACT + 1), "no text of more than 4000", id="not equal"),
    ],
)
def test_what_no_pattern_can_say_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        without_collation(compile_filter(text, SHIPMENT).match)
    assert said in caught.value.message
    assert caught.value.details["parameter"] == "sort"


@pytest.mark.parametrize("character", [".", "é", "\U0010ffff", "\0"])
def test_the_longest_texts_fit_into_patterns(rows: Collection[Document], character: str) -> None:
    rows.delete_many({})
    rows.insert_one({"_id": 0, "name": character * MAX_EXACT})
    assert ids(rows, without_collation({"name": character * MAX_EXACT}), WITHOUT_CASE) == {0}
    for operator in ("$lt", "$lte", "$gt", "$gte"):
        match = {"name": {operator: character * MAX_ORDERED}}
        assert ids(rows, without_collation(match), WITHOUT_CASE) == ids(rows, match)
