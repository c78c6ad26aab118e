"""Which rules speak of a question, in which order, and what they hide."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.permissions import Question, Rule, RuleSet
from runtime.permissions.rule_set import KEPT_QUESTIONS
from runtime.principal import DomainScope
from tests.permissions.plainly import in_domain, matches
from tests.permissions.random_rules import random_question, random_rule

QUESTION = Question(
    user_id="Ann@Example.org",
    roles=frozenset({"user", "Nurse"}),
    area="logistics",
    domain="shipment",
    action="VIEW",
    realm="main",
    tenant_id="acme",
    org_ref_name="north",
    account_id="A-1",
    data_segment=12,
)


def differing(rule: Rule, question: Question) -> tuple[str, ...]:
    """The members of a rule that a question does not match, by name: why it does not apply."""
    return next(RuleSet([rule]).differing(question))


def applies(rule: Rule, question: Question = QUESTION) -> bool:
    return RuleSet([rule]).applicable(question).rules == (rule,)


@pytest.mark.parametrize(
    ("member", "pattern", "expected"),
    [
        pytest.param("identity", "ann@example.ORG", True, id="identity: the user id, without case"),
        pytest.param("identity", "nurse", True, id="identity: a role, without case"),
        pytest.param("identity", "USER", True, id="identity: another role"),
        pytest.param("identity", "*@example.org", True, id="identity: a pattern of the user id"),
        pytest.param("identity", "n?rse", True, id="identity: a pattern of a role"),
        pytest.param("identity", "admin", False, id="identity: neither"),
        pytest.param("identity", "use", False, id="identity: a part of a role"),
        pytest.param("identity", "user,Nurse", False, id="identity: not a list"),
        pytest.param("identity", "user:ann@example.ORG", True, id="identity: the user id and no role"),
        pytest.param("identity", "USER:*@example.org", True, id="identity: a pattern of user ids alone"),
        pytest.param("identity", "user:*", True, id="identity: any user id"),
        pytest.param("identity", "user:nurse", False, id="identity: a role is no user id"),
        pytest.param("identity", "user:", False, id="identity: no user id"),
        pytest.param("identity", "user*:*", False, id="identity: the prefix has no wildcards"),
        pytest.param("identity", "*ser:ann*", False, id="identity: the prefix is not part of the user id"),
        pytest.param("area", "LOGISTICS", True, id="area"),
        pytest.param("area", "l*", True, id="area: any run"),
        pytest.param("area", "logistics?", False, id="area: one character is not none"),
        pytest.param("area", "logistics*", True, id="area: any run may be empty"),
        pytest.param("area", "l.gistics", False, id="area: a dot is a dot"),
        pytest.param("domain", "Ship?ent", True, id="functional domain"),
        pytest.param("domain", "order", False, id="another functional domain"),
        pytest.param("action", "view", True, id="action"),
        pytest.param("action", "UPDATE", False, id="another action"),
        pytest.param("realm", "M??N", True, id="realm"),
        pytest.param("realm", "test-*", False, id="another realm"),
        pytest.param("account", "a-?", True, id="account"),
        pytest.param("account", "b-?", False, id="another account"),
        pytest.param("tenant", "Acme", True, id="tenant"),
        pytest.param("tenant", "acme2", False, id="another tenant"),
        pytest.param("segment", "12", True, id="segment, as text"),
        pytest.param("segment", "1?", True, id="a pattern of segments"),
        pytest.param("segment", "1", False, id="another segment"),
        pytest.param("owner", "ANN@*", True, id="owner: the user id"),
        pytest.param("owner", "nurse", False, id="owner: never a role"),
    ],
)
def test_each_member_is_compared(member: str, pattern: str, expected: bool) -> None:
    rule = replace(Rule("one"), **{member: pattern})
    assert applies(rule) is expected
    assert differing(rule, QUESTION) == (() if expected else (member,))


def test_a_user_id_that_looks_like_a_prefix_is_no_other_user() -> None:
    """Who takes the user id ``user:bob`` is not meant by rules about bob."""
    question = replace(QUESTION, user_id="user:bob")
    assert not applies(replace(Rule("one"), identity="user:bob"), question)
    assert applies(replace(Rule("one"), identity="user:user:bob"), question)


@pytest.mark.parametrize("member", ["account", "segment"])
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param("*", True, id="a star"),
        pytest.param("**", True, id="stars"),
        pytest.param("", False, id="the empty text"),
        pytest.param("?*", False, id="something"),
        pytest.param("None", False, id="its Python name"),
    ],
)
def test_only_a_star_matches_what_a_caller_lacks(member: str, pattern: str, expected: bool) -> None:
    without = replace(QUESTION, account_id=None, data_segment=None)
    assert applies(replace(Rule("one"), **{member: pattern}), without) is expected


def test_all_members_must_match() -> None:
    rule = Rule("one", identity="user", area="logistics", domain="shipment", action="view", tenant="acme")
    assert applies(rule)
    assert not applies(replace(rule, action="update"))
    assert not applies(replace(rule, tenant="other"))
    assert differing(replace(rule, action="update", tenant="x"), QUESTION) == ("action", "tenant")


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        pytest.param(DomainScope(), True, id="everybody"),
        pytest.param(DomainScope("acme"), True, id="the tenant"),
        pytest.param(DomainScope("ACME"), False, id="a tenant is spelt exactly"),
        pytest.param(DomainScope("acme", "north", "A-1", 12), True, id="all of it"),
        pytest.param(DomainScope("acme", "south"), False, id="another organisation"),
        pytest.param(DomainScope("acme", None, "A-2"), False, id="another account"),
        pytest.param(DomainScope("acme", None, None, 0), False, id="another segment"),
    ],
)
def test_a_rule_reaches_no_further_than_its_domain(scope: DomainScope, expected: bool) -> None:
    rule = Rule("one", holds_in=scope)
    assert applies(rule) is expected
    assert differing(rule, QUESTION) == (() if expected else ("holds_in",))


def test_a_rule_of_an_account_says_nothing_of_callers_without_one() -> None:
    without = replace(QUESTION, account_id=None)
    assert not applies(Rule("one", holds_in=DomainScope("acme", None, "A-1")), without)


def per_record(name: str, **members: Any) -> Rule:
    return Rule(name, filter="version:1", **members)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param([], "", id="none"),
        pytest.param(
            [per_record("a"), per_record("b"), per_record("c")], "cba", id="the last by name comes first"
        ),
        pytest.param(
            [per_record("a", priority=20), per_record("b", priority=-5), per_record("c")],
            "acb",
            id="priority before name",
        ),
        pytest.param(
            [per_record("Z"), per_record("a"), per_record("Ä")], "ÄaZ", id="names in plain string order"
        ),
        pytest.param(
            [per_record("a"), per_record("b", is_final=True), per_record("c", is_final=True)],
            "bca",
            id="finals first, the first of them first",
        ),
        pytest.param(
            [per_record("a"), Rule("b"), per_record("c")], "cb", id="nothing behind one that always holds"
        ),
        pytest.param(
            [per_record("a"), Rule("b", is_final=True), per_record("c", is_final=True)],
            "b",
            id="a final that always holds decides alone",
        ),
        pytest.param(
            [Rule("a", resource="X"), Rule("b", resource="*")], "b", id="a resource of * is every record"
        ),
        pytest.param([Rule("a", area="x"), per_record("b")], "b", id="what does not match is not there"),
    ],
)
def test_precedence(rules: list[Rule], expected: str) -> None:
    for order in (rules, rules[::-1]):
        found = RuleSet(order).applicable(QUESTION).rules
        assert "".join(rule.name for rule in found) == expected


def test_rules_of_one_name_are_walked_as_specifications_then_records_then_as_given() -> None:
    record = Rule("a", source="record", description="1")
    first, second = Rule("a", description="2"), Rule("a", description="3")
    assert RuleSet([record, first, second]).rules == (first, second, record)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param([Rule("a", hidden=frozenset({"x", "y.z"}))], {"x", "y.z"}, id="of an ALLOW"),
        pytest.param([Rule("a", allows=False, hidden=frozenset({"x"}))], set(), id="never of a DENY"),
        pytest.param(
            [per_record("a", hidden=frozenset({"x"})), per_record("b", hidden=frozenset({"y"}))],
            {"x", "y"},
            id="of all that may stand, whichever stands",
        ),
        pytest.param(
            [per_record("a", hidden=frozenset({"x"})), Rule("b")],
            set(),
            id="not of one that is always overwritten",
        ),
        pytest.param(
            [Rule("a", hidden=frozenset({"x"})), per_record("b", allows=False)], {"x"}, id="behind a DENY"
        ),
        pytest.param([Rule("a", area="no", hidden=frozenset({"x"}))], set(), id="not of others"),
    ],
)
def test_hidden_fields(rules: list[Rule], expected: set[str]) -> None:
    assert RuleSet(rules).applicable(QUESTION).hidden == expected


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_the_index_finds_what_a_look_at_each_rule_finds(seed: int) -> None:
    random = Random(seed)
    rules = [replace(random_rule(random), filter="x:1", name=f"{place:03}") for place in range(70)]
    rule_set = RuleSet(rules)
    for _ in range(3):
        question = random_question(random)
        expected = {rule for rule in rules if matches(rule, question) and in_domain(rule, question)}
        assert set(rule_set.applicable(question).rules) == expected
        assert {rule for rule in rules if not differing(rule, question)} == expected


def test_an_answer_is_remembered_and_the_memory_is_bounded() -> None:
    rules = RuleSet([per_record("a")])
    first = rules.applicable(QUESTION)
    assert rules.applicable(replace(QUESTION)) is first
    for number in range(KEPT_QUESTIONS):
        rules.applicable(replace(QUESTION, user_id=f"user-{number}"))
    assert rules.applicable(QUESTION) is not first
