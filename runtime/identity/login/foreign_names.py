"""User ids that other providers present: never the one of somebody whom the store knows, or has known.

Ownership and rules go by user id. A provider of the application answers for its own users only, so an
identity is refused whose user id is that of another provider's user, or of a removed one.
"""

from runtime.errors import Unauthenticated
from runtime.identity.credentials.credential_store import CredentialStore
from runtime.identity.credentials.credentials import PROVIDER_NAME
from runtime.identity.memory import Freshness, ShortMemory
from runtime.identity.users.users import everywhere
from runtime.principal import Identity
from runtime.seams import UserKey

_MOST_REMEMBERED = 10_000

_Key = tuple[str, str, str, str]


class ForeignNames:
    """Which identities of other providers are accepted; believed as long as a credential is."""

    def __init__(self, credentials: CredentialStore, freshness: Freshness) -> None:
        self._credentials = credentials
        self._accepted: ShortMemory[_Key, bool] = ShortMemory(freshness, _MOST_REMEMBERED)

    async def require_own(self, provider: str, identity: Identity) -> None:
        """Raise ``Unauthenticated`` for a user id that belongs, or belonged, to somebody else."""
        key = (provider, identity.realm, identity.user_id, identity.subject)
        if await self._accepted.get(key, lambda: self._look(key)) is None:
            raise Unauthenticated("your user id belongs to somebody else here", bad_token=True)

    def forget(self, database: str | None = None, record_id: str | None = None) -> None:
        """Look them all up again; ``runtime.storage.watching`` reports a changed credential."""
        self._accepted.forget()

    async def _look(self, key: _Key) -> bool | None:
        provider, realm, user_id, subject = key
        stored = await self._credentials.find(UserKey(user_id=user_id), everywhere(realm))
        if stored is not None:
            owner = stored.get("authProviderName") or PROVIDER_NAME
            return True if owner == provider else None
        removed = await self._credentials.removed.find(user_id, realm)
        return True if removed is None or removed["subject"] == subject else None
