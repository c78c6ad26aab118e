"""How many conditions the filters of rules have that can apply to one request.

Each list and each write is decided by all of them: 2,000 take the process some 80 ms, and MongoDB more, and
hold up the requests of other tenants as well.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from runtime.filter import count_parts
from runtime.permissions import Rule
from runtime.permissions.pattern import Wildcard, has_wildcards
from runtime.permissions.rule import user_pattern

MOST_CONDITIONS: Final = 2000
"""Conditions and groups in the filters of stored rules that can apply to one request."""


class Reach(NamedTuple):
    """What a rule is about: patterns as in the header of a rule."""

    identity: str
    area: str
    domain: str
    action: str


def count_conditions(reach: Reach, text: str | None, name: str, rules: Iterable[Rule]) -> int:
    """Count the conditions of a rule that is to be saved and of the stored rules that can apply with it.

    ``name``: of that rule; the stored rule that it may replace, the largest of that name, does not count.
    """
    near = [(rule, _weigh(rule.filter)) for rule in rules if _is_near(rule, reach)]
    replaced = max((weight for rule, weight in near if rule.name == name), default=0)
    return _weigh(text) + sum(weight for _rule, weight in near) - replaced


def _weigh(text: str | None) -> int:
    return 1 if text is None else count_parts(text)


def _is_near(rule: Rule, reach: Reach) -> bool:
    return (
        rule.source == "record"
        and rule.is_per_record
        and _can_meet(rule.area, reach.area)
        and _can_meet(rule.domain, reach.domain)
        and _can_meet(rule.action, reach.action)
        and _can_be_one(rule.identity, reach.identity)
    )


def _can_be_one(identity: str, other: str) -> bool:
    """Whether one caller can fit both: a user may have any roles."""
    users = user_pattern(identity), user_pattern(other)
    return users[0] is None or users[1] is None or _can_meet(users[0], users[1])


def _can_meet(pattern: str, other: str) -> bool:
    if has_wildcards(pattern):
        return has_wildcards(other) or Wildcard(pattern).matches(other.casefold())
    return Wildcard(other).matches(pattern.casefold())
