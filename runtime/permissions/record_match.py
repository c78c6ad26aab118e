"""The records a rule applies to: its filter and its resource, as one predicate.

A rule that cannot be decided fails closed: its ALLOW matches no record, its DENY every one. That is so for a
filter that no longer compiles for a type, since specifications change after rules are written, and for one
that names a variable which is unknown, empty or without a value.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, TypeAlias

from runtime.errors import RequestError
from runtime.filter import EVERYTHING, NOTHING, Predicate, Undecidable, compile_rule_filter, named
from runtime.filter.bindings import Variables
from runtime.model.record_type import RecordType
from runtime.permissions.rule import Rule

Supply: TypeAlias = Variables | Callable[[], Variables]
"""The values of variables, or how to get them: called once, and only when a rule names one."""


def supplier(variables: Supply) -> Callable[[], Variables]:
    """Return a function that gives the same values at each call."""
    return cache(variables) if callable(variables) else lambda: variables


def record_match(rule: Rule, kind: RecordType[Any], variables: Callable[[], Variables]) -> Predicate:
    """Match the records of a type that the rule applies to."""
    try:
        resource = named(rule.resource)
        return _compile_filter(rule, kind, variables) & resource
    except Undecidable:
        return NOTHING if rule.allows else resource
    except RequestError as error:
        _warn(rule.name, kind.name, error.message)
        return NOTHING if rule.allows else EVERYTHING


def undecided(rule: Rule, kind: RecordType[Any], variables: Callable[[], Variables]) -> str | None:
    """Return why the filter of a rule cannot be decided; None where it can."""
    try:
        _compile_filter(rule, kind, variables)
    except Undecidable as error:
        return str(error)
    except RequestError:
        return "the filter cannot be read"
    return None


def _compile_filter(rule: Rule, kind: RecordType[Any], variables: Callable[[], Variables]) -> Predicate:
    if rule.filter is None:
        return EVERYTHING
    return compile_rule_filter(rule.filter, kind, variables() if "${" in rule.filter else {})


@lru_cache(maxsize=1024)
def _warn(rule: str, kind: str, problem: str) -> None:
    """Log once for each rule and type, not at every decision."""
    from runtime.logs import log  # the generator, which reads rules too, need not load it

    log.warning("permissions.rule_unreadable", rule=rule, kind=kind, problem=problem)
