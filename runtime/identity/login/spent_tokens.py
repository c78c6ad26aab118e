"""Tokens that are not accepted any more before they expire: used client assertions, revoked access tokens.

Each is a record whose id is a hash of what identifies the token. So a second one cannot be stored, by
whatever worker, and nothing that was secret is kept. Whether an access token is among them is remembered for
each token; the change stream reports the id of a new record, which drops what is remembered of that token.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta

from runtime.call import RealmSource
from runtime.errors import Duplicate
from runtime.filter import by_id
from runtime.identity.memory import Freshness, RecordMemory
from runtime.model.clock import from_seconds
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import OF_NO_TENANT, complete_document
from runtime.storage.store import Store
from runtime.storage.wire import parse_id
from runtime.system.documents import SpentTokenDocument
from runtime.system.record_types import SPENT_TOKEN
from runtime.tokens import AccessClaims

_MARGIN = timedelta(minutes=5)
"""How much longer a record is stored: the clock of the store, which deletes it, may differ from ours."""

_MOST_REMEMBERED = 10_000
_ID_DIGITS = 24


@dataclass(frozen=True, slots=True)
class _Unspent:
    """A token without a record; ``record_id`` is the one it would have."""

    record_id: str


class SpentTokens:
    """The spent tokens of all realms. Only unspent ones are remembered, so that none comes back late."""

    def __init__(self, store: Store, realms: RealmSource, freshness: Freshness) -> None:
        self._store = store
        self._realms = realms
        self._clock = freshness.clock
        self._unspent: RecordMemory[tuple[str, str], _Unspent] = RecordMemory(freshness, _MOST_REMEMBERED)
        self.forget_record = self._unspent.forget_record

    async def store_assertion(self, realm: str, client_id: str, token_id: str, expires_at: float) -> bool:
        """Store that a client used an assertion; False if it was used before, or the realm is gone."""
        return await self._store_record(realm, _digest(realm, "assertion", client_id, token_id), expires_at)

    async def store_revoked(self, claims: AccessClaims) -> bool:
        """Store that an access token is revoked; False if it was before, or its realm is gone."""
        digest = _digest(claims.realm, "access", claims.token_id)
        try:
            return await self._store_record(claims.realm, digest, claims.expires_at)
        finally:
            self._unspent.forget_key((claims.realm, claims.token_id))

    async def check_unspent(self, realm: str, token_id: str) -> bool:
        """Whether an access token of this realm is not revoked."""
        return await self._unspent.get((realm, token_id), lambda: self._find(realm, token_id)) is not None

    async def _find(self, realm: str, token_id: str) -> _Unspent | None:
        database = await self._realms.find_database(realm)
        if database is None:
            return None
        record_id = _digest(realm, "access", token_id)[:_ID_DIGITS]
        found = await self._store.find_one(as_service(SPENT_TOKEN, database), by_id(record_id))
        return _Unspent(record_id) if found is None else None

    async def _store_record(self, realm: str, digest: str, expires_at: float) -> bool:
        database = await self._realms.find_database(realm)
        if database is None:
            return False
        fields: SpentTokenDocument = {
            "_id": parse_id(digest[:_ID_DIGITS]),
            "expiresAt": from_seconds(expires_at) + _MARGIN,
        }
        document = complete_document(fields, digest, OF_NO_TENANT, from_seconds(self._clock()))
        try:
            await self._store.insert(as_service(SPENT_TOKEN, database, Action.CREATE), document)
        except Duplicate:
            return False
        return True


def _digest(*identity: str) -> str:
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()
