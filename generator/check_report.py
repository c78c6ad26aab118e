"""What ``check`` found: generated files that differ, and breaking changes that are not declared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from generator.command_line import AGREEMENT, Style, indent
from generator.findings import Verdict, explain_stale
from generator.folders import LIST_NAME
from generator.output import Drift, DriftKind
from generator.problems import Problem, escape_command, escape_property
from runtime.model.counting import count_things

_ADVICE: Mapping[DriftKind, str] = {
    DriftKind.MISSING: "not written yet; generate",
    DriftKind.DRIFTED: "the specifications, or this version of recordsmith, say otherwise; generate",
    DriftKind.EDITED: "changed by hand; change the specification and generate",
    DriftKind.STRAY: "not generated from any specification; remove it or generate",
}
_GENERATE = "run recordsmith generate, and commit what it writes"
_MOST_EXCERPTS = 3
_BREAKING, _STALE = "breaking change", "stale declaration"


@dataclass(frozen=True, slots=True)
class _Row:
    """One finding. ``file``: where GitHub shows it, if anywhere."""

    path: str
    kind: str
    message: str
    excerpt: str = ""
    file: str = ""


def report_check(
    found: Sequence[tuple[Path, Drift]],
    verdict: Verdict | None,
    style: Style,
    warnings: Sequence[Problem] = (),
) -> None:
    """Print one line a finding, the first with the head of their diffs; exit with 1 when there is any.

    Of the warnings, only what JSON has in its one list.
    """
    absent = [] if style is Style.JSON else _list_absent(folder for folder, _ in found)
    drift = [_describe_drift(folder, one) for folder, one in found if folder not in absent]
    rows = [*drift, *(_list_changes(verdict) if verdict else ())]
    if style is Style.JSON:
        listed = [*rows, *(_Row(f"{one.file}:{one.line}", "warning", "", one.message) for one in warnings)]
        values = [{"path": one.path, "kind": one.kind, "excerpt": one.excerpt} for one in listed]
        typer.echo(json.dumps(values, indent=2, ensure_ascii=False))
    for one in rows if style is Style.GITHUB else ():
        where, text = (f"file={one.file},", "") if one.file else ("", f"{one.path}: ")
        typer.echo(f"::error {where}title={one.kind}::{escape_command(text + one.message)}")
    if style is Style.GITHUB and absent:
        typer.echo(f"::error title=missing::{escape_command(_describe_drifted(0, absent))}")
    if style is Style.TEXT:
        _print_rows(rows)
        typer.echo(_summarize(len(drift), absent, len(rows) - len(drift)))
    if rows or absent:
        raise typer.Exit(1)


def _list_absent(folders: Iterable[Path]) -> list[Path]:
    """List the folders that the first run will create: all of their files are missing."""
    return [folder for folder in dict.fromkeys(folders) if not folder.exists()]


def _print_rows(rows: Sequence[_Row]) -> None:
    """Print each row. A new record type changes twenty files: only the first show what differs."""
    drifted = [one for one in rows if one.kind == DriftKind.DRIFTED and one.excerpt]
    telling = [one for one in drifted if Path(one.path).name != LIST_NAME and ".schema" not in one.path]
    hidden = {one.path for one in drifted} - {one.path for one in telling[:_MOST_EXCERPTS]}
    for one in rows:
        typer.echo(f"{one.path}: {one.kind}: {one.message}")
        if one.excerpt and one.path not in hidden:
            typer.echo(indent(one.excerpt))


def _describe_drifted(drifted: int, absent: Sequence[Path]) -> str:
    """Describe what differs, and which folders the first run will create."""
    differ = count_things(drifted, "file differs", "files differ")
    nothing = f"nothing is generated yet in {' and '.join(map(str, absent))}"
    found = [*([differ] if drifted else []), *([nothing] if absent else [])]
    return f"{', and '.join(found)}: {_GENERATE}" if found else AGREEMENT


def _summarize(drifted: int, absent: Sequence[Path], changed: int) -> str:
    said = _describe_drifted(drifted, absent)
    if not changed:
        return said
    are_wrong = "breaking changes or declarations are wrong"
    wrong = count_things(changed, "breaking change or declaration is wrong", are_wrong)
    advice = "breaking.yaml declares what is meant and nothing else; recordsmith diff prints what to write"
    return f"{said}; {wrong}: {advice}"


def _describe_drift(folder: Path, one: Drift) -> _Row:
    path = f"{folder}/{one.path}"
    return _Row(path, one.kind, _ADVICE[one.kind], one.excerpt, escape_property(path))


def _list_changes(verdict: Verdict) -> list[_Row]:
    rows = [
        _Row(
            one.at,
            _BREAKING,
            f"{one.message} ({one.rule.id})",
            f"{one.rule.reason}\n{one.rule.advice}".strip(),
        )
        for one in verdict.undeclared
    ]
    for one in verdict.stale:
        where = f"{escape_property(one.source)},line={one.line}"
        rows.append(_Row(f"{one.source}:{one.line}", _STALE, explain_stale(one), file=where))
    return rows
