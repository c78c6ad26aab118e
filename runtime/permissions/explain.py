"""Why a question is decided as it is: every rule in evaluation order, and what it did. Pure.

An explanation can be replayed: overwrite with each rule that applies, end at a final one, and there is the
decision of ``decide``. Over all records of a type (``Holds`` answers None) some rules apply to some
records; then ``turns`` says which of them decides on a record.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from runtime.filter import EVERYTHING, NOTHING
from runtime.model.record_type import RecordType
from runtime.permissions.record_match import Supply, record_match, supplier, undecided
from runtime.permissions.rule import BODY_PATTERNS, HEADER_PATTERNS, Question, Rule, user_pattern
from runtime.permissions.rule_set import MEMBERS, RuleSet

Holds: TypeAlias = Callable[[Rule], bool | None]
"""Whether a rule with filter or resource applies to the record at hand; None: to some records of a type."""

Undecided: TypeAlias = Callable[[Rule], str | None]
"""Why the filter of a rule cannot be decided for the caller; None where it can."""

_WIRE_NAMES = {name: member for member, name in (HEADER_PATTERNS | BODY_PATTERNS).items()}


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one rule. ``speaks``: whether it applies to question and record; None: to some records.

    ``differs``: its members that the question does not match, by name; ``why``: the same and other reasons
    in words, and why a DENY that cannot be decided applies all the same. ``applied``: it applies, and was
    reached. ``decided``: its decision stood.
    """

    rule: Rule
    speaks: bool | None
    differs: tuple[str, ...]
    why: tuple[str, ...]
    applied: bool
    decided: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision with its reasons. ``allowed``: the record at hand; over all records: some of them.

    ``rule`` is the one that stood, None where nothing applied or where it depends on the record. Then
    ``turns`` are the rules that matter: the first that applies to a record decides on it; otherwise it is
    denied. ``hidden``: the fields that rules take away.
    """

    lines: tuple[Line, ...]
    allowed: bool
    rule: Rule | None
    turns: tuple[Rule, ...]
    hidden: frozenset[str]


def explain(
    rules: RuleSet, question: Question, holds: Holds | None, undecided: Undecided = lambda rule: None
) -> Explanation:
    """Decide a question and return all that led to it; ``holds`` is None when no record is given."""
    applicable = rules.applicable(question)
    found = [
        _Found(rule, members, *_speaks(rule, members, question, holds, undecided))
        for rule, members in zip(rules.rules, rules.differing(question), strict=True)
    ]
    stood = _stands(found)
    turns = tuple(_list_turns(applicable.rules, holds))
    if all(_holds(rule, holds) for rule in turns):  # it is one rule, or none
        turns = ()
    else:
        stood = None
    allowed = any(rule.allows for rule in turns) if turns else stood is not None and stood.allows
    return Explanation(tuple(_list_lines(found, stood)), allowed, stood, turns, applicable.hidden)


def on_all(kind: RecordType[Any], variables: Supply) -> Holds:
    """Return to which records of a type rules apply: to all, to none, to some."""
    ask = supplier(variables)

    def holds(rule: Rule) -> bool | None:
        match = record_match(rule, kind, ask)
        return True if match == EVERYTHING else False if match == NOTHING else None

    return holds


def undecided_over(kind: RecordType[Any], variables: Supply) -> Undecided:
    """Return which filters cannot be decided over a type, with the variables of a caller."""
    ask = supplier(variables)
    return lambda rule: undecided(rule, kind, ask)


class _Found(NamedTuple):
    rule: Rule
    differs: tuple[str, ...]
    speaks: bool | None
    why: tuple[str, ...]


def _speaks(
    rule: Rule,
    members: tuple[str, ...],
    question: Question,
    holds: Holds | None,
    undecided: Undecided,
) -> tuple[bool | None, tuple[str, ...]]:
    if members:
        return False, tuple(_difference(rule, member, question) for member in members)
    speaks = _holds(rule, holds)
    if holds is None and speaks is False:
        return False, ("it applies to certain records, and the question names no record",)
    reason = None if holds is None else undecided(rule)
    if reason and (speaks is False) is rule.allows:
        meaning = "this ALLOW matches no record" if rule.allows else "this DENY matches every record"
        return speaks, (f"filter: {reason}, so {meaning}",)
    if speaks is not False:
        return speaks, ()
    parts = [
        *([] if rule.filter is None or reason else ["filter: it does not match"]),
        *([] if rule.resource == "*" else [f'resourceId: "{rule.resource}" is not its id or refName']),
    ]
    return False, (" or ".join(parts),)


def _holds(rule: Rule, holds: Holds | None) -> bool | None:
    if not rule.is_per_record:
        return True
    return False if holds is None else holds(rule)


def _stands(found: list[_Found]) -> Rule | None:
    """Find the rule that stands among those that apply whatever the record."""
    stood: Rule | None = None
    for one in found:
        if one.speaks:
            stood = one.rule
            if stood.is_final:
                break
    return stood


def _list_turns(precedence: tuple[Rule, ...], holds: Holds | None) -> Iterator[Rule]:
    """Yield the rules that may decide, in precedence, up to the first that applies to every record."""
    for rule in precedence:
        speaks = _holds(rule, holds)
        if speaks is not False:
            yield rule
        if speaks:
            return


def _list_lines(found: list[_Found], stood: Rule | None) -> Iterator[Line]:
    is_walking = True
    for rule, differs, speaks, why in found:
        applied = is_walking and speaks is not False
        yield Line(rule, speaks, differs, why, applied, applied and rule is stood)
        if speaks and rule.is_final:
            is_walking = False


def _difference(rule: Rule, member: str, question: Question) -> str:
    """Say how a member, by its name in ``securityURI``, differs: ``area: "x" is not y``."""
    if member == "identity":
        if user_pattern(rule.identity) is not None:
            return f'identity: "{rule.identity}" is not {question.user_id}'
        names = ", ".join([question.user_id, *sorted(question.roles)])
        return f'identity: "{rule.identity}" is not one of {names}'
    if member == "holds_in":
        return f"dataDomain: it applies only to callers in {_place(rule)}"
    name, pattern = _WIRE_NAMES[member], getattr(rule, member)
    (value,) = MEMBERS[member](question)
    return f'{name}: "{pattern}" is not {value}' if value else f'{name}: "{pattern}", and the caller has none'


def _place(rule: Rule) -> str:
    return ", ".join(
        f"{path.removeprefix('dataDomain.')} {value}" for path, value in rule.holds_in.match.items()
    )
