"""Changes of what is checked together with a withheld field: a table over one record type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from runtime.errors import Denied, ValidationFailed
from runtime.model.record import Record, RecordInput
from runtime.model.record_type import Constraint, Index, RecordType, Reference
from runtime.records.blind import (
    find_unasked,
    refuse_blind_change,
    refuse_blind_insert,
    refuse_blind_names,
)

STORED = {"low": 1, "high": 9, "code": "A", "land": "PT", "note": "x", "label": "A-1", "place": {"city": "B"}}


def kind(**facts: Any) -> RecordType[Record]:
    return RecordType(
        name="Span", area="a", domain="span", model=Record, input=RecordInput, collection="spans",
        base_path="/spans",
        indexes=(Index((("land", 1), ("code", 1)), unique=True), Index((("note", 1), ("low", 1)))),
        **{"constraints": (Constraint("low:<5 || high:>5", "no"),)} | facts,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("withheld", "changed", "path"),
    [
        pytest.param(set(), {"low": 2, "land": "ES"}, None, id="nothing is withheld"),
        pytest.param({"high"}, {"note": "y", "code": "B"}, None, id="a field that nothing else looks at"),
        pytest.param({"high"}, {"low": 2}, "low", id="a field of the same constraint"),
        pytest.param({"low"}, {"high": 2}, "high", id="the other way round"),
        pytest.param({"code"}, {"land": "ES"}, "land", id="a field of the same unique index"),
        pytest.param({"low"}, {"note": "y"}, None, id="a field of the same index that is not unique"),
        pytest.param({"note"}, {"low": 2, "high": 3}, None, id="a withheld field that nothing looks at"),
    ],
)
def test_what_cannot_change(withheld: set[str], changed: dict[str, Any], path: str | None) -> None:
    if path is None:
        refuse_blind_change(kind(), withheld, STORED, STORED | changed)
        return
    with pytest.raises(ValidationFailed) as caught:
        refuse_blind_change(kind(), withheld, STORED, STORED | changed)
    assert [one["path"] for one in caught.value.details["violations"]] == [path]
    assert withheld.isdisjoint(caught.value.message.replace(":", " ").split())


def test_sources_of_what_is_checked_count_too() -> None:
    made = kind(calculated={"code": "{label}{note}"})
    with pytest.raises(ValidationFailed, match="label"):
        refuse_blind_change(made, {"note", "code"}, STORED, STORED | {"label": "B"})
    expressed = kind(calculated={"high": "expression"})
    written = {"refName": "other", "version": 2, "auditInfo": {"lastUpdatedBy": "ann"}}
    with pytest.raises(ValidationFailed, match="cannot change") as caught:
        refuse_blind_change(expressed, {"note", "high"}, STORED, STORED | written)
    assert [one["path"] for one in caught.value.details["violations"]] == ["refName"], "what a caller sends"


def test_a_record_that_a_withheld_field_tells_apart_is_not_created() -> None:
    with pytest.raises(Denied, match="tells them apart"):
        refuse_blind_insert(kind(), {"code"}, STORED)
    refuse_blind_insert(kind(), {"code"}, {"land": "PT"})
    refuse_blind_insert(kind(), {"high", "note"}, STORED)


GUEST: RecordType[Record] = RecordType(
    name="Guest", area="a", domain="guest", model=Record, input=RecordInput, collection="guests",
    base_path="/guests", references=(Reference("host", "Guest"), Reference("friends[].who", "Guest")),
    constraints=(
        Constraint("host:~ || size:<5", "large ones have a host"),
        Constraint("host.entityDisplayName:!A* && friends.who.entityDisplayName:!A*", "not with A"),
    ),
)  # fmt: skip
NAMES = frozenset({"host.entityDisplayName", "friends.who.entityDisplayName"})
HOSTED = {"size": 3, "host": {"entityId": 1, "entityDisplayName": "B"}, "friends": [{"who": {"entityId": 2}}]}


@pytest.mark.parametrize(
    ("withheld", "changed", "path"),
    [
        pytest.param(NAMES, {"host": {"entityId": 3, "entityDisplayName": "B"}}, "host", id="a reference"),
        pytest.param(NAMES, {"friends": [{"who": {"entityId": 3}}]}, "friends", id="one of a list"),
        pytest.param(NAMES, {"host": {"entityId": 1, "entityDisplayName": "A"}}, None, id="its name alone"),
        pytest.param(NAMES, {"size": 4}, None, id="a field that is checked with the reference alone"),
        pytest.param(
            frozenset({"size"}), {"host": {"entityId": 3}}, "host", id="the other field is withheld"
        ),
        pytest.param(frozenset({"note"}), {"host": {"entityId": 3}}, None, id="nothing of it is withheld"),
    ],
)
def test_a_reference_whose_withheld_name_is_checked(
    withheld: frozenset[str], changed: dict[str, Any], path: str | None
) -> None:
    if path is None:
        refuse_blind_change(GUEST, withheld, HOSTED, HOSTED | changed)
        return
    with pytest.raises(ValidationFailed, match=f"{path}: cannot change"):
        refuse_blind_change(GUEST, withheld, HOSTED, HOSTED | changed)


def test_a_new_record_has_no_reference_whose_withheld_name_is_checked() -> None:
    with pytest.raises(ValidationFailed, match=r"^friends: cannot be set: .*; host: cannot be set"):
        refuse_blind_names(GUEST, NAMES, HOSTED)
    refuse_blind_names(GUEST, NAMES, {"size": 3, "friends": []})
    made = replace(GUEST, calculated={"size": "worked out"}, constraints=(Constraint("size:<5", "no"),))
    with pytest.raises(ValidationFailed, match="host: cannot be set"):
        refuse_blind_names(made, NAMES | {"size"}, HOSTED)
    refuse_blind_names(GUEST, frozenset({"size"}), HOSTED)


def test_constraints_are_left_out_where_a_withheld_field_alone_can_break_them() -> None:
    renamed = {"host": {"entityId": 1, "entityDisplayName": "A"}}
    assert find_unasked(GUEST, NAMES, HOSTED, HOSTED | renamed) == {GUEST.constraints[1]}
    assert find_unasked(GUEST, NAMES, HOSTED, HOSTED | {"host": {"entityId": 3}}) == frozenset()
    assert find_unasked(GUEST, frozenset({"size"}), HOSTED, HOSTED | {"note": "x"}) == {GUEST.constraints[0]}
    assert find_unasked(GUEST, frozenset(), HOSTED, HOSTED) == frozenset()
    expressed = kind(calculated={"note": "worked out"}, constraints=(Constraint("note:A || high:>5", "no"),))
    stamps = {"version": 2, "auditInfo": {"lastUpdatedBy": "ann"}}
    assert find_unasked(expressed, {"high", "note"}, STORED, STORED | stamps) == {*expressed.constraints}
    place = kind(constraints=(Constraint("place:null || place.zip:~", "no"),))
    without_place = {name: value for name, value in STORED.items() if name != "place"}
    assert find_unasked(place, {"place.zip"}, without_place, STORED) == frozenset(), "an object is added"
