"""From the specifications to their model, as every command begins."""

from pathlib import Path

import typer

from generator.command_line import Style
from generator.folders import SYSTEM_SPECS
from generator.load import Texts, load
from generator.model import Model
from generator.problems import ProblemList
from generator.refusal import refuse
from generator.resolve import resolve


def resolve_specs(specs: Path, style: Style = Style.TEXT, texts: Texts | None = None) -> Model:
    """Load and resolve the specifications. Prints problems and exits with 1, bad usage with 2."""
    if not specs.is_dir():
        refuse(f"{specs} is not a directory; pass --specs DIR")
    try:
        return resolve(load(specs, SYSTEM_SPECS, texts), texts=texts)
    except ProblemList as found:
        typer.echo(found.formatted(style.value))
        if style is Style.TEXT:
            typer.echo(str(found.args[0]), err=True)
        raise typer.Exit(1) from None
