"""Which rules can decide one request together, and how many conditions they have."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.access.rule_load import count_conditions
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
        pytest.param({"area": "fleet"}, 2, id="for another area"),
        pytest.param({"filter": None}, 2, id="without a filter"),
        pytest.param({"filter": None, "resource": "P-1"}, 3, id="of one record"),
    ],
)
def test_the_conditions_of_rules_that_can_apply_together(other: dict[str, Any], expected: int) -> None:
    ours = rule("ours", filter="weight:1||weight:2")
    theirs = rule("theirs", **{"filter": "weight:1||weight:2||weight:3"} | other)
    assert count_conditions(ours, [ours, theirs]) == expected


@pytest.mark.parametrize(("identity", "expected"), [("user:bob", 2), ("user:a*", 5), ("user:ann", 5)])
def test_rules_of_different_users_do_not_add_up(identity: str, expected: int) -> None:
    ours = rule("ours", identity=identity, filter="weight:1||weight:2")
    theirs = rule("theirs", identity="user:ann", filter="weight:1||weight:2||weight:3")
    assert count_conditions(ours, [ours, theirs]) == expected
