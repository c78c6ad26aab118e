"""The references of seeds, which are the refNames of their targets, and the seeds that a tenant has had."""

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import Misconfigured
from runtime.filter import Projection, equals, one_of
from runtime.logs import log
from runtime.model.nearest import hint
from runtime.model.paths import places
from runtime.model.record_type import RecordType
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.system.documents import PlantedSeedDocument
from runtime.system.record_types import PLANTED_SEED

Document = dict[str, Any]

_IDS = Projection(include=("refName", "version"))


async def resolve_references(call: Call, kind: RecordType[Any], rows: Sequence[Document]) -> list[Document]:
    """Replace reference names by reference objects, and return the rows that have their targets.

    A row whose target was skipped, or removed by users, is skipped as well. Raises ``Misconfigured`` for a
    target that was never planted, and for one of another organisation.
    """
    skipped = set[str]()
    for reference in kind.references:
        target, path = call.service.catalog[reference.target], reference.path.split(".")
        named = [
            (row, shown, holder, key)
            for row in rows
            for shown, holder, key in places(row, path)
            if isinstance(holder[key], str)
        ]
        stored = await find_existing(call, target, sorted({holder[key] for _, _, holder, key in named}))
        faults = dict[str, str]()
        for row, shown, holder, key in named:
            if (found := stored.get(name := holder[key])) is None:
                where = f"seed of {kind.shown_name}, row {row['refName']}, {shown}"
                if name not in faults:
                    faults[name] = await _explain_missing(call, where, target, name)
                log_skipped(call, f"{where}: {faults[name]}")
                skipped.add(row["refName"])
            else:
                holder[key] = {"entityId": str(found["_id"])}
    return [row for row in rows if row["refName"] not in skipped]


async def _explain_missing(call: Call, where: str, target: RecordType[Any], name: str) -> str:
    """Explain a target that was skipped, or removed by users; raise ``Misconfigured`` for any other."""
    everywhere = as_service(target, call.database, Action.VIEW, _scope_tenant(call))
    if await call.store.find_one(everywhere, equals(refName=name)) is not None:
        raise Misconfigured(f"{where}: {target.shown_name} {name} belongs to another organisation")
    if name in await read_planted(call, target):
        return f"{target.shown_name} {name} is not stored: it was skipped, or users removed it"
    seeded = {str(row["refName"]) for seed in call.service.seeds if seed.kind is target for row in seed.rows}
    if name in seeded:
        raise Misconfigured(f"{where}: {target.shown_name} {name} is not stored: it is planted later")
    fault = f"no {target.shown_name} {name} is stored, and no seed has it{hint(name, seeded)}"
    raise Misconfigured(f"{where}: {fault}")


async def read_planted(call: Call, kind: RecordType[Any]) -> dict[str, int]:
    """Read which seeds of a record type the tenant has received: refName → version."""
    store, access = call.store, access_planted(call, Action.VIEW)
    found = await store.find_one(access, equals(refName=kind.name))
    return read_versions(found) if found else {}


def read_versions(stored: Mapping[str, Any]) -> dict[str, int]:
    """Return the versions that a record of planted seeds names, by refName."""
    return {row["refName"]: row["version"] for row in stored["planted"]}


def access_planted(call: Call, action: Action) -> Access[PlantedSeedDocument]:
    """Open the records of the seeds that the caller's tenant has had."""
    return as_service(PLANTED_SEED, call.database, action, _scope_tenant(call))


def _scope_tenant(call: Call) -> DomainScope:
    return DomainScope(tenant_id=call.principal.domain.tenant_id)


def log_skipped(call: Call, reason: str) -> None:
    """Log that a row of a seed is skipped, and why."""
    log.warning("seeds.skipped", realm=call.realm, tenant=call.principal.domain.tenant_id, reason=reason)


async def find_existing(call: Call, kind: RecordType[Any], ref_names: Sequence[str]) -> dict[str, Document]:
    """Find the id and version of stored records, by refName."""
    if not ref_names:
        return {}
    access = allow(call, kind, Action.VIEW)
    rows = await call.store.find(access, one_of("refName", ref_names), projection=_IDS)
    return {row["refName"]: row for row in rows}
