"""Which rules apply to a question, in which order.

Rules are evaluated by ascending priority, then name; each that applies overwrites the decision and a final
one ends the walk. So for one record the first applicable final rule wins, else the last applicable one:
that is the order of precedence, and nothing behind a rule that holds for every record matters.

Each member of the rules is indexed by value: one number a value, whose bit n says that rule n matches.
A question is answered by an ``&`` of nine numbers, so that 1,000 rules cost what ten do.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, Final, TypeAlias

from runtime.permissions.pattern import Wildcard, has_wildcards, is_any
from runtime.permissions.rule import Question, Rule, user_pattern

KEPT_QUESTIONS: Final = 512  # there is a set for each tenant that has rules
KEPT_VALUES: Final = 1024  # of each member
_WRITES: Final = frozenset({"CREATE", "UPDATE"})

Bits: TypeAlias = int
Values: TypeAlias = tuple[str | None, ...]


MEMBERS: Final[Mapping[str, Callable[[Question], Values]]] = {
    "identity": lambda asked: (asked.user_id, *asked.roles),
    "area": lambda asked: (asked.area,),
    "domain": lambda asked: (asked.domain,),
    "action": lambda asked: (asked.action,),
    "realm": lambda asked: (asked.realm,),
    "account": lambda asked: (asked.account_id,),
    "tenant": lambda asked: (asked.tenant_id,),
    "segment": lambda asked: (_text(asked.data_segment),),
    "owner": lambda asked: (asked.user_id,),
}
"""The patterns of a rule, by name → the values of a question that each is compared with."""


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


@dataclass(frozen=True, slots=True)
class Applicable:
    """The rules that match a question, in order of precedence, up to the first that holds for every record.

    ``hidden``: the fields that its ALLOW rules take away, whichever record is at hand, so that a request for
    one reveals nothing about it. For a write also those that cannot be viewed: a caller must not overwrite,
    clear or set what it does not see.
    """

    rules: tuple[Rule, ...]
    hidden: frozenset[str]

    @property
    def decides_all(self) -> bool:
        """Return whether a rule decides on every record: then each refusal is the work of a DENY."""
        return bool(self.rules) and not self.rules[-1].is_per_record


class RuleSet:
    """The rules of one realm. Immutable: changed rules are another set, with nothing remembered."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(sorted(rules, key=_walking_order))
        """In evaluation order."""
        self._columns = [(_column(name, self.rules), values) for name, values in MEMBERS.items()]
        self._finals = _bits(rule.is_final for rule in self.rules)
        self._kept = lru_cache(maxsize=KEPT_QUESTIONS)(self._applicable)
        self.accesses: dict[Any, Any] = {}
        """What the guard derived from these rules; it is dropped with them."""

    def forget(self) -> None:
        """Forget what follows from the rules for single callers."""
        self.accesses.clear()
        self._kept.cache_clear()

    def applicable(self, question: Question) -> Applicable:
        """Find the rules that apply to a question; remembered for the last 512 questions."""
        return self._kept(question)

    def differing(self, question: Question) -> Iterator[tuple[str, ...]]:
        """Yield for each rule, in evaluation order, the members that a question does not match, by name."""
        matching = [
            (name, column.matching(values(question)))
            for name, (column, values) in zip(MEMBERS, self._columns, strict=True)
        ]
        for place, rule in enumerate(self.rules):
            members = tuple(name for name, bits in matching if not bits >> place & 1)
            yield members if _lies_in(rule, question) else (*members, "holds_in")

    def _applicable(self, question: Question) -> Applicable:
        rules = tuple(self._in_precedence(self._matching(question), question))
        hidden = _taken(rules)
        if question.action in _WRITES:
            seeing = replace(question, action="VIEW")
            hidden |= _taken(self._in_precedence(self._matching(seeing), seeing))
        return Applicable(rules, hidden)

    def _matching(self, question: Question) -> Bits:
        found = -1
        for column, values in self._columns:
            found &= column.matching(values(question))
        return found

    def _in_precedence(self, found: Bits, question: Question) -> Iterator[Rule]:
        finals = _walk_up(found & self._finals)
        others = _walk_down(found & ~self._finals)
        for place in chain(finals, others):
            rule = self.rules[place]
            if _lies_in(rule, question):
                yield rule
                if not rule.is_per_record:
                    return


def _taken(rules: Iterable[Rule]) -> frozenset[str]:
    return frozenset().union(*(rule.hidden for rule in rules if rule.allows))


def _walking_order(rule: Rule) -> tuple[int, str, bool]:
    return rule.priority, rule.name, rule.source == "record"


def _lies_in(rule: Rule, question: Question) -> bool:
    own = rule.holds_in
    return (
        own.tenant_id in (None, question.tenant_id)
        and own.org_ref_name in (None, question.org_ref_name)
        and own.account_id in (None, question.account_id)
        and own.data_segment in (None, question.data_segment)
    )


class _Column:
    """One member of all rules: which of them match a value. What is absent is matched by ``*`` alone.

    A pattern that is None matches nothing.
    """

    def __init__(self, patterns: Iterable[str | None]) -> None:
        self._any: Bits = 0
        self._exact: dict[str, Bits] = {}
        wild: dict[str, Bits] = {}
        for place, pattern in enumerate(patterns):
            if pattern is None:
                continue
            if is_any(pattern):
                self._any |= 1 << place
            else:
                among = wild if has_wildcards(pattern) else self._exact
                folded = pattern.casefold()
                among[folded] = among.get(folded, 0) | 1 << place
        self._wild = [(Wildcard(pattern), places) for pattern, places in wild.items()]
        self._kept = lru_cache(maxsize=KEPT_VALUES)(self._of_value)

    def matching(self, values: Values) -> Bits:
        found = self._any
        for value in values:
            if value is not None:
                found |= self._kept(value)
        return found

    def _of_value(self, value: str) -> Bits:
        folded = value.casefold()
        found = self._exact.get(folded, 0)
        for pattern, places in self._wild:
            if pattern.matches(folded):
                found |= places
        return found


class _IdentityColumn:
    """The identities of all rules: patterns after ``user:`` meet the user id, all others also the roles."""

    def __init__(self, patterns: Iterable[str]) -> None:
        split = [(pattern, user_pattern(pattern)) for pattern in patterns]
        self._users = _Column(user for _pattern, user in split)
        self._any = _Column(pattern if user is None else None for pattern, user in split)

    def matching(self, values: Values) -> Bits:
        """Return the rules that match the user id, which is the first value, or a role."""
        return self._any.matching(values) | self._users.matching(values[:1])


def _column(name: str, rules: tuple[Rule, ...]) -> _Column | _IdentityColumn:
    patterns = map(attrgetter(name), rules)
    return _IdentityColumn(patterns) if name == "identity" else _Column(patterns)


def _bits(flags: Iterable[bool]) -> Bits:
    return sum(1 << place for place, flag in enumerate(flags) if flag)


def _walk_up(bits: Bits) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _walk_down(bits: Bits) -> Iterator[int]:
    while bits:
        place = bits.bit_length() - 1
        yield place
        bits ^= 1 << place
