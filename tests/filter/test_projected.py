"""What a read returns of what is stored: declared fields, at every depth, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.filter import Projection, show_declared
from runtime.model.record import EntityReference, Record, RecordInput, Strict
from runtime.model.record_type import RecordType

Document = dict[str, Any]


class Part(Strict):
    x: int | None = None
    y: int | None = None


class Shelf(Strict):
    parts: dict[str, Part] | None = None
    note: str | None = None


class DepotInput(RecordInput):
    part: Part | None = None
    parts: list[Part] | None = None
    grid: list[list[Part]] | None = None
    named: dict[str, Part] | None = None
    lists: dict[str, list[Part]] | None = None
    maps: dict[str, dict[str, Part]] | None = None
    shelf: Shelf | None = None
    shelves: list[Shelf] | None = None
    labels: dict[str, str] | None = None
    free: Any = None
    owner: EntityReference | None = None
    owners: dict[str, EntityReference] | None = None


DEPOT = RecordType(
    name="Depot", area="factory", model=Record, input=DepotInput, collection="depots",
    base_path="/factory/depots",
)  # fmt: skip

GOOD = {"x": 1, "y": 2}
BAD = GOOD | {"former": 3}
SHELF = {"parts": {"k": GOOD}, "note": "n"}
BAD_SHELF = {"parts": {"k": BAD, "l": {"former": 3}}, "note": "n", "former": 3}


@pytest.fixture
def show(mongo_client: MongoClient[Document], realm: str) -> Any:
    """Store members and read them back by a projection."""

    def read(stored: Document, hidden: frozenset[str] = frozenset(), **of: Any) -> Document:
        rows = mongo_client[realm]["depots"]
        rows.replace_one({"_id": 1}, stored, upsert=True)
        found = rows.find_one({"_id": 1}, Projection(**of, fields=DEPOT.fields).as_mongo(hidden))
        assert found is not None
        if not of:  # what is shown of a record in memory
            assert show_declared(DEPOT.fields, {"_id": 1, **stored}, hidden) == found
        assert found.pop("_id") == 1
        return found

    return read


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        pytest.param({"former": 1, "_lock": 1}, {}, id="at the top"),
        pytest.param({"part": BAD}, {"part": GOOD}, id="in an object"),
        pytest.param({"parts": [BAD, GOOD]}, {"parts": [GOOD, GOOD]}, id="in a list"),
        pytest.param({"grid": [[BAD], []]}, {"grid": [[GOOD], []]}, id="in a list of lists"),
        pytest.param({"named": {"a": BAD, "former": GOOD}}, {"named": {"a": GOOD, "former": GOOD}}, id="in a map"),
        pytest.param({"named": {}}, {"named": {}}, id="an empty map"),
        pytest.param({"lists": {"a": [BAD], "b": []}}, {"lists": {"a": [GOOD], "b": []}}, id="lists in a map"),
        pytest.param({"maps": {"a": {"b": BAD}}}, {"maps": {"a": {"b": GOOD}}}, id="maps in a map"),
        pytest.param(
            {"shelf": BAD_SHELF}, {"shelf": SHELF | {"parts": {"k": GOOD, "l": {}}}}, id="a map in an object"
        ),
        pytest.param(
            {"shelves": [BAD_SHELF, {"note": "m"}]},
            {"shelves": [SHELF | {"parts": {"k": GOOD, "l": {}}}, {"note": "m"}]},
            id="a map in a list",
        ),
        pytest.param({"labels": {"a": "b"}}, {"labels": {"a": "b"}}, id="a map of values is whole"),
        pytest.param({"free": {"a": {"$b": [1]}}}, {"free": {"a": {"$b": [1]}}}, id="so is what is free-form"),
        pytest.param(
            {"owner": {"entityId": 1}, "owners": {"a": {"entityId": 1}}},
            {"owner": {"entityId": 1}, "owners": {"a": {"entityId": 1}}},
            id="and references",
        ),
        pytest.param({"part": "p", "parts": [1]}, {"parts": []}, id="single values where objects were declared"),
        pytest.param({"named": 1, "shelves": 2}, {"named": None, "shelves": None}, id="and where maps were"),
        pytest.param({"named": {"a": 1}}, {"named": {"a": None}}, id="and in maps"),
    ],
)  # fmt: skip
def test_only_what_is_declared_is_shown(show: Any, stored: Document, shown: Document) -> None:
    assert show(stored) == shown
    for name in stored:
        assert show(stored, include=(name,)) == {one: shown[one] for one in (name,) if one in shown}
    assert show(stored, exclude=tuple(DEPOT.fields.keys() & stored)) == {}


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ({"shelf.note"}, {"shelf": {"parts": {"k": GOOD, "l": {}}}}),
        ({"shelf.parts"}, {"shelf": {"note": "n"}}),
        ({"shelf.parts.k"}, {"shelf": {"note": "n"}}),
        ({"shelf"}, {}),
    ],
    ids=str,
)
def test_what_is_hidden_around_a_map_stays_hidden(show: Any, hidden: set[str], shown: Document) -> None:
    assert show({"shelf": BAD_SHELF}, frozenset(hidden)) == shown
    shelves = [shown["shelf"]] if shown else []
    in_list = frozenset(path.replace("shelf", "shelves") for path in hidden)
    assert show({"shelves": [BAD_SHELF]}, in_list).get("shelves", []) == shelves


def test_a_part_of_a_map_by_its_key(show: Any) -> None:
    assert show({"named": {"a": BAD, "b": BAD}}, include=("named.a",)) == {"named": {"a": GOOD}}
    assert show({"named": {"a": BAD, "b": BAD}}, include=("named.a.x",)) == {"named": {"a": {"x": 1}}}


_NUMBERS = st.none() | st.integers(0, 9)
_ODD = _NUMBERS | st.text("ab", max_size=2) | st.lists(st.integers(0, 3), max_size=2)
"""What is stored where something else is declared."""


def objects(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with some of these members and one that is not declared; now and then something else."""
    return st.fixed_dictionaries({}, optional=members | {"former": st.just("secret")}) | _ODD


def lists(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(of, max_size=3)


def maps(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(["a", "b", "x", "former"]), of, max_size=3)


_PARTS = objects(x=_ODD, y=_ODD)
_SHELVES = objects(parts=maps(_PARTS) | _ODD, note=_ODD)
_REFERENCES = objects(entityId=_NUMBERS)
DEPOTS = objects(
    part=_PARTS, parts=lists(_PARTS) | _ODD, grid=lists(lists(_PARTS) | _ODD) | _ODD, named=maps(_PARTS) | _ODD,
    lists=maps(lists(_PARTS) | _ODD) | _ODD, maps=maps(maps(_PARTS) | _ODD) | _ODD, shelf=_SHELVES,
    shelves=lists(_SHELVES) | _ODD, labels=maps(_ODD) | _ODD, free=maps(_ODD) | _ODD, owner=_REFERENCES,
    owners=maps(_REFERENCES) | _ODD,
).filter(lambda one: isinstance(one, dict))  # fmt: skip
TAKEN = st.frozensets(
    st.sampled_from(
        ["part", "part.x", "parts.y", "grid.x", "named", "named.x", "named.a.x", "lists.x", "maps.x", "shelf.note",
         "shelf.parts", "shelf.parts.x", "shelves.parts.k", "shelves.note", "labels", "labels.a", "free", "free.a",
         "owner", "owner.entityId", "owners", "owners.a"]
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(stored=lists(DEPOTS), taken=TAKEN)
def test_a_record_in_memory_shows_what_a_read_returns(
    mongo_client: MongoClient[Document], stored: list[Document], taken: frozenset[str]
) -> None:
    """Whatever is stored, and whatever is taken: no member more, none less."""
    projection = Projection(fields=DEPOT.fields).as_mongo(taken)
    documents = [{"_id": number, **one} for number, one in enumerate(stored, start=1)]
    read = mongo_client["admin"].aggregate(
        [{"$documents": documents or [{"_id": 0}]}, {"$project": projection}]
    )
    shown = [show_declared(DEPOT.fields, one, taken) for one in documents or [{"_id": 0}]]
    assert shown == list(read)
