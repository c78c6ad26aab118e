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
    """One change. ``at`` names the operation, schema or field; ``operations`` those that it concerns.

    ``declaration``: what says that it is meant, where it breaks something.
    """

    rule: ChangeRule
    at: str
    message: str
    operations: tuple[str, ...] = ()
    declaration: Declaration | None = None

    @property
    def level(self) -> Level:
        return self.rule.level


_ORDER = tuple(Level)


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by level, the worst first, then by place and rule; join those that are about the same change."""
    joined: dict[tuple[str, str, str], Finding] = {}
    for one in findings:
        at, message, names = _clean(one.at), _clean(one.message), tuple(map(_clean, one.operations))
        known = joined.get(key := (one.rule.id, at, message))
        names = (*known.operations, *names) if known else names
        joined[key] = replace(one, at=at, message=message, operations=names)
    return sorted(
        joined.values(), key=lambda one: (_ORDER.index(one.level), one.at, one.rule.id, one.message)
    )


def _clean(text: str) -> str:
    """Escape what would command a terminal: names and values are those of a document."""
    return (
        text if text.isprintable() else "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings, and declarations that fit none of them.

    ``corrected``: what only corrects the document, and is not among the findings.
    """

    findings: Sequence[Finding]
    stale: Sequence[Declaration] = ()
    corrected: Sequence[Finding] = ()

    @property
    def declared(self) -> list[Finding]:
        """Those that break something and are meant."""
        return [one for one in self.findings if one.declaration]

    @property
    def undeclared(self) -> list[Finding]:
        """Those that break something and are not declared."""
        return [one for one in self.findings if one.level is Level.BREAKING and not one.declaration]

    def without_stale(self) -> Verdict:
        """Return it without stale declarations: they are about the last release only."""
        return replace(self, stale=())


def judge(
    findings: Iterable[Finding],
    declarations: Iterable[Declaration],
    corrections: Iterable[Declaration] = (),
) -> Verdict:
    """Match breaking findings with declarations. A finding needs one; one may cover several findings.

    ``corrections``: what needs no declaration, and may fit nothing.
    """
    listed, known = list(declarations), list(corrections)
    judged = [_declare(one, listed) for one in findings]
    breaking = [one for one in judged if one.level is Level.BREAKING]
    stale = [one for one in listed if not any(_covers(one, finding) for finding in breaking)]
    shown, corrected = list[Finding](), list[Finding]()
    for one in judged:
        if (correction := _declare(one, known)) == one:
            shown.append(one)
        else:
            corrected.append(correction)
    return Verdict(shown, stale, corrected)


def _declare(finding: Finding, known: Iterable[Declaration]) -> Finding:
    """Return a finding that breaks something with the first declaration that covers it, unless it has one."""
    if finding.level is not Level.BREAKING or finding.declaration:
        return finding
    return replace(finding, declaration=next((one for one in known if _covers(one, finding)), None))


def explain_stale(declaration: Declaration) -> str:
    """Say what to do with a declaration that fits nothing."""
    return f"no change that breaks anything fits {declaration.rule} at {declaration.at}: remove it"


def _covers(declaration: Declaration, finding: Finding) -> bool:
    return _matches(finding.rule.id, declaration.rule) and _matches(finding.at, declaration.at)


def _matches(text: str, pattern: str) -> bool:
    """Match ``*`` only: brackets and question marks are parts of names."""
    return fnmatchcase(text, pattern.replace("[", "[[]").replace("?", "[?]"))
