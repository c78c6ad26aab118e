"""The sessions of users in applications: what a user granted to a client, and the tokens that came of it.

Each is a refresh family with the client's id, also where the client gets no refresh token: so access tokens
of users always belong to a family, and end with it at once.
"""

from runtime.call import Service
from runtime.client import Client
from runtime.filter import Predicate, equals
from runtime.identity.credentials.families import Families, Link, build_revocation
from runtime.identity.users.users import users_of
from runtime.logs import log
from runtime.permissions.token_scopes import always_narrows
from runtime.signed_on import SignedOn
from runtime.standing import Standing
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Transaction
from runtime.system.documents import AuthorizationCodeDocument, RefreshFamilyDocument
from runtime.system.record_types import REFRESH_FAMILY
from runtime.tokens import RefreshClaims

REFRESH_GRANT = "refresh_token"


def families_of(service: Service) -> Families:
    """Return the refresh families of a service."""
    return Families(service.store, service.tokens, service.settings)


async def find_user(
    service: Service, client: Client, subject: str, epoch: int, *, is_fresh: bool = False
) -> Standing | None:
    """Return what the credential of a user says, unless it is of another epoch than when they signed in.

    None as well if it is disabled, the user must change the password, or the client is not for them.
    ``is_fresh``: read from the store, before a session begins. To continue one, what is remembered will do:
    the end of it is in the store.
    """
    source = users_of(service).credentials if is_fresh else service.clients
    found = await source.find_standing(client.realm, subject)
    if found is None or found.epoch != epoch or found.must_change_password:
        return None
    return found if client.admits(found.identity.domain) else None


async def begin_session(
    service: Service,
    transaction: Transaction,
    database: str,
    client: Client,
    code: AuthorizationCodeDocument,
) -> Link:
    """Start the session that a code grants to a client, in the transaction that uses the code up."""
    granted: RefreshFamilyDocument = {
        "clientId": client.client_id,
        "clientRecord": client.record_id,
        "scope": code.get("scope") or "",
        "limited": code.get("limited", False) or always_narrows(client.scopes),
        "resources": code.get("resources") or [],
        "authTime": code["authTime"],
        "showAuthTime": bool(code.get("showAuthTime")),
        "code": code["refName"],
    }
    if (sign_on := code.get("signOn")) is not None:
        granted["signOn"] = sign_on
    return await families_of(service).begin(
        as_service(REFRESH_FAMILY, database, Action.CREATE),
        code["subject"],
        code["dataDomain"],
        granted,
        store=transaction,
        seconds=None if REFRESH_GRANT in client.grant_types else service.tokens.access_seconds,
    )


async def find_current(
    service: Service, client: Client, claims: RefreshClaims
) -> RefreshFamilyDocument | None:
    """Return the session whose current refresh token has these claims, if it is one of the client."""
    access = await _open_access(service, claims.realm, Action.VIEW)
    if access is None:
        return None
    return await families_of(service).find_current(access, claims, client)


async def rotate_token(service: Service, client: Client, claims: RefreshClaims) -> Link | None:
    """Use a refresh token up for its successor; None, and the session ends, if it was used before."""
    access = await _open_access(service, claims.realm, Action.UPDATE)
    if access is None:
        return None
    link = await families_of(service).rotate(access, claims, client)
    if link is None:
        service.clients.forget_session(claims.realm, claims.subject, claims.family)
    return link


async def end_sessions(service: Service, realm: str, match: Predicate, reason: str) -> int:
    """End the sessions of clients that match, with all their tokens, and log why; return how many.

    Also in a realm that is switched off, where they would go on with their realm.
    """
    database = await service.realms.find_stored(realm)
    if database is None:
        return 0
    access = as_service(REFRESH_FAMILY, database, Action.UPDATE)
    alive = match & equals(revoked=False)
    ended = await service.store.find(access, alive)
    if ended:
        await service.store.update_many(access, alive, build_revocation(service.tokens.clock()))
    for family in ended:
        name, subject = family["refName"], family["subject"]
        service.clients.forget_session(realm, subject, name)
        log.info(
            "oauth.family_ended",
            reason=reason, client=family.get("clientId"), subject=subject, realm=realm, family=name,
        )  # fmt: skip
    return len(ended)


async def _open_access(service: Service, realm: str, action: Action) -> Access[RefreshFamilyDocument] | None:
    """Return access to the sessions of a realm; None when the realm does not exist."""
    database = await service.realms.find_database(realm)
    return None if database is None else as_service(REFRESH_FAMILY, database, action)


async def check_came_of(service: Service, signed_on: SignedOn, client_id: str, family: str) -> bool:
    """Whether a client got the tokens of a family in the browser of a sign-on, however long ago."""
    database = await service.realms.find_database(signed_on.realm)
    if database is None:
        return False
    match = equals(refName=family, subject=signed_on.subject, signOn=signed_on.ref_name, clientId=client_id)
    return await service.store.find_one(as_service(REFRESH_FAMILY, database), match) is not None
