"""How long a decision on one record in memory may take, estimated before it is made.

A filter and a record are weighed once each; from both follows what the worst of their kind would take. Most
decisions take microseconds and are made at once. A task that needs a longer one has it made aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple

import bson
from bson.regex import Regex

from runtime.filter.predicate import EVERYTHING, Predicate

MOST_AT_ONCE: Final = 0.005
"""Seconds of an estimate up to which a decision is made where it is needed."""

_OF_A_VALUE: Final = 3e-7
"""Seconds for one value and one condition, one operator of it, or one pattern."""

_OF_A_LETTER: Final = 5e-11
"""Seconds for one letter of a text and one of a pattern."""

_OF_A_PATTERN: Final = 5e-9
"""Seconds for one letter of a text and a pattern of any length."""


class RecordWeight(NamedTuple):
    """Values at any depth, and the characters of those that are texts."""

    values: int
    letters: int


def weigh_record(document: Mapping[str, Any] | None) -> RecordWeight:
    """Weigh a record."""
    values = letters = 0
    parts: list[Any] = [document]
    while parts:
        part = parts.pop()
        values += 1
        if isinstance(part, str):
            letters += len(part)
        elif isinstance(part, Mapping):
            parts += part.values()
        elif isinstance(part, list):
            parts += part
    return RecordWeight(values, letters)


@dataclass(frozen=True, slots=True)
class WeighedFilter:
    """A filter that is decided in memory again and again, with seconds for each value and letter of a record.

    ``fingerprint``: by which equal filters are known. ``patterns``: how many texts with wildcards it has.
    """

    match: Predicate
    fingerprint: bytes
    of_a_value: float
    of_a_letter: float
    patterns: int

    @classmethod
    def of(cls, match: Predicate) -> WeighedFilter:
        """Weigh a filter by its conditions, the patterns among their values, and the characters of those.

        A list of values is one condition, but each pattern in it is tried on its own.
        """
        conditions = patterns = letters = 0
        parts: list[Any] = [match.match]
        while parts:
            part = parts.pop()
            if isinstance(part, Mapping):
                conditions += len(part)
                parts += part.values()
            elif isinstance(part, list):
                parts += part
                conditions += sum(isinstance(one, Regex) for one in part)
            elif isinstance(part, Regex):
                patterns += 1
                letters += len(part.pattern)
        fingerprint = sha256(bson.encode(match.match)).digest()
        of_a_letter = _OF_A_PATTERN * patterns + _OF_A_LETTER * letters
        return cls(match, fingerprint, _OF_A_VALUE * conditions, of_a_letter, patterns)

    @property
    def is_empty(self) -> bool:
        """Whether it admits every record."""
        return self.match is EVERYTHING

    def estimate_seconds(self, weight: RecordWeight) -> float:
        """Estimate how long the decision on a record takes, if nothing ends it early."""
        return self.of_a_value * weight.values + self.of_a_letter * weight.letters
