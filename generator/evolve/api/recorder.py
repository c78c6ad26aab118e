"""Where findings are collected: once per shared component, whatever number of operations refers to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from generator.change_rules import CHANGE_RULES
from generator.findings import Finding
from generator.levels import Level


class Direction(StrEnum):
    """Whether clients send it or read it."""

    REQUEST = "request"
    RESPONSE = "response"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a finding belongs to: an operation, or a shared component as it is sent or read."""

    kind: str
    name: str
    direction: Direction | None = None


Row = tuple[str, str, str]
"""A rule id, a place, a message."""

OPERATION = "operation"


class Recorder:
    """Findings by scope, and which scopes are parts of which."""

    def __init__(self) -> None:
        self._rows: defaultdict[Scope, dict[Row, None]] = defaultdict(dict)
        self._parts: defaultdict[Scope, dict[Scope, None]] = defaultdict(dict)
        self._stack: list[Scope] = []
        self._trials = 0

    def report(self, rule: str, at: str, message: str) -> None:
        """Record a finding in the scope that is open. Raises ``KeyError`` for an unknown rule."""
        self._rows[self._stack[-1]][CHANGE_RULES[rule].id, at, message] = None

    def is_known(self, scope: Scope) -> bool:
        """Note that the open scope contains another; return whether that one is known already."""
        self._parts[self._stack[-1]][scope] = None
        return scope in self._rows

    @contextmanager
    def open(self, scope: Scope) -> Iterator[None]:
        """Open a scope: what is reported from here belongs to it."""
        self._rows[scope]
        self._stack.append(scope)
        try:
            yield
        finally:
            self._stack.pop()

    def compare_once(
        self, kind: str, names: tuple[str | None, str | None], at: str, compare: Callable[[str], None]
    ) -> None:
        """Compare two objects: once in all for a component of the same name in both documents.

        ``names``: of the components that they are; ``compare`` takes where they are.
        """
        former, name = names
        if name is None or name != former:
            compare(at)
        elif not self.is_known(scope := Scope(kind, name)):
            with self.open(scope):
                compare(f"{kind} {name}")

    @contextmanager
    def open_trial(self) -> Iterator[Scope]:
        """Open a scope whose findings are only looked at."""
        self._trials += 1
        scope = Scope("trial", str(self._trials))
        with self.open(scope):
            yield scope

    def is_fine(self, scope: Scope) -> bool:
        """Whether a scope and its parts hold safe findings only."""
        levels = (CHANGE_RULES[row[0]].level for one in self._reach(scope) for row in self._rows[one])
        return all(level is Level.SAFE for level in levels)

    def list_findings(self) -> list[Finding]:
        """List the findings of all operations, each once, with the operations that it concerns."""
        concerned: defaultdict[Row, dict[str, None]] = defaultdict(dict)
        for root in [one for one in self._rows if one.kind == OPERATION]:
            for scope in self._reach(root):
                for row in self._rows[scope]:
                    concerned[row].update({root.name: None} if root.name else {})
        return [
            Finding(CHANGE_RULES[rule], _clean(at), _clean(message), tuple(map(_clean, names)))
            for (rule, at, message), names in concerned.items()
        ]

    def _reach(self, root: Scope) -> list[Scope]:
        found = {root: None}
        waiting = [root]
        while waiting:
            for part in self._parts.get(waiting.pop(), ()):
                if part not in found:
                    found[part] = None
                    waiting.append(part)
        return list(found)


def _clean(text: str) -> str:
    """Escape what would command a terminal: names and values are those of a document."""
    return (
        text if text.isprintable() else "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)
    )
