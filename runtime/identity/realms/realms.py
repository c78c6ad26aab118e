"""The realms, and the database of each.

The default realm always exists, in the database of its own name: that database holds the records of all the
others, so it has to be known before anything is read. A realm without a record, or whose record is not
active, does not exist for callers.
"""

from dataclasses import dataclass

from runtime.filter import EVERYTHING, equals
from runtime.identity.memory import Freshness, ShortMemory
from runtime.identity.realms.realm import is_realm_name
from runtime.storage.as_service import as_service
from runtime.storage.store import Store
from runtime.system.documents import RealmDocument
from runtime.system.record_types import REALM

_MOST_REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class Realm:
    """A realm as its record tells; ``name`` is what callers say, ``database`` what the store says."""

    name: str
    database: str
    active: bool = True
    description: str | None = None


class Realms:
    """The realms of a deployment as one process knows them, as old as ``freshness`` allows."""

    def __init__(self, store: Store, default_realm: str, freshness: Freshness) -> None:
        self._store = store
        self._default = default_realm
        self._databases: ShortMemory[str, str] = ShortMemory(freshness, _MOST_REMEMBERED)

    async def find_database(self, name: str) -> str | None:
        """Where the realm is kept; None for one that is unknown or not active."""
        if name == self._default:
            return name
        if not is_realm_name(name):
            return None
        return await self._databases.get(name, lambda: self._look_up(name))

    def forget(self, database: str | None = None, record_id: str | None = None) -> None:
        """Forget all realms, whichever changed; ``runtime.storage.watching`` calls this."""
        self._databases.forget()

    async def _look_up(self, name: str) -> str | None:
        access = as_service(REALM, self._default)
        found = await self._store.find_one(access, equals(refName=name, active=True))
        return None if found is None else str(found["database"])


async def read_realms(store: Store, default_realm: str) -> list[Realm]:
    """Read the default realm, then those of the records by name, active or not."""
    access = as_service(REALM, default_realm)
    found = await store.find(access, EVERYTHING, order=[("refName", 1)])
    return [Realm(default_realm, default_realm), *map(realm_of, found)]


async def read_active_databases(store: Store, default_realm: str) -> list[str]:
    """List the databases of the active realms."""
    return [realm.database for realm in await read_realms(store, default_realm) if realm.active]


def realm_of(document: RealmDocument) -> Realm:
    """Build the realm that a record describes."""
    return Realm(
        document["refName"], document["database"], document["active"] is True, document.get("description")
    )
