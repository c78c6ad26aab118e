"""A match over renamed fields finds a record by its former names as it would by those of now, in MongoDB."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from bson import ObjectId
from pymongo.collection import Collection

from runtime.filter import OWN_ID, compile_filter, under_former_names
from runtime.filter.print import print_filter
from runtime.model.field_type import FieldType, ValueKind
from tests.filter.sample import OID, SHIPMENT
from tests.filter.test_against_plain import stored
from tests.filter.trees import NAMES, random_filter, random_kind, random_record

KINDS, RECORDS, FILTERS = 10, 20, 25

Rows = Collection[dict[str, Any]]


@pytest.fixture(autouse=True)
def remove_rows(rows: Rows) -> None:
    rows.delete_many({})


def found(rows: Rows, match: Mapping[str, Any]) -> set[Any]:
    return {row["_id"] for row in rows.find(match, {"_id": 1})}


@pytest.mark.parametrize("seed", range(KINDS))
def test_every_filter_finds_an_aged_record_as_before(rows: Rows, seed: int) -> None:
    """Half of the fields are renamed, and half of the records are stored under their former names."""
    random = Random(seed)
    kind = random_kind(random)
    fields = {name: kind.fields[name] for name in NAMES}
    renamed = {name: f"former{name}" for name in random.sample(sorted(fields), len(fields) // 2)}
    shape = FieldType(ValueKind.OBJECT, fields)
    rows.insert_many({"_id": at, **stored(random_record(random, fields), shape)} for at in range(RECORDS))
    texts = [print_filter(random_filter(random, kind)) for _ in range(FILTERS)]
    matches = [compile_filter(text, kind).match for text in texts]
    before = [found(rows, match) for match in matches]
    rows.update_many({"_id": {"$mod": [2, 0]}}, {"$rename": renamed})
    after = [found(rows, under_former_names(match, renamed)) for match in matches]
    assert [text for text, one, other in zip(texts, before, after, strict=True) if one != other] == []
    assert sum(map(bool, before)) > FILTERS // 5


@pytest.mark.parametrize(("operator", "expected"), [(":", {0, 1}), (":!", {2, 3})])
def test_a_records_own_id_is_compared_under_both_names(rows: Rows, operator: str, expected: set[int]) -> None:
    ids = [ObjectId() for _ in range(4)]
    names, values = ("address", "place") * 2, (ids[0], ids[1], "other", "other")
    rows.insert_many(
        {"_id": own, name: {"city": str(value)}} for own, name, value in zip(ids, names, values, strict=True)
    )
    match = compile_filter(f"address.city{operator}${{resourceId}}", SHIPMENT, {"resourceId": OWN_ID}).match
    assert found(rows, under_former_names(match, {"address": "place"})) == {ids[at] for at in expected}


def test_what_names_no_renamed_field_stays_as_it_is() -> None:
    match: dict[str, Any] = {"$and": [{"notes": OID}, {"$text": {"$search": "a"}}]}
    assert under_former_names(match, {}) is match
    assert under_former_names(match, {"other": "old"}) == match
    assert under_former_names({"notesOf": 1}, {"notes": "old"}) == {"notesOf": 1}
