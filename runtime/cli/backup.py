"""``recordsmith backup`` and ``recordsmith restore``."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from runtime.backup import (
    Head,
    Manifest,
    NothingStored,
    Place,
    abandon,
    find_mark,
    open_archive,
    restore,
    take_archive,
    verify_archive,
)
from runtime.call import Service
from runtime.cli.chosen_realm import RealmOf
from runtime.cli.opening import Local
from runtime.cli.output import CommandFailed, ExitCode, open_error_output
from runtime.cli.places import (
    KeyFile,
    build_unknown_tenant,
    find_place,
    read_key_file,
    translate_problems,
)
from runtime.cli.progress import showing
from runtime.cli.version import installed_version
from runtime.errors import ServiceError
from runtime.model.counting import count_things

Tenant = Annotated[
    str | None, typer.Option("--tenant", help="Only this tenant.", show_default="the whole realm")
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="The file of the backup.")]


def back_up(
    file: File, realm: RealmOf = None, tenant: Tenant = None, key_file: KeyFile = None, *, local: Local
) -> None:
    """Write a realm or a tenant into a file, as it was at one moment, while the service runs."""
    done = write_archive("backup", file, realm, tenant, key_file, local)
    sealed = "encrypted" if key_file else "not encrypted: it holds password hashes and secrets"
    local.report(done, f"{file}: {count_things(done['records'], 'record')} ({sealed})")


def restore_backup(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The file of the backup.")] = None,
    realm: RealmOf = None,
    key_file: KeyFile = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove the records that the realm or tenant holds.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Only verify the file. Needs no store.")] = False,
    give_up: Annotated[
        bool, typer.Option("--abandon", help="Remove what an interrupted restore stored. Needs no file.")
    ] = False,
    tenant: Annotated[str | None, typer.Option("--tenant", help="With --abandon: the tenant.")] = None,
    *,
    local: Local,
) -> None:
    """Restore a backup into a realm that holds no records, or its tenant there: all of it or nothing.

    The file is verified first. Until all is stored the realm does not serve; run it again after a crash.
    """
    _check_usage(file, tenant, check, give_up, replace)
    if give_up:
        with translate_problems():
            local.with_service(lambda service: _abandon(service, realm, tenant), follows=False)
        local.report({"abandoned": True}, "the interrupted restore was removed")
        return
    if file is None:
        raise CommandFailed("backup.no_file", "name the file of a backup", ExitCode.USAGE)
    with translate_problems():
        done = _check(file, key_file) if check else _restore(file, realm, key_file, replace, local)
    same = (
        ""
        if done.get("sameSpecs", True)
        else "; its specifications differ from those of this service: restart it"
    )
    number = done["records"]
    is_whole = "restored" if not check else "is whole" if number == 1 else "are whole"
    local.report(done, f"{file}: {count_things(number, 'record')} {is_whole}{same}")


def _check_usage(file: Path | None, tenant: str | None, check: bool, give_up: bool, replace: bool) -> None:
    """Refuse what would restore or remove something else than is named."""
    said = None
    if give_up and check:
        said = "--check only verifies a file: leave it out to give an interrupted restore up"
    if replace and (check or give_up):
        said = "--replace removes records before a restore: leave it out here, where none is done"
    if give_up and file is not None:
        said = "--abandon takes no file: it removes what an interrupted restore stored"
    if tenant is not None and not give_up:
        said = "a restore restores the tenant or realm that its file is of: leave --tenant out"
    if said is not None:
        raise CommandFailed("backup.usage", said, ExitCode.USAGE)


def write_archive(
    content: Literal["backup", "export"],
    file: Path,
    realm: str | None,
    tenant: str | None,
    key_file: Path | None,
    local: Local,
) -> dict[str, Any]:
    """Write a backup of a realm or tenant, or an export, and return what the archive is."""

    async def write(service: Service) -> dict[str, Any]:
        place = await find_place(service, realm, tenant)
        with showing(f"{content} of {place}", 0) as progress:
            try:
                version, report = installed_version(), progress.done
                taken = await take_archive(content, service, place, file, key, version, report)
            except NothingStored:
                raise await build_unknown_tenant(service, tenant or "", [place]) from None
        return _render_archive(taken.head, taken.manifest)

    if str(file) == "-":
        raise CommandFailed("backup.usage", "name a file: a pipe cannot take what is written", ExitCode.USAGE)
    with translate_problems():
        key = read_key_file(key_file)
        return local.with_service(write, follows=False)


def _render_archive(head: Head, manifest: Manifest) -> dict[str, Any]:
    """Return what an archive is, for people and scripts."""
    facts = {name: getattr(head, name) for name in ("content", "id", "realm", "tenant", "created", "version")}
    return {**facts, "records": manifest.records, "collections": manifest.collections}


def _check(file: Path, key_file: Path | None) -> dict[str, Any]:
    with closing(open_archive(file, read_key_file(key_file))) as archive:
        return _render_archive(*archive.verify())


def _restore(
    file: Path, realm: str | None, key_file: Path | None, replace: bool, local: Local
) -> dict[str, Any]:
    async def store(service: Service) -> dict[str, Any]:
        verified = await verify_archive(archive)
        place = await find_place(service, realm, verified.head.tenant)
        with showing(f"restore of {place}", verified.manifest.records) as progress:
            async with _explain_what_is_marked(service, place):
                done = await restore(service, place, verified, replace=replace, report=progress.done)
        return {**_render_archive(done.head, done.manifest), "sameSpecs": done.is_same_specs}

    with closing(open_archive(file, read_key_file(key_file))) as archive:
        return local.with_service(store, follows=False)


async def _abandon(service: Service, realm: str | None, tenant: str | None) -> None:
    place = await find_place(service, realm, tenant)
    async with _explain_what_is_marked(service, place):
        await abandon(service, place)


@asynccontextmanager
async def _explain_what_is_marked(service: Service, place: Place) -> AsyncIterator[None]:
    """Print how to go on where a restore, or giving one up, is interrupted and the place stays marked."""
    try:
        yield
    except asyncio.CancelledError:
        is_marked = True
        with suppress(ServiceError):
            is_marked = await find_mark(service, place) is not None
        if is_marked:
            advice = "restore the same file again, which begins from the start, or --abandon"
            open_error_output().print(f"interrupted: {place} stays marked; {advice}")
        raise
