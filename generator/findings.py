"""What a comparison finds, and what ``specs/breaking.yaml`` declares of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from generator.change_rules import ChangeRule
from generator.levels import Level
from generator.model import Declaration


@dataclass(frozen=True, slots=True)
class Finding:
    """One change. ``at`` names the operation, schema or field; ``operations`` those that it concerns."""

    rule: ChangeRule
    at: str
    message: str
    operations: tuple[str, ...] = ()

    @property
    def level(self) -> Level:
        """The level of its rule."""
        return self.rule.level


_ORDER = tuple(Level)


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by level, the worst first, then by place and rule."""
    return sorted(findings, key=lambda one: (_ORDER.index(one.level), one.at, one.rule.id, one.message))


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings; those that break something and are not declared; declarations that fit nothing.

    ``corrected``: what only corrects the document, and is not among the findings.
    """

    findings: Sequence[Finding]
    declared: Sequence[tuple[Finding, Declaration]] = ()
    undeclared: Sequence[Finding] = ()
    stale: Sequence[Declaration] = ()
    corrected: Sequence[tuple[Finding, Declaration]] = ()

    def without_stale(self) -> Verdict:
        """Return it without stale declarations: they are about the last release only."""
        return replace(self, stale=())


def judge(
    findings: Sequence[Finding],
    declarations: Iterable[Declaration],
    corrections: Iterable[Declaration] = (),
) -> Verdict:
    """Match breaking findings with declarations. A finding needs one; one may cover several findings.

    ``corrections``: what needs no declaration, and may fit nothing.
    """
    listed = list(declarations)
    breaking = [one for one in findings if one.level is Level.BREAKING]
    declared, rest = _match(breaking, listed)
    corrected, undeclared = _match(rest, list(corrections))
    left_out = {id(finding) for finding, _one in corrected}
    shown = [one for one in findings if id(one) not in left_out]
    stale = [one for one in listed if not any(_covers(one, finding) for finding in breaking)]
    return Verdict(shown, declared, undeclared, stale, corrected)


def _match(
    findings: Sequence[Finding], declarations: Sequence[Declaration]
) -> tuple[list[tuple[Finding, Declaration]], list[Finding]]:
    """Pair findings with the first declaration that covers them; return also those that none covers."""
    pairs = [(one, next((by for by in declarations if _covers(by, one)), None)) for one in findings]
    return [(one, by) for one, by in pairs if by], [one for one, by in pairs if by is None]


def explain_stale(declaration: Declaration) -> str:
    """Say what to do with a declaration that fits nothing."""
    return f"no change that breaks anything fits {declaration.rule} at {declaration.at}: remove it"


def _covers(declaration: Declaration, finding: Finding) -> bool:
    return _matches(finding.rule.id, declaration.rule) and _matches(finding.at, declaration.at)


def _matches(text: str, pattern: str) -> bool:
    """Match ``*`` only: brackets and question marks are parts of names."""
    return fnmatchcase(text, pattern.replace("[", "[[]").replace("?", "[?]"))
