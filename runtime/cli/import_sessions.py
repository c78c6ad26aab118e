"""Import sessions, one command for each step: analyse a file, look at its rows, commit or discard it."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.cli.account import MOST_SHOWN
from runtime.cli.csv_source import CsvOptions, describe_csv
from runtime.cli.destination import Destination
from runtime.cli.import_run import read_session, run_session
from runtime.cli.output import print_table
from runtime.cli.session_import import ReportFile, StoreOptions, keep_source
from runtime.model.counting import count_things

Session = Annotated[str, typer.Argument(metavar="SESSION", help="The id of the import session.")]


def analyze(
    file: Annotated[Path, typer.Argument(help="The CSV file.")],
    options: CsvOptions,
    destination: Destination,
    report_file: ReportFile = None,
) -> None:
    """Analyse a CSV file and store nothing yet; `import commit` stores its rows.

    Example: recordsmith import analyze carriers.csv --type Carrier --user ann@acme.example
    """
    keep_source(file, report_file)
    source = describe_csv(file, options)
    how = StoreOptions(report=report_file)
    run_session(destination, source.name, how, lambda session: session.analyze(source))


def commit(session: Session, destination: Destination, report_file: ReportFile = None) -> None:
    """Store the rows of a session, or the rest of them after an interruption, each exactly once.

    Example: recordsmith import commit SESSION --type Carrier --user ann@acme.example
    """
    how = StoreOptions(report=report_file)
    run_session(destination, f"session {session}", how, lambda one: one.resume(session))


def discard(session: Session, destination: Destination) -> None:
    """End a session and delete its data; records that were stored remain.

    Example: recordsmith import discard SESSION --type Carrier --user ann@acme.example
    """
    title = f"session {session}"
    run_session(destination, title, StoreOptions(), lambda one: one.discard(session))


def list_rows(
    session: Session,
    destination: Destination,
    only_errors: Annotated[bool, typer.Option("--only-errors", help="Only the rows with errors.")] = False,
    skip: Annotated[int, typer.Option(min=0, help="Number of rows to skip.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = MOST_SHOWN,
) -> None:
    """List the analysed rows of a session: what each would do, and what is wrong with it.

    Example: recordsmith import rows SESSION --only-errors --type Carrier --user ann@acme.example
    """
    query = {"onlyErrors": str(only_errors).lower(), "skip": str(skip), "limit": str(limit)}
    read_session(destination, lambda client: client.list_rows(session, query), _show_rows)


def save_errors(
    session: Session,
    file: Annotated[Path, typer.Argument(help="The CSV file to write.")],
    destination: Destination,
) -> None:
    """Save the rows with errors as a CSV file with the column errors, to correct and import again.

    Example: recordsmith import errors SESSION errors.csv --type Carrier --user ann@acme.example
    """
    read_session(
        destination,
        lambda client: client.save_errors(session, file),
        lambda out, _none: out.print(f"wrote {file}"),
    )


def _show_rows(out: Console, page: dict[str, Any]) -> None:
    print_table(out, ("row", "refName", "intent", "errors"), map(_list_cells, page["rows"]))
    out.print(f"{page['rowCount']:,} of {count_things(page['totalCount'], 'row')}")


def _list_cells(row: dict[str, Any]) -> list[str]:
    errors = "; ".join(f"{error['code']}: {error['message']}" for error in row["errors"])
    return [str(row["rowNumber"]), row.get("refName", ""), row["intent"], errors]
