"""Stub."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    id: str


class _R(dict[str, Rule]):
    def __missing__(self, k: str) -> Rule:
        return Rule(k)


RULES: dict[str, Rule] = _R()
