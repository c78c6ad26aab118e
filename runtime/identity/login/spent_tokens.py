"""Tokens that are not accepted any more before they expire: client assertions after their use.

Each is a record whose id is a hash of what identifies the token. So a second one cannot be stored, by
whatever worker, and nothing that was secret is kept.
"""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

from runtime.call import RealmSource
from runtime.errors import Duplicate
from runtime.model.clock import from_seconds
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_document
from runtime.storage.store import Store
from runtime.storage.wire import parse_id
from runtime.system.documents import SpentTokenDocument
from runtime.system.record_types import SPENT_TOKEN

_MARGIN = timedelta(minutes=5)
"""How much longer a record is stored: the clock of the store, which deletes it, may differ from ours."""


class SpentTokens:
    """Those of all realms."""

    def __init__(self, store: Store, realms: RealmSource) -> None:
        self._store = store
        self._realms = realms

    async def store_spent(self, realm: str, identity: tuple[str, ...], expires_at: float, now: float) -> bool:
        """Store that a token is spent; False if it was before, or its realm is gone.

        ``identity`` is what no other token has in common with it.
        """
        database = await self._realms.find_database(realm)
        if database is None:
            return False
        digest = _digest(realm, identity)
        fields: SpentTokenDocument = {
            "_id": parse_id(digest[:24]),
            "expiresAt": from_seconds(expires_at) + _MARGIN,
        }
        document = complete_document(fields, digest, {"tenantId": "service"}, from_seconds(now))
        try:
            await self._store.insert(as_service(SPENT_TOKEN, database, Action.CREATE), document)
        except Duplicate:
            return False
        return True


def _digest(realm: str, identity: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps([realm, *identity]).encode()).hexdigest()
