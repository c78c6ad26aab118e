"""The generator as a command: ``python -m generator …``, and the same commands below ``recordsmith``.

The six stages stand in ``_render_wanted`` and ``generate``: load, resolve, render (which asks ``openapi`` and
``pydantic_models``), output. Exit codes: 0 clean, 1 problems or drift, 2 wrong usage. A stage is loaded by
the command that runs it, so that ``--help`` need not wait for all of them.
"""

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from generator.output import (
    LIST_NAME,
    Changes,
    Drift,
    DriftKind,
    compare,
    write,
)
from generator.refusal import explain_file_errors, refuse
from generator.starting import Specs, init, new


class Style(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


Out = Annotated[Path, typer.Option("--out", help="The folder of the generated code.")]
Package = Annotated[str, typer.Option("--package", help="The name the generated code is imported by.")]
Format = Annotated[Style, typer.Option("--format", help="How problems and drift are printed.")]

commands = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
commands.add_typer(new, name="new")
commands.command()(init)


@commands.callback()
def generator() -> None:
    """Specifications in YAML become models, routers and OpenAPI documents."""


@commands.command()
def generate(
    specs: Specs = Path("specs"),
    out: Out = Path("generated"),
    package: Package = "generated",
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 where files differ.")] = False,
    style: Format = Style.TEXT,
) -> None:
    """Write the generated code and the schemas for editors; only files that differ are touched."""
    from generator.render import HEADER

    with explain_file_errors():
        folders = _render_wanted(specs, out, package, style)
        if check:
            found = [(folder, one) for folder, texts in folders.items() for one in compare(texts, folder)]
        else:
            done = {folder: write(texts, folder, HEADER) for folder, texts in folders.items()}
    if check:
        _report_drift(found, style)
    else:
        _report_changes(done, style)


@commands.command()
def check(
    specs: Specs = Path("specs"),
    out: Out = Path("generated"),
    package: Package = "generated",
    style: Format = Style.TEXT,
) -> None:
    """Check the specifications, and the generated code against them. Writes nothing."""
    generate(specs, out, package, check=True, style=style)


@commands.command()
def rules(style: Format = Style.TEXT) -> None:
    """List what is checked of the specifications, each rule with a bad and a good example."""
    from generator.problems import RULES

    if style is Style.JSON:
        typer.echo(json.dumps([asdict(rule) for rule in RULES.values()], indent=2, ensure_ascii=False))
        return
    for rule in RULES.values():
        typer.echo(f"{rule.id}  {rule.title}")
        typer.echo(f"  bad, in {rule.bad_file}:\n{_indent(rule.bad)}")
        typer.echo(f"  good, in {rule.good_file}:\n{_indent(rule.good)}\n")


def _render_wanted(specs: Path, out: Path, package: str, style: Style) -> Mapping[Path, Mapping[str, str]]:
    """Folder → the texts that belong there. Prints problems and exits with 1, bad usage with 2."""
    if not specs.is_dir():
        refuse(f"{specs} is not a directory; pass --specs DIR")
    if out.exists() and not out.is_dir():
        refuse(f"{out} is a file; pass --out DIR for the generated code")
    if not all(part.isidentifier() for part in package.split(".")):
        refuse(f"{package} is not a valid Python package name; pass --package NAME, such as generated")
    from generator.editor_names import EditorNames
    from generator.editor_schemas import render_editor_schemas
    from generator.load import SYSTEM_SPECS, load
    from generator.problems import ProblemList
    from generator.render import render, render_system
    from generator.resolve import resolve

    try:
        with _pause_collection():
            model = resolve(load(specs, SYSTEM_SPECS))
            texts = {out: render(model, package)}
            if (
                SYSTEM_SPECS.parent / LIST_NAME
            ).exists():  # an installed package has its classes, and no list
                texts[_nearby(SYSTEM_SPECS.parent)] = render_system(model)
    except ProblemList as found:
        typer.echo(found.formatted(style.value))
        if style is Style.TEXT:
            typer.echo(str(found.args[0]), err=True)
        raise typer.Exit(1) from None
    schemas = {f"{kind}.json": text for kind, text in render_editor_schemas(EditorNames.of(model)).items()}
    return {**texts, specs / ".schema": schemas}


def _nearby(folder: Path) -> Path:
    """Return the folder from here, where it is below."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Disable garbage collection, a fifth of the time: there are millions of objects and few cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _report_changes(done: Mapping[Path, Changes], style: Style) -> None:
    written = [f"{folder}/{path}" for folder, one in done.items() for path in one.written]
    removed = [f"{folder}/{path}" for folder, one in done.items() for path in one.removed]
    unchanged = sum(one.unchanged for one in done.values())
    if style is Style.JSON:
        typer.echo(json.dumps({"written": written, "removed": removed, "unchanged": unchanged}, indent=2))
        return
    for verb, paths in (("wrote", written), ("removed", removed)):
        for path in paths:
            typer.echo(f"{verb} {path}")
    typer.echo(f"wrote {len(written)}, removed {len(removed)}, unchanged {unchanged}")


def _report_drift(found: Sequence[tuple[Path, Drift]], style: Style) -> None:
    """One line a file, with the head of its diff; exits with 1 when there is any."""
    if style is Style.JSON:
        rows = [
            {"path": f"{folder}/{one.path}", "kind": one.kind, "excerpt": one.excerpt}
            for folder, one in found
        ]
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    for folder, one in found if style is not Style.JSON else ():
        path = f"{folder}/{one.path}"
        if style is Style.GITHUB:
            typer.echo(f"::error file={path},title={one.kind}::{_ADVICE[one.kind]}")
            continue
        typer.echo(f"{path}: {one.kind}: {_ADVICE[one.kind]}")
        if one.excerpt:
            typer.echo(_indent(one.excerpt))
    if style is Style.TEXT:
        typer.echo(f"{len(found)} files differ" if found else "specifications and generated code agree")
    if found:
        raise typer.Exit(1)


_ADVICE: Mapping[DriftKind, str] = {
    DriftKind.MISSING: "not written yet; generate",
    DriftKind.DRIFTED: "the specifications say otherwise by now; generate",
    DriftKind.EDITED: "changed by hand; change the specification and generate",
    DriftKind.STRAY: "not generated from any specification; remove it or generate",
}


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


if __name__ == "__main__":
    commands()
