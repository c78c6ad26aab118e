"""What of a realm or a tenant is backed up, and in which order it is restored and erased.

Collections that no record type declares are parts too, such as those of types that were removed from the
specifications: a record type made up for them gives access to whole documents.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from runtime.call import Service
from runtime.identity.realms.realms import OF_THE_DEPLOYMENT
from runtime.model.record import RecordInput
from runtime.model.record_type import RecordType
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.system.record_types import (
    AGENT,
    AUTHORIZATION_CODE,
    CONSENT,
    CREDENTIAL,
    DECISION,
    IDEMPOTENCY_KEY,
    IMPORT_ROW,
    IMPORT_SESSION,
    MCP_MESSAGE,
    MCP_SESSION,
    OAUTH_CLIENT,
    ONTOLOGY_LOCK,
    PERMISSION_RULE,
    PUSHED_REQUEST,
    REALM,
    REFRESH_FAMILY,
    RENAME,
    SERVICE_TOKEN,
    SIGN_ON,
    SPENT_TOKEN,
    STORED_SHAPE,
    WEBHOOK,
    WEBHOOK_DELIVERY,
)

Kind = RecordType[Any, Any]

Report = Callable[[int], None]
"""Reports how many records are done."""

_OF_THE_MOMENT: Final[tuple[Kind, ...]] = (
    AUTHORIZATION_CODE, MCP_MESSAGE, MCP_SESSION, PUSHED_REQUEST, REFRESH_FAMILY, SIGN_ON, WEBHOOK_DELIVERY,
)  # fmt: skip
"""Never backed up, and removed by a restore: to restore a sign-in or a delivery would repeat it."""

_NOT_EXPORTED: Final[tuple[Kind, ...]] = (
    DECISION, IDEMPOTENCY_KEY, IMPORT_ROW, IMPORT_SESSION, ONTOLOGY_LOCK, RENAME, SPENT_TOKEN, STORED_SHAPE,
)  # fmt: skip
"""In a backup, and not in what is handed over: notes of the service."""

_LAST: Final[tuple[Kind, ...]] = (
    RENAME, WEBHOOK, PERMISSION_RULE, AGENT, CONSENT, OAUTH_CLIENT, SERVICE_TOKEN, CREDENTIAL,
)  # fmt: skip
"""Restored last, and erased first: until then nobody of the tenant can sign in, and nothing is sent."""


@dataclass(frozen=True, slots=True)
class Place:
    """A realm, or one tenant in it."""

    realm: str
    database: str
    tenant: str | None = None

    def __str__(self) -> str:
        return f"realm {self.realm}" if self.tenant is None else f"tenant {self.tenant} of realm {self.realm}"

    def allow(self, kind: Kind, action: Action = Action.VIEW) -> Access[Any]:
        """Return the operator's access to a record type here."""
        return as_service(kind, self.database, action, DomainScope(tenant_id=self.tenant))


async def list_kinds(service: Service, place: Place) -> list[Kind]:
    """List the record types of the realm in the order of a restore; made-up ones for other collections."""
    known = {kind.collection: kind for kind in service.catalog}
    present = await service.store.list_collections(place.allow(REALM))
    strange = [make_up(name) for name in present if name not in known]
    last = [known.get(kind.collection, kind) for kind in _LAST]  # a project may have extended them
    return [*(kind for kind in (*service.catalog, *strange) if kind not in last), *last]


def make_up(collection: str) -> Kind:
    """Make up a record type for a collection."""
    return RecordType(name=collection, area="", model=RecordInput, collection=collection)


def is_backed_up(collection: str) -> bool:
    """Whether a backup contains the collection."""
    return not _is_of(collection, (*OF_THE_DEPLOYMENT, *_OF_THE_MOMENT)) and not collection.startswith(
        "system."
    )


def is_content(collection: str) -> bool:
    """Whether it is content: a realm without any has notes of the shapes of records as well."""
    return is_backed_up(collection) and not _is_of(collection, (STORED_SHAPE,))


def is_removed(collection: str) -> bool:
    """Whether a restore removes what a realm or tenant has of it."""
    return not _is_of(collection, OF_THE_DEPLOYMENT)


def is_exported(service: Service, collection: str) -> bool:
    """Whether it is handed over: records of declared types alone, since others may hold secrets."""
    declared = any(kind.collection == collection for kind in service.catalog)
    return declared and is_backed_up(collection) and not _is_of(collection, _NOT_EXPORTED)


async def count_records(service: Service, place: Place, kinds: Sequence[Kind]) -> dict[str, int]:
    """Count the documents here, by collection, those without any left out."""
    counts = {kind.collection: await service.store.count_all(place.allow(kind)) for kind in kinds}
    return {name: number for name, number in counts.items() if number}


async def find_anything(service: Service, place: Place) -> bool:
    """Whether a document of any collection is here."""
    for kind in await list_kinds(service, place):
        if await service.store.count_all(place.allow(kind)):
            return True
    return False


async def remove_records(service: Service, place: Place, kind: Kind) -> int:
    """Remove all documents of a type here, part by part; return how many."""
    access, total = place.allow(kind, Action.DELETE), 0
    while removed := await service.store.remove_some(access):
        total += removed
    return total


def _is_of(collection: str, kinds: Sequence[Kind]) -> bool:
    return any(kind.collection == collection for kind in kinds)
