"""The frame of the commands of ``import``: sign in, work, report what became of every row."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from runtime.cli.account import (
    INTERRUPTED,
    Account,
    find_exit_code,
    render_account,
    require_writable,
    show,
    write_report,
)
from runtime.cli.api import Api
from runtime.cli.base_path import find_base_path
from runtime.cli.destination import Destination
from runtime.cli.output import CommandFailed, report
from runtime.cli.session_client import SessionClient
from runtime.cli.session_import import SessionImport, StoreOptions


def run_import(
    destination: Destination,
    work: Callable[[Api, list[Account]], Awaitable[None]],
    report_file: Path | None = None,
) -> None:
    """Run ``work``, which fills the accounts, report them, and end with the exit code."""
    accounts: list[Account] = []
    if report_file is not None:
        require_writable(report_file)

    async def run() -> None:
        async with destination.open() as api:
            await work(api, accounts)

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        if not accounts:  # nothing has begun
            raise
        _note_interrupt(accounts[-1])
    if report_file is not None:
        _save_report(report_file, accounts)
    facts = {"imports": [render_account(each) for each in accounts]}
    report(facts, destination.as_json, lambda out: show(out, accounts))
    raise typer.Exit(find_exit_code(accounts))


def run_session(
    destination: Destination,
    title: str,
    options: StoreOptions,
    work: Callable[[SessionImport], Awaitable[None]],
) -> None:
    """Run ``work`` on one import session, as ``run_import`` does."""

    if options.report is not None:
        require_writable(options.report)

    async def import_one(api: Api, accounts: list[Account]) -> None:
        client = await open_client(api, destination)
        account = Account(title, destination.record_type or client.base_path)
        accounts.append(account)
        begun = time.monotonic()
        try:
            await work(SessionImport(client, options, account, destination.words))
        finally:
            account.seconds = round(time.monotonic() - begun, 2)

    run_import(destination, import_one)


def read_session(
    destination: Destination,
    read: Callable[[SessionClient], Awaitable[Any]],
    show_result: Callable[[Console, Any], None],
) -> None:
    """Print what ``read`` returns about an import session."""

    async def run() -> Any:
        async with destination.open() as api:
            return await read(await open_client(api, destination))

    result = asyncio.run(run())
    report(result, destination.as_json, lambda out: show_result(out, result))


async def open_client(api: Api, destination: Destination) -> SessionClient:
    """Return the import sessions of the record type. Raises ``CommandFailed`` (usage)."""
    path = await find_base_path(api, destination.record_type, destination.path, "csv/session")
    return SessionClient(api, path)


def _save_report(file: Path, accounts: list[Account]) -> None:
    """Write the report; what was stored is printed also where that fails."""
    try:
        write_report(file, accounts)
    except CommandFailed as error:
        if not accounts:
            raise
        if (earlier := accounts[-1].error) is None:
            accounts[-1].error = error
        else:
            earlier.message += f"; {error.message}"


def _note_interrupt(account: Account) -> None:
    """Record an interrupt, unless the account of what was under way says more already."""
    account.error = account.error or CommandFailed(INTERRUPTED, "interrupted")
