"""``StoreAuthProvider``: logs in, refreshes and validates by credentials kept in the store (decisions §4).

An unknown user, a wrong password, a disabled credential and a made-up realm get the same answer after
the same time. A token is good as long as its credential is usable and of the same token epoch; roles
and domain always come from the credential as it is now, never from the token.
"""

from __future__ import annotations

from runtime.access import Access, Action
from runtime.as_service import as_service
from runtime.errors import LoginFailed, Misconfigured, PasswordChangeRequired, Unauthenticated
from runtime.filter import Predicate, equals
from runtime.passwords import matches_off_loop
from runtime.principal import Identity
from runtime.seams import LoggedIn
from runtime.security.credentials import (
    PROVIDER_NAME,
    CredentialCache,
    Standing,
    epoch_of,
    identity_of,
    is_usable,
    login_name_of,
)
from runtime.security.documents import Document
from runtime.security.families import Families, Link
from runtime.security.realm import is_realm_name
from runtime.security.throttle import Throttle, address_key, user_key
from runtime.settings import Settings
from runtime.store import Store
from runtime.system_records import SystemRecords
from runtime.tokens import Tokens

CHANGE_PURPOSE = "password-change"
"""The purpose of the token that comes with ``PasswordChangeRequired``."""

CHANGE_SECONDS = 600


class StoreAuthProvider:
    """The built-in provider; one per process. Raises ``Misconfigured`` for a credential record type
    that would show its secrets."""

    def __init__(self, store: Store, tokens: Tokens, system: SystemRecords, settings: Settings) -> None:
        _require_hidden(system)
        self.name = PROVIDER_NAME
        self._store = store
        self._tokens = tokens
        self._system = system
        self._cost = settings.bcrypt_cost
        self._throttle = Throttle(
            store,
            as_service(system.login_attempt, settings.default_realm, Action.UPDATE),
            limit=settings.login_failures,
            window_seconds=settings.login_window_seconds,
            clock=tokens.clock,
        )
        self._families = Families(
            store,
            tokens,
            session_seconds=settings.session_seconds,
            grace_seconds=settings.refresh_grace_seconds,
        )
        self._credentials = CredentialCache(settings.credential_cache_seconds, tokens.clock, self._standing)

    async def login(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn:
        """New tokens for the right password.

        Raises ``LoginFailed``, ``Throttled`` and, after the right password only,
        ``PasswordChangeRequired``, whose ``changeToken`` is good for setting a new one.
        """
        login_name = login_name_of(user_id)
        key = user_key(realm, login_name or user_id)
        async with self._throttle.attempt(key, address_key(address)) as attempt:
            credential = await self._by_login_name(realm, login_name)
            hashed = credential.get("passwordHash") if credential else None
            right = await matches_off_loop(password, hashed, self._cost)
            if not right or credential is None or not is_usable(credential):
                raise _login_failed()
            attempt.has_succeeded = True
        if credential.get("forceChangePassword"):
            raise self._change_required(credential, realm)
        link = await self._families.begin(self._to_families(realm, Action.CREATE), credential)
        return self._logged_in(credential, realm, link)

    async def refresh(self, refresh_token: str) -> LoggedIn:
        """New tokens for a refresh token, which is used up by it. Raises ``LoginFailed``."""
        try:
            claims = self._tokens.verify_refresh(refresh_token)
        except Unauthenticated as error:
            raise _refresh_failed(error) from None
        credential = await self._find(claims.realm, equals(subject=claims.subject))
        if (
            credential is None
            or not is_usable(credential)
            or credential.get("forceChangePassword")
            or epoch_of(credential) != claims.epoch
        ):
            raise _refresh_failed()
        link = await self._families.rotate(self._to_families(claims.realm, Action.UPDATE), claims)
        if link is None:
            raise _refresh_failed()
        return self._logged_in(credential, claims.realm, link)

    async def validate(self, access_token: str) -> Identity:
        """Who holds the token. Raises ``Unauthenticated``."""
        claims = self._tokens.verify_access(access_token)
        standing = await self._credentials.standing(claims.realm, claims.subject)
        if standing is None or standing.epoch != claims.epoch:
            raise Unauthenticated("the token is not accepted any more: log in again", bad_token=True)
        return standing.identity

    def forget(self, realm: str, subject: str) -> None:
        """Look the credential up again at its next call."""
        self._credentials.forget(realm, subject)

    async def _standing(self, realm: str, subject: str) -> Standing | None:
        credential = await self._find(realm, equals(subject=subject))
        if credential is None or not is_usable(credential):
            return None
        return Standing(identity_of(credential, realm), epoch_of(credential))

    async def _by_login_name(self, realm: str, login_name: str | None) -> Document | None:
        if login_name is None or not is_realm_name(realm):
            return None
        credential = await self._find(realm, equals(loginName=login_name))
        owner = credential.get("authProviderName", PROVIDER_NAME) if credential else PROVIDER_NAME
        return credential if owner == PROVIDER_NAME else None

    async def _find(self, realm: str, match: Predicate) -> Document | None:
        return await self._store.find_one(as_service(self._system.credential, realm), match)

    def _to_families(self, realm: str, action: Action) -> Access:
        return as_service(self._system.refresh_family, realm, action)

    def _logged_in(self, credential: Document, realm: str, link: Link) -> LoggedIn:
        identity, epoch = identity_of(credential, realm), epoch_of(credential)
        email = credential.get("emailOfResponsibleParty")
        return LoggedIn(
            identity=identity,
            access_token=self._tokens.mint_access(identity, epoch=epoch, email=email),
            refresh_token=self._tokens.mint_refresh(
                identity.subject,
                realm=realm,
                family=link.family,
                token_id=link.token_id,
                epoch=epoch,
                ends_at=link.ends_at,
            ),
            expires_in=self._tokens.access_seconds,
        )

    def _change_required(self, credential: Document, realm: str) -> PasswordChangeRequired:
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


def _login_failed() -> LoginFailed:
    text = "The user id or the password is wrong."
    return LoginFailed(text, reason="badCredentials", message=text)


def _refresh_failed(cause: Unauthenticated | None = None) -> LoginFailed:
    text = "The refresh token is not accepted: log in again."
    return LoginFailed(text, reason="badRefreshToken", message=text, cause=cause)


def _require_hidden(system: SystemRecords) -> None:
    needed = {"loginName", "passwordHash", "hashingAlgorithm", "tokenEpoch"}
    shown = needed - system.credential.hidden
    if shown:
        raise Misconfigured(f"the record type Credential must have, and hide: {', '.join(sorted(shown))}")
