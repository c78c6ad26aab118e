"""The command itself: our own subcommands, and those that other packages bring.

A package joins by an entry point of the group ``recordsmith.commands`` that names a ``typer.Typer``; its
commands appear next to ours. A command is loaded when it runs: most need libraries that take longer to load
than ``--help`` may take, and a deployed service does not have those of the generator.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from runtime.cli.command import command_of
from runtime.cli.output import CommandFailed, print_failure
from runtime.cli.version import installed_version

GROUP = "recordsmith.commands"

_EPILOG = (
    "Exit codes: 0 success · 1 failure · 2 usage error · 3 the data folder is in use · "
    "4 the store or the service cannot be reached · 130 interrupted."
)

OURS: Final[Mapping[str, tuple[str, str]]] = {
    "serve": ("serve:serve", "Run the service, with an embedded MongoDB unless MONGODB_URI names another."),
    "users": ("user_changes:users", "Create and manage users."),
    "token": ("token:token", "Create and revoke long-lived tokens for machines."),
    "clients": ("clients:clients", "Create and manage OAuth clients."),
    "realms": ("realms:realms", "Create and manage realms."),
    "indexes": ("indexes:indexes", "Plan and create the indexes of realms."),
    "migrate": ("migrate_back:migrate", "Move stored records to the shape of the specifications."),
    "shard": ("shard:shard", "Plan a sharded cluster."),
    "ontology": ("ontology:ontology", "Check and rebuild the edges between records."),
    "backup": (
        "backup:back_up",
        "Write a realm or a tenant into a file, as it was at one moment, while the service runs.",
    ),
    "restore": (
        "backup:restore_backup",
        "Restore a backup into a realm that holds no records, or its tenant there: all of it or nothing.",
    ),
    "tenants": ("tenants:tenants", "Hand over or erase everything of a tenant."),
    "references": ("references:references", "Check and repair the references between records."),
    "seeds": ("seeds:seeds", "Plan and plant the seeds of the specifications."),
    "keys": ("keys:keys", "Show and change the keys that sign tokens."),
    "webhooks": ("webhooks:webhooks", "List webhooks, and send again what they missed."),
    "mcp": ("mcp:mcp", "Connect MCP clients; use MCP servers elsewhere."),
    "import": (
        "importer:imports",
        "Import records: every row is stored, skipped, or listed in the report.",
    ),
    "tasks": ("tasks:tasks", "Follow the tasks of a completion task group."),
    "explain": (
        "explain:explain",
        "Explain whether a user may do something, and which permission rules decide it.",
    ),
    "manual": ("manual:manual", "Show a page of the documentation, or list all."),
    "doctor": (
        "doctor:doctor",
        "Check this machine, the settings, the store, the keys and the generated code.",
    ),
}
"""Command → where it is, and its help: a test compares it with that of the command itself."""


class _Commands(TyperGroup):
    """Ours first; then what entry points bring. Lists of commands load none of ours."""

    _is_listing = False
    _is_json = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        self._is_json = "--json" in args
        with self._report_usage():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with self._report_usage():  # of the words of a subcommand, which was not called
            return super().invoke(ctx)

    @contextmanager
    def _report_usage(self) -> Iterator[None]:
        try:
            yield
        except typer.TyperException as error:
            if not self._is_json:
                raise
            message, context = error.format_message(), getattr(error, "ctx", None)
            is_early = isinstance(getattr(context, "command", None), TyperGroup)
            if is_early and getattr(error, "option_name", None) == "--json":
                message = "No such option: --json; write it behind the command"
            print_failure(CommandFailed("command.usage", message), as_json=True)
            raise typer.Exit(error.exit_code) from None

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in OURS:
            return _find_installed().get(cmd_name)
        place, summary = OURS[cmd_name]
        return TyperCommand(cmd_name, help=summary) if self._is_listing else _load(cmd_name, place)

    def list_commands(self, ctx: Any) -> list[str]:
        return [*OURS, *(name for name in _find_installed() if name not in OURS)]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in OURS:  # the base class suggests names of this table
            self.commands = {name: TyperCommand(name) for name in self.list_commands(ctx)}
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with self._mark_listing():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        with self._mark_listing():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _mark_listing(self) -> Iterator[None]:
        self._is_listing = True
        try:
            yield
        finally:
            self._is_listing = False


def _load(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"{__package__}.{module}"), attribute)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return group
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    command_of(single, name)(found)
    return typer.main.get_command(single)


@cache
def _find_installed() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for point in entry_points(group=GROUP):
        try:
            group = typer.main.get_command(point.load())
        except ImportError:
            continue  # its libraries are not installed here; `doctor` reports it
        found |= getattr(group, "commands", {group.name or point.name: group})
    return found


app = typer.Typer(
    name="recordsmith",
    cls=_Commands,
    help="Record types in YAML become a secured, documented, multi-tenant HTTP service on MongoDB.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(installed_version())
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Declare the options that come before a subcommand."""


def main() -> None:
    """Run the command; the console entry point."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal without UTF-8 gets escapes, no traceback
    app()
