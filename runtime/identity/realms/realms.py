"""The realms, and the database of each.

The default realm always exists, in the database of its own name: that database holds the records of all the
others, so it has to be known before anything is read. A realm without a record, or whose record is not
active, does not exist for callers.
"""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from runtime.errors import StoreUnavailable
from runtime.filter import EVERYTHING, equals
from runtime.identity.memory import Freshness, ShortMemory
from runtime.model.realm_name import is_realm_name
from runtime.model.record_type import RecordType
from runtime.storage.access import Access
from runtime.storage.as_service import as_service
from runtime.storage.store import Store
from runtime.system.documents import RealmDocument
from runtime.system.record_types import (
    ERASURE,
    LOGIN_ATTEMPT,
    REALM,
    RECORD_MIGRATION,
    REQUEST_TALLY,
    RESTORATION,
    SERVICE_WORKER,
)

_MOST_REMEMBERED = 1000

_MARK_SECONDS = 10.0
"""How old the marks of restores may be that a process knows; the change stream reports new ones at once."""


OF_THE_DEPLOYMENT: Final[tuple[RecordType[Any, Any], ...]] = (
    REALM, RESTORATION, ERASURE, LOGIN_ATTEMPT, RECORD_MIGRATION, REQUEST_TALLY, SERVICE_WORKER,
)  # fmt: skip
"""They describe a deployment and not the content of a realm: no restore touches them."""

_NEVER_RESTORED: Final = frozenset(kind.name for kind in OF_THE_DEPLOYMENT)
_RESTORING: Final = "a backup is being restored {}: try again later"


@dataclass(frozen=True, slots=True)
class Realm:
    """A realm as its record tells; ``name`` is what callers say, ``database`` what the store says."""

    name: str
    database: str
    active: bool = True
    description: str | None = None
    restoring: bool = False


class RestoreMarks(NamedTuple):
    """What is being restored: realms, and their databases."""

    realms: frozenset[str]
    databases: frozenset[str]


_NO_MARKS: Final = RestoreMarks(frozenset(), frozenset())


class Realms:
    """The realms of a deployment as one process knows them, as old as ``freshness`` allows."""

    def __init__(self, store: Store, default_realm: str, freshness: Freshness) -> None:
        self._store = store
        self._default = default_realm
        self._databases: ShortMemory[str, str] = ShortMemory(freshness, _MOST_REMEMBERED)
        lasting = Freshness(_MARK_SECONDS, freshness.clock, freshness.silence)
        self._marks: ShortMemory[None, RestoreMarks] = ShortMemory(lasting, 1)

    async def find_database(self, name: str) -> str | None:
        """Find the database of a realm; None for one that is unknown or not active.

        Raises ``StoreUnavailable`` while a backup is restored into it.
        """
        if name in (await self._read_marks()).realms:
            raise StoreUnavailable(_RESTORING.format(f"into the realm {name}"))
        if name == self._default:
            return name
        if not is_realm_name(name):
            return None
        return await self._databases.get(name, lambda: self._look_up(name, active=True))

    async def find_stored(self, name: str) -> str | None:
        """Find the database of a realm, active or not, for what may end while its realm is switched off.

        Raises as ``find_database`` does.
        """
        found = await self.find_database(name)
        return await self._look_up(name) if found is None and is_realm_name(name) else found

    def forget(self, database: str | None = None, record_id: str | None = None) -> None:
        """Forget all realms, whichever changed; ``runtime.storage.watching`` calls this."""
        self._databases.forget()
        self._marks.forget()

    async def require_open(self, access: Access[Any]) -> None:
        """Raise ``StoreUnavailable`` for a change of what is being restored.

        A request, or work of the service, may have begun before the restore did.
        """
        if access.kind.name in _NEVER_RESTORED:
            return
        if access.database in (await self._read_marks()).databases:
            raise StoreUnavailable(_RESTORING.format("here"))

    async def _read_marks(self) -> RestoreMarks:
        return await self._marks.get(None, self._load_marks) or _NO_MARKS

    async def _load_marks(self) -> RestoreMarks:
        names = await read_restoring(self._store, self._default)
        if not names:
            return _NO_MARKS
        realms = await read_realms(self._store, self._default)
        return RestoreMarks(names, frozenset(realm.database for realm in realms if realm.name in names))

    async def _look_up(self, name: str, **state: bool) -> str | None:
        access = as_service(REALM, self._default)
        found = await self._store.find_one(access, equals(refName=name, **state))
        return None if found is None else str(found["database"])


async def read_realms(store: Store, default_realm: str) -> list[Realm]:
    """Read the default realm, then those of the records by name, active or not."""
    access = as_service(REALM, default_realm)
    found = await store.find(access, EVERYTHING, order=[("refName", 1)])
    return [Realm(default_realm, default_realm), *map(realm_of, found)]


async def read_active_databases(store: Store, default_realm: str) -> list[str]:
    """List the databases of the active realms, without those that are being restored."""
    restoring = await read_restoring(store, default_realm)
    realms = await read_realms(store, default_realm)
    return [realm.database for realm in realms if realm.active and realm.name not in restoring]


async def read_restoring(store: Store, default_realm: str) -> frozenset[str]:
    """Read which realms a backup is being restored into: they do not serve until it is whole."""
    found = await store.find(as_service(RESTORATION, default_realm), EVERYTHING)
    return frozenset(one["realm"] for one in found if "tenant" not in one)


def realm_of(document: RealmDocument) -> Realm:
    """Build the realm that a record describes."""
    return Realm(
        document["refName"], document["database"], document["active"] is True, document.get("description")
    )
