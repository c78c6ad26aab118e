"""The decision on one record, or on none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.filter import admits
from runtime.model.record_type import RecordType
from runtime.permissions.record_match import Supply, record_match, supplier
from runtime.permissions.rule import Question, Rule
from runtime.permissions.rule_set import RuleSet


@dataclass(frozen=True, slots=True)
class Decision:
    """``rule`` is the one that stood; None when nothing applied, which denies."""

    allowed: bool
    rule: Rule | None
    hidden: frozenset[str]


def decide(
    rules: RuleSet, question: Question, holds: Callable[[Rule], bool] = lambda rule: False
) -> Decision:
    """Decide by the first rule in precedence that applies.

    ``holds``: whether a rule with filter or resource applies to the record at hand (``holds_for``); none does
    where none is at hand.
    """
    applicable = rules.applicable(question)
    for rule in applicable.rules:
        if not rule.is_per_record or holds(rule):
            return Decision(rule.allows, rule, applicable.hidden)
    return Decision(False, None, applicable.hidden)


def holds_for(
    kind: RecordType[Any], document: Mapping[str, Any], variables: Supply
) -> Callable[[Rule], bool]:
    """Return whether rules apply to a stored record (wire names, ``_id``)."""
    ask = supplier(variables)
    return lambda rule: admits(record_match(rule, kind, ask), document)
