"""Explanations: they can be replayed to the very decision, and say of each rule why it spoke or not."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from bson import ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.filter import NOTHING
from runtime.model.field_type import FieldType, ValueKind
from runtime.permissions import (
    Explanation,
    Question,
    Rule,
    RuleSet,
    decide,
    explain,
    holds_for,
    on_all,
    scope,
    undecided_over,
)
from runtime.principal import DomainScope
from tests.filter.sample import SHIPMENT
from tests.filter.test_against_plain import stored
from tests.filter.trees import random_kind, random_record
from tests.permissions.random_rules import REF_NAMES, VARIABLES, random_question, random_rule

QUESTION = Question("ada@acme", frozenset({"user", "clerk"}), "logistics", "shipment", "VIEW", "main", "acme")
ALLOW = Rule("b allow", identity="clerk")
DENY = Rule("c deny", allows=False, identity="user")


def replayed(told: Explanation) -> tuple[bool, Rule | None]:
    """The lines taken literally: what applies overwrites, a final rule ends the walk."""
    allowed, stood = False, None
    for line in told.lines:
        if line.speaks:
            allowed, stood = line.rule.allows, line.rule
            if line.rule.is_final:
                break
    return allowed, stood


def replayed_over_all(told: Explanation) -> set[bool]:
    """The decisions that records may meet, where some lines speak of some records."""
    standing, ended = {False}, set()
    for line in told.lines:
        if line.speaks is None:
            (ended if line.rule.is_final else standing).add(line.rule.allows)
        elif line.speaks:
            standing = {line.rule.allows}
            if line.rule.is_final:
                break
    return standing | ended


@given(st.integers(0, 2**32))
def test_an_explanation_replays_to_the_decision(seed: int) -> None:
    random = Random(seed)
    rules = RuleSet([random_rule(random) for _ in range(random.randrange(12))])
    question = random_question(random)
    speaking = {rule for rule in rules.rules if random.random() < 0.5}
    for holds in (speaking.__contains__, None):
        told = explain(rules, question, holds)
        decision = decide(rules, question, holds or (lambda rule: False))
        assert (told.allowed, told.rule, told.hidden) == (decision.allowed, decision.rule, decision.hidden)
        assert replayed(told) == (decision.allowed, decision.rule)
        assert not told.turns
        assert [line.rule for line in told.lines] == list(rules.rules)
        assert [line.rule for line in told.lines if line.decided] == ([told.rule] if told.rule else [])
        assert all(bool(line.why) is (line.speaks is False) for line in told.lines)


@pytest.mark.parametrize("is_about_a_record", [True, False])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("refName:!${pAccountId}", "${pAccountId} has no value"),
        ("!!refName:${unheard}", "${unheard} has no value"),
        ("refName:!^${groups}", "${groups} has no value"),
        ("version:${principalId}", "${principalId} is not a value of version"),
        ("refName:(", "the filter cannot be read"),
    ],
)
def test_a_rule_that_lacks_a_value_says_which(text: str, reason: str, is_about_a_record: bool) -> None:
    record = {"_id": ObjectId(), "refName": "ORD-1", "version": 1}
    holds = holds_for(SHIPMENT, record, VARIABLES) if is_about_a_record else on_all(SHIPMENT, VARIABLES)
    rules = RuleSet([Rule("a"), Rule("b", filter=text), Rule("c", allows=False, filter=text)])
    told = explain(rules, QUESTION, holds, undecided_over(SHIPMENT, VARIABLES))
    assert not told.allowed
    assert [(line.speaks, line.why) for line in told.lines] == [
        (True, ()),
        (False, (f"filter: {reason}, so this ALLOW matches no record",)),
        (True, (f"filter: {reason}, so this DENY matches every record",)),
    ]


@given(st.integers(0, 2**32))
def test_over_all_records_it_is_the_scope(seed: int) -> None:
    random = Random(seed)
    kind = random_kind(random)
    rules = RuleSet([random_rule(random, kind) for _ in range(random.randrange(12))])
    question = random_question(random)
    told = explain(rules, question, on_all(kind, VARIABLES))
    rows = scope(rules.applicable(question), kind, VARIABLES)
    assert told.allowed is (rows != NOTHING)
    assert told.allowed is (True in replayed_over_all(told))
    if told.turns:
        assert told.rule is None
        record = stored(random_record(random, kind.fields), FieldType(ValueKind.OBJECT, kind.fields))
        holds = holds_for(kind, {**record, "_id": ObjectId(), "refName": random.choice(REF_NAMES)}, VARIABLES)
        first = next((rule for rule in told.turns if not rule.is_per_record or holds(rule)), None)
        assert first == decide(rules, question, holds).rule


def why(rule: Rule, question: Question = QUESTION, holds: bool | None = False) -> tuple[str, ...]:
    return explain(RuleSet([rule]), question, lambda _rule: holds).lines[0].why


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param(
            Rule("a", identity="admin"),
            'identity: "admin" is not one of ada@acme, clerk, user',
            id="identity",
        ),
        pytest.param(Rule("a", identity="user:bob"), 'identity: "user:bob" is not ada@acme', id="user id"),
        pytest.param(Rule("a", area="billing"), 'area: "billing" is not logistics', id="area"),
        pytest.param(Rule("a", domain="or*"), 'functionalDomain: "or*" is not shipment', id="domain"),
        pytest.param(Rule("a", action="UPDATE"), 'action: "UPDATE" is not VIEW', id="action"),
        pytest.param(Rule("a", realm="emea"), 'realm: "emea" is not main', id="realm"),
        pytest.param(Rule("a", tenant="globex"), 'tenantId: "globex" is not acme', id="tenant"),
        pytest.param(Rule("a", owner="bob"), 'ownerId: "bob" is not ada@acme', id="owner"),
        pytest.param(
            Rule("a", account="7"),
            'accountNumber: "7", and the caller has none',
            id="account",
        ),
        pytest.param(Rule("a", segment="7"), 'dataSegment: "7", and the caller has none', id="segment"),
        pytest.param(
            Rule("a", holds_in=DomainScope("acme", "north")),
            "dataDomain: it applies only to callers in tenantId acme, orgRefName north",
            id="its data domain",
        ),
        pytest.param(Rule("a", filter="qty:6"), "filter: it does not match", id="filter"),
        pytest.param(
            Rule("a", resource="ord-8"), 'resourceId: "ord-8" is not its id or refName', id="resource"
        ),
        pytest.param(
            Rule("a", resource="o", filter="qty:6"),
            'filter: it does not match or resourceId: "o" is not its id or refName',
            id="one of both",
        ),
    ],
)
def test_a_rule_that_says_nothing_tells_why(rule: Rule, expected: str) -> None:
    assert why(rule) == (expected,)


def test_every_member_that_differs_is_told() -> None:
    assert len(why(Rule("a", identity="admin", area="billing", action="DELETE"))) == 3


def test_a_segment_is_compared_as_text() -> None:
    assert why(Rule("a", segment="7"), replace(QUESTION, data_segment=12)) == ('dataSegment: "7" is not 12',)


def test_without_a_record_rules_about_records_say_nothing() -> None:
    told = explain(RuleSet([Rule("a", filter="qty:5")]), QUESTION, None)
    assert not told.allowed
    assert told.lines[0].why == ("it applies to certain records, and the question names no record",)


def test_what_stands_behind_a_final_rule_does_not_apply() -> None:
    final = Rule("a", is_final=True)
    told = explain(RuleSet([final, ALLOW, DENY]), QUESTION, None)
    assert [(line.speaks, line.applied, line.decided) for line in told.lines] == [
        (True, True, True),
        (True, False, False),
        (True, False, False),
    ]


def test_the_last_word_decides() -> None:
    told = explain(RuleSet([DENY, ALLOW]), QUESTION, None)
    assert (told.allowed, told.rule) == (False, DENY)
    assert [line.decided for line in told.lines] == [False, True]


def test_nothing_said_means_no() -> None:
    told = explain(RuleSet([Rule("a", identity="admin")]), QUESTION, None)
    assert (told.allowed, told.rule, told.turns) == (False, None, ())


def test_over_all_records_the_turns_are_told_in_order_of_precedence() -> None:
    own = Rule("d own", filter="refName:ORD-1")
    closed = Rule("a closed", allows=False, is_final=True, filter="status:SHIPPED")
    shadowed = Rule("a shadowed", filter="qty:1")
    told = explain(RuleSet([ALLOW, DENY, own, closed, shadowed]), QUESTION, on_all(SHIPMENT, VARIABLES))
    assert told.turns == (closed, own, DENY)
    assert (told.allowed, told.rule) == (True, None)
    assert [line.speaks for line in told.lines] == [None, None, True, True, None]


def test_over_all_records_one_rule_may_still_decide() -> None:
    told = explain(RuleSet([Rule("a", filter="qty:1"), ALLOW]), QUESTION, on_all(SHIPMENT, VARIABLES))
    assert (told.allowed, told.rule, told.turns) == (True, ALLOW, ())
