"""From a data folder to settings, a store and an open service, for every command alike.

Without ``MONGODB_URI`` the store is the embedded one of the data folder: started for the command, or the
running service's own. Then the default environment is ``development``.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import SecretStr
from rich.console import Console

from runtime import app, logs
from runtime.call import Service, Subjects
from runtime.cli.lock import report_unusable, running_service
from runtime.cli.mismatch import explain_mismatch, import_application, load_routers
from runtime.cli.output import AsJson, CommandFailed, ExitCode, report
from runtime.errors import Misconfigured
from runtime.handler_loading import Handler, require_handlers
from runtime.model.catalog import Catalog
from runtime.model.seed import Seed
from runtime.permissions import Rule
from runtime.settings import Settings, find_misspelt
from runtime.storage.embedded import has_database, run_embedded
from runtime.storage.opening import open_store
from runtime.storage.store import Store, explain_faults

T = TypeVar("T")

DataFolder = Annotated[
    Path | None,
    typer.Option("--data", help="Data folder: keys and the embedded MongoDB.", show_default=".data"),
]


def read_settings(data: Path | None) -> Settings:
    """Read the settings, with the data folder of the command line.

    They and the application are found in the current folder, into which a console script does not look.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return Settings.read() if data is None else Settings.read(data_folder=data)


def fill_unset(settings: Settings, **values: Any) -> Settings:
    """Return the settings with these values where nothing is set."""
    unset = {name: value for name, value in values.items() if name not in settings.model_fields_set}
    return settings.model_copy(update=unset)


def development(settings: Settings) -> Settings:
    """Return the same settings for development, unless they name an environment, or a store of their own."""
    return settings if settings.mongodb_uri is not None else fill_unset(settings, environment="development")


def prepare_demo(settings: Settings) -> Settings:
    """Return the same settings for a look around: development, and the query gateway executes.

    Raises ``Misconfigured`` in production, where nobody wants two more tenants with an administrator each.
    """
    if development(settings).environment == "production":
        raise Misconfigured(
            "--demo creates users to look around with, and service.environment is production; "
            "set it to development where that is what the store is for"
        )
    return fill_unset(development(settings), gateway_executes=True)


def quiet(settings: Settings) -> Settings:
    """Log warnings only, unless ``log.level`` is set: the command itself says what it did."""
    return fill_unset(settings, log_level="WARNING")


@contextmanager
def with_store(settings: Settings, *, revive: bool = False) -> Iterator[Settings]:
    """Yield the settings with the address of a store, which runs as long as the block lasts.

    ``revive``: for a service, which also creates a database where there is none. All other commands raise
    ``CommandFailed`` there, since a wrong folder would look like an empty service. What the store refuses
    in the block is raised as ``Misconfigured``.
    """
    if settings.mongodb_uri is not None:
        with explain_faults():
            yield settings
        return
    settings = development(settings)
    if settings.environment == "production" and not settings.embedded_in_production:
        raise Misconfigured(
            "service.environment is production and the embedded MongoDB is for development: set MONGODB_URI "
            "to a replica set or sharded cluster, or mongodb.embedded-in-production to true" + _hint_at_uri()
        )
    with report_unusable(settings.data_folder, "read"):
        is_there = revive or has_database(settings.data_folder)
    if not is_there:
        raise CommandFailed(
            "data.no_database",
            f"{settings.data_folder} contains no database: pass the data folder of a service with --data, "
            "or create one with `recordsmith serve`" + _hint_at_uri(),
            ExitCode.USAGE,
        )
    with run_embedded(settings.data_folder, revive=revive) as uri, explain_faults():
        yield settings.model_copy(update={"mongodb_uri": SecretStr(uri)})


def _hint_at_uri() -> str:
    """Return which variables seem to be meant for the address of a store."""
    found = [name for name, near in find_misspelt(os.environ).items() if near == "MONGODB_URI"]
    verb = "sets" if len(found) == 1 else "set"
    return f"; {', '.join(found)} {verb} nothing: did you mean MONGODB_URI?" if found else ""


def alongside(settings: Settings) -> Settings:
    """Return the settings with the names that a service running on their data folder puts into its tokens.

    Explicit settings stay. Without this a token created next to a service on another port would name
    another issuer, and be refused.
    """
    running = running_service(settings.data_folder)
    if running is None:
        return settings
    return fill_unset(settings, base_url=running.base_url, issuer=running.issuer)


def open_service(settings: Settings) -> AbstractAsyncContextManager[Service]:
    """Open the service of the application in ``service.app``, for a command. Raises ``Misconfigured``."""
    parts = load_application(settings)
    return app.open_service(
        parts.catalog,
        settings,
        seeds=parts.seeds,
        rules=parts.rules,
        subjects=parts.subjects,
        is_command=True,
    )


def run_on_service(settings: Settings, work: Callable[[Service], Awaitable[T]]) -> T:
    """Do ``work`` on a service with these settings, whether or not one runs on their data folder."""

    async def open_and_work(settings: Settings) -> T:
        async with open_service(settings) as service:
            return await work(service)

    with with_store(alongside(settings)) as with_address:
        logs.configure(quiet(with_address))
        return asyncio.run(open_and_work(with_address))


@dataclass(frozen=True, slots=True)
class Application:
    """What the module of the application factory names: ``CATALOG``, ``SEEDS``, ``RULES`` …"""

    catalog: Catalog
    seeds: tuple[Seed, ...]
    rules: tuple[Rule, ...]
    subjects: Subjects
    handlers: tuple[Handler, ...]


def load_application(settings: Settings) -> Application:
    """Load the parts of the application that need no routes. Raises ``Misconfigured``."""
    module = settings.app.partition(":")[0]
    try:
        with explain_mismatch():
            found: Any = import_application(settings.app)
        handlers = getattr(found, "HANDLERS", ())
        return Application(found.CATALOG, found.SEEDS, found.RULES, found.SUBJECTS, handlers)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        message = (
            f"service.app {settings.app}: the module {error.name} does not exist; `make generate` writes it"
        )
        raise Misconfigured(message, cause=error) from None
    except AttributeError as error:
        raise Misconfigured(f"service.app {settings.app}: {error}", cause=error) from None


def check_handlers(settings: Settings) -> int:
    """Return how many handlers the application has, which can be created, and whose routers fit.

    Raises ``Misconfigured``, ``HandlerFailed``.
    """
    handlers = load_application(settings).handlers
    require_handlers(handlers)
    _require_factory(settings.app)
    load_routers(import_module(settings.app.partition(":")[0]))
    return len(handlers)


def import_routers(settings: Settings) -> None:
    """Import all routers of the application. Raises ``Misconfigured``, and what a router raises."""
    load_routers(import_module(settings.app.partition(":")[0]), always=True)


def _require_factory(app: str) -> None:
    module, _, name = app.partition(":")
    try:
        found = attrgetter(name)(import_module(module))
    except AttributeError:
        found = None
    if not callable(found):
        said = f"has no function {name!r}" if name else "is named without its function"
        advice = "write module:function, as in generated.app:create"
        raise Misconfigured(f"service.app {app}: the module {module} {said}; {advice}")


@dataclass(frozen=True, slots=True)
class Local:
    """The options of a command on a data folder, whether or not a service runs there."""

    data: DataFolder = None
    as_json: AsJson = False

    def with_service(self, work: Callable[[Service], Awaitable[T]], *, follows: bool = True) -> T:
        """Do ``work`` on the service of the data folder.

        ``follows``: its caches follow what is written. The store goes through all writes for that, so a
        command that writes many does without.
        """

        followed = {} if follows else {"change_streams": False}
        return run_on_service(read_settings(self.data).model_copy(update=followed), work)

    def with_catalog(self, work: Callable[[Store, Settings, Catalog], Awaitable[T]]) -> T:
        """Do ``work`` on the bare store of the data folder, in which neither indexes nor keys are created."""

        async def open_and_work(settings: Settings) -> T:
            async with open_store(settings) as store:
                return await work(store, settings, load_application(settings).catalog)

        with with_store(read_settings(self.data)) as settings:
            logs.configure(quiet(settings))
            return asyncio.run(open_and_work(settings))

    def report(self, value: Any, show: str | Callable[[Console], None]) -> None:
        """Print the result. ``show``: it is a line for people, or prints it for them."""
        report(value, self.as_json, show)
