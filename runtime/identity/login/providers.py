"""All authentication providers as one, for HTTP routes and other entry points.

The stored credential of a user names the provider that owns it, and no other provider gets the password.
Users without a stored credential are looked up at every provider of the application, in order
(``password_checks.py``, which also counts the attempts for all providers).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace

from runtime.call import RealmSource
from runtime.errors import (
    Denied,
    LoginFailed,
    NotOffered,
    Unauthenticated,
    ValidationFailed,
)
from runtime.identity.credentials.credentials import is_usable, owner_of
from runtime.identity.credentials.passwords import hash_seconds
from runtime.identity.credentials.removed_users import user_id_taken
from runtime.identity.credentials.user_id_rules import check_user_id
from runtime.identity.login.login import StoreAuthProvider
from runtime.identity.login.password_checks import PasswordChecks, Proof
from runtime.identity.login.throttle import Throttle, user_key
from runtime.identity.memory import unheard
from runtime.identity.users.user_events import report_attempt
from runtime.identity.users.users import check_known, everywhere
from runtime.model.catalog import BUILT_IN_ROLES
from runtime.model.nearest import hint
from runtime.observe import Meters
from runtime.permissions.token_scopes import find_missing_scope
from runtime.principal import Identity
from runtime.seams import AuthProvider, LoggedIn, UserKey, UserManagement, Within
from runtime.settings import Settings
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Store
from runtime.system.documents import CredentialDocument
from runtime.system.record_types import LOGIN_ATTEMPT
from runtime.tokens import AccessClaims, Tokens


class Providers:
    """``own`` is the built-in provider, asked last; ``others`` are those of the application."""

    def __init__(
        self,
        store: Store,
        tokens: Tokens,
        settings: Settings,
        realms: RealmSource,
        others: Sequence[AuthProvider] = (),
        known_roles: Collection[str] = BUILT_IN_ROLES,
        silence: Callable[[], float] = unheard,
        meters: Meters | None = None,
    ) -> None:
        longest_wait_seconds = settings.queue_ms / 1000
        throttle = Throttle(
            store,
            as_service(LOGIN_ATTEMPT, settings.default_realm, Action.UPDATE),
            limit=settings.login_failures,
            window_seconds=settings.login_window_seconds,
            longest_wait_seconds=longest_wait_seconds,
            clock=tokens.clock,
            meters=meters,
        )
        self.own = StoreAuthProvider(store, tokens, settings, realms, known_roles, silence)
        self.name = self.own.name
        self._others = tuple(others)
        self._checks = PasswordChecks(
            self.own, others, throttle, longest_wait_seconds, hash_seconds(settings.bcrypt_cost)
        )
        self.attempt = self._checks.attempt
        self.find_holder = self.own.find_holder
        self.complete_change = self.own.complete_change
        self.list_users = self.own.list_users

    async def log_in(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn:
        """Log in. Raises and logs ``LoginFailed``, ``Throttled`` and ``PasswordChangeRequired``."""
        _name, proof = await self._checks.check(user_id, password, realm, address)
        return await self._issue(proof, realm)

    async def authenticate(self, user_id: str, password: str, realm: str, address: str) -> CredentialDocument:
        """Return the stored credential of a user who logs in, and issue nothing.

        Raises and logs what ``log_in`` does; ``NotOffered`` after the right password of a user who has no
        credential in the store.
        """
        name, proof = await self._checks.check(user_id, password, realm, address)
        if not isinstance(proof, LoggedIn):
            return proof
        key = UserKey(user_id=proof.identity.user_id)
        stored = await self.own.credentials.find(key, everywhere(realm))
        if stored is None or owner_of(stored) != name or not is_usable(stored):
            raise NotOffered("this account cannot sign in to applications: it has no credential here")
        return stored

    async def refresh(self, refresh_token: str) -> LoggedIn:
        """Exchange a refresh token for new tokens. Raises ``LoginFailed``."""
        for provider in self._others:
            with suppress(LoginFailed):
                return await provider.refresh(refresh_token)
        return await self.own.refresh(refresh_token)

    async def validate(
        self, access_token: str, audience: str | None = None, *, is_late: bool = False
    ) -> Identity:
        """Return the identity that an access token proves. Raises ``Unauthenticated``.

        ``audience``: of a door that wants to be named by the token; tokens of other providers open none.
        ``is_late``: accept a token of this service whose own time has ended.
        """
        for provider in self._others if audience is None else ():
            with suppress(Unauthenticated):
                identity = await provider.validate(access_token)
                break
        else:
            return await self.own.validate(access_token, audience, is_late=is_late)
        await self.own.foreign_names.require_own(provider.name, identity)
        return identity

    async def revoke_access(self, claims: AccessClaims) -> None:
        """Refuse a token that this service issued from now on. Twice is not an error."""
        await self.own.spent_tokens.store_revoked(claims)

    async def change_password(self, access_token: str, old: str, new: str, address: str) -> LoggedIn:
        """Change the caller's own password, and log in again: all tokens from before are void.

        Raises ``Unauthenticated``, ``Denied`` for a token that is narrowed to other scopes, ``LoginFailed``
        for a wrong ``old``, ``Throttled`` and ``ValidationFailed``.
        """
        identity = await self.validate(access_token)
        if (missing := find_missing_scope(identity.scopes, "security", "UPDATE")) is not None:
            raise Denied(f"the token lacks the scope {missing}", scope=missing, decided=identity)
        key = UserKey(subject=identity.subject)
        within = replace(everywhere(identity.realm), address=address)
        manager = await self.find_manager(key, within)
        async with report_attempt("password_change", identity.realm, address) as attempted:
            attempted.subject = identity.subject
            async with self.attempt(user_key(identity.realm, identity.user_id), address) as attempt:
                await manager.change_password(key, old, new, False, within)
                attempt.has_succeeded = True
                _name, proof = await self._checks.ask(identity.user_id, new, identity.realm, address)
                return await self._issue(proof, identity.realm)

    async def finish_change(
        self, change_token: str, new: str, realm: str, address: str
    ) -> CredentialDocument:
        """Redeem a change token of one realm, and issue nothing. Raises as ``complete_change`` does."""
        changed, _realm = await self.own.finish_change(change_token, new, address, realm)
        return changed

    async def end_sessions(self, subject: str, realm: str, refresh_token: str | None, is_all: bool) -> None:
        """Log out of what the built-in provider handed out. Raises ``NotOffered`` for users of others."""
        if not await self.own.check_subject_exists(subject, everywhere(realm)):
            raise NotOffered("another provider has signed you in, and it ends its sessions itself")
        await self.own.end_sessions(subject, realm, refresh_token, is_all)

    async def find_manager(self, key: UserKey, within: Within) -> UserManagement:
        """Find the provider that manages a user.

        It is the owner that the credential names, when that manages users; of users unknown to the store,
        the provider that knows them; otherwise the built-in one.
        """
        stored = await self.own.credentials.find(key, within)
        owner = None if stored is None else owner_of(stored)
        for manager in self._managers():
            if owner == manager.name or (owner is None and await check_known(manager, key, within)):
                return manager
        return self.own

    def manager_named(self, name: str | None) -> UserManagement:
        """Return the provider of this name; None is the built-in one. Raises ``ValidationFailed``."""
        managers: dict[str, UserManagement] = {one.name: one for one in self._managers()} | {
            self.own.name: self.own
        }
        if name is not None and name not in managers:
            message = f"names {name[:100]}, which manages no users{hint(name, managers)}"
            raise ValidationFailed.at("authProviderName", message)
        return managers[name or self.own.name]

    async def require_new_user_id(self, user_id: str, realm: str) -> None:
        """Check a new user id. Raises ``ValidationFailed`` for lookalikes, ``Duplicate`` for removed ones."""
        check_user_id(user_id)
        if await self.own.credentials.removed.find(user_id, realm) is not None:
            raise user_id_taken(user_id, realm)

    async def remove_user(self, manager: UserManagement, key: UserKey, within: Within) -> None:
        """Remove a user of any provider; the user id is not given out again. Raises ``NotFound``."""
        if manager is not self.own:
            user = await manager.find_user(key, within)
            await self.own.credentials.removed.retire_foreign(user, within.realm)
        await manager.remove_user(key, within)

    async def _issue(self, proof: Proof, realm: str) -> LoggedIn:
        return proof if isinstance(proof, LoggedIn) else await self.own.begin_session(proof, realm)

    def _managers(self) -> list[UserManagement]:
        return [one for one in self._others if isinstance(one, UserManagement)]
