"""The realm or tenant that a command is about, the files it writes and reads, and its progress."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from runtime.backup import BackupProblem, Place, find_anything, read_key
from runtime.call import Service
from runtime.cli.chosen_realm import find_realms
from runtime.cli.output import CommandFailed, ExitCode
from runtime.identity.users.users import list_tenants
from runtime.model.nearest import hint

KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", help="A file of 32 or more random bytes that encrypts the backup."),
]


async def find_place(service: Service, realm: str | None, tenant: str | None) -> Place:
    """Find the database of a realm, active or not. Raises ``CommandFailed`` for an unknown one."""
    settings = service.settings
    name = settings.default_realm if realm is None else realm
    (found,) = await find_realms(service.store, settings, name)
    return Place(found.name, found.database, tenant)


async def require_tenant(service: Service, tenant: str, places: Sequence[Place]) -> None:
    """Raise ``CommandFailed`` for a tenant of which nothing is stored in any of these places."""
    if not any([await find_anything(service, place) for place in places]):
        raise await build_unknown_tenant(service, tenant, places)


async def build_unknown_tenant(service: Service, tenant: str, places: Sequence[Place]) -> CommandFailed:
    """Build the error of a tenant of which nothing is stored, with tenants of these realms that are near."""
    active = [one.realm for one in places if await service.realms.find_database(one.realm) is not None]
    known = {name for realm in active for name in await list_tenants(service, realm)}
    where = f"the realm {places[0].realm}" if len(places) == 1 else "any active realm"
    message = f"nothing is stored of tenant {tenant[:40]!r} in {where}{hint(tenant, known)}"
    return CommandFailed("tenant.unknown", message, ExitCode.USAGE)


def read_key_file(path: Path | None) -> bytes | None:
    """Read the key, if there is one."""
    return None if path is None else read_key(path)


@contextmanager
def translate_problems() -> Iterator[None]:
    """Turn what ends a backup into a failure of the command."""
    try:
        yield
    except BackupProblem as error:
        exit_code = ExitCode.USAGE if error.is_usage else ExitCode.FAILED
        raise CommandFailed(error.code, error.message, exit_code) from error


def show_counts(counts: dict[str, Any]) -> str:
    """Write counts by collection in one line."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "nothing"


def confirm_by_name(name: str, confirmed: str | None, question: str) -> None:
    """Have the name typed on a terminal, or compare the one of the command line. Raises ``CommandFailed``."""
    if confirmed is None and sys.stdin.isatty():
        confirmed = typer.prompt(question, err=True)
    if confirmed != name:
        advice = f"confirm with --confirm {shlex.quote(name)}"
        raise CommandFailed("tenants.unconfirmed", f"nothing was erased: {advice}")
