"""What users have granted to clients that ask for consent, so that they are not asked again."""

from collections.abc import Collection, Mapping

from runtime.call import Service
from runtime.client import Client
from runtime.errors import Duplicate, VersionConflict
from runtime.filter import equals
from runtime.identity.realms.realm import require_realm
from runtime.model.clock import from_seconds
from runtime.principal import SYSTEM
from runtime.rights import list_beyond
from runtime.signed_on import SignedOn
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update, complete_document
from runtime.storage.wire import create_id
from runtime.system.documents import ConsentDocument
from runtime.system.record_types import CONSENT

_MOST_RACES = 100


def is_beyond_writers(client: Client, user: SignedOn) -> bool:
    """Whether a user may do more than everybody who has written a client, who gets the tokens of its users.

    One who acts as others may do what these may.
    """
    writers = client.writer_roles
    return SYSTEM not in writers and (user.acts_as_others or bool(list_beyond(writers, user.roles)))


def remembers_consent(client: Client, user: SignedOn) -> bool:
    """Whether what a user grants to a client is stored, so that they are asked once."""
    return client.needs_consent or is_beyond_writers(client, user)


async def find_consent(
    service: Service, client: Client, user: SignedOn
) -> Mapping[str, frozenset[str]] | None:
    """Return the scopes that a user has granted to a client, by resource; None without a consent."""
    access = as_service(CONSENT, await require_realm(service, client.realm))
    stored = await service.store.find_one(access, equals(subject=user.subject, clientId=client.client_id))
    if stored is None or not _is_in_force(stored, client, user):
        return None
    return _read_grants(stored)


def _read_grants(stored: ConsentDocument) -> dict[str, frozenset[str]]:
    return {one["resource"]: frozenset(one["scopes"]) for one in stored["grants"]}


def _is_in_force(stored: ConsentDocument, client: Client, user: SignedOn) -> bool:
    """Whether it is for this client and those who have written it, and for all that the user may do by now.

    The client gets all of it. One that does not say who has written its client is for those of the operator.
    One that does not say which scope is for which resource is for nothing: ``resources`` has values where an
    earlier version wrote last, also for the roles of the user.
    """
    is_of_client = stored.get("clientRecord") == client.record_id
    if not is_of_client or stored.get("resources") or not {"roles", "grants"} <= stored.keys():
        return False
    if frozenset(stored.get("writerRoles", (SYSTEM,))) != client.writer_roles:
        return False
    acts_more = user.acts_as_others and not stored.get("actsAsOthers")
    return not acts_more and not list_beyond(frozenset(stored["roles"]), user.roles)


async def store_consent(
    service: Service,
    client: Client,
    user: SignedOn,
    scopes: Collection[str],
    resources: Collection[str],
) -> None:
    """Store that a user grants a client scopes at resources, with what they have granted it already."""
    access = as_service(CONSENT, await require_realm(service, client.realm), Action.UPDATE)
    for _ in range(_MOST_RACES):  # the user may answer several windows at once; each round stores one of them
        if await _add(service, access, client, user, scopes, resources):
            return
    raise VersionConflict("the consent was changed at the same time: try again")


async def _add(
    service: Service,
    access: Access[ConsentDocument],
    client: Client,
    user: SignedOn,
    scopes: Collection[str],
    resources: Collection[str],
) -> bool:
    """Add to the consent as it is now. Returns whether it still was when it was written."""
    match = equals(subject=user.subject, clientId=client.client_id)
    at = from_seconds(service.tokens.clock())
    before = await service.store.find_one(access, match)
    grants = _read_grants(before) if before and _is_in_force(before, client, user) else {}
    grants |= {resource: grants.get(resource, frozenset()) | {*scopes} for resource in resources}
    fields: ConsentDocument = {
        "clientRecord": client.record_id,
        "grants": [{"resource": one, "scopes": sorted(granted)} for one, granted in sorted(grants.items())],
        "roles": sorted(user.roles),
        "writerRoles": sorted(client.writer_roles),
        "actsAsOthers": user.acts_as_others,
        "scopes": [],  # workers of an earlier version read both, and find nothing granted
        "resources": [],
    }
    if before is not None:
        same_version = match & equals(version=before["version"])
        changed = await service.store.update_one(access, same_version, build_update(fields, at))
        return changed is not None
    named: ConsentDocument = {"subject": user.subject, "clientId": client.client_id, **fields}
    try:
        await service.store.insert(access, complete_document(named, str(create_id()), user.domain, at))
    except Duplicate:
        return False
    return True
