"""What the rules that every service starts with say: who, where, what; and that stored rules stand behind them."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId

from generated.record_types import CATALOG, CREDENTIAL
from generated.rules import RULES
from runtime.access.stored_rules import LEAST_PRIORITY
from runtime.permissions import Question, Rule, RuleSet, decide, holds_for
from runtime.storage.access import Action

BUILT_IN = RuleSet(RULES)
FOUR = tuple(str(action) for action in Action)

USER, ADMIN, SYSTEM = frozenset({"user"}), frozenset({"admin"}), frozenset({"system"})
CLERK, NOBODY = frozenset({"clerk"}), frozenset[str]()


def allowed(roles: frozenset[str], area: str, domain: str, action: str, rules: RuleSet = BUILT_IN) -> bool:
    question = Question("ann", roles, area, domain, action, "main", "acme")
    return decide(rules, question).allowed


CALLERS = {
    "nobody": NOBODY, "clerk": CLERK, "user": USER, "admin": ADMIN, "system": SYSTEM,
    "user, clerk": USER | CLERK, "user, admin": USER | ADMIN, "user, system": USER | SYSTEM,
}  # fmt: skip
EVERYBODY = set(CALLERS)
RULERS = {"admin", "system", "user, admin", "user, system"}
USERS = RULERS | {"user", "user, clerk"}


@pytest.mark.parametrize(
    ("area", "domain", "actions", "who"),
    [
        pytest.param("logistics", "shipment", FOUR, USERS, id="records"),
        pytest.param("logistics", "tracking", FOUR, USERS, id="endpoints"),
        pytest.param("logistics", "shipment", ("APPROVE",), RULERS, id="an action of an application"),
        pytest.param("security", "users", FOUR, RULERS, id="users"),
        pytest.param("security", "permissionRule", FOUR, RULERS, id="rules"),
        pytest.param("security", "credential", FOUR, RULERS, id="user records, none in particular"),
        pytest.param("SECURITY", "users", FOUR, RULERS, id="security in another case"),
        pytest.param("security", "self", (*FOUR, "APPROVE"), EVERYBODY, id="about oneself"),
        pytest.param("logistics", "self", FOUR, USERS, id="self of another area"),
    ],
)
def test_who_may(area: str, domain: str, actions: tuple[str, ...], who: set[str]) -> None:
    for action in actions:
        found = {name for name, roles in CALLERS.items() if allowed(roles, area, domain, action)}
        assert found == who, action


def document(user_id: str) -> dict[str, Any]:
    return {"_id": ObjectId(), "userId": user_id, "dataDomain": {"tenantId": "acme"}}


@pytest.mark.parametrize(
    ("roles", "action", "own", "other"),
    [
        pytest.param(USER, "VIEW", True, False, id="a user views its own"),
        pytest.param(USER, "UPDATE", False, False, id="a user changes none"),
        pytest.param(USER, "DELETE", False, False, id="a user removes none"),
        pytest.param(USER | ADMIN, "UPDATE", True, True, id="an administrator changes all"),
        pytest.param(CLERK, "VIEW", False, False, id="another role views none"),
    ],
)
def test_ones_own_user_record(roles: frozenset[str], action: str, own: bool, other: bool) -> None:
    question = Question("ann", roles, "security", "credential", action, "main", "acme")
    found = [
        decide(BUILT_IN, question, holds_for(CREDENTIAL, document(user), {"principalId": "ann"})).allowed
        for user in ("ann", "bob")
    ]
    assert found == [own, other]


def test_a_user_reaches_every_record_type_outside_of_security_and_none_inside() -> None:
    for kind in CATALOG:
        for action in FOUR:
            assert allowed(USER, kind.area, kind.domain, action) is (kind.area != "security"), kind.name


STORED = LEAST_PRIORITY


@pytest.mark.parametrize(
    ("rule", "roles", "expected"),
    [
        pytest.param(Rule("r", allows=False, priority=STORED), USER, False, id="takes from users"),
        pytest.param(Rule("r", allows=False, priority=STORED), ADMIN, False, id="takes from administrators"),
        pytest.param(Rule("r", priority=STORED, identity="clerk"), CLERK, True, id="gives to a role"),
        pytest.param(Rule("r", priority=STORED, identity="ann"), NOBODY, True, id="gives to a person"),
        pytest.param(
            Rule("a", allows=False, priority=STORED, is_final=True),
            SYSTEM,
            True,
            id="never takes from system",
        ),
    ],
)
def test_a_stored_rule_has_the_last_word_but_over_system(
    rule: Rule, roles: frozenset[str], expected: bool
) -> None:
    assert allowed(roles, "logistics", "shipment", "VIEW", RuleSet((*RULES, rule))) is expected
