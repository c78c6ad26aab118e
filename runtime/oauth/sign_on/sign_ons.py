"""Sign-ons: they begin with a login in a browser, and give applications their users without another one.

The store has only the hash of the cookie. A sign-on ends after ``auth.sign-on-idle-seconds`` without use, at
the latest ``auth.sign-on-seconds`` after the password was entered, and with the token epoch of its
credential: so a new password, a change of roles and a disabled account end it in the write that ends all
tokens.
"""

import hashlib
import secrets
from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from runtime.call import RealmSource
from runtime.filter import Predicate, equals
from runtime.identity.credentials.credentials import epoch_of, login_failed
from runtime.identity.credentials.families import build_revocation
from runtime.identity.login.providers import Providers
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.oauth.sign_on.cookie import Cookie, read_cookie, render_cookie, render_removal
from runtime.principal import SYSTEM
from runtime.settings import Settings
from runtime.signed_on import SignedOn
from runtime.standing import Standing
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update_stamp, complete_document
from runtime.storage.store import Changes, Store
from runtime.system.documents import CredentialDocument, SignOnDocument
from runtime.system.record_types import REFRESH_FAMILY, SIGN_ON

_NOTED_AFTER = timedelta(minutes=1)
"""How old ``lastUsedAt`` may be: a browser that is busy costs one write a minute."""

_MOST_BROWSER_CHARACTERS = 300


class SignOns:
    """Those of all realms; one per process. ``clock`` gives seconds since 1970."""

    def __init__(
        self,
        store: Store,
        providers: Providers,
        realms: RealmSource,
        settings: Settings,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._credentials = providers.own.credentials
        self._live = providers.own.live_sessions
        self._realms = realms
        self._clock = clock
        self._is_https = settings.is_https
        self._idle = timedelta(seconds=settings.sign_on_idle_seconds)
        self._longest = timedelta(seconds=settings.sign_on_seconds)

    async def begin(
        self, realm: str, credential: CredentialDocument, browser: str, cookie_header: str | None = None
    ) -> tuple[SignedOn, str]:
        """Sign a user on who has just entered a password; also return the ``Set-Cookie`` header.

        ``cookie_header``: what the browser sent. A sign-on of the same user continues under a new cookie, so
        that their applications stay signed in; that of another user ends. Raises ``LoginFailed`` when the
        realm was just removed.
        """
        access = await self._open(realm, Action.CREATE)
        if access is None:
            raise login_failed()
        cookie, at = Cookie.create(realm), from_seconds(self._clock())
        values: SignOnDocument = {
            "cookie": _digest(cookie),
            "authTime": at,
            "lastUsedAt": at,
            "expiresAt": at + min(self._idle, self._longest),
            "browser": browser[:_MOST_BROWSER_CHARACTERS],
        }
        stored = await self._renew(realm, credential, cookie_header, values, at)
        if stored is None:
            fields: SignOnDocument = {
                **values,
                "subject": credential["subject"],
                "tokenEpoch": epoch_of(credential),
                "revoked": False,
            }
            stored = complete_document(fields, secrets.token_hex(16), credential["dataDomain"], at)
            await self._store.insert(access, stored)
        log.info("oauth.signed_on", subject=credential["subject"], realm=realm, sign_on=stored["refName"])
        header = render_cookie(cookie, is_https=self._is_https)
        return _signed_on(stored, realm, credential["userId"], credential["roles"]), header

    async def find(self, realm: str, cookie_header: str | None) -> SignedOn | None:
        """Return the sign-on of a browser in a realm, which counts as use; None without one in force."""
        found = await self._find_presented(cookie_header, realm)
        if found is None:
            return None
        stored, standing = found
        now = from_seconds(self._clock())
        if now - stored["lastUsedAt"] >= _NOTED_AFTER:
            ends = min(now + self._idle, stored["authTime"] + self._longest)
            values: SignOnDocument = {"lastUsedAt": now, "expiresAt": ends}
            await self._change(realm, _alive(refName=stored["refName"], cookie=stored["cookie"]), values, now)
        return _signed_on(stored, realm, standing.identity.user_id, standing.identity.roles)

    async def check_live(self, realm: str, ref_name: str) -> bool:
        """Whether a sign-on is in force, for what came of it."""
        return await self._find_standing(realm, _alive(refName=ref_name)) is not None

    async def end(self, signed_on: SignedOn, client_id: str | None = None) -> str:
        """End a sign-on with the tokens that came of it; return the ``Set-Cookie`` header that clears it.

        ``client_id``: only the tokens of this client end with it.
        """
        await self._end(signed_on.realm, signed_on.subject, signed_on.ref_name, client_id)
        return render_removal(is_https=self._is_https)

    async def end_by_name(self, realm: str, subject: str, ref_name: str) -> bool:
        """End a sign-on of a user with all that came of it; False if the user has none of that name."""
        access = await self._open(realm, Action.VIEW)
        match = _alive(refName=ref_name, subject=subject)
        if access is None or await self._store.find_one(access, match) is None:
            return False
        await self._end(realm, subject, ref_name, None)
        return True

    async def _end(self, realm: str, subject: str, ref_name: str, client_id: str | None) -> None:
        """Revoke the sign-on first, so that no tokens come of it in the meantime."""
        now = self._clock()
        match = equals(refName=ref_name, subject=subject)
        await self._change(realm, match, {"revoked": True}, from_seconds(now))
        own = {} if client_id is None else {"clientId": client_id}
        ended = await self._end_families(realm, equals(signOn=ref_name, subject=subject, **own), now)
        log.info(
            "oauth.signed_off",
            subject=subject, realm=realm, sign_on=ref_name, client=client_id, families=ended,
        )  # fmt: skip

    async def _end_families(self, realm: str, match: Predicate, now: float) -> int:
        database = await self._realms.find_database(realm)
        if database is None:
            return 0
        access = as_service(REFRESH_FAMILY, database, Action.UPDATE)
        ended = await self._store.update_many(access, match & equals(revoked=False), build_revocation(now))
        for family in await self._store.find(as_service(REFRESH_FAMILY, database), match):
            self._live.forget(realm, family["subject"], family["refName"])
        return ended

    async def _renew(
        self,
        realm: str,
        credential: CredentialDocument,
        cookie_header: str | None,
        values: SignOnDocument,
        at: datetime,
    ) -> SignOnDocument | None:
        """Continue the sign-on that the browser has already, or end it: its cookie will be overwritten."""
        presented = read_cookie(cookie_header, is_https=self._is_https)
        if presented is None:
            return None
        match = _alive(cookie=_digest(presented))
        if presented.realm == realm:
            own = equals(subject=credential["subject"], tokenEpoch=epoch_of(credential))
            renewed = await self._change(realm, match & own, values, at)
            if renewed is not None:
                return renewed
        await self._change(presented.realm, match, {"revoked": True}, at)
        return None

    async def _find_presented(
        self, cookie_header: str | None, realm: str
    ) -> tuple[SignOnDocument, Standing] | None:
        presented = read_cookie(cookie_header, is_https=self._is_https)
        if presented is None or presented.realm != realm:
            return None
        return await self._find_standing(realm, _alive(cookie=_digest(presented)))

    async def _find_standing(self, realm: str, match: Predicate) -> tuple[SignOnDocument, Standing] | None:
        """Return a stored sign-on in force, and what the credential says now."""
        access = await self._open(realm, Action.VIEW)
        stored = None if access is None else await self._store.find_one(access, match)
        if stored is None or stored["expiresAt"] <= from_seconds(self._clock()):
            return None
        standing = await self._credentials.cache.find_standing(realm, stored["subject"])
        if standing is None or standing.epoch != stored["tokenEpoch"]:
            return None
        return stored, standing

    async def _change(
        self, realm: str, match: Predicate, values: SignOnDocument, at: datetime
    ) -> SignOnDocument | None:
        access = await self._open(realm, Action.UPDATE)
        if access is None:
            return None
        changes = Changes(set={**values, **build_update_stamp(at)}, increment={"version": 1})
        return await self._store.update_one(access, match, changes)

    async def _open(self, realm: str, action: Action) -> Access[SignOnDocument] | None:
        database = await self._realms.find_database(realm)
        return None if database is None else as_service(SIGN_ON, database, action)


def _alive(**own: str) -> Predicate:
    return equals(revoked=False, activeStatus="ACTIVE", **own)


def _digest(cookie: Cookie) -> str:
    return hashlib.sha256(cookie.secret.encode()).hexdigest()


def _signed_on(stored: SignOnDocument, realm: str, user_id: str, roles: Collection[str]) -> SignedOn:
    return SignedOn(
        ref_name=stored["refName"],
        realm=realm,
        subject=stored["subject"],
        user_id=user_id,
        epoch=stored["tokenEpoch"],
        auth_time=stored["authTime"].timestamp(),
        domain=stored["dataDomain"],
        is_system=SYSTEM in roles,
    )
