"""How many conditions the filters of rules have that can apply to one request.

Each list and each write is decided by all of them: 2,000 take the process some 80 ms, and MongoDB more, and
hold up the requests of other tenants as well.
"""

from collections.abc import Iterable

from runtime.filter import count_parts
from runtime.permissions import Rule
from runtime.permissions.pattern import has_wildcards, matches_name
from runtime.permissions.rule import user_pattern


def count_conditions(rule: Rule, stored: Iterable[Rule]) -> int:
    """Count the conditions of the stored rules, of which it is one, that can apply to one request with it."""
    return sum(weigh(other) for other in stored if other.is_per_record and _is_near(other, rule))


def weigh(rule: Rule) -> int:
    """Count the conditions of one rule: none for one that does not look at records."""
    if not rule.is_per_record:
        return 0
    return 1 if rule.filter is None else count_parts(rule.filter)


def is_within(rule: Rule, other: Rule) -> bool:
    """Return whether no rule is near to the first that is not near to the other as well."""
    is_narrower = all(map(_is_part, _list_names(rule), _list_names(other)))
    return is_narrower and _has_users_of(rule.identity, other.identity)


def _list_names(rule: Rule) -> tuple[str, str, str]:
    return rule.area, rule.domain, rule.action


def _is_part(pattern: str, whole: str) -> bool:
    return pattern == whole or whole == "*" or (not has_wildcards(pattern) and matches_name(whole, pattern))


def _has_users_of(identity: str, whole: str) -> bool:
    users, all_users = user_pattern(identity), user_pattern(whole)
    return all_users is None or (users is not None and _is_part(users, all_users))


def _is_near(rule: Rule, other: Rule) -> bool:
    can_meet = all(map(_can_meet, _list_names(rule), _list_names(other)))
    return can_meet and _can_be_one(rule.identity, other.identity)


def _can_be_one(identity: str, other: str) -> bool:
    """Whether one caller can fit both: a user may have any roles."""
    users = user_pattern(identity), user_pattern(other)
    return users[0] is None or users[1] is None or _can_meet(users[0], users[1])


def _can_meet(pattern: str, other: str) -> bool:
    if has_wildcards(pattern):
        return has_wildcards(other) or matches_name(pattern, other)
    return matches_name(other, pattern)
