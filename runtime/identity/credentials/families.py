"""Refresh token families: the chain of tokens that began with one login, or one grant to an OAuth client.

The store has only hashes: of the current token and of the previous one. Using a token is one atomic update
that advances the family; a caller that presents a used token shows that two parties hold the chain, so all
of it is revoked. Within ``auth.refresh-grace-seconds`` the previous token is accepted once more, and gets
the same successor, for callers whose answer got lost. A token is good for the client it was issued to alone:
one that another presents is refused, and its family is left as it is.
"""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from runtime.client import Client
from runtime.filter import EVERYTHING, Predicate, equals, has_any, none_of
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.model.documents import DataDomainDocument
from runtime.permissions.token_scopes import always_narrows
from runtime.settings import Settings
from runtime.storage.access import Access
from runtime.storage.own_documents import build_update, complete_document
from runtime.storage.store import AnyStore, Changes, Store
from runtime.system.documents import RefreshFamilyDocument
from runtime.tokens import RefreshClaims, Tokens

STORED_LONGER = timedelta(minutes=1)
"""How long a family stays in the store after its last token: the clocks of machines differ."""

OF_CLIENTS = has_any(["clientId"])
"""Sessions that were granted to clients."""

_WITHOUT_CLIENT = none_of([OF_CLIENTS])


@dataclass(frozen=True, slots=True)
class Link:
    """One refresh token of a family, before it is signed; ``record`` is the family as it is stored then."""

    family: str
    token_id: str
    ends_at: int
    record: RefreshFamilyDocument = field(repr=False)


class Families:
    """The chains of one process's logins; ``Access`` says in which realm."""

    def __init__(self, store: Store, tokens: Tokens, settings: Settings) -> None:
        self._store = store
        self._tokens = tokens
        self._session_seconds = settings.session_seconds
        self._grace = timedelta(seconds=settings.refresh_grace_seconds)

    async def begin(
        self,
        access: Access[RefreshFamilyDocument],
        subject: str,
        domain: DataDomainDocument,
        granted: RefreshFamilyDocument | None = None,
        *,
        store: AnyStore | None = None,
        seconds: int | None = None,
    ) -> Link:
        """Start a new family, for a login or for what was ``granted`` to a client.

        ``seconds``: how long it lives, where that is not the usual time. ``store``: the transaction it is a
        part of.
        """
        now = self._tokens.clock()
        family, token_id = secrets.token_hex(16), secrets.token_urlsafe(24)
        ends_at = int(now) + (self._session_seconds if seconds is None else seconds)
        fields: RefreshFamilyDocument = {
            **(granted or {}),
            "subject": subject,
            "revoked": False,
            **self._position(token_id, ends_at, now),
        }
        document = complete_document(fields, family, domain, from_seconds(now))
        await (store or self._store).insert(access, document)
        return Link(family, token_id, ends_at, document)

    async def find_current(
        self, access: Access[RefreshFamilyDocument], claims: RefreshClaims, client: Client | None = None
    ) -> RefreshFamilyDocument | None:
        """Return the family whose current token has these claims; None when it was used or revoked."""
        current = equals(current=digest(claims.token_id))
        return await self._store.find_one(access, _alive(claims, client) & current)

    async def rotate(
        self, access: Access[RefreshFamilyDocument], claims: RefreshClaims, client: Client | None = None
    ) -> Link | None:
        """Issue the next link; None when the family is over, unknown, revoked, or revoked by this very use.

        ``client``: the one that presents the token; None for a login without one.
        """
        now, used = self._tokens.clock(), digest(claims.token_id)
        if now >= claims.ends_at:  # the token is accepted a little longer, as clocks differ
            return None
        token_id = self._tokens.successor(claims.token_id)
        position = self._position(token_id, claims.ends_at, now)
        if client is not None:
            position["lastUsedAt"] = from_seconds(now)
        moved = await self._store.update_one(
            access,
            _alive(claims, client) & equals(current=used),
            build_update({**position, "previous": used}, from_seconds(now)),
        )
        if moved is None and self._grace:
            moved = await self._find_in_grace(access, _alive(claims, client), used, digest(token_id))
        if moved is not None:
            return Link(claims.family, token_id, claims.ends_at, moved)
        await self._revoke_reused(access, claims, client)
        return None

    async def _find_in_grace(
        self, access: Access[RefreshFamilyDocument], alive: Predicate, used: str, successor: str
    ) -> RefreshFamilyDocument | None:
        """Return the family if its current token is the one that the used one was exchanged for just now."""
        family = await self._store.find_one(access, alive & equals(previous=used, current=successor))
        if family is None or from_seconds(self._tokens.clock()) - family["rotatedAt"] > self._grace:
            return None
        return family

    async def _revoke_reused(
        self, access: Access[RefreshFamilyDocument], claims: RefreshClaims, client: Client | None
    ) -> None:
        alive = _alive(claims, client)
        if not await self._store.update_many(access, alive, build_revocation(self._tokens.clock())):
            return
        facts = {"subject": claims.subject, "realm": claims.realm, "family": claims.family}
        if client is None:
            log.warning("refresh.reused", **facts)
        else:
            log.warning("oauth.family_ended", reason="refresh_reused", client=client.client_id, **facts)

    def _position(self, token_id: str, ends_at: int, now: float) -> RefreshFamilyDocument:
        """Build the fields of the family's current link; the store deletes it after its last token."""
        ends = min(now + self._tokens.refresh_seconds, ends_at)
        return {
            "current": digest(token_id),
            "rotatedAt": from_seconds(now),
            "expiresAt": from_seconds(ends) + STORED_LONGER,
        }


async def revoke_families(
    store: AnyStore, access: Access[Any], subject: str, now: float, which: Predicate = EVERYTHING
) -> int:
    """Revoke the sessions of a subject, or its sign-ons or service tokens where ``access`` is for those.

    Returns how many there were.
    """
    alive = equals(subject=subject, revoked=False) & which
    return await store.update_many(access, alive, build_revocation(now))


def build_revocation(now: float) -> Changes:
    """Build the change that ends sessions, or service tokens."""
    revoked: RefreshFamilyDocument = {"revoked": True}
    return build_update(revoked, from_seconds(now))


def _alive(claims: RefreshClaims, client: Client | None) -> Predicate:
    """Match the family of a token, unless it is revoked or another client's.

    Nor one whose tokens would do more than when the user granted them, since the client has lost its limits.
    """
    own = _WITHOUT_CLIENT if client is None else of_client(client)
    if client is not None and not always_narrows(client.scopes):
        own &= none_of([equals(limited=True)])
    return equals(refName=claims.family, subject=claims.subject, revoked=False) & own


def of_client(client: Client) -> Predicate:
    """Match what is stored for a client, and not for an earlier one with the same id."""
    return equals(clientId=client.client_id, clientRecord=client.record_id)


def digest(secret: str) -> str:
    """Return the hash of a secret with enough randomness, as it is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()
