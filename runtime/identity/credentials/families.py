"""Refresh token families: the chain of tokens that began with one login.

The store has only hashes: of the current token and of the previous one. Using a token is one atomic update
that advances the family; a caller that presents a used token shows that two parties hold the chain, so all
of it is revoked. Within ``auth.refresh-grace-seconds`` the previous token is accepted once more, and gets
the same successor, for callers whose answer got lost.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from runtime.filter import equals
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.storage.access import Access
from runtime.storage.own_documents import build_update_stamp, complete_document
from runtime.storage.store import Changes, Store
from runtime.system.documents import CredentialDocument, RefreshFamilyDocument
from runtime.tokens import RefreshClaims, Tokens


@dataclass(frozen=True, slots=True)
class Link:
    """One refresh token of a family, before it is signed."""

    family: str
    token_id: str
    ends_at: int


class Families:
    """The chains of one process's logins; ``Access`` says in which realm."""

    def __init__(self, store: Store, tokens: Tokens, *, session_seconds: int, grace_seconds: int) -> None:
        self._store = store
        self._tokens = tokens
        self._session_seconds = session_seconds
        self._grace = timedelta(seconds=grace_seconds)

    async def begin(self, access: Access[RefreshFamilyDocument], credential: CredentialDocument) -> Link:
        """Start a new family, for a login."""
        now = self._tokens.clock()
        link = Link(secrets.token_hex(16), secrets.token_urlsafe(24), int(now) + self._session_seconds)
        fields: RefreshFamilyDocument = {
            "subject": credential["subject"],
            "revoked": False,
            **self._position(link, now),
        }
        document = complete_document(fields, link.family, credential["dataDomain"], from_seconds(now))
        await self._store.insert(access, document)
        return link

    async def rotate(self, access: Access[RefreshFamilyDocument], claims: RefreshClaims) -> Link | None:
        """Issue the next link; None when the family is revoked, unknown, or revoked by this very use."""
        now = self._tokens.clock()
        used = _digest(claims.token_id)
        link = Link(claims.family, self._tokens.successor(claims.token_id), claims.ends_at)
        moved = await self._store.update_one(
            access,
            equals(refName=claims.family, subject=claims.subject, current=used, revoked=False),
            Changes(
                set={**self._position(link, now), "previous": used, **build_update_stamp(from_seconds(now))},
                increment={"version": 1},
            ),
        )
        if moved is not None or await self._check_grace(access, claims, link):
            return link
        await self._revoke_reused(access, claims)
        return None

    async def _check_grace(
        self, access: Access[RefreshFamilyDocument], claims: RefreshClaims, link: Link
    ) -> bool:
        if not self._grace:
            return False
        family = await self._store.find_one(
            access,
            equals(
                refName=claims.family,
                subject=claims.subject,
                previous=_digest(claims.token_id),
                current=_digest(link.token_id),
                revoked=False,
            ),
        )
        return family is not None and from_seconds(self._tokens.clock()) - family["rotatedAt"] <= self._grace

    async def _revoke_reused(self, access: Access[RefreshFamilyDocument], claims: RefreshClaims) -> None:
        if await revoke_family(self._store, access, claims, self._tokens.clock()):
            log.warning("refresh.reused", subject=claims.subject, realm=claims.realm, family=claims.family)

    def _position(self, link: Link, now: float) -> RefreshFamilyDocument:
        """Build the fields of the family's current link; the store deletes it when its last token ends."""
        ends = min(now + self._tokens.refresh_seconds, link.ends_at)
        return {
            "current": _digest(link.token_id),
            "rotatedAt": from_seconds(now),
            "expiresAt": from_seconds(ends) + timedelta(minutes=1),
        }


async def revoke_families(store: Store, access: Access[Any], subject: str, now: float) -> int:
    """Revoke all sessions of a subject, or all its service tokens where ``access`` is for those.

    Returns how many there were.
    """
    return await store.update_many(access, equals(subject=subject, revoked=False), _revocation(now))


async def revoke_family(
    store: Store, access: Access[RefreshFamilyDocument], claims: RefreshClaims, now: float
) -> int:
    """Revoke the session that a refresh token belongs to; 0 when it was revoked before."""
    alive = equals(refName=claims.family, subject=claims.subject, revoked=False)
    return await store.update_many(access, alive, _revocation(now))


def _revocation(now: float) -> Changes:
    revoked: RefreshFamilyDocument = {"revoked": True}
    return Changes(set={**revoked, **build_update_stamp(from_seconds(now))}, increment={"version": 1})


def _digest(token_id: str) -> str:
    return hashlib.sha256(token_id.encode()).hexdigest()
