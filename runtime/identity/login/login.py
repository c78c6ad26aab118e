"""``StoreAuthProvider``: logs in, refreshes and validates by credentials in the store.

An unknown user, a wrong password, a disabled credential and a made-up realm get the same answer after
the same time. A token is valid as long as its credential is usable and of the same token epoch; roles
and domain always come from the credential as it is now, never from the token. ``providers.py`` limits
the number of attempts, for all providers.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from runtime.call import RealmSource
from runtime.client import Client
from runtime.errors import (
    LoginFailed,
    PasswordChangeRequired,
    Unauthenticated,
    ValidationFailed,
)
from runtime.identity.clients.registered import RegisteredClients
from runtime.identity.credentials.credential_store import CredentialStore
from runtime.identity.credentials.credentials import (
    PROVIDER_NAME,
    epoch_of,
    is_usable,
    login_failed,
    owner_of,
)
from runtime.identity.credentials.password_rules import check_new_password, is_of_client
from runtime.identity.credentials.passwords import check_off_loop
from runtime.identity.login.foreign_names import ForeignNames
from runtime.identity.login.live_records import LiveRecords
from runtime.identity.login.sessions import Sessions
from runtime.identity.login.spent_tokens import SpentTokens
from runtime.identity.memory import Freshness, unheard
from runtime.identity.users.store_users import StoreUsers
from runtime.identity.users.users import everywhere
from runtime.model.catalog import BUILT_IN_ROLES
from runtime.permissions.token_scopes import limits_of
from runtime.principal import Identity
from runtime.seams import LoggedIn, UserKey
from runtime.settings import Settings
from runtime.storage.store import Store
from runtime.system.documents import CredentialDocument
from runtime.system.record_types import REFRESH_FAMILY, SERVICE_TOKEN
from runtime.tokens import AccessClaims, Tokens

CHANGE_PURPOSE = "password-change"
"""The purpose of the token that comes with ``PasswordChangeRequired``."""

CHANGE_SECONDS = 600


class StoreAuthProvider(StoreUsers):
    """The built-in provider, which implements ``AuthProvider`` and ``UserManagement``; one per process."""

    def __init__(
        self,
        store: Store,
        tokens: Tokens,
        settings: Settings,
        realms: RealmSource,
        known_roles: Collection[str] = BUILT_IN_ROLES,
        silence: Callable[[], float] = unheard,
    ) -> None:
        freshness = Freshness(settings.credential_cache_seconds, tokens.clock, silence)
        credentials = CredentialStore(
            store, realms, default_realm=settings.default_realm, freshness=freshness
        )
        super().__init__(credentials, settings, known_roles)
        self._tokens = tokens
        self.service_tokens = LiveRecords(store, SERVICE_TOKEN, realms, freshness)
        self.foreign_names = ForeignNames(credentials, freshness)
        self.live_sessions = LiveRecords(store, REFRESH_FAMILY, realms, freshness)
        self.spent_tokens = SpentTokens(store, realms, freshness)
        self.clients = RegisteredClients(store, realms, freshness)
        self._sessions = Sessions(store, tokens, credentials, settings, self.live_sessions)
        self.begin_session = self._sessions.begin
        self.end_sessions = self._sessions.end

    async def log_in(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn:
        """Issue new tokens for the right password. Raises what ``authenticate`` does."""
        return await self.begin_session(await self.authenticate(user_id, password, realm), realm)

    async def authenticate(self, user_id: str, password: str, realm: str) -> CredentialDocument:
        """Return the credential that the password belongs to.

        Raises ``LoginFailed`` and, after the right password only, ``PasswordChangeRequired``, whose
        ``changeToken`` allows setting a new one.
        """
        credential = await self.credentials.find(UserKey(user_id=user_id), everywhere(realm))
        if credential is not None and (owner_of(credential) != PROVIDER_NAME or is_of_client(credential)):
            credential = None
        hashed = credential.get("passwordHash") if credential else None
        right = await check_off_loop(password, hashed, self._cost)
        if not right or credential is None or not is_usable(credential):
            raise login_failed()
        if credential.get("forceChangePassword"):
            raise self._change_required(credential, realm)
        await self.credentials.renew_hash(credential, password, self._cost, realm)
        return credential

    async def refresh(self, refresh_token: str) -> LoggedIn:
        """Exchange a refresh token, which is used up, for new tokens. Raises ``LoginFailed``."""
        try:
            claims = self._tokens.verify_refresh(refresh_token)
        except Unauthenticated as error:
            raise _refresh_failed(error) from None
        credential = await self.credentials.find(UserKey(subject=claims.subject), everywhere(claims.realm))
        if (
            credential is None
            or not is_usable(credential)
            or credential.get("forceChangePassword")
            or epoch_of(credential) != claims.epoch
        ):
            raise _refresh_failed()
        logged_in = await self._sessions.continue_session(credential, claims)
        if logged_in is None:
            raise _refresh_failed()
        return logged_in

    async def validate(
        self, access_token: str, audience: str | None = None, *, is_late: bool = False
    ) -> Identity:
        """Return who holds a token for ``audience`` (default: this service). Raises ``Unauthenticated``."""
        claims = self._tokens.verify_access(access_token, audience, is_late=is_late)
        return await self._require_holder(claims)

    async def find_holder(self, claims: AccessClaims) -> Identity | None:
        """Return who holds a token with these claims; None for one that is not in force any more."""
        try:
            return await self._require_holder(claims)
        except Unauthenticated:
            return None

    async def _require_holder(self, claims: AccessClaims) -> Identity:
        standing = await self.credentials.find_standing(claims.realm, claims.subject)
        if standing is None or standing.epoch != claims.epoch:
            raise Unauthenticated("the token is not accepted any more: log in again", bad_token=True)
        client = await self._require_live(claims)
        if client is not None and claims.session is not None and not client.admits(standing.identity.domain):
            raise Unauthenticated("the client of the token is not for its user any more", bad_token=True)
        requestable = None if client is None else client.scopes
        limits = limits_of(claims.scope, requestable)
        if limits is None:
            return standing.identity
        return replace(standing.identity, scopes=limits, client_scopes=requestable)

    async def complete_change(self, change_token: str, new: str, address: str) -> LoggedIn:
        """Set a new password as ``finish_change`` does; then log in."""
        fresh, realm = await self.finish_change(change_token, new, address)
        return await self.begin_session(fresh, realm)

    async def finish_change(
        self, change_token: str, new: str, address: str, only_in: str | None = None
    ) -> tuple[CredentialDocument, str]:
        """Set a new password with the token of ``PasswordChangeRequired``, which is used up.

        Returns the credential and its realm; ``only_in`` refuses tokens of other realms. Raises
        ``LoginFailed`` and ``ValidationFailed``.
        """
        stored, realm = await self._find_pending_change(change_token)
        if only_in not in (None, realm):
            raise _change_failed()
        within = replace(everywhere(realm), address=address)
        await check_new_password(new, stored["userId"], least=self._least)
        if await check_off_loop(new, stored.get("passwordHash"), self._cost):
            raise ValidationFailed.at("newPassword", "must differ from the old one", "the password")
        await self.replace_password(stored, new, False, within)
        fresh = await self.credentials.find(UserKey(subject=stored["subject"]), within)
        if fresh is None:  # removed in this moment
            raise _change_failed()
        return fresh, realm

    async def _require_live(self, claims: AccessClaims) -> Client | None:
        """Return the client of a token, None for a token without one.

        Raises ``Unauthenticated`` for a token whose session or client has ended, or which was revoked.
        """
        is_own, client = claims.client_id is not None and claims.session is None, None
        if claims.client_id is not None:
            own_subject = claims.subject if is_own else None
            client = await self.clients.find_live(claims.realm, claims.client_id, own_subject)
            if client is None:
                raise Unauthenticated("the client of the token is disabled", bad_token=True)
            if not await self.spent_tokens.check_unspent(claims.realm, claims.token_id):
                raise Unauthenticated("the client has revoked the token", bad_token=True)
        if is_own:
            return client
        if claims.is_service:
            if not await self.service_tokens.check_live(claims.realm, claims.subject, claims.token_id):
                raise Unauthenticated("the service token was revoked", bad_token=True)
        elif claims.session is None or not await self.live_sessions.check_live(
            claims.realm, claims.subject, claims.session, client
        ):
            raise Unauthenticated("the session of the token has ended: log in again", bad_token=True)
        return client

    async def _find_pending_change(self, change_token: str) -> tuple[CredentialDocument, str]:
        """Find the credential and realm that a valid change token was issued for."""
        try:
            claims = self._tokens.verify_purpose(CHANGE_PURPOSE, change_token)
        except Unauthenticated as error:
            raise _change_failed(error) from None
        realm = str(claims.details.get("realm"))
        stored = await self.credentials.find(UserKey(subject=claims.subject), everywhere(realm))
        if (
            stored is None
            or not is_usable(stored)
            or not stored.get("forceChangePassword")
            or epoch_of(stored) != claims.details.get("tokenEpoch")
        ):
            raise _change_failed()
        return stored, realm

    def _change_required(self, credential: CredentialDocument, realm: str) -> PasswordChangeRequired:
        text = "The password must be changed before the first use."
        return PasswordChangeRequired(
            text,
            reason="passwordChangeRequired",
            message=text,
            changeToken=self._tokens.mint_purpose(
                CHANGE_PURPOSE,
                credential["subject"],
                CHANGE_SECONDS,
                {"realm": realm, "tokenEpoch": epoch_of(credential)},
            ),
            expiresIn=CHANGE_SECONDS,
        )


def _refresh_failed(cause: Unauthenticated | None = None) -> LoginFailed:
    text = "The refresh token is not accepted: log in again."
    return LoginFailed(text, reason="badRefreshToken", message=text, cause=cause)


def _change_failed(cause: Unauthenticated | None = None) -> LoginFailed:
    text = "The change token is not accepted: log in again to get another."
    return LoginFailed(text, reason="badChangeToken", message=text, cause=cause)
