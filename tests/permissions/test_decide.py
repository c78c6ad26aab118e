"""One decision: against a plain walk of the rules, and on records held in memory."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from bson import ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.filter import EVERYTHING, NOTHING
from runtime.permissions import Decision, Question, Rule, RuleSet, decide, holds_for, on_all, scope
from tests.filter.sample import OID, SHIPMENT
from tests.permissions.plainly import walk
from tests.permissions.random_rules import random_question, random_rule

QUESTION = Question("ann", frozenset({"user"}), "logistics", "shipment", "VIEW", "main", "acme")
RECORD = {"_id": ObjectId(OID), "refName": "ORD-7", "status": "PENDING", "qty": 5}
VARIABLES = {"principalId": "ann", "none": None, "blank": "", "nobody": ()}


@given(st.integers(0, 2**32))
def test_a_decision_is_that_of_the_walk(seed: int) -> None:
    random = Random(seed)
    rules = [random_rule(random) for _ in range(random.randrange(12))]
    rule_set, question = RuleSet(rules), random_question(random)
    for _ in range(8):
        speaking = {rule for rule in rules if random.random() < 0.5}
        found = decide(rule_set, question, speaking.__contains__)
        assert (found.allowed, found.rule) == walk(rules, question, speaking.__contains__)
        assert found.hidden == rule_set.applicable(question).hidden


def test_nothing_said_means_no() -> None:
    assert decide(RuleSet([]), QUESTION, lambda rule: True) == Decision(False, None, frozenset())


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param(Rule("a", filter="status:PENDING"), True, id="a filter that the record matches"),
        pytest.param(Rule("a", filter="status:SHIPPED"), False, id="a filter that it does not match"),
        pytest.param(Rule("a", filter="refName:${principalId}"), False, id="a variable"),
        pytest.param(Rule("a", filter="refName:!${principalId}"), True, id="a variable, negated"),
        pytest.param(Rule("a", filter="refName:!${none}"), False, id="a variable without a value"),
        pytest.param(Rule("a", filter="!!refName:${unheard}"), False, id="an unknown variable"),
        pytest.param(Rule("a", filter="refName:("), False, id="an ALLOW that cannot be read"),
        pytest.param(Rule("a", allows=False, filter="refName:("), True, id="a DENY that cannot be read"),
        pytest.param(Rule("a", filter="noField:1"), False, id="an ALLOW over an unknown field"),
        pytest.param(Rule("a", allows=False, filter="noField:1"), True, id="a DENY over an unknown field"),
        pytest.param(Rule("a", filter="apiToken:~"), False, id="an ALLOW over a hidden field"),
        pytest.param(Rule("a", filter='text("x")'), False, id="an ALLOW by text search"),
        pytest.param(Rule("a", filter=f"hasEdge(owns, {OID})"), False, id="an ALLOW by edges"),
        pytest.param(Rule("a", resource="ord-7"), True, id="its refName, without case"),
        pytest.param(Rule("a", resource="ord-*"), True, id="a pattern of its refName"),
        pytest.param(Rule("a", resource=OID.upper()), True, id="its id, without case"),
        pytest.param(Rule("a", resource="65F0*"), True, id="a pattern of its id"),
        pytest.param(Rule("a", resource="ord"), False, id="another resource"),
        pytest.param(Rule("a", resource="x" * 257), False, id="an ALLOW of too long a resource"),
        pytest.param(Rule("a", allows=False, resource="\ud800"), True, id="a DENY of no text"),
        pytest.param(Rule("a", resource="ord-7", filter="qty:5"), True, id="resource and filter"),
        pytest.param(Rule("a", resource="ord-7", filter="qty:6"), False, id="a resource, another filter"),
        pytest.param(Rule("a", resource="ord-8", filter="qty:5"), False, id="a filter, another resource"),
    ],
)
def test_whether_a_rule_speaks_of_a_record(rule: Rule, expected: bool) -> None:
    assert holds_for(SHIPMENT, RECORD, VARIABLES)(rule) is expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("refName:${none}", id="no value"),
        pytest.param("refName:${unheard}", id="unknown"),
        pytest.param("refName:${blank}", id="an empty text"),
        pytest.param("refName:!${none}", id="not equal"),
        pytest.param("!!refName:${none}", id="negated"),
        pytest.param("!!(!!refName:!${unheard})", id="negated twice"),
        pytest.param("refName:^[x,${none}]", id="in a list"),
        pytest.param("refName:!^[ORD-7,${blank}]", id="not in a list"),
        pytest.param("refName:^${nobody}", id="an empty list variable"),
        pytest.param("refName:!^${nobody}", id="not in an empty list variable"),
        pytest.param("refName:^${unheard}", id="an unknown list variable"),
        pytest.param("status:PENDING || refName:${none}", id="beside what matches"),
        pytest.param("status:SHIPPED && refName:${none}", id="beside what does not match"),
        pytest.param("qty:${principalId}", id="a value that the field cannot have"),
    ],
)
def test_a_rule_that_lacks_a_value_allows_nothing_and_denies_everything(text: str) -> None:
    holds = holds_for(SHIPMENT, RECORD, VARIABLES)
    over_all = on_all(SHIPMENT, VARIABLES)
    for allows in (True, False):
        rule = Rule("a", allows=allows, filter=text)
        assert holds(rule) is not allows
        assert over_all(rule) is not allows
        applicable = RuleSet([Rule("0"), rule]).applicable(QUESTION)
        assert scope(applicable, SHIPMENT, VARIABLES) == (EVERYTHING if allows else NOTHING)
    elsewhere = Rule("a", allows=False, filter=text, resource="ord-8")
    assert not holds(elsewhere), "the resource of the rule can still be decided"


def test_variables_are_asked_for_once_and_only_when_a_rule_names_one() -> None:
    asked: list[int] = []

    def variables() -> dict[str, Any]:
        asked.append(1)
        return VARIABLES

    holds = holds_for(SHIPMENT, RECORD, variables)
    assert holds(Rule("a", filter="qty:5"))
    assert not asked
    assert not holds(Rule("b", filter="refName:${principalId}"))
    assert not holds(Rule("c", filter="name:${principalId}"))
    assert asked == [1]


def test_the_rule_that_stood_is_told() -> None:
    deny = Rule("b", allows=False, filter="qty:5", hidden=frozenset({"name"}))
    allow = Rule("a", hidden=frozenset({"price"}))
    rules = RuleSet([deny, allow])
    assert decide(rules, QUESTION, holds_for(SHIPMENT, RECORD, {})) == Decision(False, deny, allow.hidden)
    other = {**RECORD, "qty": 6}
    assert decide(rules, QUESTION, holds_for(SHIPMENT, other, {})) == Decision(True, allow, allow.hidden)
