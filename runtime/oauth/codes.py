"""Authorization codes (RFC 6749 §4.1): issued to a browser, exchanged once by the client they belong to.

A code is 256 random bits, of which only the hash is stored. It is used by one atomic step, together with the
session that it begins, so of any number of requests one gets tokens. A later request that proves as much as
that one (the client, the redirect URI, the verifier) shows that two parties have the code and all that
belongs to it, so the tokens that came of it end (RFC 6749 §4.1.2, §10.5). A request that proves less neither
uses the code up nor ends anything: it could not have got tokens, and codes appear in the histories of
browsers, from where anybody could end the sessions of others otherwise. Guessing gains nothing: a verifier
has 256 bits, and a code lives for five minutes.
"""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from runtime.call import Service
from runtime.client import Client
from runtime.filter import equals
from runtime.identity.credentials.families import Link, digest
from runtime.identity.realms.realm import require_realm
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.model.documents import DataDomainDocument
from runtime.oauth.client_sessions import begin_session, end_sessions
from runtime.oauth.pkce import check_verifier
from runtime.permissions.token_scopes import always_narrows
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update, complete_document
from runtime.storage.store import LOCK, Changes, Transaction
from runtime.storage.wire import create_id
from runtime.system.documents import AuthorizationCodeDocument
from runtime.system.record_types import AUTHORIZATION_CODE, SIGN_ON

CODE_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class Granted:
    """What a user who signed in granted to a client.

    ``epoch``: of the credential then. ``auth_time``: when the user entered a password, in seconds since 1970.
    ``sign_on``: the refName of the sign-on of the browser. ``domain``: the data domain of the credential.
    """

    client: Client
    redirect_uri: str
    subject: str
    epoch: int
    scope: str
    resources: tuple[str, ...]
    challenge: str | None
    nonce: str | None
    auth_time: float
    shows_auth_time: bool
    sign_on: str | None
    domain: DataDomainDocument


@dataclass(frozen=True, slots=True)
class PresentedCode:
    """A code as a client presents it."""

    code: str = field(repr=False)
    redirect_uri: str
    verifier: str | None = field(repr=False)


async def issue_code(service: Service, granted: Granted) -> str:
    """Store for five minutes what was granted; return the code. Raises ``NotFound`` for an unknown realm."""
    code, now = secrets.token_urlsafe(32), service.tokens.clock()
    fields = _build_fields(granted, now)
    document = complete_document(fields, digest(code), granted.domain, from_seconds(now))
    database = await require_realm(service, granted.client.realm)
    await service.store.insert(as_service(AUTHORIZATION_CODE, database, Action.CREATE), document)
    return code


def _build_fields(granted: Granted, now: float) -> AuthorizationCodeDocument:
    ends = from_seconds(now + CODE_SECONDS)
    fields: AuthorizationCodeDocument = {
        "clientId": granted.client.client_id,
        "clientRecord": granted.client.record_id,
        "redirectUri": granted.redirect_uri,
        "subject": granted.subject,
        "tokenEpoch": granted.epoch,
        "scope": granted.scope,
        "limited": always_narrows(granted.client.scopes),
        "resources": list(granted.resources),
        "authTime": from_seconds(granted.auth_time),
        "showAuthTime": granted.shows_auth_time,
        "used": False,
        "validUntil": ends,
        "expiresAt": ends + timedelta(minutes=1),
    }
    if granted.challenge is not None:
        fields["challenge"] = granted.challenge
    if granted.nonce is not None:
        fields["nonce"] = granted.nonce
    if granted.sign_on is not None:
        fields["signOn"] = granted.sign_on
    return fields


async def find_code(
    service: Service, client: Client, presented: PresentedCode
) -> AuthorizationCodeDocument | None:
    """Return the code if the client may exchange it; if it was used, its tokens end."""
    database = await service.realms.find_database(client.realm)
    if database is None:
        return None
    access = as_service(AUTHORIZATION_CODE, database)
    stored = await service.store.find_one(access, equals(refName=digest(presented.code)))
    if stored is None or not _is_proven(stored, client, presented):
        return None
    if stored["used"]:
        await _end_reused(service, client, stored)
        return None
    return stored if from_seconds(service.tokens.clock()) < stored["validUntil"] else None


async def exchange_code(service: Service, client: Client, code: AuthorizationCodeDocument) -> Link | None:
    """Use a code up and begin the session of its tokens: both, or neither.

    None for a code that another request has used since it was found, after its tokens ended; None as well if
    the sign-on that it came of has ended.
    """
    database = await require_realm(service, client.realm)
    spent = _build_use(service)

    async def work(transaction: Transaction) -> tuple[bool, Link | None]:
        access = as_service(AUTHORIZATION_CODE, database, Action.UPDATE)
        used = await transaction.update_one(access, equals(refName=code["refName"], used=False), spent)
        if used is None or not await _hold_sign_on(transaction, database, code):
            return used is None, None
        return False, await begin_session(service, transaction, database, client, code)

    was_used, link = await service.store.transact(work, turns=[f"code {code['refName']}"])
    if was_used:
        await _end_reused(service, client, code)
    return link


def _is_proven(stored: AuthorizationCodeDocument, client: Client, presented: PresentedCode) -> bool:
    challenge = stored.get("challenge")
    return (
        (stored["clientId"], stored.get("clientRecord")) == (client.client_id, client.record_id)
        and stored["redirectUri"] == presented.redirect_uri
        and (not stored.get("limited") or always_narrows(client.scopes))
        and (challenge is not None or not client.needs_pkce)
        and check_verifier(challenge, presented.verifier)
    )


async def _hold_sign_on(transaction: Transaction, database: str, code: AuthorizationCodeDocument) -> bool:
    """Whether the sign-on is in force. It is written to: a logout at the same time comes before or after."""
    if (sign_on := code.get("signOn")) is None:
        return True
    access = as_service(SIGN_ON, database, Action.UPDATE)
    held, alive = Changes(set={LOCK: create_id()}), equals(refName=sign_on, revoked=False)
    return await transaction.update_one(access, alive & equals(subject=code["subject"]), held) is not None


def _build_use(service: Service) -> Changes:
    """Build the change that uses a code up; it is remembered for as long as what comes of it can live."""
    now = service.tokens.clock()
    longest = max(service.settings.session_seconds, service.tokens.access_seconds)
    values: AuthorizationCodeDocument = {
        "used": True,
        "expiresAt": from_seconds(now + longest) + timedelta(minutes=1),
    }
    return build_update(values, from_seconds(now))


async def _end_reused(service: Service, client: Client, code: AuthorizationCodeDocument) -> None:
    log.warning("oauth.code_reused", client=client.client_id, subject=code["subject"], realm=client.realm)
    await end_sessions(service, client.realm, equals(code=code["refName"]), "code_reused")
