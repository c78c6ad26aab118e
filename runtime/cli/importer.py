"""``recordsmith import``: a CSV file through an import session, rows of JSON and data sets in bulk."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from runtime.cli.account import Account, facts, outcome, show, write_report
from runtime.cli.api import Api, SignIn
from runtime.cli.base_path import base_path
from runtime.cli.bulk_import import BulkJob, import_in_bulk, references_of
from runtime.cli.csv_source import CsvOptions, csv_source
from runtime.cli.lock import running_service
from runtime.cli.opening import DataFolder, read_settings
from runtime.cli.output import AsJson, CommandFailed, Outcome, failing, report
from runtime.cli.sending import OnExisting
from runtime.cli.session_client import SessionClient
from runtime.cli.session_import import INTERRUPTED, SessionImport, Terms
from runtime.cli.users import read_password
from runtime.contract.charset import Charset


class Road(StrEnum):
    """What is imported, and hence how."""

    CSV = "a CSV file"
    JSON = "JSON or a data set"
    RESUME = "--resume"
    DISCARD = "--discard"


@dataclass(frozen=True, slots=True)
class _Asked:
    """``name``: the source or, to go on with or to end, the session."""

    road: Road
    name: str
    record_type: str | None
    path: str | None
    csv: CsvOptions
    terms: Terms
    bulk: BulkJob


def import_records(
    source: Annotated[
        str | None,
        typer.Argument(help="A .csv, .json or .ndjson file, or a data set: airports, countries."),
    ] = None,
    record_type: Annotated[str | None, typer.Option("--type", help="Record type, such as Airport.")] = None,
    path: Annotated[
        str | None, typer.Option(help="In place of --type: its base path, such as /logistics/airports.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            help="Where the service is. [default: the one that runs on the data folder, else port 8080]"
        ),
    ] = None,
    data: DataFolder = None,
    user: Annotated[str | None, typer.Option("--user", help="User id to sign in with.")] = None,
    password_stdin: Annotated[
        bool,
        typer.Option("--password-stdin", help="Read the password from the first line of standard input."),
    ] = False,
    token: Annotated[
        str | None, typer.Option(envvar="RECORDSMITH_TOKEN", help="An access token, in place of --user.")
    ] = None,
    realm: Annotated[str | None, typer.Option(help="Realm to sign in to and to act in.")] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="CSV: comma-separated fields of the columns, in order. [default: the header]"),
    ] = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="CSV: the first line is data; needs --columns.")
    ] = False,
    profile: Annotated[str | None, typer.Option(help="CSV: the import profile that reads the file.")] = None,
    separator: Annotated[
        str | None, typer.Option(help="CSV: between cells; a character, or tab. [default: ,]")
    ] = None,
    quote: Annotated[str | None, typer.Option(help='CSV: around cells. [default: "]')] = None,
    encoding: Annotated[
        Charset | None,
        typer.Option(case_sensitive=False, help="CSV: the character set. [default: UTF-8-without-BOM]"),
    ] = None,
    restore_archived: Annotated[
        bool,
        typer.Option("--restore-archived", help="CSV: rows restore the archived records that they name."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="CSV: report what would be done, store nothing.")
    ] = False,
    all_or_nothing: Annotated[
        bool, typer.Option("--all-or-nothing", help="CSV: store nothing when a row has errors.")
    ] = False,
    resume: Annotated[
        str | None, typer.Option(metavar="SESSION", help="CSV: resume an interrupted import.")
    ] = None,
    discard: Annotated[
        str | None, typer.Option(metavar="SESSION", help="CSV: end an import; rows already stored stay.")
    ] = None,
    on_existing: Annotated[
        OnExisting | None,
        typer.Option(help="JSON: what to do with a row whose refName exists. [default: skip]"),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="JSON: FIELD=TYPE: the field holds the refName of a record of that type. May be repeated."
        ),
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="JSON: tenant of the records, for callers without one.")
    ] = None,
    report_file: Annotated[
        Path | None, typer.Option("--report", help="Write every failed row to this CSV file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import records: every row is stored, skipped, or listed in the report."""
    of_csv = {
        "--columns": columns, "--no-header": no_header, "--profile": profile, "--separator": separator,
        "--quote": quote, "--encoding": encoding, "--dry-run": dry_run,
        "--restore-archived": restore_archived, "--all-or-nothing": all_or_nothing,
    }  # fmt: skip
    of_json = {"--on-existing": on_existing, "--reference": reference, "--tenant": tenant}
    with failing(as_json):
        road, name = _road(source, resume, discard)
        _require_fitting(road, of_csv, of_json)
        asked = _Asked(
            road, name, record_type, path,
            CsvOptions(
                columns, not no_header, profile, separator or ",", quote or '"', encoding or Charset.UTF_8,
                restore_archived,
            ),
            Terms(_words(record_type, path), dry_run, all_or_nothing, report_file),
            BulkJob(
                name, record_type, path, on_existing or OnExisting.SKIP,
                dict(references_of(reference or [])), {"dataDomain": {"tenantId": tenant}} if tenant else {},
            ),
        )  # fmt: skip
        accounts: list[Account] = []
        try:
            asyncio.run(
                _import(
                    url or _running_at(data), _sign_in(user, password_stdin, token, realm), asked, accounts
                )
            )
        except KeyboardInterrupt:
            _note_interrupt(accounts)
        if road is Road.JSON and report_file is not None:
            write_report(report_file, accounts)
        report({"imports": [facts(each) for each in accounts]}, as_json, lambda out: show(out, accounts))
        raise typer.Exit(outcome(accounts))


def _running_at(data: Path | None) -> str:
    """Where the service of the data folder listens; the usual address where none runs."""
    running = running_service(read_settings(data).data_folder)
    return running.url if running else "http://127.0.0.1:8080"


def _road(source: str | None, resume: str | None, discard: str | None) -> tuple[Road, str]:
    """Return the one way of importing that the options name. Raises ``CommandFailed`` (usage)."""
    given = [
        (road, name)
        for road, name in ((None, source), (Road.RESUME, resume), (Road.DISCARD, discard))
        if name is not None
    ]
    if len(given) != 1:
        message = "say what to import: a file, a data set, or --resume or --discard SESSION alone"
        raise CommandFailed("import.source", message, Outcome.USAGE)
    road, name = given[0]
    of_file = Road.CSV if Path(name).suffix.lower() == ".csv" else Road.JSON
    return road or of_file, name


def _require_fitting(road: Road, of_csv: Mapping[str, object], of_json: Mapping[str, object]) -> None:
    """Raise ``CommandFailed`` (usage) for an option that does not apply to what is imported."""
    refused = {Road.CSV: of_json, Road.JSON: of_csv}.get(road, {**of_csv, **of_json})
    for option, value in refused.items():
        if value:
            raise CommandFailed("import.option", f"{option} cannot be used with {road}", Outcome.USAGE)


async def _import(url: str, sign_in: SignIn, asked: _Asked, accounts: list[Account]) -> None:
    """Fill ``accounts``, one for each source."""
    source = csv_source(Path(asked.name), asked.csv) if asked.road is Road.CSV else None
    async with Api(url, sign_in) as api:
        if asked.road is Road.JSON:
            await import_in_bulk(api, asked.bulk, accounts)
            return
        client = SessionClient(api, await base_path(api, asked.record_type, asked.path, "csv/session"))
        title = source.name if source else f"session {asked.name}"
        account = Account(title, asked.record_type or client.base_path)
        session = SessionImport(client, asked.terms, account)
        accounts.append(account)
        begun = time.monotonic()
        if source is not None:
            await session.run(source)
        elif asked.road is Road.RESUME:
            await session.resume(asked.name)
        else:
            await session.discard(asked.name)
        account.seconds = round(time.monotonic() - begun, 2)


def _sign_in(user: str | None, password_stdin: bool, token: str | None, realm: str | None) -> SignIn:
    if user is not None:
        return SignIn(user, read_password(password_stdin), None, realm)
    if token is None:
        raise CommandFailed("import.sign_in", "say who you are: --user, or --token", Outcome.USAGE)
    return SignIn(token=token, realm=realm)


def _words(record_type: str | None, path: str | None) -> str:
    """Of a further command about the same records."""
    return f"--path {path}" if path else f"--type {record_type}"


def _note_interrupt(accounts: list[Account]) -> None:
    """Unless the account of what was under way says more already."""
    for account in accounts[-1:]:
        account.error = account.error or CommandFailed(INTERRUPTED, "interrupted")
