"""Which rules can decide one request together, and how many conditions they have."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from runtime.access.rule_load import count_conditions, is_within
from runtime.permissions import Rule


def rule(name: str, **members: Any) -> Rule:
    common = {"identity": "clerk", "area": "logistics", "action": "VIEW", "source": "record"}
    return Rule(**{"name": name, **common, **members})


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param({}, 5, id="for the same"),
        pytest.param({"area": "*", "action": "*", "identity": "*"}, 5, id="for all"),
        pytest.param({"identity": "user:ann"}, 5, id="for a user, who may have the role"),
        pytest.param({"action": "DELETE"}, 2, id="for another action"),
        pytest.param({"action": "V*"}, 5, id="for actions of which it is one"),
        pytest.param({"action": "D*"}, 2, id="for other actions"),
        pytest.param({"area": "fleet"}, 2, id="for another area"),
        pytest.param({"filter": None}, 2, id="without a filter"),
        pytest.param({"filter": None, "resource": "P-1"}, 3, id="of one record"),
    ],
)
def test_the_conditions_of_rules_that_can_apply_together(other: dict[str, Any], expected: int) -> None:
    ours = rule("ours", filter="weight:1||weight:2")
    theirs = rule("theirs", **{"filter": "weight:1||weight:2||weight:3"} | other)
    assert count_conditions(ours, [ours, theirs]) == expected


@pytest.mark.parametrize(
    ("identity", "expected"), [("user:bob", 2), ("user:b*", 2), ("user:a*", 5), ("user:ann", 5)]
)
def test_rules_of_different_users_do_not_add_up(identity: str, expected: int) -> None:
    ours = rule("ours", identity=identity, filter="weight:1||weight:2")
    theirs = rule("theirs", identity="user:ann", filter="weight:1||weight:2||weight:3")
    assert count_conditions(ours, [ours, theirs]) == expected


PATTERNS = [
    rule("any", identity=identity, action=action, filter="weight:1")
    for identity in ("*", "clerk", "user:*", "user:a*", "user:ann", "user:bob")
    for action in ("*", "V*", "VIEW", "view", "DELETE")
]


def test_what_is_within_a_rule_adds_up_with_nothing_more() -> None:
    pairs = [(one, other) for one, other in product(PATTERNS, PATTERNS) if is_within(one, other)]
    for one, other in pairs:
        near_one = [count_conditions(one, [third]) for third in PATTERNS]
        near_other = [count_conditions(other, [third]) for third in PATTERNS]
        assert all(map(int.__le__, near_one, near_other)), (one, other)
    assert len(pairs) > len(PATTERNS)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param({}, {}, True, id="the same"),
        pytest.param({"action": "VIEW"}, {"action": "*"}, True, id="an action of all"),
        pytest.param({"action": "*"}, {"action": "VIEW"}, False, id="all actions of one"),
        pytest.param(
            {"identity": "user:ann"}, {"identity": "clerk"}, True, id="a user, who may have the role"
        ),
        pytest.param({"identity": "clerk"}, {"identity": "user:ann"}, False, id="a role of a user"),
        pytest.param({"area": "fleet"}, {}, False, id="another area"),
    ],
)
def test_a_rule_within_another(one: dict[str, Any], other: dict[str, Any], expected: bool) -> None:
    assert is_within(rule("one", **one), rule("other", **other)) is expected
