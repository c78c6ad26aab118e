"""The generator as a command: ``python -m generator …``, and the same commands below ``recordsmith``.

The six stages stand in ``wanted.py`` and ``runs.py``: load, resolve, render (which asks ``openapi`` and
``pydantic_models``), output. Exit codes: 0 clean, 1 problems or drift, 2 wrong usage. A stage is loaded by
the command that runs it, so that ``--help`` need not wait for all of them.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from generator.command_line import Cached, Specs, Style, ignore_plugins, indent, pause_collection
from generator.refusal import explain_file_errors, require_libraries
from generator.runs import Run
from generator.starting import init, new
from generator.version_commands import diff, release

Out = Annotated[Path, typer.Option("--out", help="The folder of the generated code.")]
Package = Annotated[str, typer.Option("--package", help="The name the generated code is imported by.")]
Format = Annotated[Style, typer.Option("--format", help="How problems and drift are printed.")]

commands = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
commands.add_typer(new, name="new")
commands.command()(init)
commands.command()(diff)
commands.command()(release)


@commands.callback()
def generator() -> None:
    """Turn specifications in YAML into models, routers and OpenAPI documents."""


@commands.command()
@ignore_plugins()
def generate(
    specs: Specs = Path("specs"),
    out: Out = Path("generated"),
    package: Package = "generated",
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 where files differ.")] = False,
    style: Format = Style.TEXT,
    cached: Cached = True,
) -> None:
    """Write the generated code and the schemas for editors; only files that differ are touched."""
    require_libraries()
    with explain_file_errors(), pause_collection():
        run = Run(specs, out, package, style, is_cached=cached)
        if check:
            run.check()
        else:
            run.write()


@commands.command()
def check(
    specs: Specs = Path("specs"),
    out: Out = Path("generated"),
    package: Package = "generated",
    style: Format = Style.TEXT,
    cached: Cached = True,
) -> None:
    """Check the specifications, and the generated code against them. Writes nothing but its cache."""
    generate(specs, out, package, check=True, style=style, cached=cached)


@commands.command()
def rules(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Rules to explain.", show_default="all")
    ] = None,
    style: Format = Style.TEXT,
) -> None:
    """Explain what is checked of the specifications, each rule with a bad and a good example."""
    from generator.problems import did_you_mean
    from generator.spec_rules import RULES

    for written in ids or ():
        if (name := written.upper()) not in RULES:
            raise typer.BadParameter(f'unknown rule "{written[:40]}"{did_you_mean(name, RULES)}')
    found = [RULES[one.upper()] for one in ids or RULES]
    if style is Style.JSON:
        typer.echo(json.dumps([asdict(rule) for rule in found], indent=2, ensure_ascii=False))
        return
    for rule in found:
        typer.echo(f"{rule.id}  {rule.title}")
        typer.echo(f"  bad, in {rule.bad_file}:\n{indent(rule.bad)}")
        typer.echo(f"  good, in {rule.good_file}:\n{indent(rule.good)}\n")


if __name__ == "__main__":
    commands()
