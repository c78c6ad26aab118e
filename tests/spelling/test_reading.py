"""A find shows any record as the pipeline does that computes it in the store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.collection import Collection

from runtime.spelling import MARK, Spelling, derive_steps
from runtime.storage.as_service import as_service
from runtime.storage.store.spellings import plan_reading, unify_names
from tests.migrations.versions import NEW_SHAPE, OLD_SHAPE, VERSIONS

Document = dict[str, Any]
Rows = Collection[Document]

KIND = VERSIONS["new"][0]
SPELLING = Spelling(2, derive_steps("Parcel", OLD_SHAPE["Parcel"], NEW_SHAPE["Parcel"]))
PLACE = st.one_of(st.none(), st.just(3), st.fixed_dictionaries({}, optional={"road": st.just("Via A")}))
STORED = st.fixed_dictionaries(
    {"version": st.just(4)},
    optional={
        "town": st.sampled_from(["Rome", None]),
        "city": st.sampled_from(["Oslo", None]),
        "place": PLACE,
        "lines": st.lists(
            st.one_of(st.none(), st.fixed_dictionaries({}, optional={"sku": st.just("X")})), max_size=2
        ),
        "weight": st.sampled_from([7, "odd", None]),
        "tag": st.sampled_from(["red", ["red"], None]),
        "status": st.sampled_from(["NEW", "GONE", "OPEN"]),
        "priority": st.sampled_from([1, None]),
        "undeclared": st.just(1),
        MARK: st.sampled_from([{"of": 1}, {"of": 2}, {"of": 2, "at": 4}, {"of": 2, "at": 3}]),
    },
)
PATHS = [
    "_id",
    "version",
    "refName",
    "city",
    "weight",
    "tag",
    "status",
    "priority",
    "place",
    "place.zipCode",
    "lines",
]


@pytest.fixture(scope="module")
def rows(mongo_client: MongoClient[Document]) -> Iterator[Rows]:
    collection: Rows = mongo_client["reading-test"][uuid4().hex[:8]]
    yield collection
    collection.drop()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stored=STORED, paths=st.sets(st.sampled_from(PATHS)), is_in_force=st.booleans())
def test_a_find_shows_what_a_pipeline_computes(
    rows: Rows, stored: Document, paths: set[str], is_in_force: bool
) -> None:
    access = as_service(KIND, "main")
    access = access.spelled(SPELLING) if is_in_force else access
    shown = dict.fromkeys(["_id", *sorted(paths - ({"place"} if "place.zipCode" in paths else set()))], 1)
    rows.delete_many({})
    rows.insert_one({**stored})
    reading = plan_reading(access, {"_id": 1}, ("_id",), shown)
    if reading is None:
        assert is_in_force
        assert "place.zipCode" in paths
        return
    found = reading.show(list(rows.find({}, reading.projection)))
    computed = list(rows.aggregate([*unify_names(access), {"$project": shown}]))
    if is_in_force:  # a pipeline leaves former names in what it shows whole
        drop_former(computed)
    assert found == computed
    assert repr(sorted(found[0].items())) == repr(sorted(computed[0].items()))  # 7 and 7.0 are two values


def drop_former(found: list[Document]) -> None:
    for one in found:
        for holder in [one.get("place"), *one.get("lines", [])]:
            if isinstance(holder, dict):
                holder.pop("road", None)
                holder.pop("sku", None)


@pytest.mark.parametrize(
    ("match", "keys", "shown"),
    [
        ({"city": "Rome"}, ["_id"], {"_id": 1}),
        ({"$nor": [{"city": "Rome"}]}, ["_id"], {"_id": 1}),
        ({}, ["city", "_id"], {"_id": 1}),
        ({}, ["place.street", "_id"], {"_id": 1}),
        ({}, ["_id"], {"_id": 1, "place.street": 1}),
        ({}, ["_id"], {"_id": 1, "city": "$town"}),
    ],
)
def test_a_find_does_not_answer_what_is_about_computed_values(
    match: Document, keys: list[str], shown: Document
) -> None:
    access = as_service(KIND, "main").spelled(SPELLING)
    assert plan_reading(access, match, keys, shown) is None
    assert plan_reading(access, {"refName": "a"}, ["refName", "_id"], {"_id": 1, "city": 1}) is not None


def test_former_names_are_read_for_what_is_shown_alone() -> None:
    """So a value that is hidden under its name of today is not read under its former one."""
    for access in (as_service(KIND, "main"), as_service(KIND, "main").spelled(SPELLING)):
        reading = plan_reading(access, {}, ("_id",), {"_id": 1, "weight": 1})
        assert reading is not None
        assert reading.projection == {"_id": 1, "weight": 1, MARK: 1, "version": 1}
        (row,) = reading.show([{"_id": 1, "weight": 1, MARK: {"of": 2}, "version": 4}])
        assert row == {"_id": 1, "weight": 1}
