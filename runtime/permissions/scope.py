"""The decisions on all records of a type at once, as one predicate.

Identity: the rows it finds are exactly the records for which ``decide`` allows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.filter import EVERYTHING, NOTHING, Predicate, any_of, none_of
from runtime.model.record_type import RecordType
from runtime.permissions.record_match import Supply, record_match, supplier
from runtime.permissions.rule_set import Applicable

NESTED_TURNS: Final = 8
"""Each is two levels deep; with the deepest filter (64 operators) MongoDB accepts some 30 more."""


@dataclass(slots=True)
class _Turn:
    """Rules in precedence: some that deny, then some that allow what is left."""

    denied: list[Predicate] = field(default_factory=list)
    allowed: list[Predicate] = field(default_factory=list)


def scope(applicable: Applicable, kind: RecordType[Any], variables: Supply) -> Predicate:
    """Match the records that the rules allow: those of an ALLOW that no DENY before it applies to."""
    turns = _group_turns(applicable, kind, variables)
    ways: list[Predicate] = []
    denied: list[Predicate] = []
    for start in range(0, len(turns), NESTED_TURNS):
        few = turns[start : start + NESTED_TURNS]
        ways.append(none_of(denied) & _nest(few))
        denied += [match for turn in few for match in turn.denied]
    return any_of(ways)


def _group_turns(applicable: Applicable, kind: RecordType[Any], variables: Supply) -> list[_Turn]:
    """Group the rules up to the first that holds for every record; drop those that change no decision."""
    ask = supplier(variables)
    turns = [_Turn()]
    for rule in applicable.rules:
        match = record_match(rule, kind, ask)
        if match == NOTHING:
            continue
        if not rule.allows and turns[-1].allowed:
            turns.append(_Turn())
        (turns[-1].allowed if rule.allows else turns[-1].denied).append(match)
        if match == EVERYTHING:
            break
    return [turn for turn in turns if turn.allowed]


def _nest(turns: Sequence[_Turn]) -> Predicate:
    """Match what the first turn does not deny, and it or a later one allows."""
    allowed = NOTHING
    for turn in reversed(turns):
        allowed = none_of(turn.denied) & _either([*turn.allowed, allowed])
    return allowed


def _either(matches: Sequence[Predicate]) -> Predicate:
    if EVERYTHING in matches:
        return EVERYTHING
    return any_of([match for match in matches if match != NOTHING])
