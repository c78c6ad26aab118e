"""``recordsmith import``: rows of a file, or a data set of the example, through the public API."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from runtime.cli.account import Account, facts, outcome, show, write_report
from runtime.cli.airports import DATASETS, dataset
from runtime.cli.api import Api, SignIn
from runtime.cli.names import Names
from runtime.cli.output import AsJson, CommandFailed, Outcome, failing, report
from runtime.cli.progress import showing
from runtime.cli.rows import Source, file_source
from runtime.cli.sending import OnExisting, Target, send_all
from runtime.cli.users import read_password
from runtime.nearest import hint


@dataclass(frozen=True, slots=True)
class _Job:
    """One import. ``source`` is a name in ``DATASETS`` or a file."""

    source: str
    record_type: str | None
    path: str | None
    on_existing: OnExisting
    references: Mapping[str, str]
    defaults: Mapping[str, Any]


def import_records(
    source: Annotated[
        str, typer.Argument(help="A .csv, .json or .ndjson file, or a data set: airports, countries.")
    ],
    record_type: Annotated[str | None, typer.Option("--type", help="Record type, such as Airport.")] = None,
    path: Annotated[
        str | None, typer.Option(help="In place of --type: its base path, such as /logistics/airports.")
    ] = None,
    url: Annotated[str, typer.Option(help="Where the service is.")] = "http://127.0.0.1:8080",
    user: Annotated[str | None, typer.Option("--user", help="User id to sign in with.")] = None,
    password_stdin: Annotated[
        bool,
        typer.Option("--password-stdin", help="Read the password from the first line of standard input."),
    ] = False,
    token: Annotated[
        str | None, typer.Option(envvar="RECORDSMITH_TOKEN", help="An access token, in place of --user.")
    ] = None,
    realm: Annotated[str | None, typer.Option(help="Realm to sign in to and to act in.")] = None,
    tenant: Annotated[
        str | None, typer.Option(help="Tenant of the records, for callers of no tenant.")
    ] = None,
    on_existing: Annotated[
        OnExisting, typer.Option(help="What becomes of a row whose refName exists.")
    ] = OnExisting.SKIP,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="FIELD=TYPE: the field holds the refName of a record of that type. May be repeated."
        ),
    ] = None,
    report_file: Annotated[
        Path | None, typer.Option("--report", help="Write every failed row to this CSV file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import records: insert what is new; every row is saved, or named in the report."""
    with failing(as_json):
        job = _Job(
            source,
            record_type,
            path,
            on_existing,
            dict(_references(reference or [])),
            {"dataDomain": {"tenantId": tenant}} if tenant else {},
        )
        accounts: list[Account] = []
        try:
            asyncio.run(_import(url, _sign_in(user, password_stdin, token, realm), job, accounts))
        except KeyboardInterrupt:
            accounts[-1:] = [_interrupted(account) for account in accounts[-1:]]
        if report_file is not None:
            write_report(report_file, accounts)
        report({"imports": [facts(each) for each in accounts]}, as_json, lambda out: show(out, accounts))
        raise typer.Exit(outcome(accounts))


async def _import(url: str, sign_in: SignIn, job: _Job, accounts: list[Account]) -> None:
    """Fills ``accounts``, one for each source: data sets bring what they refer to."""
    async with Api(url, sign_in) as api:
        paths = _Paths(api, job.path)
        if job.source not in DATASETS:
            base_path = await paths.base_path(job.record_type)
            schema = await api.get(f"{base_path}/schema")
            kind = job.record_type or base_path
            await _run(api, paths, job, kind, file_source(Path(job.source), schema), accounts)
            return
        wanted = dataset(job.source)
        for needed in map(dataset, wanted.needs):
            before = _Job(needed.source.name, None, None, OnExisting.SKIP, {}, job.defaults)
            await _run(api, _Paths(api, None), before, needed.record_type, needed.source, accounts)
        job = _Job(job.source, None, job.path, job.on_existing, wanted.references, job.defaults)
        await _run(api, paths, job, job.record_type or wanted.record_type, wanted.source, accounts)


async def _run(
    api: Api, paths: _Paths, job: _Job, kind: str, source: Source, accounts: list[Account]
) -> None:
    if accounts and accounts[-1].error:
        return
    base_path = await paths.base_path(kind)
    references = {
        field: Names(api, await _Paths(api, None).base_path(target))
        for field, target in job.references.items()
    }
    target = Target(base_path, job.on_existing, Names(api, base_path), references, job.defaults)
    account = Account(source.name, kind, source.count)
    accounts.append(account)
    begun = time.monotonic()
    with showing(source.name, source.count) as progress:
        await send_all(api, target, source.rows(), account, progress)
    account.seconds = round(time.monotonic() - begun, 2)


class _Paths:
    """Base paths by record type, as the service's OpenAPI document tells them; ``given`` overrules."""

    def __init__(self, api: Api, given: str | None) -> None:
        self._api = api
        self._given = given

    async def base_path(self, record_type: str | None) -> str:
        """Raises ``CommandFailed`` (usage) when there is no such type."""
        if self._given:
            return "/" + self._given.strip("/")
        if record_type is None:
            raise CommandFailed("import.type", "say what the rows are: --type Airport", Outcome.USAGE)
        document = await self._api.get("/openapi.json")
        known = {
            operations["post"]["operationId"].removesuffix("_bulk"): path.removesuffix("/bulk")
            for path, operations in document["paths"].items()
            if path.endswith("/bulk") and "post" in operations
        }
        found = known.get(record_type[:1].lower() + record_type[1:])
        if found is None:
            types = [name[:1].upper() + name[1:] for name in known]
            message = f"the service has no record type {record_type}{hint(record_type, types)}"
            raise CommandFailed("import.type", message, Outcome.USAGE)
        return str(found)


def _sign_in(user: str | None, password_stdin: bool, token: str | None, realm: str | None) -> SignIn:
    if user is not None:
        return SignIn(user, read_password(password_stdin), None, realm)
    if token is None:
        raise CommandFailed("import.sign_in", "say who you are: --user, or --token", Outcome.USAGE)
    return SignIn(token=token, realm=realm)


def _references(texts: list[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        field, _, record_type = text.partition("=")
        if not field or not record_type:
            message = f"--reference {text}: write FIELD=TYPE, such as country=Country"
            raise CommandFailed("import.reference", message, Outcome.USAGE)
        yield field, record_type


def _interrupted(account: Account) -> Account:
    account.error = account.error or CommandFailed("import.interrupted", "interrupted")
    return account
