"""The routes of ``/security/oauth/clients`` that are not those of every record type."""

from runtime.access.guard import allow, allow_lookup, build_refusal
from runtime.call import Call
from runtime.filter import equals
from runtime.logs import log
from runtime.model.problems import no_record
from runtime.oauth.client_check import find_with_hashes
from runtime.oauth.client_effect import require_covered
from runtime.oauth.client_secret import replace_secret
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.system.answers import ClientSecretBody
from runtime.system.documents import OauthClientDocument
from runtime.system.models.secret_rotation import SecretRotation
from runtime.system.record_types import OAUTH_CLIENT


async def rotate(call: Call, body: SecretRotation, *, client_id: str) -> ClientSecretBody:
    """POST …/{clientId}/rotate-secret.

    Raises ``NotFound``, also for a client outside the caller's scope, ``Denied`` for one that may do more
    than the caller, and ``ValidationFailed`` for one that has no secret.
    """
    stored = await _find_changeable(call, client_id)
    await require_covered(call, call.store, [stored])
    call.turn.give_back()  # hashing has a queue of its own, and needs no store
    access = as_service(OAUTH_CLIENT, call.database, Action.UPDATE, call.principal.scope)
    created = await replace_secret(
        call.service, access, stored, ends_previous=body.end_previous is True, audit=call.principal.audit
    )
    log.info("client.secret_rotated", client=client_id, realm=call.realm, by=call.principal.user_id)
    return {"clientId": client_id, "clientSecret": created.secret or ""}


async def _find_changeable(call: Call, client_id: str) -> OauthClientDocument:
    """Return a client that the caller may change, with the hidden fields."""
    seen = await call.store.find_one(allow_lookup(call, OAUTH_CLIENT), equals(clientId=client_id))
    if seen is None:
        raise no_record(OAUTH_CLIENT.name, client_id)
    if not allow(call, OAUTH_CLIENT, Action.UPDATE).admits(seen):
        raise build_refusal(call, OAUTH_CLIENT, Action.UPDATE, seen, is_stored=True)
    whole = await find_with_hashes(call, str(seen["_id"]))
    if whole is None:  # removed in this moment
        raise no_record(OAUTH_CLIENT.name, client_id)
    return whole
