"""Changes of what is checked together with a withheld field: a table over one record type."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.errors import Denied, ValidationFailed
from runtime.model.record import Record, RecordInput
from runtime.model.record_type import Constraint, Index, RecordType
from runtime.records.blind import refuse_blind_change, refuse_blind_insert

STORED = {"low": 1, "high": 9, "code": "A", "land": "PT", "note": "x", "label": "A-1", "place": {"city": "B"}}


def kind(**facts: Any) -> RecordType[Record]:
    return RecordType(
        name="Span", area="a", domain="span", model=Record, input=RecordInput, collection="spans",
        base_path="/spans", constraints=(Constraint("low:<5 || high:>5", "no"),),
        indexes=(Index((("land", 1), ("code", 1)), unique=True), Index((("note", 1), ("low", 1)))), **facts,
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
    with pytest.raises(ValidationFailed, match="cannot change"):
        refuse_blind_change(expressed, {"note", "high"}, STORED, STORED | {"refName": "other"})


def test_a_record_that_a_withheld_field_tells_apart_is_not_created() -> None:
    with pytest.raises(Denied, match="tells them apart"):
        refuse_blind_insert(kind(), {"code"}, STORED)
    refuse_blind_insert(kind(), {"code"}, {"land": "PT"})
    refuse_blind_insert(kind(), {"high", "note"}, STORED)
