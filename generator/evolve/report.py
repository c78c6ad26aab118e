"""Findings as text, JSON, Markdown for a pull request, or annotations of GitHub."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from generator.findings import Finding, Verdict, explain_stale
from generator.levels import Level
from generator.model import Declaration
from generator.problems import escape_command, escape_property

_COMMANDS = {Level.BREAKING: "error", Level.RISKY: "warning", Level.SAFE: "notice"}
_FEW, _MOST_ALIKE = 3, 5


def render_text(verdict: Verdict, levels: Iterable[Level]) -> str:
    """Render one paragraph a finding, a line for safe ones of one kind, and the counts."""
    shown = set(levels)
    lines: list[str] = []
    for finding, more in _fold(verdict.findings):
        if finding.level in shown:
            lines += _paragraph(finding, more)
    lines += [f"{place(one)}: {explain_stale(one)}" for one in verdict.stale]
    lines += [f"correction: {text}" for text in _list_corrections(verdict)]
    return "\n".join([*lines, summarize(verdict)])


def render_declarations(undeclared: Iterable[Finding], today: date) -> str:
    """Render entries for ``breaking.yaml``, which lack but their reasons."""
    named = dict.fromkeys((one.rule.id, one.at) for one in undeclared)
    entries = [
        f"  - {{rule: {rule}, at: {json.dumps(at, ensure_ascii=False)}, date: {today}, reason: }}"
        for rule, at in named
    ]
    return "\n".join(["breaking:", *entries])


def _fold(findings: Iterable[Finding]) -> Iterator[tuple[Finding, int]]:
    """Yield each finding, and how many more it stands for: many safe ones of a kind are shown once."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        if one.level is Level.SAFE:
            alike.setdefault((one.rule.id, one.message), []).append(one)
        else:
            yield one, 0
    for group in alike.values():
        if len(group) > _MOST_ALIKE:
            yield group[0], len(group) - 1
        else:
            yield from ((one, 0) for one in group)


def _paragraph(finding: Finding, more: int) -> Iterator[str]:
    where = f"{finding.at} and {more} more" if more else finding.at
    yield f"{finding.level}[{finding.rule.id}] {where}: {finding.message}"
    if finding.level is Level.SAFE:
        return
    yield f"    {finding.rule.reason}"
    if finding.declaration:
        yield f"    declared on {finding.declaration.date}: {finding.declaration.reason}"
    elif finding.rule.advice:
        yield f"    {finding.rule.advice}"
    if finding.operations and finding.operations != (finding.at,):
        yield f"    used by {_name_some(finding.operations)}"


def _list_corrections(verdict: Verdict) -> Iterator[str]:
    """Yield a line for what is corrected for one reason."""
    places: dict[str, list[str]] = {}
    for finding in verdict.corrected:
        reason = finding.declaration.reason if finding.declaration else ""
        places.setdefault(reason, []).append(finding.at)
    for reason, found in places.items():
        yield f"{_name_some(tuple(found))}: {reason}"


def _name_some(names: tuple[str, ...]) -> str:
    rest = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {rest} more" if rest > 0 else "")


def summarize(verdict: Verdict) -> str:
    """Count the findings in one line."""
    counts = Counter(one.level for one in verdict.findings)
    if not verdict.findings:
        return "nothing else changed" if verdict.corrected else "nothing changed"
    text = ", ".join(f"{counts[level]} {level}" for level in Level)
    return f"{text}; {len(verdict.undeclared)} breaking not declared" if verdict.declared else text


def render_json(verdict: Verdict, old: str, new: str) -> str:
    """Render one JSON value."""
    counts = Counter(one.level for one in verdict.findings)
    stale = [{"rule": one.rule, "at": one.at, "file": one.source, "line": one.line} for one in verdict.stale]
    value = {
        "against": old,
        "compared": new,
        "counts": {level: counts[level] for level in Level},
        "undeclared": len(verdict.undeclared),
        "changes": [_as_row(one) for one in verdict.findings],
        "stale": stale,
        "corrections": [_as_row(one) for one in verdict.corrected],
    }
    return json.dumps(value, indent=2, ensure_ascii=False)


def _as_row(finding: Finding) -> dict[str, Any]:
    row: dict[str, Any] = {
        "level": finding.level,
        "rule": finding.rule.id,
        "at": finding.at,
        "message": finding.message,
        "reason": finding.rule.reason,
        "advice": finding.rule.advice,
        "operations": list(finding.operations),
    }
    if finding.declaration:
        row["declared"] = {"date": finding.declaration.date, "reason": finding.declaration.reason}
    return row


def render_github(verdict: Verdict) -> str:
    """Render workflow commands: an error for each breaking change that is not declared, and so on."""
    lines = []
    for one in verdict.findings:
        command = "notice" if one.declaration else _COMMANDS[one.level]
        text = f"{one.at}: {one.message}. {one.rule.reason} {one.rule.advice}".strip()
        lines.append(f"::{command} title={escape_property(one.rule.id)}::{escape_command(text)}")
    for stale in verdict.stale:
        where = f"file={escape_property(stale.source)},line={stale.line},title=stale declaration"
        lines.append(f"::error {where}::{escape_command(explain_stale(stale))}")
    lines += [f"::notice title=correction::{escape_command(text)}" for text in _list_corrections(verdict)]
    return "\n".join(lines)


def render_markdown(verdict: Verdict, old: str, new: str) -> str:
    """Render a comment for a pull request: a table for each level, safe changes folded away."""
    lines = [f"### Changes of {_code(new)} against {_code(old)}", "", summarize(verdict), ""]
    for level in Level:
        rows = [one for one in verdict.findings if one.level is level]
        if not rows:
            continue
        table = ["| where | what | why, and what to do |", "|---|---|---|"]
        table += [_table_row(one) for one in rows]
        head = f"<details><summary>{len(rows)} {level}</summary>"
        folded = [head, "", *table, "", "</details>", ""]
        lines += folded if level is Level.SAFE else [f"#### {level.capitalize()}", "", *table, ""]
    lines += [f"- {_code(place(one))}: {_cell(explain_stale(one))}" for one in verdict.stale]
    lines += [f"- Correction: {_cell(text)}" for text in _list_corrections(verdict)]
    return "\n".join(lines).rstrip()


def _table_row(finding: Finding) -> str:
    advice = f"{finding.rule.reason} {finding.rule.advice}".strip()
    if finding.declaration:
        declared = finding.declaration
        advice = f"Declared on {_cell(declared.date)}: {_cell(declared.reason)}"
    used = f"<br>{len(finding.operations)} operations" if len(finding.operations) > 1 else ""
    return f"| {_code(finding.at)}{used} | {_cell(finding.message)}<br>`{finding.rule.id}` | {advice} |"


def _code(text: str) -> str:
    """Spell a text as code; what it holds can end neither the code nor a cell."""
    return f"`{_flat(text).replace('`', 'ˋ').replace('|', '∣')}`"


def _cell(text: str) -> str:
    """Escape what Markdown and HTML would take for markup."""
    signs = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "#": "&#35;"}
    escaped = "".join(signs.get(one, one) for one in _flat(text))
    return "".join(f"\\{one}" if one in r"\|`*_[]()!~" else one for one in escaped)


def _flat(text: str) -> str:
    return " ".join(text.split())


def place(declaration: Declaration) -> str:
    """Say where a declaration is."""
    return f"{declaration.source}:{declaration.line}"
