"""``recordsmith diff`` and ``recordsmith release``: their options. What they do is loaded when they run."""

from pathlib import Path
from typing import Annotated

import typer

from generator.command_line import DiffStyle, Specs, ignore_plugins
from generator.levels import Level
from generator.refusal import require_libraries

Against = Annotated[
    str | None,
    typer.Option(
        help="A revision of git, a folder (a project, specifications, a release) or an openapi.json; "
        "the last release unless given."
    ),
]
Document = Annotated[
    Path | None, typer.Option(help="Compare this openapi.json, instead of that of the specifications.")
]
Format = Annotated[DiffStyle, typer.Option("--format", help="How changes are printed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value, as --format json does.")]
Show = Annotated[Level, typer.Option(help="The least that is shown as text: breaking, risky, or safe too.")]
FailOn = Annotated[
    Level, typer.Option(help="What ends with 1: breaking changes that are not declared, or risky ones too.")
]


@ignore_plugins()
def diff(
    against: Against = None,
    specs: Specs = Path("specs"),
    document: Document = None,
    style: Format = DiffStyle.TEXT,
    show: Show = Level.SAFE,
    fail_on: FailOn = Level.BREAKING,
    as_json: AsJson = False,
) -> None:
    """Compare with an earlier version: what breaks clients or stored data, what may, what does not."""
    require_libraries()
    from generator.version_runs import report_refusal, run_diff

    if as_json and style not in (DiffStyle.TEXT, DiffStyle.JSON):
        raise typer.BadParameter(f"--json and --format {style} are two formats: leave one of them out")
    style = DiffStyle.JSON if as_json else style
    with report_refusal(style):
        run_diff(against, specs, document, style, show, fail_on)


@ignore_plugins()
def release(specs: Specs = Path("specs")) -> None:
    """Store this version in specs/released/, as the one that later ones are compared with."""
    require_libraries()
    from generator.version_runs import run_release

    run_release(specs)
