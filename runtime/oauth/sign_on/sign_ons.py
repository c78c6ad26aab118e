"""Sign-ons: they begin with a login in a browser, and give applications their users without another one.

The store has only the hash of the cookie. A sign-on ends after ``auth.sign-on-idle-seconds`` without use, at
the latest ``auth.sign-on-seconds`` after the password was entered, and with the token epoch of its
credential: so a new password, a change of roles and a disabled account end it in the write that ends all
tokens.
"""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from runtime.call import RealmSource
from runtime.filter import Predicate, equals
from runtime.identity.credentials.credentials import epoch_of, identity_of, login_failed
from runtime.identity.credentials.families import digest
from runtime.identity.login.providers import Providers
from runtime.logs import log
from runtime.model.clock import from_seconds, to_seconds
from runtime.oauth.sign_on.cookie import Cookie, read_cookie, render_cookie, render_removal
from runtime.principal import SYSTEM, Identity
from runtime.settings import Settings
from runtime.signed_on import SignedOn
from runtime.standing import Standing
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update, complete_document
from runtime.storage.store import Store
from runtime.system.documents import CredentialDocument, SignOnDocument
from runtime.system.record_types import SIGN_ON

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
        database = await self._realms.find_database(realm)
        if database is None:
            raise login_failed()
        cookie, at = Cookie.create(realm), from_seconds(self._clock())
        values: SignOnDocument = {
            "cookie": digest(cookie.secret),
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
            await self._store.insert(as_service(SIGN_ON, database, Action.CREATE), stored)
        log.info("oauth.signed_on", subject=credential["subject"], realm=realm, sign_on=stored["refName"])
        header = render_cookie(cookie, is_https=self._is_https)
        return _signed_on(stored, identity_of(credential, realm)), header

    def read_realm(self, cookie_header: str | None) -> str | None:
        """Return the realm of the sign-on whose cookie a browser sends, be it in force or not."""
        presented = read_cookie(cookie_header, is_https=self._is_https)
        return None if presented is None else presented.realm

    async def find(self, realm: str, cookie_header: str | None) -> SignedOn | None:
        """Return the sign-on of a browser in a realm, which counts as use; None without one in force."""
        found = await self._find_valid(cookie_header, realm)
        if found is None:
            return None
        stored, standing = found
        now = from_seconds(self._clock())
        if now - stored["lastUsedAt"] >= _NOTED_AFTER:
            ends = min(now + self._idle, stored["authTime"] + self._longest)
            values: SignOnDocument = {"lastUsedAt": now, "expiresAt": ends}
            await self._change(realm, _alive(refName=stored["refName"], cookie=stored["cookie"]), values, now)
        return _signed_on(stored, standing.identity)

    async def find_dormant(self, realm: str, cookie_header: str | None) -> SignOnDocument | None:
        """Return the sign-on of a browser in a realm that is switched off: it revives with its realm."""
        if await self._realms.find_database(realm) is not None:
            return None
        return await self._find_presented(cookie_header, realm, await self._realms.find_stored(realm))

    async def revoke(self, realm: str, subject: str, ref_name: str) -> bool:
        """End a sign-on of a user; False if the user has none of that name in force.

        What came of it goes on: ``end_sign_on`` ends both.
        """
        match = _alive(refName=ref_name, subject=subject)
        return await self._change(realm, match, {"revoked": True}, from_seconds(self._clock())) is not None

    def render_removal(self) -> str:
        """Render the ``Set-Cookie`` header that makes a browser forget its sign-on."""
        return render_removal(is_https=self._is_https)

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
        match = _alive(cookie=digest(presented.secret))
        if presented.realm == realm:
            own = equals(subject=credential["subject"], tokenEpoch=epoch_of(credential))
            renewed = await self._change(realm, match & own, values, at)
            if renewed is not None:
                return renewed
        await self._change(presented.realm, match, {"revoked": True}, at)
        return None

    async def _find_presented(
        self, cookie_header: str | None, realm: str, database: str | None
    ) -> SignOnDocument | None:
        """Return the stored sign-on of a browser, unless it has ended."""
        presented = read_cookie(cookie_header, is_https=self._is_https)
        if presented is None or presented.realm != realm or database is None:
            return None
        match = _alive(cookie=digest(presented.secret))
        stored = await self._store.find_one(as_service(SIGN_ON, database), match)
        if stored is None or stored["expiresAt"] <= from_seconds(self._clock()):
            return None
        return stored

    async def _find_valid(
        self, cookie_header: str | None, realm: str
    ) -> tuple[SignOnDocument, Standing] | None:
        """Return the stored sign-on in force of a browser, and what the credential says now."""
        stored = await self._find_presented(cookie_header, realm, await self._realms.find_database(realm))
        if stored is None:
            return None
        standing = await self._credentials.find_standing(realm, stored["subject"])
        if standing is None or standing.epoch != stored["tokenEpoch"]:
            return None
        return stored, standing

    async def _change(
        self, realm: str, match: Predicate, values: SignOnDocument, at: datetime
    ) -> SignOnDocument | None:
        database = await self._realms.find_stored(realm)
        if database is None:
            return None
        access = as_service(SIGN_ON, database, Action.UPDATE)
        return await self._store.update_one(access, match, build_update(values, at))


def _alive(**own: str) -> Predicate:
    return equals(revoked=False, activeStatus="ACTIVE", **own)


def _signed_on(stored: SignOnDocument, identity: Identity) -> SignedOn:
    return SignedOn(
        ref_name=stored["refName"],
        realm=identity.realm,
        subject=stored["subject"],
        user_id=identity.user_id,
        epoch=stored["tokenEpoch"],
        auth_time=to_seconds(stored["authTime"]),
        domain=stored["dataDomain"],
        place=identity.domain,
        roles=identity.roles,
        is_beyond_tenant=SYSTEM in identity.roles or _opens_other_realms(identity),
        acts_as_others=identity.impersonation_script is not None,
    )


def _opens_other_realms(identity: Identity) -> bool:
    """Whether a user may act in other realms, whose rules may name the user as well as roles."""
    return bool(identity.realms or identity.realm_reg_ex or any(identity.realm_roles.values()))
