"""Seeds: records that a specification brings along, planted once per realm and tenant.

What a tenant has had is recorded by refName and version (``PlantedSeed``). So planting again changes nothing:
records that users changed stay, and those they removed stay away, until the seed has a greater version; then
its rows are saved again. Everything goes through the one path for writing, so a seed is checked like any
other record. A reference is written as the refName of its target.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from runtime import records
from runtime.call import Call, Service, TenantSeeding
from runtime.contract.writes import Bulk, BulkAnswer, BulkOperation
from runtime.errors import Misconfigured, ServiceError
from runtime.filter import EVERYTHING, equals
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.model.documents import DataDomainDocument, tenant_of
from runtime.model.record_type import RecordType
from runtime.model.seed import Seed
from runtime.principal import SHARED, DomainContext, Principal
from runtime.seed_references import (
    access_planted,
    find_existing,
    log_skipped,
    read_planted,
    read_versions,
    resolve_references,
)
from runtime.settings import Settings
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import SERVICE_USER, build_update, complete_document
from runtime.system.documents import PlantedSeedDocument
from runtime.system.record_types import PLANTED_SEED

Document = dict[str, Any]

_ROLES = frozenset({"admin"})
"""With which the service plants."""


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """What is due of one seed: refNames to insert, and to save again since the seed has a greater version.

    ``known``: due rows that are stored already, and stay as they are; they are only recorded.
    """

    seed: Seed
    insert: tuple[str, ...]
    update: tuple[str, ...]
    known: tuple[str, ...]

    @property
    def is_due(self) -> bool:
        """Whether planting would write anything."""
        return bool(self.insert or self.update or self.known)


async def open_planting_call(service: Service, realm: str, database: str, domain: DomainContext) -> Call:
    """Open a call of the service's own for one tenant, with the rights of its administrators."""
    principal = Principal(SERVICE_USER, SERVICE_USER, _ROLES, domain)
    rules = await service.rule_book.find_rules(database, domain)
    return Call(service, principal, realm, database, SERVICE_USER, rules=rules)


async def plan(call: Call) -> list[SeedPlan]:
    """List what is due of the service's seeds for the caller's tenant, in their order. Changes nothing."""
    return [await _plan(await _open_planter(call, seed), seed) for seed in call.service.seeds]


async def find_due(service: Service, database: str, tenants: Sequence[str]) -> dict[str, list[str]]:
    """Find the record types of which seeds are due, by tenant; without the tenants that have all."""
    planted = defaultdict[str, set[str]](set)
    rows = await service.store.stream(as_service(PLANTED_SEED, database), EVERYTHING)
    async with aclosing(rows):
        async for batch in rows:
            for row in batch:
                own = [seed for seed in service.seeds if seed.kind.name == row["refName"]]
                if not any(_list_due(seed, read_versions(row)) for seed in own):
                    planted[tenant_of(row)].add(row["refName"])
    wanted = {seed.kind.name for seed in service.seeds if seed.rows}
    return {tenant: sorted(wanted - planted[tenant]) for tenant in tenants if wanted - planted[tenant]}


async def plant(call: Call) -> dict[str, int]:
    """Save what is due of the service's seeds; returns the number of records saved per type.

    Raises ``Misconfigured`` naming the first row that cannot be saved. One with a value that the realm has
    once, and has already, is skipped, and so are rows that refer to a row that was skipped or removed.
    """
    saved: dict[str, int] = {}
    for seed in call.service.seeds:
        planter = await _open_planter(call, seed)
        due = await _plan(planter, seed)
        count = await _save_rows(planter, due)
        saved[seed.kind.name] = saved.get(seed.kind.name, 0) + count
        if due.is_due:
            await _record(planter, due)
    return saved


def tenant_seeding(settings: Settings) -> TenantSeeding | None:
    """Return what plants for new tenants, where the settings ask for it."""
    return plant_new_tenant if settings.seed_new_tenants else None


async def plant_new_tenant(service: Service, realm: str, domain: DomainContext) -> None:
    """Plant for a tenant that has had no seeds yet. A seed that cannot be planted is logged, not raised."""
    database = await service.realms.find_database(realm)
    if database is None or not service.seeds:
        return
    call = await open_planting_call(service, realm, database, domain)
    before, reason = None, ""
    while reason != before:  # users created at once plant at once: what is in the way is in the next plan
        before = reason
        try:
            if before or await service.store.find_one(access_planted(call, Action.VIEW), EVERYTHING) is None:
                await plant(call)
            return
        except ServiceError as error:
            reason = error.message
    log.error("seeds.failed", realm=realm, tenant=domain.tenant_id, reason=reason)


async def _open_planter(call: Call, seed: Seed) -> Call:
    """Return the call that plants a seed: for shared records one that is bound to no organisation."""
    if not seed.shared:
        return call
    own = call.principal.domain
    domain = DomainContext(own.tenant_id, own.default_realm)
    return await open_planting_call(call.service, call.realm, call.database, domain)


async def _plan(call: Call, seed: Seed) -> SeedPlan:
    planted = await read_planted(call, seed.kind)
    due = _list_due(seed, planted)
    stored = await find_existing(call, seed.kind, due)
    return SeedPlan(
        seed,
        insert=tuple(name for name in due if name not in stored),
        update=tuple(name for name in due if name in stored and name in planted),
        known=tuple(name for name in due if name in stored and name not in planted),
    )


async def _save_rows(call: Call, due: SeedPlan) -> int:
    kind, names = due.seed.kind, {*due.insert, *due.update}
    rows = [deepcopy(dict(row)) for row in due.seed.rows if row["refName"] in names]
    stored = await find_existing(call, kind, due.update)
    for row in rows:
        if due.seed.shared:
            row["dataDomain"] = {"orgRefName": SHARED}
        if found := stored.get(row["refName"]):
            row["id"] = str(found["_id"])
    rows = await resolve_references(call, kind, rows)
    saved = 0
    most = call.service.settings.max_bulk_operations
    for start in range(0, len(rows), most):
        saved += await _save(call, kind, rows[start : start + most])
    return saved


def _list_due(seed: Seed, planted: Mapping[str, int]) -> list[str]:
    """List the refNames of a seed that were not planted, or only with a smaller version."""
    return [name for row in seed.rows if planted.get(name := str(row["refName"]), 0) < seed.version]


async def _record(call: Call, due: SeedPlan) -> None:
    """Record what was planted. A crash before this does no harm: what is stored then is only recorded."""
    service, kind = call.service, due.seed.kind
    planted = await read_planted(call, kind)
    planted |= dict.fromkeys((*due.insert, *due.update, *due.known), due.seed.version)
    values: PlantedSeedDocument = {
        "planted": [{"refName": name, "version": version} for name, version in sorted(planted.items())]
    }
    at = from_seconds(service.tokens.clock())
    access, match = access_planted(call, Action.UPDATE), equals(refName=kind.name)
    if await service.store.update_one(access, match, build_update(values, at)) is None:
        domain: DataDomainDocument = {"tenantId": call.principal.domain.tenant_id}
        document = complete_document(values, kind.name, domain, at)
        await service.store.insert(access_planted(call, Action.CREATE), document)


async def _save(call: Call, kind: RecordType[Any], rows: list[Document]) -> int:
    operations = [BulkOperation(op="save", record=row) for row in rows]
    answer = BulkAnswer.model_validate_json(
        (await records.run_bulk(call, kind, Bulk(operations=operations))).body
    )
    of_realm = [{path for path, _ in one.keys} for one in kind.indexes if one.unique and one.per_realm]
    for name, error in ((rows[one.index]["refName"], one.error) for one in answer.results if one.error):
        fault = f"seed of {kind.shown_name}, row {name}: {error['detail']}"
        if {*error.get("fields", ())} not in of_realm:  # such a value is for one tenant alone
            raise Misconfigured(fault)
        log_skipped(call, fault)
    return answer.saved
