"""Documents as rules: each member, its default, and what becomes of one that cannot be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bson.int64 import Int64

from runtime.access.stored_rules import LEAST_PRIORITY, MEMBERS, read_rule
from runtime.permissions import Question, Rule, RuleSet, decide
from runtime.principal import DomainScope
from tests.log_lines import capture_logs

pytestmark = pytest.mark.usefixtures("usual_logs")

DOMAIN = {"tenantId": "acme", "ownerId": "ann", "dataSegment": 0}
DOCUMENT: dict[str, Any] = {
    "_id": 1, "refName": "R-1", "name": "r", "securityURI": {"header": {}, "body": {}}, "effect": "ALLOW",
    "dataDomain": DOMAIN,
}  # fmt: skip
PLAIN = Rule("r", source="record", holds_in=DomainScope("acme"))


def header(**members: Any) -> dict[str, Any]:
    return {"securityURI": {"header": members}}


def body(**members: Any) -> dict[str, Any]:
    return {"securityURI": {"body": members}}


READABLE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "the least": ({}, {}),
    "description": ({"description": "Why."}, {"description": "Why."}),
    "denial": ({"effect": "DENY"}, {"allows": False}),
    "an effect of another case denies": ({"effect": "allow"}, {"allows": False}),
    "an unknown effect denies": ({"effect": "?"}, {"allows": False}),
    "priority": ({"priority": -900}, {"priority": -900}),
    "priority of 64 bits": ({"priority": Int64(7)}, {"priority": 7}),
    "priority 0 is not the default": ({"priority": 0}, {"priority": 0}),
    "priority null": ({"priority": None}, {}),
    "final": ({"finalRule": True}, {"is_final": True}),
    "filter": ({"filter": "a:1"}, {"filter": "a:1"}),
    "filter null": ({"filter": None}, {}),
    "hidden fields": ({"hiddenFields": ["a", "b.c"]}, {"hidden": frozenset({"a", "b.c"})}),
    "no header, no body": ({"securityURI": {}}, {}),
    "identity": (header(identity="clerk"), {"identity": "clerk"}),
    "area": (header(area="logistics"), {"area": "logistics"}),
    "functional domain": (header(functionalDomain="o*"), {"domain": "o*"}),
    "action": (header(action="VIEW"), {"action": "VIEW"}),
    "realm": (body(realm="main"), {"realm": "main"}),
    "account": (body(accountNumber="A1"), {"account": "A1"}),
    "tenant": (body(tenantId="acme"), {"tenant": "acme"}),
    "segment": (body(dataSegment="5"), {"segment": "5"}),
    "owner": (body(ownerId="ann"), {"owner": "ann"}),
    "resource": (body(resourceId="R-?"), {"resource": "R-?"}),
    "a pattern that is null": (header(identity=None), {}),
    "organisation": (
        {"dataDomain": DOMAIN | {"orgRefName": "north"}}, {"holds_in": DomainScope("acme", "north")},
    ),
    "the organisation of what all share": ({"dataDomain": DOMAIN | {"orgRefName": "*"}}, {}),
    "account of the domain": (
        {"dataDomain": DOMAIN | {"accountId": "A1"}}, {"holds_in": DomainScope("acme", None, "A1")},
    ),
    "segment of the domain": (
        {"dataDomain": DOMAIN | {"dataSegment": Int64(3)}}, {"holds_in": DomainScope("acme", None, None, 3)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("members", "expected"), READABLE.values(), ids=READABLE)
def test_a_member_is_read(members: dict[str, Any], expected: dict[str, Any]) -> None:
    with capture_logs() as logged:
        assert read_rule(DOCUMENT | members, "acme") == replace(PLAIN, **expected)
    assert logged == []


UNREADABLE: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"name": None}, "name"),
    "a name of another type": ({"name": 5}, "name"),
    "a description of another type": ({"description": 5}, "description"),
    "no effect": ({"effect": None}, "effect"),
    "an effect of another type": ({"effect": True}, "effect"),
    "a priority that is text": ({"priority": "10"}, "priority"),
    "a priority with a fraction": ({"priority": 1.5}, "priority"),
    "a priority that is true": ({"priority": True}, "priority"),
    "a priority before the built-in rules": ({"priority": LEAST_PRIORITY - 1}, "priority"),
    "final that is text": ({"finalRule": "true"}, "finalRule"),
    "final that is a number": ({"finalRule": 1}, "finalRule"),
    "a filter that is an object": ({"filter": {"$ne": 1}}, "filter"),
    "hidden fields that are text": ({"hiddenFields": "a"}, "hiddenFields"),
    "a hidden field that is a number": ({"hiddenFields": ["a", 1]}, "hiddenFields"),
    "no securityURI": ({"securityURI": None}, "securityURI"),
    "a securityURI that is text": ({"securityURI": "*"}, "securityURI"),
    "a header that is a list": ({"securityURI": {"header": []}}, "securityURI.header"),
    "a body that is text": ({"securityURI": {"body": "x"}}, "securityURI.body"),
    "a pattern that is a number": (header(action=1), "securityURI.header.action"),
    "a pattern that is empty": (body(ownerId=""), "securityURI.body.ownerId"),
    "no data domain": ({"dataDomain": None}, "dataDomain"),
    "an organisation that is a list": (
        {"dataDomain": DOMAIN | {"orgRefName": ["n"]}}, "dataDomain.orgRefName",
    ),
    "a data segment that is text": ({"dataDomain": DOMAIN | {"dataSegment": "0"}}, "dataDomain.dataSegment"),
}  # fmt: skip


@pytest.mark.parametrize(("members", "fault"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_denies_finally_and_is_logged(members: dict[str, Any], fault: str) -> None:
    with capture_logs() as logged:
        found = read_rule(DOCUMENT | {"finalRule": False} | members, "acme")
    assert (found.allows, found.is_final, found.is_per_record) == (False, True, False)
    assert -1000 < found.priority < LEAST_PRIORITY
    assert found.source == "record"
    assert (found.name, found.holds_in.tenant_id) == ("R-1", "acme")
    (line,) = logged
    assert (line["event"], line["log_level"], line["rule"]) == ("rules.unreadable", "error", "R-1")
    assert line["faults"] == [fault]


def test_it_denies_no_more_than_its_readable_patterns_match() -> None:
    uri = {"header": {"identity": "clerk", "area": 7, "action": "VIEW"}, "body": {"ownerId": "ann"}}
    domain = DOMAIN | {"orgRefName": "north", "dataSegment": "x"}
    changes = {"securityURI": uri, "priority": "x", "filter": "a:1", "dataDomain": domain}
    found = read_rule(DOCUMENT | changes, "acme")
    assert (found.identity, found.area, found.action, found.owner) == ("clerk", "*", "VIEW", "ann")
    assert found.filter is None
    assert found.holds_in == DomainScope("acme", "north")
    assert all(fault in found.description for fault in ("area", "dataSegment", "priority"))


def test_it_stands_against_every_rule_that_can_be_read() -> None:
    broken = read_rule(DOCUMENT | {"refName": "zzz", "effect": None}, "acme")
    first = read_rule(DOCUMENT | {"name": "", "finalRule": True, "priority": LEAST_PRIORITY}, "acme")
    question = Question("ann", frozenset({"admin"}), "a", "d", "VIEW", "main", "acme")
    assert decide(RuleSet((first,)), question, bool).allowed
    assert decide(RuleSet((first, broken)), question, bool).rule == broken


def test_a_document_without_a_name_of_any_kind_is_told_by_its_id() -> None:
    assert read_rule({"_id": 77}, "acme").name == "77"


def test_all_that_is_read_is_asked_for() -> None:
    """A member that is not asked for would be as good as absent."""
    read = [members for members, _expected in (*READABLE.values(), *UNREADABLE.values())]
    assert {member for members in read for member in members} | {"refName"} == set(MEMBERS)
