"""Random rules and questions that often meet: values come from few."""

from __future__ import annotations

from random import Random
from typing import Any

from runtime.filter import OWN_ID
from runtime.filter.print import print_filter
from runtime.model.record_type import RecordType
from runtime.permissions import Question, Rule
from runtime.principal import DomainScope
from tests.filter.trees import random_filter

ROLES = ["user", "admin", "auditor", "Ärztin"]
IDENTITIES = [
    *("*", "*", "*", "*", "user", "USER", "admin", "u*", "a?dit*", "ann", "A*n", "ärzt??", "nobody"),
    *("user:ann", "User:A*", "user:user", "user:*", "*ser:*"),
]
REF_NAMES = ["ORD-1", "ord-2", "ORD-10", "Straße", "İstanbul", "ﬁn", "a.b", "65f0c0ffee00c0ffee00c0de", "abc"]
RESOURCES = [
    *("*", "**", "ord-1", "ORD-?", "ord-*", "*1*", "STRASSE", "straße", "STRAẞE", "istanbul", "a.B", "a?b"),
    *("65F0C0FFEE00C0FFEE00C0DE", "65f0*", "*c0d?", "*C0FF*00*", "?" * 24, "?" * 23, "a*", "*", "x" * 300),
]
VARIABLES = {
    "principalId": "ORD-1", "roles": ("ORD-1", "abc"), "resourceId": OWN_ID,
    "pAccountId": None, "pTenantId": "", "groups": (),
}  # fmt: skip
WITHOUT_VALUE = [
    *("refName:!${pAccountId}", "!!refName:${unheard}", "refName:^[abc,${pTenantId}]", "refName:!^${groups}"),
    *("refName:^${unheard}", "version:>0 || !!(!!refName:!${pTenantId})", "version:${principalId}"),
]
"""Filters that cannot be decided: an ALLOW matches nothing then, a DENY everything."""

OWN_FILTERS = [
    *("refName:${principalId}", "refName:^${roles}", *WITHOUT_VALUE),
    *(
        "refName:${resourceId}",
        "refName:!^[${resourceId},abc]",
        "!!id:${resourceId}",
        "version:${resourceId}",
    ),
    *("nowhere:1", "refName:(", "refName:ORD*~ci", "version:>1 || displayName:null"),
]


def random_rule(random: Random, kind: RecordType[Any] | None = None) -> Rule:
    """A rule; without a record type its filter is a text nobody compiles."""
    return Rule(
        name=random.choice("abcd"),
        allows=random.random() < 0.6,
        priority=random.choice([-5, 0, 10, 10, 20]),
        is_final=random.random() < 0.25,
        identity=random.choice(IDENTITIES),
        area=_mostly_any(random, "Logistics", "l*s", "billing"),
        domain=_mostly_any(random, "shipment", "ship?ent", "order"),
        action=_mostly_any(random, "view", "V*", "UPDATE"),
        account=_mostly_any(random, "a*", "a1"),
        segment=_mostly_any(random, "?", "7"),
        resource=random.choice(RESOURCES) if random.random() < 0.3 else "*",
        filter=_filter(random, kind) if random.random() < 0.75 else None,
        hidden=frozenset(random.sample(["one", "two", "three"], random.choice([0, 0, 1, 2]))),
        source=random.choice(["specification", "record"]),
        holds_in=DomainScope(random.choice([None] * 9 + ["t1", "t2"]), random.choice([None] * 9 + ["org"])),
    )


def _mostly_any(random: Random, *patterns: str) -> str:
    return random.choice(patterns) if random.random() < 0.15 else "*"


def _filter(random: Random, kind: RecordType[Any] | None) -> str:
    if kind is None or random.random() < 0.2:
        return random.choice(OWN_FILTERS)
    return print_filter(random_filter(random, kind, depth=2))


def random_question(random: Random) -> Question:
    """A question of somebody with up to three roles."""
    return Question(
        user_id=random.choice(["ann", "bob", "Adrian"]),
        roles=frozenset(random.sample(ROLES, random.randrange(4))),
        area="logistics",
        domain=random.choice(["shipment", "SHIPMENT"]),
        action=random.choice(["VIEW", "UPDATE"]),
        realm="main",
        tenant_id=random.choice(["t1", "t2"]),
        org_ref_name=random.choice([None, "org", "ORG"]),
        account_id=random.choice([None, "a1"]),
        data_segment=random.choice([None, 7, 12]),
    )
