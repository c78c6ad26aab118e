"""How passwords are checked, at the provider that owns the user; all attempts are counted here.

A refusal has called each provider exactly once, the ones it is not for with a user that cannot exist: so its
duration reveals neither who owns an account nor that there is one.
"""

import os
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

from runtime.admission import FixedLimit, Gate
from runtime.errors import LoginFailed, PasswordChangeRequired, ServiceError, Throttled
from runtime.identity.credentials.credentials import is_usable, login_failed, owner_of
from runtime.identity.login.login import StoreAuthProvider
from runtime.identity.login.throttle import Attempt, Throttle, address_key, user_key
from runtime.identity.users.user_events import report_attempt
from runtime.identity.users.users import everywhere
from runtime.seams import AuthProvider, LoggedIn, UserKey
from runtime.system.documents import CredentialDocument

_LOGINS_AT_ONCE = 2 * (os.cpu_count() or 1)
"""In one worker: as many as are hashed, and as many that ask the store before and after."""

Proof: TypeAlias = CredentialDocument | LoggedIn
"""What the right password gives: a credential of the store, or the tokens of another provider."""


class PasswordChecks:
    """``own`` is the built-in provider, asked last; ``others`` are those of the application."""

    def __init__(
        self,
        own: StoreAuthProvider,
        others: Sequence[AuthProvider],
        throttle: Throttle,
        longest_wait_seconds: float,
        login_seconds: float,
    ) -> None:
        self.queue = Gate("logins", FixedLimit(_LOGINS_AT_ONCE), longest_wait_seconds, login_seconds)
        self._own = own
        self._others = tuple(others)
        self._throttle = throttle

    async def check(self, user_id: str, password: str, realm: str, address: str) -> tuple[str, Proof]:
        """Check a password as an attempt that is counted and logged."""
        async with report_attempt("login", realm, address) as attempted:
            try:
                async with self.attempt(user_key(realm, user_id), address) as attempt:
                    name, proof = await self.ask(user_id, password, realm, address)
                    attempt.has_succeeded = True
            except (LoginFailed, Throttled, PasswordChangeRequired):
                attempted.subject = await self._find_subject(user_id, realm)
                raise
            attempted.subject = proof.identity.subject if isinstance(proof, LoggedIn) else proof["subject"]
            return name, proof

    async def ask(self, user_id: str, password: str, realm: str, address: str) -> tuple[str, Proof]:
        """Return the name of the provider that accepts the password, and its proof."""
        if not self._others:
            return self._own.name, await self._own.authenticate(user_id, password, realm)
        stored = await self._own.credentials.find(UserKey(user_id=user_id), everywhere(realm))
        everybody: tuple[AuthProvider, ...] = (*self._others, self._own)
        asked: list[AuthProvider] = []
        if stored is None:
            asked = [*everybody]
        elif is_usable(stored):
            asked = [one for one in everybody if one.name == owner_of(stored)]
        for provider in asked:
            with suppress(LoginFailed):
                if provider is self._own:
                    return self._own.name, await self._own.authenticate(user_id, password, realm)
                return provider.name, await provider.log_in(user_id, password, realm, address)
        for provider in everybody:
            if provider not in asked:
                await _ask_in_vain(provider, realm, address)
        raise login_failed()

    @asynccontextmanager
    async def attempt(self, key: str, address: str) -> AsyncIterator[Attempt]:
        """Count an attempt under a key, and at an address.

        Raises ``Overloaded`` before anything is looked at, so it reveals nothing.
        """
        place = address_key(address)
        async with self.queue.turn(place), self._throttle.attempt(key, place) as attempt:
            yield attempt

    async def _find_subject(self, user_id: str, realm: str) -> str | None:
        """Read the store once, whether or not there is such a user; None while it does not answer."""
        with suppress(ServiceError):
            stored = await self._own.credentials.find(UserKey(user_id=user_id), everywhere(realm))
            return None if stored is None else str(stored["subject"])
        return None


async def _ask_in_vain(provider: AuthProvider, realm: str, address: str) -> None:
    """Take as long as a login there does, without anybody's name or password."""
    with suppress(LoginFailed, PasswordChangeRequired):
        await provider.log_in(secrets.token_hex(8), secrets.token_urlsafe(16), realm, address)
