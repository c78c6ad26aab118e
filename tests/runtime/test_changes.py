"""What differs between two records, sent as an update, stores what a full replace of the one by the other does."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from bson import Decimal128, Int64, ObjectId, encode
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.collection import Collection

from runtime.model.record import Record, RecordInput, Strict
from runtime.model.record_type import RecordType
from runtime.storage.store.changes import build_full_replace, difference
from tests.records.depots import CRATE

Document = dict[str, Any]

HIDDEN = ("secret", "profile.pay", "profile.home.street")


class Home(Strict):
    street: str | None = None
    city: str | None = None


class Profile(Strict):
    pay: Any = None
    title: Any = None
    home: Home | None = None


class PersonInput(RecordInput):
    a: Any = None
    b: Any = None
    c: Any = None
    secret: Any = None
    profile: Profile | None = None


PERSON = RecordType(
    name="Person", area="office", model=Record, input=PersonInput, collection="persons",
    base_path="/office/persons", hidden=frozenset(HIDDEN),
)  # fmt: skip
DAY = datetime(2026, 1, 1)

VALUES = st.sampled_from(  # no null: absent and null are one, and are left out
    [
        *(1, 1.0, True, Int64(1), 0.0, -0.0, "", "a", "$a", "$$ROOT", [], {}, [1], [1.0], {"$gt": 1}),
        *(Decimal128("1.0"), Decimal128("1.00"), DAY, ObjectId("0" * 24), {"a": 1, "b": 1}, {"b": 1, "a": 1}),
    ]
)
HOMES = st.dictionaries(st.sampled_from(["street", "city"]), st.sampled_from(["x", "y"]))
PROFILES = st.fixed_dictionaries({}, optional={"pay": VALUES, "title": VALUES, "home": HOMES})
RECORDS = st.fixed_dictionaries(
    {},
    optional={"a": VALUES, "b": VALUES, "secret": VALUES, "profile": PROFILES, "a.b": VALUES, "$a": VALUES},
)
UNDECLARED = st.fixed_dictionaries({}, optional={"former": VALUES})
"""What a record still has of an earlier specification."""


@pytest.fixture(scope="module")
def rows(mongo_client: MongoClient[Document]) -> Iterator[Collection[Document]]:
    collection = mongo_client["changes-test"][f"rows-{uuid4().hex[:8]}"]
    yield collection
    collection.drop()


def seen(stored: Document) -> Document:
    """As it is read, without what is hidden."""
    shown = deepcopy(stored)
    shown.pop("secret", None)
    shown.get("profile", {}).pop("pay", None)
    shown.get("profile", {}).get("home", {}).pop("street", None)
    return shown


def written(rows: Collection[Document], stored: Document, update: Any) -> Document:
    own = {"_id": rows.insert_one(dict(stored)).inserted_id}
    rows.update_one(own, update)
    found = rows.find_one_and_delete(own, {"_id": 0})
    assert found is not None
    return found


def as_stored(document: Document) -> bytes:
    """Exact, since 1 is not 1.0; in which order members stand means nothing."""
    return encode(in_order(document))


def in_order(value: Any) -> Any:
    if isinstance(value, list):
        return [in_order(item) for item in value]
    return {name: in_order(value[name]) for name in sorted(value)} if isinstance(value, dict) else value


@given(
    stored=RECORDS,
    sent=RECORDS,
    same=st.sets(st.sampled_from(["a", "b", "profile"])),
    undeclared=UNDECLARED,
    data=st.data(),
)
def test_what_differs_stores_what_a_full_replace_stores(
    rows: Collection[Document],
    stored: Document,
    sent: Document,
    same: set[str],
    undeclared: Document,
    data: st.DataObject,
) -> None:
    before = seen(stored)
    kept = data.draw(st.sets(st.sampled_from(HIDDEN)))
    document = {**sent, **{name: before[name] for name in same if name in before}}
    update = difference(before, document, kept, PERSON)
    if update is None:
        return
    if not update["$set"]:  # as no record's is: each write has a version of its own
        update["$set"] = {"version": 2}
        document["version"] = 2
    whole = written(rows, stored | undeclared, build_full_replace(document, kept, PERSON))
    assert as_stored(written(rows, stored | undeclared, update)) == as_stored(whole)
    assert whole.items() >= undeclared.items()


PROFILE = {"title": "Dr"}
BEFORE = {"_id": 1, "a": [1], "b": 1, "profile": PROFILE, "version": 1}


@pytest.mark.parametrize(
    ("document", "keep", "update"),
    [
        pytest.param({**BEFORE, "version": 2}, HIDDEN, {"$set": {"version": 2}}, id="one member"),
        pytest.param(
            {**BEFORE, "a": [1], "c": {"$inc": 1}},
            HIDDEN,
            {"$set": {"c": {"$inc": 1}}},
            id="what is new, and no list that is equal",
        ),
        *(
            pytest.param({**BEFORE, "a": a}, HIDDEN, {"$set": {"a": a}}, id=f"another list: {a}")
            for a in ([1.0], [True], [2], [1, 1], [], [[1]], [{"x": 1}], "1")
        ),
        pytest.param({**BEFORE, "b": 1.0}, HIDDEN, {"$set": {"b": 1.0}}, id="equal, and of another type"),
        pytest.param(
            {name: value for name, value in BEFORE.items() if name != "b"} | {"version": 2},
            HIDDEN,
            {"$set": {"version": 2}, "$unset": {"b": ""}},
            id="one that is gone",
        ),
        pytest.param(
            {**BEFORE, "version": 2},
            ("profile.pay",),
            {"$set": {"version": 2}, "$unset": {"secret": "", "profile.home.street": ""}},
            id="hidden ones that are emptied",
        ),
        pytest.param(
            {**BEFORE, "profile": {"title": "Prof"}},
            ("secret",),
            {"$set": {"profile.title": "Prof"}, "$unset": {"profile.pay": "", "profile.home.street": ""}},
            id="an object by its members, and with it what is hidden in it",
        ),
        pytest.param({**BEFORE, "secret": "x"}, HIDDEN, {"$set": {"secret": "x"}}, id="a hidden one is sent"),
        pytest.param(
            {**BEFORE, "profile": {"title": "Prof"}},
            HIDDEN,
            {"$set": {"profile.title": "Prof"}},
            id="an object around a kept one",
        ),
        pytest.param({"_id": 1, "version": 2}, HIDDEN, None, id="one that goes around a kept one"),
        pytest.param({**BEFORE, "version": 2}, ("a",), None, id="what is to be kept can be seen"),
        pytest.param({**BEFORE, "a.b": 1}, (), None, id="a name with a dot"),
        pytest.param({**BEFORE, "$a": 1}, (), None, id="a name that is an operator"),
    ],
)
def test_the_least_that_says_it(document: Document, keep: tuple[str, ...], update: Any) -> None:
    assert difference(BEFORE, document, keep, PERSON) == update


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ([{"x": 1, "y": [0.5]}], [{"x": 1, "y": [0.5]}], True),
        ([{"x": 1, "y": 2}], [{"y": 2, "x": 1}], False),
        ([{"x": 1}], [{"x": 1, "y": None}], False),
        ([[0.0]], [[-0.0]], False),
        ([float("nan")], [float("nan")], False),
        ([b"x"], [bytes(bytearray(b"x"))], False),
    ],
)
def test_lists_are_compared_to_the_bit(before: Any, after: Any, is_same: bool) -> None:
    update = difference({"a": before}, {"a": after}, HIDDEN, PERSON)
    assert update is not None
    assert ("a" not in update["$set"]) == is_same


def test_references_are_sent_with_what_is_made_of_their_names() -> None:
    """Also as they were read: who follows a rename finds both, or neither."""
    reference = {"entityId": "1", "entityRefName": "old", "entityDisplayName": "old"}
    for field, value in (
        ("depot", reference),
        ("others", [reference]),
        ("legs", [{"stops": [reference]}]),
    ):
        update = difference({field: value, "label": "x"}, {field: deepcopy(value), "label": "y"}, (), CRATE)
        assert update == {"$set": {field: value, "label": "y"}}
    same = {"depot": reference, "label": "x"}
    assert difference(same, same | {"label": "y"}, (), CRATE) == {"$set": {"label": "y"}}


def test_an_equal_number_of_another_type_is_told_apart() -> None:
    update = difference({"a": 1, "b": True}, {"a": True, "b": 1}, HIDDEN, PERSON)
    assert update is not None
    assert [type(value) for value in update["$set"].values()] == [bool, int]
