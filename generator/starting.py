"""The commands that write files to start from: ``new record``, ``new graph`` and ``init``."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from generator.command_line import Specs
from generator.refusal import explain_file_errors, refuse

Area = Annotated[str, typer.Option("--area", help="The functional area: a folder below the specifications.")]
Name = Annotated[str, typer.Argument(help="Its name.")]

new = typer.Typer(help="Write a commented specification to start from.", no_args_is_help=True)


def init(
    folder: Annotated[Path, typer.Argument(help="A new folder; its name is that of the service.")],
) -> None:
    """Start a service of your own: a repository with specifications, code, tests and a Makefile."""
    from generator.naming import BadName
    from generator.project import NotInstalledError, start_project

    try:
        with explain_file_errors():
            started = start_project(folder)
    except (BadName, NotInstalledError) as error:
        refuse(str(error))
    typer.echo(f"wrote {len(started.files)} files to {folder}")
    if started.wheel is None:
        typer.echo("put the wheel of recordsmith into its folder wheels/, unless your package index has it")
    typer.echo(f"\n  cd {shlex.quote(str(folder))}\n  make run    serve it\n  make test   test it")


@new.command("record")
def record(name: Name, area: Area, specs: Specs = Path("specs")) -> None:
    """Create a record type: ``new record Warehouse --area logistics``."""
    from generator.scaffold import write_record

    _write_scaffold(write_record, specs, area, name)


@new.command("graph")
def graph(name: Name, area: Area, specs: Specs = Path("specs")) -> None:
    """Create a state graph: ``new graph warehouseLifecycle --area logistics``."""
    from generator.scaffold import write_graph

    _write_scaffold(write_graph, specs, area, name)


def _write_scaffold(make: Callable[[Path, str, str], Path], specs: Path, area: str, name: str) -> None:
    from generator.naming import BadName

    try:
        with explain_file_errors():
            typer.echo(f"wrote {make(specs, area, name)}")
    except BadName as error:
        refuse(str(error))
