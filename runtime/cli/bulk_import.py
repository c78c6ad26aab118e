"""Rows of JSON, and the data sets of the example, through ``POST {basePath}/bulk``.

A data set brings what it refers to before itself.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from runtime.cli.account import INTERRUPTED, Account
from runtime.cli.airports import DATASETS, load_dataset
from runtime.cli.api import Api
from runtime.cli.base_path import find_base_path
from runtime.cli.names import Names
from runtime.cli.output import CommandFailed, ExitCode
from runtime.cli.progress import showing
from runtime.cli.rows import Source, open_rows
from runtime.cli.sending import OnExisting, Target, send_all

_ROUTE: Final = "bulk"


@dataclass(frozen=True, slots=True)
class BulkJob:
    """One import. ``source`` is a name in ``DATASETS`` or a file; ``references``: field → record type."""

    source: str
    record_type: str | None = None
    path: str | None = None
    on_existing: OnExisting = OnExisting.SKIP
    references: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


async def import_in_bulk(api: Api, job: BulkJob, accounts: list[Account]) -> None:
    """Fill ``accounts``, one for each source. Raises ``CommandFailed`` before the first row is sent."""
    if job.source not in DATASETS:
        await _run(api, job, open_rows(Path(job.source)), accounts)
        return
    wanted = load_dataset(job.source)
    for needed in map(load_dataset, wanted.needs):
        before = BulkJob(needed.source.name, needed.record_type, defaults=job.defaults)
        await _run(api, before, needed.source, accounts)
    kind = job.record_type or wanted.record_type
    await _run(api, replace(job, record_type=kind, references=wanted.references), wanted.source, accounts)


async def _run(api: Api, job: BulkJob, source: Source, accounts: list[Account]) -> None:
    if accounts and accounts[-1].error:
        return
    path = await find_base_path(api, job.record_type, job.path, _ROUTE)
    references = {
        name: Names(api, await find_base_path(api, target, None, _ROUTE))
        for name, target in job.references.items()
    }
    target = Target(path, job.on_existing, Names(api, path), references, job.defaults)
    account = Account(source.name, job.record_type or path, source.count)
    accounts.append(account)
    begun = time.monotonic()
    try:
        with showing(source.name, source.count) as progress:
            await send_all(api, target, source.rows(), account, progress)
    except asyncio.CancelledError:
        again = "run it again, where --on-existing decides about the rows that are stored"
        account.error = CommandFailed(INTERRUPTED, f"interrupted: {again}")
        raise
    finally:
        account.seconds = round(time.monotonic() - begun, 2)


def parse_references(texts: list[str]) -> Iterator[tuple[str, str]]:
    """``country=Country`` → field and type. Raises ``CommandFailed`` (usage)."""
    for text in texts:
        name, _, record_type = text.partition("=")
        if not name or not record_type:
            message = f"--reference {text}: write FIELD=TYPE, such as country=Country"
            raise CommandFailed("import.reference", message, ExitCode.USAGE)
        yield name, record_type
