"""The command itself: our own subcommands, and those that other packages bring.

A package joins by an entry point of the group ``recordsmith.commands`` that names a ``typer.Typer``; its
commands stand beside ours. They are loaded only when asked for: the generator's libraries are large, and
a deployed service does not have them.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from runtime.cli.doctor import doctor
from runtime.cli.explain import explain
from runtime.cli.importer import import_records
from runtime.cli.indexes import indexes
from runtime.cli.keys import keys
from runtime.cli.realms import realms
from runtime.cli.references import references
from runtime.cli.seeds import seeds
from runtime.cli.serve import serve
from runtime.cli.token import token
from runtime.cli.user_changes import users

GROUP = "recordsmith.commands"

_EPILOG = (
    "Exit codes: 0 done · 1 failed · 2 wrong usage · 3 the data folder is in use · "
    "4 the store or the service cannot be reached."
)


class _Commands(TyperGroup):
    """Ours first; then what entry points bring."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return super().get_command(ctx, cmd_name) or _brought().get(cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:
        ours = super().list_commands(ctx)
        return [*ours, *(name for name in _brought() if name not in ours)]


@cache
def _brought() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for point in entry_points(group=GROUP):
        try:
            group = typer.main.get_command(point.load())
        except ImportError:
            continue  # its libraries are not installed here; `doctor` tells
        found |= getattr(group, "commands", {group.name or point.name: group})
    return found


app = typer.Typer(
    name="recordsmith",
    cls=_Commands,
    help="Record types in YAML become a secured, documented, multi-tenant HTTP service on MongoDB.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve)
app.add_typer(users, name="users")
app.add_typer(token, name="token")
app.add_typer(realms, name="realms")
app.add_typer(indexes, name="indexes")
app.add_typer(references, name="references")
app.add_typer(seeds, name="seeds")
app.add_typer(keys, name="keys")
app.command("import")(import_records)
app.command("explain")(explain)
app.command("doctor")(doctor)


def _version(wanted: bool) -> None:
    if wanted:
        try:
            typer.echo(version("recordsmith"))
        except PackageNotFoundError:
            typer.echo("not installed as a package: run from its folder")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Only what stands before a subcommand."""


def main() -> None:
    """The console entry."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal without UTF-8 gets escapes, no traceback
    app()
