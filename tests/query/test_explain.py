"""What an explanation of a plan says, to whom, and what it must not say."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from runtime.contract.pages import FindBody
from runtime.permissions import Rule
from runtime.query import describe_plan, explain_plan, plan_query
from runtime.system.models.query_plan import QueryPlan
from tests.query.stock import Stock
from tests.query.ward import GROUPS, LOGISTICS, Ward
from tests.query.wards import PATIENT

SHIPMENT = next(kind for kind in LOGISTICS if kind.name == "Shipment")


@pytest.fixture(scope="module", autouse=True)
def stock(ward: Ward) -> None:
    for kinds in GROUPS.values():
        made = Stock(Random(1), kinds)
        for kind in kinds:
            ward.store(kind, made.documents(kind))


def explained(
    ward: Ward, kind: Any, text: str, roles: tuple[str, ...] = ("admin",), **page: Any
) -> QueryPlan:
    async def run() -> QueryPlan:
        call = ward.call(roles=roles)
        return await explain_plan(call, plan_query(call, kind, text), FindBody(**page))

    return ward.run(run())


def test_a_description_asks_nothing(ward: Ward) -> None:
    text = "expand(visits[*].doctor.clinic) && expand(clinic) && name:Cy"
    plan = describe_plan(plan_query(ward.call(), PATIENT, text))
    assert (plan.mode, plan.expand_paths) == ("AGGREGATION", ["visits[*].doctor.clinic", "clinic"])
    assert plan.pipeline is plan.index is plan.cost is None
    plain = describe_plan(plan_query(ward.call(), PATIENT, "name:Cy"))
    assert (plain.mode, plain.expand_paths) == ("FILTER", [])


def test_the_queries_are_those_that_are_sent(ward: Ward) -> None:
    text = (
        "name:Cy && fields:[+name] && expand(visits[*].doctor, fields:[+name], grade:>1 && name:A*) "
        "&& expand(visits[*].doctor.clinic.head) && expand(teams)"
    )
    plan = explained(ward, PATIENT, text, limit=7, skip=2, sort="-name")
    assert plan.mode == "AGGREGATION"
    assert plan.pipeline == [
        {
            "find": "wards.Patient", "filter": "name:Cy", "sort": {"name": -1, "_id": -1}, "skip": 2, "limit": 7,
            "fields": ["+name"],
        },
        {
            "find": "wards.Doctor", "inPlaceOf": ["visits[*].doctor"], "filter": "grade:>1 && name:A*",
            "fields": ["+name", "+clinic"],
        },
        {"find": "wards.Clinic", "inPlaceOf": ["visits[*].doctor.clinic"]},
        {"find": "wards.Doctor", "inPlaceOf": ["visits[*].doctor.clinic.head"]},
        {"find": "wards.Doctor", "inPlaceOf": ["teams[*][*]"]},
    ]  # fmt: skip
    assert plan.cost is not None
    assert (plan.cost.commands, plan.cost.references) == (5, 10_000)


def test_the_cost_counts_what_the_caller_may_see(ward: Ward) -> None:
    number = ward.database[SHIPMENT.collection].count_documents({"dataDomain.tenantId": "acme"})
    plan = explained(ward, SHIPMENT, "", limit=2)
    assert plan.cost is not None
    assert (plan.cost.matched, plan.cost.rows, plan.cost.commands) == (number, min(2, number), 1)
    assert plan.cost.references is None
    behind = explained(ward, SHIPMENT, "", skip=1000)
    assert behind.cost is not None
    assert behind.cost.rows == 0


@pytest.mark.parametrize(
    ("text", "sort", "scans", "sorts"),
    [("status:BOOKED", "-departsAt", False, False), ("status:BOOKED", "notes", False, True)],
)
def test_administrators_see_the_index(ward: Ward, text: str, sort: str, scans: bool, sorts: bool) -> None:
    index = explained(ward, SHIPMENT, text, sort=sort).index
    assert index is not None
    assert (index.scans, index.sorts) == (scans, sorts)
    assert index.names


def test_without_an_index_all_records_are_read(ward: Ward) -> None:
    index = explained(ward, PATIENT, "name:Cy").index
    assert index is not None
    assert index.names == [] or "name" not in index.names[0]


def test_others_see_no_index_and_nobody_the_rules(ward: Ward) -> None:
    assert explained(ward, SHIPMENT, "", roles=("user",)).index is None
    assert explained(ward, SHIPMENT, "", roles=("user", "auditor")).index is None
    assert explained(ward, SHIPMENT, "", roles=("system",)).index is not None
    secret = Rule("secret", allows=False, domain="shipment", filter="notes:a-secret-of-the-rules")

    async def run() -> QueryPlan:
        call = ward.call(roles=("admin",), rules=(secret,))
        return await explain_plan(call, plan_query(call, SHIPMENT, "expand(customer)"), FindBody())

    told = ward.run(run()).model_dump_json()
    assert "secret" not in told
    assert "acme" not in told


@pytest.mark.parametrize("text", ["notes:{stage:COLLSCAN}", "notes:{stage:SORT && indexName:made_up}"])
def test_fields_are_not_taken_for_stages(ward: Ward, text: str) -> None:
    """The description of a query repeats its filter, with fields that are called as its own members are."""
    plan = explained(ward, PATIENT, text)
    assert plan.index is not None
    assert plan.index == (explained(ward, PATIENT, "notes:{n:1}")).index
