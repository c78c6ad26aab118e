"""What ``doctor`` looks at, from the ground up.

A check never raises; what depends on a failed one is left out.
"""

import asyncio
import os
import platform
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from runtime import logs
from runtime.cli.findings import Check, Status
from runtime.cli.folder_checks import check_data_folder, check_port, check_service
from runtime.cli.opening import (
    check_handlers,
    development,
    import_routers,
    load_application,
    quiet,
    read_settings,
    with_store,
)
from runtime.cli.output import CommandFailed
from runtime.cli.realm_checks import check_realms
from runtime.cli.store_checks import check_lane, check_server
from runtime.errors import Misconfigured, ServiceError, StoreUnavailable
from runtime.handler_loading import HandlerFailed
from runtime.model.counting import count_things
from runtime.records.document.calculated import require_expressions
from runtime.seam_loading import load_seams
from runtime.settings import Settings, find_misspelt
from runtime.storage.embedded import binary, has_database
from runtime.storage.store import explain_faults
from runtime.system.record_types import IMPORT_PROFILE
from runtime.tokens import list_keys, require_secret
from runtime.transfer.profiles.profile_check import find_missing_resolvers

_GENERATOR, _GENERATOR_SECONDS = "generator.__main__", 60
_SETTINGS = "runtime.settings"
_FAULTS = "`recordsmith serve` answers requests to its routes with faults"


def examine(data: Path | None, host: str, port: int) -> list[Check]:
    """Run every check, in order."""
    found = [_check_python(), _check_commands(), _check_generated()]
    try:
        settings = read_settings(data)
    except ServiceError as error:
        return [*found, Check("settings", Status.FAIL, error.message, f"see `python -m {_SETTINGS}`")]
    logs.configure(quiet(settings))
    found.append(_check_settings(settings))
    ground = [
        check_data_folder(settings),
        check_service(settings),
        check_port(settings, host, port),
        _check_wheel(settings),
        _check_application(settings),
    ]
    found += ground
    if ground[-1].status is not Status.FAIL:
        found += [_check_endpoints(settings), _check_seams(settings)]
    if all(check.status is not Status.FAIL for check in ground):
        found += _check_store(settings)
    return found


def _check_python() -> Check:
    return Check("python", Status.OK, f"{platform.python_version()} on {platform.platform(terse=True)}")


def _check_commands() -> Check:
    missing = []
    for point in entry_points(group="recordsmith.commands"):
        try:
            point.load()
        except ImportError as error:
            missing.append(f"{point.name} ({error})")
    if missing:
        advice = "a deployed service needs none of them; else install recordsmith[generator]"
        return Check("commands", Status.WARN, f"not available: {', '.join(missing)}", advice)
    return Check("commands", Status.OK, "all commands can be loaded")


def _check_generated() -> Check:
    """Let the generator compare specs/ with generated/."""
    name = "generated"
    if not Path("specs").is_dir() or not _has_generator():
        message, advice = "no specs/ or no generator here: not compared", "run it in the repository"
        return Check(name, Status.WARN, message, advice)
    command = [sys.executable, "-m", _GENERATOR, "check"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_GENERATOR_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Check(name, Status.WARN, f"the generator took longer than {_GENERATOR_SECONDS} s")
    except OSError as error:
        return Check(name, Status.WARN, f"the generator cannot be run: {error.strerror}")
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        message = said[-1] if said else "specs/ and generated/ differ"
        return Check(name, Status.FAIL, message, "run `make check`, which names each")
    return Check(name, Status.OK, "generated/ is what specs/ says")


def _has_generator() -> bool:
    """Whether the libraries of the generator are installed: a deployed service does not need them."""
    return all(find_spec(name) for name in ("datamodel_code_generator", "ruff", "yaml"))


def _check_settings(settings: Settings) -> Check:
    """Report the environment, and variables that are nearly settings."""
    said = f"environment {development(settings).environment}"
    misspelt = find_misspelt(os.environ, has_store=settings.mongodb_uri is not None)
    if not misspelt:
        return Check("settings", Status.OK, said)
    advice = "; ".join(f"rename {one} to {near}, or unset it" for one, near in misspelt.items())
    return Check("settings", Status.WARN, f"{said}; {', '.join(misspelt)} set nothing", advice)


def _check_wheel(settings: Settings) -> Check:
    if settings.mongodb_uri:
        return Check("mongod", Status.OK, "not needed: MONGODB_URI names a store")
    try:
        program = binary()
    except ServiceError as error:
        return Check("mongod", Status.FAIL, error.message)
    return Check("mongod", Status.OK, f"the embedded one is installed: {program.name}")


def _check_application(settings: Settings) -> Check:
    """Whether the record types of the application can be loaded, which every command on a store needs."""
    name = "application"
    try:
        application = load_application(settings)
    except ServiceError as error:
        return Check(name, Status.FAIL, error.message)
    except Exception as error:
        said = f"service.app {settings.app} cannot be imported: {type(error).__name__}: {error}"
        return Check(name, Status.FAIL, said)
    number = count_things(len(list(application.catalog)), "record type")
    return Check(name, Status.OK, f"{settings.app} has {number}")


def _check_endpoints(settings: Settings) -> Check:
    """Whether the function of each hand-written endpoint exists, and all routers can be imported."""
    name = "handlers"
    try:
        number = check_handlers(settings)
    except ServiceError as error:
        return Check(name, Status.FAIL, error.message, "`recordsmith serve` does not start without it")
    except HandlerFailed as error:
        return Check(name, Status.FAIL, str(error), "`recordsmith serve` shows where")
    try:
        import_routers(settings)
    except ServiceError as error:
        return Check(name, Status.FAIL, error.message, _FAULTS)
    except (Exception, SystemExit) as error:
        said = f"a router cannot be imported: {type(error).__name__}: {error}"
        return Check(name, Status.FAIL, said, f"{_FAULTS}: run `make generate`")
    return Check(
        name,
        Status.OK,
        count_things(number, "function of an endpoint is there", "functions of endpoints are there")
        if number
        else "none are needed",
    )


def _check_seams(settings: Settings) -> Check:
    """Whether the application supplies what its specifications name of it."""
    name, application = "seams", load_application(settings)
    try:
        seams = load_seams(settings.seams)
        require_expressions(application.catalog, seams.expressions)
    except ServiceError as error:
        return Check(name, Status.FAIL, error.message, "`recordsmith serve` does not start without it")
    profiles = [
        row for seed in application.seeds if seed.kind.name == IMPORT_PROFILE.name for row in seed.rows
    ]
    for row in profiles:
        for missing in find_missing_resolvers(row["columnMappings"], seams.row_value_resolvers):
            said = f"import profile {row['refName']}, {missing['path']}: {missing['message']}"
            return Check(
                name, Status.FAIL, said, "add it to Seams.row_value_resolvers: no tenant gets the profile"
            )
    return Check(name, Status.OK, "the application supplies what its specifications name")


def _check_store(settings: Settings) -> Iterator[Check]:
    """Run the checks that need an open service."""
    if not settings.mongodb_uri and not has_database(settings.data_folder):
        yield Check("store", Status.OK, "no database yet; `recordsmith serve` creates one")
        return
    try:
        with with_store(settings) as with_address:
            yield check_server(with_address)
            yield asyncio.run(check_lane(with_address))
            yield _check_keys(with_address)
            yield from _check_realms(with_address)
    except StoreUnavailable as error:
        yield Check("store", Status.FAIL, error.message, "is MONGODB_URI right, and the server up?")
    except (ServiceError, CommandFailed) as error:
        yield Check("store", Status.FAIL, error.message)


def _check_realms(settings: Settings) -> Iterator[Check]:
    """Look at what an open service knows; what keeps it from opening keeps ``serve`` from starting."""
    try:
        with explain_faults():
            yield from asyncio.run(check_realms(settings))
    except Misconfigured as error:
        yield Check("start", Status.FAIL, error.message)


def _check_keys(settings: Settings) -> Check:
    file = settings.private_key_location or settings.data_folder / "keys" / "private.pem"
    try:
        if settings.environment == "development" and not file.exists():
            return Check("keys", Status.OK, "none yet; `recordsmith serve` creates them")
        keys = [key for key in list_keys(settings, time.time()) if key.state != "expired"]
        require_secret(settings)
    except ServiceError as error:
        return Check("keys", Status.FAIL, error.message)
    except OSError as error:
        return Check("keys", Status.FAIL, f"the keys of tokens cannot be read: {error}")
    if sys.platform != "win32" and file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return Check("keys", Status.WARN, f"{file} can be read by others", f"chmod 600 {file}")
    kid = next(key.kid for key in keys if key.state == "signing")
    return Check("keys", Status.OK, f"{len(keys)} public, signing with {kid[:12]}…")
