"""From the specifications to their model, as every command begins."""

from collections.abc import Callable
from pathlib import Path

import typer

from generator.cache import open_known_specs
from generator.command_line import Style
from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.model import Model
from generator.problems import ProblemList
from generator.refusal import refuse


def resolve_specs(
    specs: Path,
    style: Style = Style.TEXT,
    is_cached: bool = True,
    meanwhile: Callable[[], None] | None = None,
) -> Model:
    """Load and resolve the specifications. Prints problems and exits with 1, bad usage with 2.

    ``is_cached``: with what earlier runs have stored of them, and stored for later ones, except in CI.
    ``meanwhile`` is called while a second process reads them, where one does.
    """
    if not specs.is_dir():
        refuse(f"{specs} is not a directory; pass --specs DIR")
    known = open_known_specs(specs) if is_cached else None
    try:
        loaded = load(specs, SYSTEM_SPECS, known, meanwhile)
        from generator.resolve import resolve  # which ``meanwhile`` may have loaded

        model = resolve(loaded, texts=known)
    except ProblemList as found:
        typer.echo(found.formatted(style.value))
        if style is Style.TEXT:
            typer.echo(str(found.args[0]), err=True)
        raise typer.Exit(1) from None
    if known:
        known.save()
    return model
