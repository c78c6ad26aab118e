"""``recordsmith import``: a CSV file through an import session, rows of JSON and data sets in bulk."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from runtime.cli.airports import DATASETS
from runtime.cli.bulk_import import BulkJob, import_in_bulk, parse_references
from runtime.cli.command import command_of
from runtime.cli.csv_source import CsvOptions, describe_csv
from runtime.cli.destination import Destination
from runtime.cli.import_run import run_import, run_session
from runtime.cli.import_sessions import analyze, commit, discard, list_rows, save_errors
from runtime.cli.output import CommandFailed, ExitCode
from runtime.cli.rows import JSON_SUFFIXES
from runtime.cli.sending import OnExisting
from runtime.cli.session_import import ReportFile, StoreOptions, keep_source

Tenant = Annotated[str | None, typer.Option(help="Tenant of the records, for callers without one.")]
Existing = Annotated[OnExisting, typer.Option(help="What to do with a row whose refName exists.")]


class _Imports(TyperGroup):
    """Sub-commands, and the short form ``import FILE``, in which the name of the file says which."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands:
            found = _find_command(args[0])
            if not found and os.path.isfile(args[0]):  # unlike a path's method, of any text
                ctx.fail(f"write csv or json before {args[0]}: its name does not say which it is")
            args = [*found, *args]
        return super().parse_args(ctx, args)


imports = typer.Typer(
    cls=_Imports,
    no_args_is_help=True,
    help="Import records: every row is stored, skipped, or listed in the report.\n\n"
    "`recordsmith import FILE` is short for `import csv FILE` or `import json FILE`, by the name of the "
    "file; `import airports` for `import dataset airports`.",
)


@command_of(imports, "csv")
def import_csv(
    file: Annotated[Path, typer.Argument(help="The CSV file.")],
    options: CsvOptions,
    destination: Destination,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would be done, store nothing.")
    ] = False,
    all_or_nothing: Annotated[
        bool, typer.Option("--all-or-nothing", help="Store nothing when a row has errors.")
    ] = False,
    report_file: ReportFile = None,
) -> None:
    """Import a CSV file: it is analysed, then its rows without errors are stored, each exactly once.

    Example: recordsmith import csv carriers.csv --type Carrier --user ann@acme.example
    """
    keep_source(file, report_file)
    source = describe_csv(file, options)
    how = StoreOptions(dry_run, all_or_nothing, report_file)
    run_session(destination, source.name, how, lambda session: session.run(source))


@command_of(imports, "json")
def import_json(
    file: Annotated[Path, typer.Argument(help="A .json file (an array), .ndjson or .jsonl.")],
    destination: Destination,
    on_existing: Existing = OnExisting.SKIP,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="FIELD=TYPE: the field holds the refName of a record of that type. May be repeated."
        ),
    ] = None,
    tenant: Tenant = None,
    report_file: ReportFile = None,
) -> None:
    """Import rows of JSON in bulk requests; a row is an upsert by refName.

    Example: recordsmith import json airports.ndjson --type Airport --reference country=Country --user ann
    """
    keep_source(file, report_file)
    references = dict(parse_references(reference or []))
    _import_in_bulk(str(file), destination, on_existing, references, tenant, report_file)


@command_of(imports, "dataset")
def import_dataset(
    name: Annotated[str, typer.Argument(help="airports (with their countries) or countries.")],
    destination: Destination,
    on_existing: Existing = OnExisting.SKIP,
    tenant: Tenant = None,
    report_file: ReportFile = None,
) -> None:
    """Import a data set of the example: the airports or the countries of the world.

    Example: recordsmith import dataset airports --user admin@acme.example
    """
    if name not in DATASETS:
        message = f"there is no data set {name}; there are {' and '.join(DATASETS)}"
        raise CommandFailed("import.dataset", message, ExitCode.USAGE)
    _import_in_bulk(name, destination, on_existing, {}, tenant, report_file)


for command_name, command in (
    ("analyze", analyze),
    ("commit", commit),
    ("rows", list_rows),
    ("errors", save_errors),
    ("discard", discard),
):
    command_of(imports, command_name)(command)


def _find_command(source: str) -> list[str]:
    """Return the sub-command that imports a source; none for what is no source."""
    suffix = Path(source).suffix.lower()
    if source in DATASETS:
        return ["dataset"]
    return ["csv"] if suffix == ".csv" else ["json"] if suffix in JSON_SUFFIXES else []


def _import_in_bulk(
    source: str,
    destination: Destination,
    on_existing: OnExisting,
    references: dict[str, str],
    tenant: str | None,
    report_file: Path | None,
) -> None:
    defaults = {"dataDomain": {"tenantId": tenant}} if tenant else {}
    job = BulkJob(source, destination.record_type, destination.path, on_existing, references, defaults)
    run_import(destination, lambda api, accounts: import_in_bulk(api, job, accounts), report_file)
