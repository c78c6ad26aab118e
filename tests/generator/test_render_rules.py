"""``rules.py``: the permission rules of the specifications as code, and what endpoints are called in rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generator.model import Model
from generator.render import render
from runtime import permissions


def rule(name: str, **said: Any) -> dict[str, Any]:
    """A rule as ``resolve`` makes it."""
    values = {
        "name": name, "effect": "ALLOW", "priority": 10, "finalRule": False, "hiddenFields": [], "enabled": True,
        "securityURI": {"header": {}, "body": {}},
    }  # fmt: skip
    return values | said


def text_of(model: Model, *rules: dict[str, Any]) -> str:
    """The module of a model with these rules."""
    return render(replace(model, rules=rules))["rules.py"]


def rules_of(model: Model, *rules: dict[str, Any]) -> tuple[permissions.Rule, ...]:
    """The rules as the service has them."""
    names: dict[str, Any] = {}
    exec(compile(text_of(model, *rules), "rules.py", "exec"), names)
    found: tuple[permissions.Rule, ...] = names["RULES"]
    return found


def test_rules_stand_in_the_order_they_are_walked_without_those_switched_off(bare: Model) -> None:
    disabled = rule("disabled", enabled=False)
    names = [rule(name) for name in ("z", "B", "a")]
    found = rules_of(bare, *names, rule("late", priority=11), disabled, rule("early", priority=-5))
    assert [one.name for one in found] == ["early", "B", "a", "z", "late"]


@pytest.mark.parametrize(
    ("said", "members"),
    [
        pytest.param({}, {}, id="nothing but a name"),
        pytest.param({"effect": "DENY"}, {"allows": False}, id="a denial"),
        pytest.param({"priority": -1003}, {"priority": -1003}, id="a priority"),
        pytest.param({"finalRule": True}, {"is_final": True}, id="final"),
        pytest.param({"filter": "a:1"}, {"filter": "a:1"}, id="a filter"),
        pytest.param({"hiddenFields": ["b", "a"]}, {"hidden": frozenset({"a", "b"})}, id="hidden fields"),
        pytest.param({"description": 'Why "so".'}, {"description": 'Why "so".'}, id="a description"),
        pytest.param(
            {"securityURI": {"header": {"area": "*"}, "body": {"realm": "*"}}},
            {},
            id="stars are as good as absent",
        ),
    ],
)
def test_a_member_becomes_an_argument(bare: Model, said: dict[str, Any], members: dict[str, Any]) -> None:
    (found,) = rules_of(bare, rule("r", **said))
    assert found == permissions.Rule("r", **members)


MEMBERS = {
    "header": {"identity": "identity", "area": "area", "functionalDomain": "domain", "action": "action"},
    "body": {
        "realm": "realm", "accountNumber": "account", "tenantId": "tenant", "dataSegment": "segment",
        "ownerId": "owner", "resourceId": "resource",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("half", "member", "name"),
    [(half, member, name) for half, members in MEMBERS.items() for member, name in members.items()],
)
def test_a_pattern_becomes_an_argument(bare: Model, half: str, member: str, name: str) -> None:
    uri: dict[str, Any] = {"header": {}, "body": {}}
    (found,) = rules_of(bare, rule("r", securityURI=uri | {half: {member: "x*"}}))
    patterns: dict[str, Any] = {name: "x*"}
    assert found == permissions.Rule("r", **patterns)


def test_only_what_differs_from_the_defaults_is_written(bare: Model) -> None:
    text = text_of(bare, rule("r", description="Why.", hiddenFields=["b", "a"]))
    assert 'Rule(name="r", description="Why.", hidden=frozenset({"a", "b"})),' in text


def test_rules_may_name_what_endpoints_are_called(sample_model: Model) -> None:
    text = render(sample_model)["rules.py"]
    assert '("shop", "greet", "CREATE"): ' in text
    assert '("goods-in", "stocktaking", "UPDATE"): ' in text


def test_without_rules_and_endpoints_there_are_none(bare: Model) -> None:
    text = text_of(bare)
    assert "RULES: tuple[Rule, ...] = ()" in text
    assert "SUBJECTS: dict[tuple[str, str, str], tuple[tuple[str, ...] | None, ...]] = {}" in text


@pytest.fixture(scope="module")
def bare(sample_model: Model) -> Model:
    """A model of nothing, so that rendering is quick."""
    parts = "records", "graphs", "structures", "endpoints", "tools", "seeds", "import_profiles", "predicates"
    empty: dict[str, Any] = dict.fromkeys(parts, ())
    return replace(sample_model, **empty)
