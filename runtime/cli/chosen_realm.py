"""The realms that a command is about: the one of ``--realm``, else the default one or every active one."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

import typer

from runtime.call import Service
from runtime.cli.opening import Local
from runtime.cli.output import CommandFailed, ExitCode
from runtime.identity.realms.realms import Realm, read_realms
from runtime.model.nearest import hint
from runtime.settings import Settings
from runtime.storage.store import Store

T = TypeVar("T")

RealmOf = Annotated[
    str | None, typer.Option("--realm", help="Realm (database).", show_default="service.default-realm")
]
OneRealm = Annotated[
    str | None,
    typer.Option("--realm", help="Only this realm, active or not.", show_default="every active one"),
]


async def find_realms(store: Store, settings: Settings, name: str | None) -> list[Realm]:
    """Find the realm of this name, or all active ones. Raises ``CommandFailed`` for an unknown name."""
    return choose_realms(await read_realms(store, settings.default_realm), name)


def choose_realms(realms: Sequence[Realm], name: str | None) -> list[Realm]:
    """Return the realm of this name, or all active ones. Raises ``CommandFailed`` for an unknown name."""
    if name is None:
        return [one for one in realms if one.active]
    chosen = [one for one in realms if one.name == name]
    if not chosen:
        near = hint(name, [one.name for one in realms])
        raise CommandFailed("realm.unknown", f"the realm {name[:40]!r} does not exist{near}", ExitCode.USAGE)
    return chosen


def require_active(realm: Realm) -> None:
    """Raise ``CommandFailed`` for a disabled realm, which to the service does not exist."""
    if not realm.active:
        advice = f"enable it with `recordsmith realms enable {realm.name}`"
        raise CommandFailed("realm.disabled", f"the realm {realm.name} is disabled; {advice}")


@dataclass(frozen=True, slots=True)
class InRealm(Local):
    """The options of a command on one realm of a data folder."""

    realm: RealmOf = None

    def with_realm(self, work: Callable[[Service, str], Awaitable[T]]) -> T:
        """Do ``work`` on the service and the realm. Raises ``CommandFailed``, also for a disabled one."""

        async def choose_and_work(service: Service) -> T:
            if self.realm is not None:
                (chosen,) = await find_realms(service.store, service.settings, self.realm)
                require_active(chosen)
            return await work(service, self.realm or service.settings.default_realm)

        return self.with_service(choose_and_work)
