"""The work of ``recordsmith diff`` and ``recordsmith release``, and of ``check`` on the last release."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from generator.command_line import DiffStyle, Style, pause_collection, read_today
from generator.evolve import (
    UnknownVersionError,
    UnreadableDocumentError,
    UnreadableReleaseError,
    compare_versions,
    describe_version,
    list_corrections,
    read_document_file,
    read_release,
    read_version,
    render_declarations,
    render_github,
    render_json,
    render_markdown,
    render_text,
    write_release,
)
from generator.findings import Verdict, judge
from generator.levels import Level
from generator.model import Model
from generator.problems import ProblemList
from generator.refusal import RefusedError, explain_file_errors, refuse
from generator.spec_runs import resolve_specs


def run_diff(
    against: str | None, specs: Path, document: Path | None, style: DiffStyle, show: Level, fail_on: Level
) -> None:
    """Print what changed; exit with 1 as ``fail_on`` says."""
    with explain_file_errors(), explain_versions(), pause_collection():
        model = (
            None if document else resolve_specs(specs, Style.JSON if style is DiffStyle.JSON else Style.TEXT)
        )
        old = read_release(specs) if against is None else read_version(against, specs)
        if old is None:
            refuse(f"{specs} has no release yet; pass --against, or create one with recordsmith release")
        new = describe_version(model, str(specs)) if model else read_document_file(document or Path())
        findings = compare_versions(old, new, read_today())
        corrections = list_corrections(old.document, new.document)
        verdict = judge(findings, model.breaking if model else (), corrections)
    is_release = against is None and document is None
    _print(verdict if is_release else verdict.without_stale(), (old.name, new.name), style, show)
    if is_release and style is DiffStyle.TEXT:
        _offer_declarations(verdict, specs)
    is_risky = fail_on is not Level.BREAKING and any(one.level is Level.RISKY for one in findings)
    if verdict.undeclared or is_risky or (is_release and verdict.stale):
        raise typer.Exit(1)


def run_release(specs: Path) -> None:
    """Write a release; exit with 1 where something breaks that is not declared."""
    with explain_file_errors(), explain_versions(), pause_collection():
        model = resolve_specs(specs)
        verdict = compare_release(model, specs)
        if verdict and (verdict.undeclared or verdict.stale):
            _print(verdict, (f"{specs}/released", str(specs)), DiffStyle.TEXT, Level.BREAKING)
            _offer_declarations(verdict, specs)
            typer.echo(f"not released: declare in {specs}/breaking.yaml what is meant", err=True)
            raise typer.Exit(1)
        for line in write_release(model, verdict, specs, read_today()):
            typer.echo(line)


def compare_release(model: Model, specs: Path, rendered: str | bytes | None = None) -> Verdict | None:
    """Compare with the last release; None if nothing is released or declared. ``rendered``: the document."""
    with explain_versions():
        old = read_release(specs)
        if old is None:
            return judge((), model.breaking) if model.breaking else None
        new = describe_version(model, str(specs), rendered)
        corrections = list_corrections(old.document, new.document)
        return judge(compare_versions(old, new, read_today()), model.breaking, corrections)


def _print(verdict: Verdict, names: tuple[str, str], style: DiffStyle, show: Level) -> None:
    if style is DiffStyle.JSON:
        typer.echo(render_json(verdict, *names))
    elif style is DiffStyle.MARKDOWN:
        typer.echo(render_markdown(verdict, *names))
    elif style is DiffStyle.GITHUB:
        typer.echo(render_github(verdict))
    else:
        levels = list(Level)
        typer.echo(render_text(verdict, levels[: levels.index(show) + 1]))


def _offer_declarations(verdict: Verdict, specs: Path) -> None:
    if verdict.undeclared:
        typer.echo(f"\ndeclare what is meant in {specs}/breaking.yaml, with the reason of each:\n")
        typer.echo(render_declarations(verdict.undeclared, read_today()))


@contextmanager
def report_refusal(style: DiffStyle) -> Iterator[None]:
    """Print why nothing is compared as JSON where that is the style; the text is on standard error."""
    try:
        yield
    except RefusedError as error:
        if style is DiffStyle.JSON:
            typer.echo(json.dumps({"error": {"code": "diff.refused", "message": error.message}}))
        raise


@contextmanager
def explain_versions() -> Iterator[None]:
    """Say why an earlier version cannot be read; exit 2."""
    try:
        yield
    except (UnknownVersionError, UnreadableDocumentError, UnreadableReleaseError) as error:
        refuse(str(error))
    except ProblemList as found:
        typer.echo(found.formatted(Style.TEXT.value), err=True)
        refuse("the earlier specifications have these problems; compare with an openapi.json instead")
    except RecursionError:
        refuse("a document is nested too deeply to be compared")
