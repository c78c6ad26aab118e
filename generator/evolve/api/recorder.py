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

_MOST_NESTED = 48


class Recorder:
    """Findings by scope, and which scopes are parts of which."""

    def __init__(self) -> None:
        self._rows: defaultdict[Scope, dict[Row, None]] = defaultdict(dict)
        self._parts: defaultdict[Scope, dict[Scope, None]] = defaultdict(dict)
        self._stack: list[Scope] = []

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

    def give_up(self) -> None:
        """Note that a part has no counterpart; what else differs is to be reported too."""

    def list_findings(self) -> list[Finding]:
        """List the findings of all operations, each once, with the operations that it concerns."""
        concerned: defaultdict[Row, dict[str, None]] = defaultdict(dict)
        for root in [one for one in self._rows if one.kind == OPERATION]:
            for scope in self._reach(root):
                for row in self._rows[scope]:
                    concerned[row].update({root.name: None} if root.name else {})
        return [
            Finding(CHANGE_RULES[rule], at, message, tuple(names))
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


class UnfitError(Exception):
    """Clients of a former schema cannot do with a present one."""


class Trial(Recorder):
    """A recorder that looks for anything but safe findings: the first of them raises ``UnfitError``.

    It remembers what was compared, so that no two schemas are tried twice. A pair that is met while it is
    tried is taken to fit; what was concluded since is forgotten if it does not.
    """

    def __init__(self) -> None:
        super().__init__()
        self._fitting: dict[Scope, None] = {}
        self._unfit: set[Scope] = set()

    def report(self, rule: str, at: str, message: str) -> None:
        """Raise ``UnfitError`` unless the finding is safe."""
        if CHANGE_RULES[rule].level is not Level.SAFE:
            raise UnfitError

    def give_up(self) -> None:
        """Raise ``UnfitError``."""
        raise UnfitError

    def is_known(self, scope: Scope) -> bool:
        """Return whether a scope fits, as far as is known. Raises ``UnfitError`` where it does not."""
        if scope in self._unfit:
            raise UnfitError
        return scope in self._fitting

    @contextmanager
    def open(self, scope: Scope) -> Iterator[None]:
        """Try a scope, and remember whether it fits."""
        if len(self._stack) == _MOST_NESTED:
            raise UnfitError
        concluded = len(self._fitting)
        self._fitting[scope] = None
        try:
            with super().open(scope):
                yield
        except UnfitError:
            self._unfit.add(scope)
            while len(self._fitting) > concluded:
                self._fitting.popitem()
            raise
