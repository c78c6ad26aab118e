"""A variable that stands for the id of each record: what can be compared with it, in the store and in process."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from bson import ObjectId
from hypothesis import given
from hypothesis import strategies as st
from pymongo.collection import Collection

from runtime.errors import FilterSyntax, FilterType
from runtime.filter import NOTHING, OWN_ID, admits, compile_filter
from tests.filter.sample import OID, SHIPMENT

VARIABLES: dict[str, Any] = {"resourceId": OWN_ID, "principalId": "ann"}
AN_ID = ObjectId(OID)
TEXT = {"$toString": "$_id"}

Rows = Collection[dict[str, Any]]


def own(path: str, record_id: Any = "$_id") -> dict[str, Any]:
    return {"$expr": {"$eq": [f"${path}", record_id]}}


@pytest.mark.parametrize(
    ("text", "match"),
    [
        pytest.param("id:${resourceId}", own("_id"), id="the id"),
        pytest.param("owner:${resourceId}", own("owner"), id="an id of something else"),
        pytest.param("customer:${resourceId}", own("customer.entityId"), id="a reference"),
        pytest.param("customer.entityId:${resourceId}", own("customer.entityId"), id="the id in a reference"),
        pytest.param("name:${resourceId}", own("name", TEXT), id="a text"),
        pytest.param("address:{city:${resourceId}}", own("address.city", TEXT), id="inside an object"),
        pytest.param("labels.a:${resourceId}", own("labels.a", TEXT), id="in a map"),
        pytest.param("name:!${resourceId}", {"$nor": [own("name", TEXT)]}, id="not equal"),
        pytest.param("!!name:${resourceId}", {"$nor": [own("name", TEXT)]}, id="negated"),
        pytest.param("owner:^[${resourceId}]", {"$or": [own("owner")]}, id="alone in a list"),
        pytest.param(
            "name:^[${resourceId},${principalId}]",
            {"$or": [own("name", TEXT), {"name": {"$in": ["ann"]}}]},
            id="among others",
        ),
        pytest.param(
            "name:!^[x,${resourceId}]",
            {"$nor": [own("name", TEXT), {"name": {"$in": ["x"]}}]},
            id="not among them",
        ),
        pytest.param(
            "name:${resourceId} && owner:${resourceId}",
            {"$and": [own("name", TEXT), own("owner")]},
            id="twice",
        ),
    ],
)
def test_it_is_compared_inside_the_store(text: str, match: dict[str, Any]) -> None:
    assert compile_filter(text, SHIPMENT, VARIABLES).match == match
    assert compile_filter(text, SHIPMENT, VARIABLES, for_rule=True).match == match


@pytest.mark.parametrize(
    ("text", "column"),
    [
        pytest.param("carriers:${resourceId}", 10, id="references in a list"),
        pytest.param("lines.sku:${resourceId}", 11, id="through a list"),
        pytest.param("lines:{sku:${resourceId}}", 12, id="in an element"),
        pytest.param("tags:${resourceId}", 6, id="a list of texts"),
        pytest.param("tags:{value:${resourceId}}", 13, id="an element that is a text"),
        pytest.param("tags:^[a,${resourceId}]", 10, id="a list of texts, among others"),
        pytest.param("qty:${resourceId}", 5, id="a number"),
        pytest.param("status:${resourceId}", 8, id="an enumeration"),
        pytest.param("born:${resourceId}", 6, id="a date, which is kept as text"),
        pytest.param("meta.a:${resourceId}", 8, id="free form"),
        pytest.param("id:>${resourceId}", 5, id="an ordering"),
    ],
)
def test_what_cannot_hold_an_id_is_refused(text: str, column: int) -> None:
    for for_rule in (False, True):
        with pytest.raises(FilterType, match="the id of the record itself") as refused:
            compile_filter(text, SHIPMENT, VARIABLES, for_rule=for_rule)
        assert refused.value.details["column"] == column


def test_it_is_one_value() -> None:
    with pytest.raises(FilterType, match=r"is one value: write id:\$\{resourceId\}"):
        compile_filter("id:^${resourceId}", SHIPMENT, VARIABLES)


def test_edges_are_asked_for_by_a_known_id() -> None:
    with pytest.raises(FilterSyntax):
        compile_filter("hasEdge(owns, ${resourceId})", SHIPMENT, VARIABLES, edges=lambda *_asked: NOTHING)


FILTERS = (
    "id:${resourceId}", "owner:${resourceId}", "customer:!${resourceId}", "name:${resourceId}",
    "name:!^[x,${resourceId}] || address.city:${resourceId}", "!!(address:{city:${resourceId}}) && id:~",
)  # fmt: skip


def a_document(random: Random) -> dict[str, Any]:
    """Fields that hold an id, the own or another's, a text of it, a list of it where none belongs, or nothing."""
    record_id = random.choice([AN_ID, ObjectId()])

    def value() -> Any:
        one = random.choice([record_id, AN_ID])
        return random.choice(
            [one, str(one), [one], [str(one)], {"entityId": one, "city": str(one)}, None, "x", 5]
        )

    names = [name for name in ("owner", "customer", "name", "address") if random.random() < 0.8]
    return {"_id": record_id, **{name: value() for name in names}}


@given(seed=st.integers(0, 2**32))
def test_it_holds_for_what_the_store_finds(rows: Rows, seed: int) -> None:
    random = Random(seed)
    documents = {one["_id"]: one for one in (a_document(random) for _each in range(40))}
    rows.delete_many({})
    rows.insert_many(documents.values())
    for text in FILTERS:
        predicate = compile_filter(text, SHIPMENT, VARIABLES)
        found = {row["_id"] for row in rows.find(predicate.match, {"_id": 1})}
        admitted = {record_id for record_id, one in documents.items() if admits(predicate, one)}
        assert found == admitted, (text, [documents[one] for one in found ^ admitted])


@pytest.mark.parametrize(
    ("document", "text", "expected"),
    [
        pytest.param({"customer": {"entityId": AN_ID}}, "customer:${resourceId}", True, id="its own parent"),
        pytest.param({"customer": {"entityId": ObjectId()}}, "customer:${resourceId}", False, id="another's"),
        pytest.param({"name": OID}, "name:${resourceId}", True, id="as text"),
        pytest.param({"name": AN_ID}, "name:${resourceId}", False, id="an id is no text"),
        pytest.param({}, "name:${resourceId}", False, id="missing"),
        pytest.param({}, "name:!${resourceId}", True, id="missing does not equal"),
    ],
)
def test_one_document(document: dict[str, Any], text: str, expected: bool) -> None:
    assert admits(compile_filter(text, SHIPMENT, VARIABLES), {"_id": AN_ID, **document}) is expected
