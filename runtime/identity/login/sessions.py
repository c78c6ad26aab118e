"""Sessions: they begin with a login, continue with each refresh and end with a logout."""

from runtime.errors import Unauthenticated
from runtime.filter import equals
from runtime.identity.credentials.credential_store import CredentialStore
from runtime.identity.credentials.credentials import epoch_of, identity_of, login_failed
from runtime.identity.credentials.families import Families, Link, revoke_families
from runtime.identity.login.live_records import LiveRecords
from runtime.identity.users.users import everywhere
from runtime.seams import LoggedIn, UserKey
from runtime.settings import Settings
from runtime.storage.access import Access, Action
from runtime.storage.store import Store
from runtime.system.documents import CredentialDocument, RefreshFamilyDocument
from runtime.tokens import RefreshClaims, Tokens


class Sessions:
    """The sessions of the built-in provider, in all realms."""

    def __init__(
        self,
        store: Store,
        tokens: Tokens,
        credentials: CredentialStore,
        settings: Settings,
        live: LiveRecords,
    ) -> None:
        self._store = store
        self._tokens = tokens
        self._credentials = credentials
        self._live = live
        self._families = Families(store, tokens, settings)

    async def begin(self, credential: CredentialDocument, realm: str) -> LoggedIn:
        """Issue the tokens of a new session. Raises ``LoginFailed`` when the realm was just removed."""
        access = await self._find_access(realm, Action.CREATE)
        link = await self._families.begin(access, credential["subject"], credential["dataDomain"])
        return self._logged_in(credential, realm, link)

    async def continue_session(
        self, credential: CredentialDocument, claims: RefreshClaims
    ) -> LoggedIn | None:
        """Exchange a refresh token, which is used up, for new tokens; None when it is spent or revoked."""
        access = await self._find_access(claims.realm, Action.UPDATE)
        link = await self._families.rotate(access, claims)
        if link is None:
            self._live.forget(claims.realm, claims.subject, claims.family)
            return None
        return self._logged_in(credential, claims.realm, link)

    async def end(self, subject: str, realm: str, refresh_token: str | None, is_all: bool) -> None:
        """End the session of ``refresh_token``, or every one of the subject.

        With ``is_all`` the subject's service tokens end too. A refresh token of another subject ends
        nothing, and that is not reported.
        """
        within = everywhere(realm)
        if is_all:
            await self._credentials.change(UserKey(subject=subject), within, {})
        elif refresh_token is None:
            await self._credentials.end_sessions(subject, within)
            self._live.forget_all()
        elif (claims := self._read(refresh_token)) and claims.subject == subject:
            access = await self._find_access(claims.realm, Action.UPDATE)
            now, own = self._tokens.clock(), equals(refName=claims.family)
            await revoke_families(self._store, access, subject, now, own)
            self._live.forget(claims.realm, subject, claims.family)

    def _read(self, token: str) -> RefreshClaims | None:
        try:
            return self._tokens.verify_refresh(token)
        except Unauthenticated:
            return None

    async def _find_access(self, realm: str, action: Action) -> Access[RefreshFamilyDocument]:
        access = await self._credentials.open_families(realm, action)
        if access is None:  # switched off since the credential was read
            raise login_failed()
        return access

    def _logged_in(self, credential: CredentialDocument, realm: str, link: Link) -> LoggedIn:
        identity, epoch = identity_of(credential, realm), epoch_of(credential)
        email = credential.get("emailOfResponsibleParty")
        seconds = min(self._tokens.access_seconds, link.ends_at - int(self._tokens.clock()))
        return LoggedIn(
            identity=identity,
            access_token=self._tokens.mint_access(
                identity, epoch=epoch, email=email, session=link.family, seconds=seconds
            ),
            refresh_token=self._tokens.mint_refresh(
                identity.subject,
                realm=realm,
                family=link.family,
                token_id=link.token_id,
                epoch=epoch,
                ends_at=link.ends_at,
            ),
            expires_in=seconds,
        )
