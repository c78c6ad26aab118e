"""Records named by id or refName: in MongoDB and in process alike, and at a linear cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from bson import ObjectId, encode
from pymongo import MongoClient
from pymongo.collection import Collection

from runtime.errors import FilterType
from runtime.filter import EVERYTHING, admits, named
from runtime.filter.wildcard import exact_pattern

ID = "65f0c0ffee00c0ffee00c0de"
NAMES = ["ORD-1", "ord-1", "ORD-10", "a.b", "acb", "Straße", "STRAẞE", "İ", "i", "", "a\nb", ID, ID.upper()]
OTHER = "0123456789abcdef01234567"


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    own = [{"_id": ObjectId(), "refName": name} for name in NAMES]
    return [*own, {"_id": ObjectId(ID), "refName": "by id"}, {"_id": ObjectId(OTHER), "refName": "other"}]


@pytest.fixture(scope="module")
def rows(
    mongo_client: MongoClient[dict[str, Any]], documents: list[dict[str, Any]]
) -> Iterator[Collection[dict[str, Any]]]:
    collection = mongo_client["filter-test"][f"named-{uuid4().hex[:8]}"]
    collection.insert_many(documents)
    yield collection
    collection.drop()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param("Ord-1", {"ORD-1", "ord-1"}, id="a refName, without case"),
        pytest.param("ORD", set(), id="a part is not the whole"),
        pytest.param("ord-*", {"ORD-1", "ord-1", "ORD-10"}, id="any run"),
        pytest.param("ord-1?", {"ORD-10"}, id="one character"),
        pytest.param("A.B", {"a.b"}, id="a dot is a dot"),
        pytest.param("a?b", {"a.b", "acb", "a\nb"}, id="any one character"),
        pytest.param("straße", {"Straße", "STRAẞE"}, id="capitals of every kind"),
        pytest.param("I", {"i"}, id="a letter that Turkish has twice"),
        pytest.param("", {""}, id="the empty refName"),
        pytest.param(ID, {ID, ID.upper(), "by id"}, id="an id, and refNames that look like it"),
        pytest.param(ID.upper(), {ID, ID.upper(), "by id"}, id="an id in capitals"),
        pytest.param("65F0C0*", {ID, ID.upper(), "by id"}, id="the beginning of an id"),
        pytest.param("0123*4567", {"other"}, id="both ends of an id"),
        pytest.param("*89AB*", {"other"}, id="the middle of an id"),
        pytest.param(f"{OTHER}*", {"other"}, id="a whole id and any run"),
        pytest.param("*g*", set(), id="no digit of an id"),
        pytest.param("0123456789abcdef0123456?", {"other"}, id="an id but for a digit"),
        pytest.param("?" * 23, set(), id="shorter than an id"),
        pytest.param("*" + "?" * 25, set(), id="longer than an id"),
        pytest.param("?" * 256, set(), id="as long as can be"),
    ],
)
def test_records_are_named(
    rows: Collection[dict[str, Any]], documents: list[dict[str, Any]], pattern: str, expected: set[str]
) -> None:
    predicate = named(pattern)
    assert {row["refName"] for row in rows.find(predicate.match)} == expected
    assert {row["refName"] for row in documents if admits(predicate, row)} == expected
    negated = {row["refName"] for row in rows.find({"$nor": [predicate.match]})}
    assert negated == {row["refName"] for row in documents} - expected


def test_any_id_fits_24_characters(documents: list[dict[str, Any]]) -> None:
    assert all(admits(named("?" * 24), row) for row in documents)


@pytest.mark.parametrize("pattern", ["*", "**"])
def test_stars_name_everything(pattern: str) -> None:
    assert named(pattern) is EVERYTHING


@pytest.mark.parametrize(
    "pattern",
    [pytest.param("x" * 257, id="too long"), pytest.param("a*\udc80", id="half a character")],
)
def test_what_no_store_could_look_for_is_refused(pattern: str) -> None:
    with pytest.raises(FilterType, match="at most 256 characters"):
        named(pattern)


@pytest.mark.parametrize("pattern", ["$where", "^.*$", "(?i)x", "\\Q*\\E", '{"$gt": ""}', "$_id", "[", "\0*"])
def test_text_stays_text(pattern: str, documents: list[dict[str, Any]]) -> None:
    predicate = named(pattern)
    assert predicate.match == {"refName": {"$regex": predicate.match["refName"]["$regex"]}}
    encode(predicate.match)
    assert not any(admits(predicate, row) for row in documents)


def test_an_exact_name_is_no_pattern() -> None:
    assert named("a").match == {"refName": {"$regex": exact_pattern("a", ignore_case=True)}}


@pytest.mark.timeout(60)  # some milliseconds; a pattern that goes back would not come back
@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("*a" * 127 + "b", id="many stars"),
        pytest.param("*" + "a?" * 127 + "b", id="one star and a long rest"),
        pytest.param("?*" * 127 + "b", id="stars and single characters in turn"),
        pytest.param("*" + "s" * 254 + "b", id="letters of three cases"),
    ],
)
def test_hostile_patterns_cost_little(rows: Collection[dict[str, Any]], pattern: str) -> None:
    predicate = named(pattern)
    document = {"_id": ObjectId(), "refName": "as" * 10_000}
    rows.insert_one(document)
    try:
        assert not admits(predicate, document)
        assert rows.find_one(predicate.match) is None
    finally:
        rows.delete_one({"_id": document["_id"]})
