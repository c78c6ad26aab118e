"""Whether the record behind a token is still in force: a session (refresh family), or a service token."""

from dataclasses import dataclass
from typing import Any

from runtime.call import RealmSource
from runtime.client import Client
from runtime.filter import equals
from runtime.identity.memory import Freshness, RecordMemory
from runtime.model.record_type import RecordType
from runtime.permissions.token_scopes import always_narrows
from runtime.storage.as_service import as_service
from runtime.storage.store import Store

_MOST_REMEMBERED = 10_000

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Live:
    record_id: str
    client_record: str | None
    is_limited: bool


class LiveRecords:
    """The records of one kind, in all realms. Each has a ``subject`` and is ``revoked`` at its end.

    Answers are as old as ``freshness`` allows; only records in force are remembered, so that none comes
    back late.
    """

    def __init__(
        self, store: Store, kind: RecordType[Any], realms: RealmSource, freshness: Freshness
    ) -> None:
        self._store = store
        self._kind = kind
        self._realms = realms
        self._live: RecordMemory[_Key, _Live] = RecordMemory(freshness, _MOST_REMEMBERED)
        self.forget_record = self._live.forget_record
        self.forget_all = self._live.forget

    async def check_live(self, realm: str, subject: str, ref_name: str, client: Client | None = None) -> bool:
        """Whether the record of that name, in that realm and of that subject, is in force.

        ``client``: the one that it must belong to, None for no client.
        """
        key = (realm, subject, ref_name)
        live = await self._live.get(key, lambda: self._find(key))
        if live is None or live.client_record != (None if client is None else client.record_id):
            return False
        return client is None or not live.is_limited or always_narrows(client.scopes)

    def forget(self, realm: str, subject: str, ref_name: str) -> None:
        """Look this one up again."""
        self._live.forget_key((realm, subject, ref_name))

    async def _find(self, key: _Key) -> _Live | None:
        realm, subject, ref_name = key
        database = await self._realms.find_database(realm)
        if database is None:
            return None
        match = equals(refName=ref_name, subject=subject, revoked=False, activeStatus="ACTIVE")
        found = await self._store.find_one(as_service(self._kind, database), match)
        return (
            None
            if found is None
            else _Live(str(found["_id"]), found.get("clientRecord"), found.get("limited", False))
        )
