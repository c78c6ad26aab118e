"""The marks of a sort: what they say, what is refused and where, and the languages the store knows."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from runtime.errors import InvalidParameter, UnknownField
from runtime.filter import Columns, Field, Order, parse_order, parse_projection, parse_sort
from runtime.filter.order import ANY_LANGUAGE, LANGUAGES
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.record import Strict
from runtime.model.record_type import RecordType
from runtime.storage.store import build_collation
from tests.filter.sample import SHIPMENT, WITHOUT_TEXT
from tests.kinds import kind_of

NAME = ("name", 1), ("_id", 1)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        pytest.param("name", Order(NAME), id="none"),
        pytest.param("name~ci", Order(NAME, "en"), id="without case"),
        pytest.param("name~ci:sv", Order(NAME, "sv"), id="by language"),
        pytest.param(" -name~ci , qty", Order((("name", -1), ("qty", 1), ("_id", 1)), "en"), id="and a number"),
        pytest.param("name~ci,status~ci", Order((NAME[0], ("status", 1), NAME[1]), "en"), id="both texts"),
        pytest.param("name~ci:sv,born", Order((NAME[0], ("born", 1), NAME[1]), "sv"), id="dates have no case"),
        pytest.param("qty~nullslast", Order((("qty", 1), ("_id", 1)), None, frozenset({"qty"})), id="nulls last"),
        pytest.param("qty~nullsfirst", Order((("qty", 1), ("_id", 1))), id="where they are"),
        pytest.param("-qty~nullslast", Order((("qty", -1), ("_id", -1))), id="where they are, descending"),
        pytest.param(
            "-qty~nullsfirst", Order((("qty", -1), ("_id", -1)), None, frozenset({"qty"})), id="first, descending"
        ),
        pytest.param("name~nullslast~ci:de", Order(NAME, "de", frozenset({"name"})), id="both, in any order"),
        pytest.param("id~nullslast", Order((("_id", 1),)), id="every record has an id"),
        pytest.param("id,name~ci:sv~nullslast", Order((("_id", 1),), "sv"), id="nothing matters behind the id"),
        pytest.param(
            'labels."a~ci"~nullslast',
            Order((("labels.a~ci", 1), ("_id", 1)), None, frozenset({"labels.a~ci"})),
            id="in quotes a sign is itself",
        ),
    ],
)  # fmt: skip
def test_marks_are_read(text: str, order: Order) -> None:
    assert parse_order(text, SHIPMENT) == order


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        pytest.param("name~", 1, "write ~ci, ~ci:sv, ~nullsfirst or ~nullslast", id="nothing"),
        pytest.param("name~CI", 1, "~CI says nothing about an order", id="in capitals"),
        pytest.param("qty,name~$where", 5, "~$where says nothing about an order", id="anything else"),
        pytest.param("name~ci~ci:sv", 1, "two marks of one kind", id="twice"),
        pytest.param("name~nullsfirst~nullslast", 1, "two marks of one kind", id="first and last"),
        pytest.param("qty~ci", 1, "qty is of type integer, which has no case: leave out ~ci", id="a number"),
        pytest.param("placed~ci", 1, "placed is of type datetime", id="a moment"),
        pytest.param("meta.a~ci", 1, "meta.a is of type json", id="free-form"),
        pytest.param("name~ci:", 1, "not the code of a language", id="no language"),
        pytest.param("name~ci:xx", 1, "write ~ci for the order of no language, or ~ci:sv", id="no such"),
        pytest.param("name~ci:SV", 1, "did you mean sv", id="a language in capitals"),
        pytest.param("name~ci:en@x", 1, "not the code of a language", id="options of ICU"),
        pytest.param("name~ci,status", 9, "write status~ci", id="one of two texts"),
        pytest.param("status,name~ci:sv", 8, "write status~ci:sv", id="the other one"),
        pytest.param("name~ci:sv,status~ci", 12, "write status~ci:sv", id="two languages"),
        pytest.param("meta.a~nullslast", 1, "only fields with a declared type place their nulls", id="free-form"),
        pytest.param("qty~nullslast:5", 1, "takes nothing behind it", id="more"),
        pytest.param("tags~ci", 1, "no single value to sort by", id="a list all the same"),
    ],
)  # fmt: skip
def test_marks_are_refused(text: str, column: int, said: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_order(text, SHIPMENT)
    assert said in caught.value.message
    assert (caught.value.details["parameter"], caught.value.details["column"]) == ("sort", column)


def test_a_hidden_field_is_unknown_with_a_mark_too() -> None:
    for text in ("apiToken~ci", "apiToken~nullslast", "address.secret~ci:sv"):
        with pytest.raises(UnknownField):
            parse_order(text, SHIPMENT)
    with pytest.raises(UnknownField):
        parse_order("name~ci", SHIPMENT, frozenset({"name"}))


def test_only_a_sort_of_records_has_marks() -> None:
    groups = Columns("groups", {"name": Field("k0", FieldType(ValueKind.STRING), ())})
    for text in ("name~ci", "name~nullslast"):
        with pytest.raises(InvalidParameter, match="groups are ordered without marks"):
            parse_sort(text, groups)
    with pytest.raises(UnknownField):
        parse_projection("name~ci", SHIPMENT)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_store_knows_each_language(mongo_client: MongoClient[dict[str, Any]], language: str) -> None:
    collation = build_collation(Order(language=language))
    assert mongo_client["filter-test"]["nothing"].find_one({}, collation=collation) is None


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        pytest.param(ANY_LANGUAGE, "a Ä ö Z", id="that of Unicode"),
        pytest.param("sv", "a Z Ä ö", id="in Swedish the last letters are others"),
        pytest.param("da", "a Z Ä ö", id="and in Danish"),
    ],
)
def test_a_language_has_its_own_order(
    mongo_client: MongoClient[dict[str, Any]], language: str, expected: str
) -> None:
    rows = mongo_client["filter-test"][f"order-{language}"]
    rows.insert_many({"name": letter} for letter in ["Z", "a", "Ä", "ö"])
    try:
        found = rows.find({}).sort("name").collation(build_collation(Order(language=language)))
        assert [row["name"] for row in found] == expected.split()
    finally:
        rows.drop()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param("-score", (("__score", -1), ("_id", -1)), id="alone"),
        pytest.param("status~ci,-score,name~ci", (("status", 1), ("__score", -1), ("name", 1), ("_id", 1)), id="inside"),
    ],
)  # fmt: skip
def test_relevance_is_a_key(text: str, keys: tuple[tuple[str, int], ...]) -> None:
    order = parse_order(text, SHIPMENT)
    assert (order.keys, order.by_score) == (keys, True)


@pytest.mark.parametrize("text", ["score", "-score~nullslast", "-score,-score", "-score~ci"])
def test_relevance_is_from_the_best_and_once(text: str) -> None:
    with pytest.raises(InvalidParameter, match="write -score"):
        parse_order(text, SHIPMENT)


class RatedFields(Strict):
    score: int | None = None
    name: str | None = None


def rated(**members: Any) -> RecordType[Any]:
    """A record type with a field that is called score."""
    return kind_of("Rated", "test", RatedFields, **members)


def test_a_field_of_that_name_is_meant_where_the_caller_may_see_it() -> None:
    own = Order((("score", 1), ("_id", 1)))
    assert parse_order("score", rated(text=("name",))) == own
    assert parse_order("score~nullsfirst", rated()) == own
    for kind, hidden in (
        (rated(text=("name",)), frozenset({"score"})),
        (rated(text=("name",), hidden=frozenset({"score"})), frozenset[str]()),
    ):
        assert parse_order("-score", kind, hidden).by_score
    with pytest.raises(UnknownField):
        parse_order("-score", rated(), frozenset({"score"}))
    with pytest.raises(UnknownField):
        parse_order("-score", WITHOUT_TEXT)
