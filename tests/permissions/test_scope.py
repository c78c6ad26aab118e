"""Rows that the scope finds = records for which the decision is ALLOW, on the real MongoDB."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from bson import ObjectId
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.collection import Collection

from runtime.filter import EVERYTHING, NOTHING, Predicate, compile_filter
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.record_type import RecordType
from runtime.permissions import Question, Rule, RuleSet, decide, holds_for, scope
from runtime.permissions.scope import NESTED_TURNS
from tests.filter.sample import OID, SHIPMENT
from tests.filter.test_against_plain import stored
from tests.filter.trees import NAMES, random_kind, random_record
from tests.log_lines import capture_logs
from tests.permissions.plainly import walk
from tests.permissions.random_rules import REF_NAMES, VARIABLES, WITHOUT_VALUE, random_question, random_rule
from tests.properties import examples

pytestmark = pytest.mark.usefixtures("usual_logs")

BATCHES, RULE_SETS, QUESTIONS, RECORDS = examples(11, nightly=500), 8, 3, 40  # 10,560 pairs in the suite

QUESTION = Question("ann", frozenset({"user"}), "logistics", "shipment", "VIEW", "main", "acme")

Rows = Collection[dict[str, Any]]


@pytest.fixture
def rows(mongo_client: MongoClient[dict[str, Any]], realm: str) -> Rows:
    return mongo_client[realm]["rows"]


def random_records(random: Random, kind: RecordType[Any]) -> Iterator[dict[str, Any]]:
    fields = {name: kind.fields[name] for name in NAMES}
    for _ in range(RECORDS):
        own = stored(random_record(random, fields), FieldType(ValueKind.OBJECT, fields))
        near = ObjectId(OID[:20] + f"{random.randrange(16**4):04x}")
        record_id = random.choice([near, ObjectId()])
        names = {"refName": random.choice([*REF_NAMES, str(record_id)]), "version": random.randrange(4)}
        yield {"_id": record_id, **names, **own}


@settings(max_examples=BATCHES)
@given(seed=st.integers(0, 2**32))
def test_a_list_shows_what_single_decisions_allow(
    mongo_client: MongoClient[dict[str, Any]], seed: int
) -> None:
    random = Random(seed)
    kind = random_kind(random)
    records = {record["_id"]: record for record in random_records(random, kind)}
    rows = mongo_client["permissions-test"][f"rows-{uuid4().hex[:8]}"]
    rows.insert_many(records.values())
    try:
        for _ in range(RULE_SETS):
            rules = [random_rule(random, kind) for _ in range(random.randrange(1, 20))]
            for _ in range(QUESTIONS):
                compare(rows, kind, records, rules, random_question(random))
    finally:
        rows.drop()


def compare(
    rows: Rows, kind: RecordType[Any], records: dict[Any, Any], rules: list[Rule], question: Question
) -> None:
    """Three tellings of one decision: the rows found, the engine on each record, the plain walk."""
    rule_set = RuleSet(rules)
    applicable = rule_set.applicable(question)
    predicate = scope(applicable, kind, VARIABLES)
    found = {row["_id"] for row in rows.find(predicate.match, {"_id": 1})}
    for record_id, record in records.items():
        holds = holds_for(kind, record, VARIABLES)
        decision = decide(rule_set, question, holds)
        assert (decision.allowed, decision.rule) == walk(rules, question, holds)
        assert decision.allowed == (record_id in found), (record, rules, predicate)
        assert decision.hidden == applicable.hidden
        for rule in rules:
            if rule.filter in WITHOUT_VALUE and rule.resource in ("*", "**"):
                assert holds(rule) is not rule.allows


def scope_of(*rules: Rule) -> Any:
    return scope(RuleSet(rules).applicable(QUESTION), SHIPMENT, VARIABLES)


PENDING = {"status": {"$eq": "PENDING"}}
FIVE = {"qty": {"$eq": 5}}


@pytest.mark.parametrize(
    ("rules", "match"),
    [
        pytest.param([], NOTHING.match, id="no rules"),
        pytest.param([Rule("a", allows=False)], NOTHING.match, id="only a DENY"),
        pytest.param([Rule("a"), Rule("b", allows=False)], NOTHING.match, id="an ALLOW, overwritten"),
        pytest.param([Rule("a")], {}, id="an ALLOW"),
        pytest.param([Rule("a", filter="qty:5"), Rule("b")], {}, id="an ALLOW before all others"),
        pytest.param([Rule("a", filter="qty:5")], FIVE, id="an ALLOW with a filter"),
        pytest.param(
            [Rule("a", filter="qty:5"), Rule("b", filter="status:PENDING")],
            {"$or": [PENDING, FIVE]},
            id="two of them",
        ),
        pytest.param(
            [Rule("a"), Rule("b", allows=False, filter="qty:5")], {"$nor": [FIVE]}, id="all but those denied"
        ),
        pytest.param(
            [Rule("a", filter="status:PENDING"), Rule("b", allows=False, filter="qty:5")],
            {"$and": [{"$nor": [FIVE]}, PENDING]},
            id="those allowed but those denied",
        ),
        pytest.param(
            [Rule("a"), Rule("b", allows=False, filter="status:PENDING"), Rule("c", filter="qty:5")],
            {"$or": [FIVE, {"$nor": [PENDING]}]},
            id="allowed again",
        ),
        pytest.param([Rule("a"), Rule("b", filter="qty:5")], {}, id="an ALLOW that adds nothing"),
        pytest.param(
            [Rule("a", filter="qty:5"), Rule("b", allows=False, filter="status:PENDING", priority=1)],
            FIVE,
            id="a DENY behind all that allows",
        ),
        pytest.param(
            [Rule("a", filter="qty:5"), Rule("b", filter="name:${none}"), Rule("c", filter="name:(")],
            FIVE,
            id="rules that speak of nothing",
        ),
        pytest.param(
            [Rule("a"), Rule("b", allows=False, filter="name:${none}")],
            NOTHING.match,
            id="a DENY that lacks a value",
        ),
        pytest.param(
            [Rule("a"), Rule("b", allows=False, filter="name:(")], NOTHING.match, id="a DENY nobody can read"
        ),
        pytest.param([Rule("a", resource="**")], {}, id="a resource of stars"),
    ],
)
def test_the_predicate_is_small(rules: list[Rule], match: dict[str, Any]) -> None:
    assert scope_of(*rules).match == match


def test_everything_is_one_value() -> None:
    assert scope_of(Rule("a")) is EVERYTHING


def alternating(number: int) -> list[Rule]:
    """Rules in turn: two allow the records from a number on, one denies the record of its number."""
    return [
        Rule(f"{place:04}", allows=place % 3 != 1, filter=f"version:{'' if place % 3 == 1 else '>='}{place}")
        for place in range(number)
    ]


@pytest.mark.parametrize("number", [1, 2, 3 * NESTED_TURNS + 2, 120, 1000])
def test_many_rules_in_turn(rows: Rows, number: int) -> None:
    rules = alternating(number)
    records = {place: {"_id": place, "refName": str(place), "version": place} for place in range(0, 130, 7)}
    rows.insert_many(records.values())
    compare(rows, SHIPMENT, records, rules, QUESTION)


def test_the_deepest_filters_nest_within_what_the_store_takes(rows: Rows) -> None:
    deep = "(version:<0 || refName:x && refName:x && " * 32 + "version:<0" + ")" * 32  # 64 operators
    compile_filter(f"version:0 || {deep}", SHIPMENT)
    rules = [
        Rule(f"{place:02}", allows=place % 2 == 0, filter=f"version:{place} || {deep}", resource="x")
        for place in range(60)
    ]
    rows.insert_many({"_id": place, "refName": "x", "version": place} for place in range(60))
    predicate = scope_of(*rules)
    for _ in range(4):  # the hard scope and a caller's filter stand around it
        predicate = Predicate({"$and": [{"refName": "x"}, predicate.match]})
    assert {row["_id"] for row in rows.find(predicate.match)} == set(range(0, 60, 2))


def test_a_rule_that_cannot_be_read_is_logged_once() -> None:
    name = f"broken-{uuid4().hex}"
    with capture_logs() as logs:
        for _ in range(3):
            scope_of(Rule(name, filter="nowhere:1"))
    assert [(entry["log_level"], entry["rule"], entry["kind"]) for entry in logs] == [
        ("warning", name, "Shipment")
    ]
