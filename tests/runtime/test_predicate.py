"""Predicates: how they join, and what they refuse to be made of."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from bson import ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import NotFound
from runtime.filter import EVERYTHING, NOTHING, Predicate, by_id, by_ids, differs, equals, one_of, refers_to

ID = "65f0a1b2c3d4e5f60718293a"


class TestAnd:
    def test_everything_is_neutral_on_both_sides(self) -> None:
        some = equals(refName="x")
        assert (some & EVERYTHING).match == (EVERYTHING & some).match == {"refName": "x"}
        assert (EVERYTHING & EVERYTHING).match == {}

    def test_both_sides_stay_whole_even_over_the_same_field(self) -> None:
        both = equals(refName="x") & equals(refName="y")
        assert both.match == {"$and": [{"refName": "x"}, {"refName": "y"}]}

    def test_nothing_stays_nothing(self) -> None:
        assert (NOTHING & EVERYTHING).match == {"_id": {"$in": []}}

    def test_neither_side_changes(self) -> None:
        left, right = equals(a=1), equals(b=2)
        assert left & right
        assert (left.match, right.match, EVERYTHING.match) == ({"a": 1}, {"b": 2}, {})

    def test_a_predicate_is_frozen(self) -> None:
        frozen: Any = EVERYTHING
        with pytest.raises(FrozenInstanceError):
            frozen.match = {"x": 1}


class TestRecordIds:
    @pytest.mark.parametrize(
        ("predicate", "ids"),
        [
            (by_id(ID), [ID]),
            (by_ids([ID, "0" * 24]), [ID, "0" * 24]),
            (NOTHING, []),
            (EVERYTHING, []),
            (by_id(ID) & equals(refName="x"), []),
            (Predicate({"_id": ObjectId(ID), "refName": "x"}), []),
            (Predicate({"_id": {"$in": [ObjectId(ID)]}, "refName": "x"}), []),
            (Predicate({"_id": {"$in": [ObjectId(ID)], "$gt": ObjectId("0" * 24)}}), []),
            (Predicate({"_id": {"$in": [ObjectId(ID), None]}}), []),
            (Predicate({"_id": {"$gt": ObjectId(ID)}}), []),
            (Predicate({"_id": {"$ne": ObjectId(ID)}}), []),
            (Predicate({"_id": ID}), []),
            (refers_to(["_id"], [ID]), [ID]),
        ],
        ids=lambda value: repr(value)[:40],
    )
    def test_only_a_match_by_ids_and_nothing_else_has_some(
        self, predicate: Predicate, ids: list[str]
    ) -> None:
        assert list(map(str, predicate.record_ids)) == ids


class TestById:
    def test_a_well_formed_id_is_an_object_id(self) -> None:
        assert by_id(ID).match == {"_id": ObjectId(ID)}

    @pytest.mark.parametrize(
        "text",
        ["", "x", ID[:-1], ID + "0", "g" * 24, "aa " * 8, " " + ID[1:], "１" * 24, "a\0" * 12, "x" * 12],
        ids=repr,
    )
    def test_a_malformed_id_is_not_found(self, text: str) -> None:
        with pytest.raises(NotFound) as caught:
            by_id(text)
        assert caught.value.status == 404

    def test_a_long_malformed_id_does_not_come_back_whole(self) -> None:
        with pytest.raises(NotFound) as caught:
            by_id("x" * 10_000)
        assert len(caught.value.message) < 100

    @given(st.text(max_size=30) | st.text("0123456789abcdefABCDEF ", min_size=24, max_size=24))
    def test_any_text_is_an_id_or_not_found(self, text: str) -> None:
        try:
            found = by_id(text).match["_id"]
        except NotFound:
            return
        assert str(found) == text.lower()

    def test_several(self) -> None:
        assert by_ids([ID, "0" * 24]).match == {"_id": {"$in": [ObjectId(ID), ObjectId("0" * 24)]}}
        assert by_ids([]).match == NOTHING.match


class TestReferences:
    def test_one_place_or_any_of_several(self) -> None:
        ids = {"$in": [ObjectId(ID)]}
        assert refers_to(["maker.entityId"], [ID]).match == {"maker.entityId": ids}
        assert refers_to(["a.entityId", "b.entityId"], [ID]).match == {
            "$or": [{"a.entityId": ids}, {"b.entityId": ids}]
        }

    def test_no_place_and_no_id_is_nothing(self) -> None:
        assert refers_to([], [ID]) == NOTHING
        assert refers_to(["maker.entityId"], []).match == {"maker.entityId": {"$in": []}}


class TestScalars:
    def test_equality_inequality_and_choice(self) -> None:
        assert equals(refName="$x", version=1, active=True).match == {
            "refName": "$x",
            "version": 1,
            "active": True,
        }
        assert differs(activeStatus="ARCHIVED", a=1).match == {
            "activeStatus": {"$ne": "ARCHIVED"},
            "a": {"$ne": 1},
        }
        assert one_of("refName", ["a", "$b"]).match == {"refName": {"$in": ["a", "$b"]}}

    @pytest.mark.parametrize(
        "value", [{"$gt": ""}, ["a"], None, 1.5, b"x", ObjectId("65f1c0de65f1c0de65f1c0de")], ids=repr
    )
    @pytest.mark.parametrize("make", [equals, differs])
    def test_only_scalars_can_be_compared(self, make: Any, value: Any) -> None:
        with pytest.raises(TypeError, match="password: only scalars"):
            make(password=value)

    def test_an_operator_in_a_list_becomes_text(self) -> None:
        hostile: Any = [{"$gt": ""}]
        assert one_of("refName", hostile).match == {"refName": {"$in": ["{'$gt': ''}"]}}


def test_two_predicates_of_the_same_match_are_equal() -> None:
    assert equals(a=1) == Predicate({"a": 1})
    assert equals(a=1) != equals(a=2)
