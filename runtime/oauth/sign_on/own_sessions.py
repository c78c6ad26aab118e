"""GET and DELETE /security/sessions: where a user is signed in, for the user alone.

Browsers are sign-ons; applications and logins are refresh families, with and without a client. All are found
by the subject of the caller, so nobody sees or ends those of others.
"""

from operator import itemgetter
from typing import Final, cast

from runtime.call import Call
from runtime.client import is_url
from runtime.contract.headers import read_bearer
from runtime.errors import Denied, NotFound, Unauthenticated
from runtime.filter import equals
from runtime.identity.credentials.families import STORED_LONGER
from runtime.model.clock import from_seconds
from runtime.model.mappings import without_nones
from runtime.oauth.client_sessions import end_sessions
from runtime.oauth.sign_on.ending import end_sign_on
from runtime.storage.as_service import as_service
from runtime.system.answers import SessionBody, SessionListBody
from runtime.system.documents import RefreshFamilyDocument, SignOnDocument
from runtime.system.record_types import REFRESH_FAMILY, SIGN_ON

_MOST: Final = 1000


async def list_own(call: Call, *, authorization: str | None = None) -> SessionListBody:
    """GET /security/sessions."""
    subject, realm = _require_own(call)
    database = await call.service.realms.find_database(realm)
    if database is None:
        return {"rows": []}
    alive = equals(subject=subject, revoked=False, activeStatus="ACTIVE")
    store, now = call.service.store, from_seconds(call.service.tokens.clock())
    sign_ons = await store.find(as_service(SIGN_ON, database), alive, order=[("lastUsedAt", -1)], limit=_MOST)
    families = await store.find(
        as_service(REFRESH_FAMILY, database), alive, order=[("rotatedAt", -1)], limit=_MOST
    )
    current = _find_current(call, authorization)
    rows = [_describe_sign_on(one) for one in sign_ons]
    rows += [await _describe_family(call, realm, one, current) for one in families]
    valid = [row for row in rows if row["endsAt"] > now]
    return {"rows": sorted(valid, key=itemgetter("lastUsedAt"), reverse=True)}


async def end_one(call: Call, *, id_: str) -> None:
    """DELETE /security/sessions/{id}. Raises ``NotFound``, also for a session of another user."""
    subject, realm = _require_own(call)
    if await end_sign_on(call.service, realm, subject, id_):
        return
    match = equals(refName=id_, subject=subject)
    if not await end_sessions(call.service, realm, match, "user"):
        raise NotFound(f"you have no session {id_[:100]}")


async def end_all(call: Call) -> None:
    """DELETE /security/sessions. Raises ``NotOffered`` for users of other providers."""
    subject, realm = _require_own(call)
    await call.service.provider.end_sessions(subject, realm, None, False)


def _require_own(call: Call) -> tuple[str, str]:
    """Return the subject and realm of a caller who acts in their own name. Raises ``Denied``."""
    principal = call.principal
    if principal.impersonator is not None:
        raise Denied("this is for one's own sessions: it cannot be done while acting as somebody else")
    return principal.subject, principal.domain.default_realm


def _find_current(call: Call, authorization: str | None) -> str | None:
    """Return the refresh family of the token of this request; None for tokens that have none."""
    try:
        return call.service.tokens.verify_access(read_bearer(authorization) or "").session
    except Unauthenticated:  # of another provider
        return None


def _describe_sign_on(stored: SignOnDocument) -> SessionBody:
    return {
        "id": stored["refName"],
        "kind": "browser",
        "browser": stored["browser"],
        "begunAt": stored["auditInfo"]["createdDate"],
        "lastUsedAt": stored["lastUsedAt"],
        "endsAt": stored["expiresAt"],
        "current": False,
    }


async def _describe_family(
    call: Call, realm: str, stored: RefreshFamilyDocument, current: str | None
) -> SessionBody:
    client_id, client = stored.get("clientId"), None
    if client_id is not None and not is_url(client_id):  # a list of sessions fetches no documents
        client = await call.service.clients.find(realm, client_id)
    row = {
        "id": stored["refName"],
        "kind": "login" if client_id is None else "application",
        "clientId": client_id,
        "clientName": client and client.name,
        "scope": stored.get("scope"),
        "signOn": stored.get("signOn"),
        "begunAt": stored["auditInfo"]["createdDate"],
        "lastUsedAt": stored.get("lastUsedAt") or stored["rotatedAt"],
        "endsAt": stored["expiresAt"] - STORED_LONGER,
        "current": stored["refName"] == current,
    }
    return cast(SessionBody, without_nones(row))
