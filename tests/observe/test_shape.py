"""The shape of store commands: fields and operators, never values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.record_types import CARRIER, ORDER
from runtime.model.record_type import RecordType
from runtime.observe.shape import describe_command

SECRET = "a-value-that-nobody-logs"
ID = {"_id": 1}

COMMANDS: list[tuple[RecordType[Any] | None, dict[str, Any], str]] = [
    (CARRIER, {"find": "carriers", "filter": {}}, "{}"),
    (CARRIER, {"find": "carriers", "filter": {"name": SECRET}}, "{name: ?}"),
    (CARRIER, {"find": "carriers", "filter": {"dataDomain.tenantId": SECRET, "mode": {"$in": [SECRET, SECRET]}}},
     "{dataDomain.tenantId: ?, mode: {$in: [?]}}"),
    (CARRIER, {"find": "carriers", "filter": {"$and": [{"name": SECRET}, {"name": "x"}, {"mode": {"$ne": SECRET}}]}},
     "{$and: [{name: ?}, {mode: {$ne: ?}}]}"),
    (CARRIER, {"find": "carriers", "filter": {"name": {"$not": {"$regex": SECRET, "$options": "i"}}}},
     "{name: {$not: {$regex: ?, $options: ?}}}"),
    (CARRIER, {"find": "carriers", "filter": {"name": {"$gte": SECRET, "$lt": SECRET}}, "sort": {"name": 1, "_id": -1}},
     "{name: {$gte: ?, $lt: ?}} sort {name: 1, _id: -1}"),
    (ORDER, {"find": "orders", "filter": {"items": {"$elemMatch": {"quantity": {"$gt": 3}, SECRET: 1}}}},
     "{items: {$elemMatch: {quantity: {$gt: ?}, *: ?}}}"),
    (CARRIER, {"find": "carriers", "filter": {SECRET: 1, f"name.{SECRET}": 2}}, "{*: ?, name.*: ?}"),
    (CARRIER, {"find": "carriers", "filter": {"name": {SECRET: SECRET}}}, "{name: ?}"),
    (CARRIER, {"find": "carriers", "filter": {"$expr": {"$eq": ["$name", SECRET]}}}, "{$expr: ?}"),
    (None, {"find": "elsewhere", "filter": {"_id": SECRET, SECRET: 1}}, "{_id: ?, *: ?}"),
    (CARRIER, {"aggregate": "carriers", "pipeline": [{"$match": {"name": SECRET}}, {"$sort": {"name": -1}},
                                                     {"$project": {SECRET: 1}}, {"$lookup": {"from": SECRET}}]},
     "[$match {name: ?}, $sort {name: -1}, $project, $lookup]"),
    (CARRIER, {"update": "carriers", "updates": [{"q": {"_id": 1}, "u": {"$set": {"name": SECRET}}},
                                                 {"q": {"_id": 2}, "u": [SECRET]}]}, "{_id: ?}"),
    (CARRIER, {"delete": "carriers", "deletes": [{"q": {"name": SECRET}, "limit": 1}]}, "{name: ?}"),
    (CARRIER, {"findAndModify": "carriers", "query": {"name": SECRET}, "update": {"$set": {"name": SECRET}}}, "{name: ?}"),
    (CARRIER, {"insert": "carriers", "documents": [{"name": SECRET}]}, ""),
    (None, {"getMore": 5, "collection": "carriers"}, ""),
    (None, {"commitTransaction": 1}, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "body", "shape"), COMMANDS, ids=[row[2] or next(iter(row[1])) for row in COMMANDS]
)
def test_shapes(kind: RecordType[Any] | None, body: dict[str, Any], shape: str) -> None:
    assert describe_command(body, kind) == shape


def test_a_long_shape_is_cut() -> None:
    match = {
        "$or": [{f"name.{number}": {"$exists": True}, "mode": {f"$op{number}": 1}} for number in range(100)]
    }
    assert len(describe_command({"find": "carriers", "filter": match}, CARRIER)) == 1001


TEXTS = st.text("αβγδε", min_size=1, max_size=20)
"""Of letters that no operator and no field has."""
VALUES = st.recursive(
    TEXTS | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["name", "mode", "dataDomain.tenantId", "$or", "$and", "$expr", "_id"]) | TEXTS
OPERATORS = st.sampled_from(["$in", "$elemMatch", "$not", "$regex", "$eq"])
CONDITIONS = VALUES | st.dictionaries(OPERATORS, VALUES, min_size=1, max_size=2)


@given(st.dictionaries(NAMES, CONDITIONS, max_size=4), st.sampled_from([CARRIER, None]))
def test_no_shape_has_a_value(match: dict[str, Any], kind: RecordType[Any] | None) -> None:
    for body in (
        {"find": "carriers", "filter": match},
        {"aggregate": "carriers", "pipeline": [{"$match": match}]},
    ):
        assert not set(describe_command(body, kind)) & set("αβγδε0123456789")


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3))
def test_what_callers_name_is_hidden_at_any_depth(match: dict[str, Any]) -> None:
    body = {"find": "carriers", "filter": {"$and": [match, {"name": {"$elemMatch": match}}]}}
    shape = describe_command(body, CARRIER)
    assert not any(name in shape for name in match)
