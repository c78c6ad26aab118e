"""Who may do what: rules, the decision on a record, the scope of many. Pure."""

from runtime.permissions.decide import Decision, decide, holds_for
from runtime.permissions.explain import Explanation, Line, explain, on_all, undecided_over
from runtime.permissions.rule import Question, Rule
from runtime.permissions.rule_set import RuleSet
from runtime.permissions.scope import scope
from runtime.permissions.variables import Variables, check_stored_filter, variables_of

__all__ = [
    "Decision",
    "Explanation",
    "Line",
    "Question",
    "Rule",
    "RuleSet",
    "Variables",
    "check_stored_filter",
    "decide",
    "explain",
    "holds_for",
    "on_all",
    "scope",
    "undecided_over",
    "variables_of",
]
