"""Whether a service token is still to be accepted: it is, as long as its record stands and is not revoked."""

from __future__ import annotations

from collections.abc import Callable

from runtime.as_service import as_service
from runtime.call import RealmSource
from runtime.filter import equals
from runtime.security.memory import ShortMemory
from runtime.store import Store
from runtime.system_records import SystemRecords

_MOST_REMEMBERED = 10_000


class LiveTokens:
    """Answers at most ``seconds`` old; only live ones are remembered, so that none comes back late."""

    def __init__(
        self,
        store: Store,
        system: SystemRecords,
        realms: RealmSource,
        *,
        seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._kind = system.service_token
        self._realms = realms
        self._live: ShortMemory[tuple[str, str], bool] = ShortMemory(seconds, clock, _MOST_REMEMBERED)

    async def is_live(self, realm: str, token_id: str) -> bool:
        """Whether the token of that id, from that realm, stands."""
        return await self._live.get((realm, token_id), lambda: self._look_up(realm, token_id)) is not None

    def forget(self) -> None:
        """Look all up again."""
        self._live.forget()

    async def _look_up(self, realm: str, token_id: str) -> bool | None:
        database = await self._realms.database(realm)
        if database is None:
            return None
        match = equals(refName=token_id, revoked=False, activeStatus="ACTIVE")
        found = await self._store.find_one(as_service(self._kind, database), match)
        return None if found is None else True
