"""What the service has acknowledged, and how long each request waited: what the end is held against."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Kept:
    """A record as its last acknowledged write left it. ``marks``: what each write added, in their order."""

    mark: str
    customer: str
    marks: list[Any]
    version: int = 1
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """One request, from when it was first sent until it was answered for good."""

    began: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.began


@dataclass
class Ledger:
    """By id of the record; ``keys``: the status that was answered for each idempotency key."""

    orders: dict[str, Kept] = field(default_factory=dict)
    shipments: dict[str, Kept] = field(default_factory=dict)
    customers: dict[str, Kept] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    waits: list[Wait] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Answers that must not be."""

    @property
    def acknowledged(self) -> int:
        """Writes that were answered with success."""
        return sum(number for said, number in self.answers.items() if said[0] == "2")


def longest(waits: list[Wait], begin: float, end: float) -> float:
    """The longest wait in seconds that touches a stretch of time."""
    return max((wait.seconds for wait in waits if wait.began <= end and wait.ended >= begin), default=0.0)
