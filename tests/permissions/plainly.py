"""The decision as the rules tell it, word for word and slowly: walk, overwrite, end at a final rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from runtime.permissions import Question, Rule
from tests.filter.test_wildcard import plainly


def walk(
    rules: Iterable[Rule], question: Question, holds: Callable[[Rule], bool]
) -> tuple[bool, Rule | None]:
    """Whether it is allowed, and the rule that stood last."""
    allowed, stood = False, None
    for rule in sorted(rules, key=lambda rule: (rule.priority, rule.name, rule.source == "record")):
        speaks = matches(rule, question) and in_domain(rule, question)
        if not speaks or (rule.is_per_record and not holds(rule)):
            continue
        allowed, stood = rule.allows, rule
        if rule.is_final:
            break
    return allowed, stood


def matches(rule: Rule, question: Question) -> bool:
    segment = None if question.data_segment is None else str(question.data_segment)
    pairs = [
        *((rule.area, question.area), (rule.domain, question.domain), (rule.action, question.action)),
        *((rule.realm, question.realm), (rule.tenant, question.tenant_id), (rule.owner, question.user_id)),
        *((rule.account, question.account_id), (rule.segment, segment)),
    ]
    identity, names = rule.identity, [question.user_id, *question.roles]
    if identity.casefold().startswith("user:"):
        identity, names = identity[len("user:") :], [question.user_id]
    return all(like(*pair) for pair in pairs) and any(like(identity, name) for name in names)


def like(pattern: str, value: str | None) -> bool:
    return pattern == "*" or (value is not None and plainly(pattern.casefold(), value.casefold()))


def in_domain(rule: Rule, question: Question) -> bool:
    own = rule.holds_in
    pairs = [
        *((own.tenant_id, question.tenant_id), (own.org_ref_name, question.org_ref_name)),
        *((own.account_id, question.account_id), (own.data_segment, question.data_segment)),
    ]
    return all(wanted is None or wanted == given for wanted, given in pairs)
