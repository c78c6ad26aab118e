"""Service tokens: long-lived access tokens for machines, created, listed and revoked by the operator.

A service token acts as its user, with the rights the user has at each call. It ends when it expires or is
revoked, when its user is disabled or removed, and whenever the user's other tokens end: a new password, other
roles, logging out everywhere. Only its id is stored, which is not secret; the token is shown once.
"""

import secrets
from dataclasses import dataclass, field

from runtime.call import Service
from runtime.errors import NotFound, ValidationFailed
from runtime.filter import EVERYTHING, equals
from runtime.identity.credentials.credentials import epoch_of, identity_of, is_usable
from runtime.identity.realms.realm import require_realm
from runtime.identity.users.users import everywhere, users_of
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.seams import UserKey
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update, complete_document
from runtime.system.documents import CredentialDocument, ServiceTokenDocument
from runtime.system.record_types import SERVICE_TOKEN

_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class MadeToken:
    """``token`` is shown this once; ``record`` is what is kept of it."""

    token: str = field(repr=False)
    record: ServiceTokenDocument


async def create_token(
    service: Service, realm: str, user_id: str, seconds: int, description: str | None = None
) -> MadeToken:
    """Create a token of a user, valid for ``seconds``. Raises ``NotFound`` and ``ValidationFailed``."""
    _check_seconds(seconds, service.settings.service_token_max_days)
    credential = await _find_usable(service, realm, user_id)
    now = service.tokens.clock()
    token_id = secrets.token_urlsafe(16)
    fields: ServiceTokenDocument = {
        "subject": credential["subject"],
        "userId": credential["userId"],
        "revoked": False,
        "expiresAt": from_seconds(int(now) + seconds),
    }
    if description is not None:
        fields["description"] = description
    document = complete_document(fields, token_id, credential["dataDomain"], from_seconds(now))
    access = as_service(SERVICE_TOKEN, await require_realm(service, realm), Action.CREATE)
    token = service.tokens.mint_access(
        identity_of(credential, realm),
        epoch=epoch_of(credential),
        email=credential.get("emailOfResponsibleParty"),
        service_token=(token_id, seconds),
    )
    await service.store.insert(access, document)
    log.info("token.created", id=token_id, user=credential["userId"], realm=realm)
    return MadeToken(token, document)


async def list_tokens(service: Service, realm: str, user_id: str | None = None) -> list[ServiceTokenDocument]:
    """List the stored tokens of a realm, or of one user in it, newest first. Raises ``NotFound``."""
    match = EVERYTHING
    if user_id is not None:
        subject = await users_of(service).find_subject(user_id, everywhere(realm))
        match = equals(subject=subject)
    access = as_service(SERVICE_TOKEN, await require_realm(service, realm))
    return await service.store.find(access, match, order=[("_id", -1)])


async def revoke_token(service: Service, realm: str, token_id: str) -> ServiceTokenDocument:
    """Revoke a token. Raises ``NotFound``; revoking twice is not an error."""
    access = as_service(SERVICE_TOKEN, await require_realm(service, realm), Action.UPDATE)
    values: ServiceTokenDocument = {"revoked": True}
    changes = build_update(values, from_seconds(service.tokens.clock()))
    revoked = await service.store.update_one(access, equals(refName=token_id), changes)
    if revoked is None:
        raise NotFound(f"no service token {token_id[:100]} in the realm {realm}")
    log.info("token.revoked", id=token_id, user=revoked["userId"], realm=realm)
    return revoked


def _check_seconds(seconds: int, most_days: int) -> None:
    if not 0 < seconds <= most_days * _DAY_SECONDS:
        message = f"must be more than nothing and at most {most_days} days (auth.service-token-max-days)"
        raise ValidationFailed.at("ttl", message, "the lifetime")


async def _find_usable(service: Service, realm: str, user_id: str) -> CredentialDocument:
    credential = await users_of(service).credentials.find(UserKey(user_id=user_id), everywhere(realm))
    if credential is None:
        raise NotFound(f"no user {user_id[:100]} in the realm {realm}")
    if not is_usable(credential) or credential.get("forceChangePassword"):
        message = f"{user_id} is disabled or must change its password first"
        raise ValidationFailed(message, violations=[{"path": "user", "message": message}])
    return credential
