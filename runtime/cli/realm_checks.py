"""What ``doctor`` looks at in the realms of a service, from their indexes to their webhooks."""

import shlex
from typing import Final

from runtime.agents import list_unresolved_users, list_useless_rules
from runtime.backup import count_unfinished, list_marked
from runtime.call import Service
from runtime.cli.findings import Check, Status
from runtime.cli.opening import open_service
from runtime.errors import IndexMissing
from runtime.identity.users.users import list_tenants
from runtime.model.counting import count_things
from runtime.outbox.management import count_stopped
from runtime.realm_setup import list_realms
from runtime.seeding import find_due
from runtime.settings import Settings
from runtime.storage.indexes import find_missing_indexes


async def check_realms(settings: Settings) -> list[Check]:
    """Open the service once, and run all checks on it."""
    async with open_service(settings) as service:
        return [await check(service) for check in _CHECKS]


async def _check_indexes(service: Service) -> Check:
    """Check the indexes of every active realm."""
    names = []
    for realm in await list_realms(service):
        missing = await find_missing_indexes(service.store, realm.database, service.catalog)
        if missing and realm.active:
            advice = "`recordsmith indexes apply` makes them, and so does a start in development"
            said = f"missing in the realm {realm.name}: {', '.join(missing[:5])}"
            return Check("indexes", await _find_status(service), said, advice)
        names += [realm.name] if realm.active else []
    return Check("indexes", Status.OK, f"complete in the realms {', '.join(names[:5])}")


async def _find_status(service: Service) -> Status:
    """Return how grave it is that indexes are missing: without its unique ones a service is not ready."""
    try:
        if service.unique_indexes is not None:
            await service.unique_indexes.require_everywhere()
    except IndexMissing:
        return Status.FAIL
    return Status.WARN


async def _check_seeds(service: Service) -> Check:
    """Check the seeds of every tenant of every active realm."""
    for realm in await list_realms(service):
        if not realm.active or realm.restoring:
            continue
        tenants = await list_tenants(service, realm.name)
        for tenant, due in (await find_due(service, realm.database, tenants)).items():
            said = f"due for the tenant {tenant} of the realm {realm.name}: {', '.join(due[:5])}"
            advice = f"`recordsmith seeds apply --tenant {shlex.quote(tenant)}` plants them"
            return Check("seeds", Status.WARN, said, advice)
    return Check("seeds", Status.OK, "every tenant has the seeds of the specifications")


async def _check_migrations(service: Service) -> Check:
    """Whether all stored records are in the shape of the specifications."""
    if service.migrations is not None and (due := service.migrations.due):
        said = f"the specifications are ahead of the stored records of {due} record types"
        return Check("migrations", Status.WARN, said, "`recordsmith migrate plan`, then `migrate run`")
    return Check("migrations", Status.OK, "all records are in the shape of the specifications")


async def _check_restores(service: Service) -> Check:
    """Whether a restore has begun somewhere and not ended."""
    if marked := await list_marked(service):
        said = f"not finished: {', '.join(marked[:5])}, which does not serve until it is"
        advice = "let it end; if it died restore the same file again, or `recordsmith restore --abandon`"
        return Check("restores", Status.WARN, said, advice)
    return Check("restores", Status.OK, "none is unfinished")


async def _check_erasures(service: Service) -> Check:
    """Whether an erasure of a tenant has begun in some realm and not ended."""
    for realm in await list_realms(service):
        if number := await count_unfinished(service, realm.database):
            said = f"{number} not finished in the realm {realm.name}"
            advice = "let it end; if it died run `recordsmith tenants erase` for the same tenant again"
            return Check("erasures", Status.WARN, said, advice)
    return Check("erasures", Status.OK, "none is unfinished")


async def _check_webhooks(service: Service) -> Check:
    """Whether webhooks of an active realm are paused, or deliveries were given up."""
    for realm in await list_realms(service):
        paused, dead = await count_stopped(service, realm.database) if realm.active else (0, 0)
        if paused or dead:
            counts = f"{paused:,} paused, and {count_things(dead, 'delivery', 'deliveries')} given up"
            advice = f"`recordsmith webhooks list --realm {realm.name}`, `webhooks dead --webhook ID`"
            return Check("webhooks", Status.WARN, f"{counts}, in the realm {realm.name}", advice)
    return Check("webhooks", Status.OK, "none is paused, and no delivery was given up")


async def _check_limits(service: Service) -> Check:
    """Whether settings for the tools in a realm are about one that exists, and have an effect."""
    realms = [one.name for one in await list_realms(service)]
    if useless := list_useless_rules(service.settings, realms):
        advice = "correct the name, or create the realm with `recordsmith realms create`"
        return Check("agents", Status.WARN, "; ".join(useless[:5]), advice)
    if unresolved := list_unresolved_users(service):
        advice = "name Seams with run_as in service.seams, or remove the setting"
        return Check("agents", Status.WARN, "; ".join(unresolved[:5]), advice)
    return Check("agents", Status.OK, "all settings for tools are about a realm")


_CHECKS: Final = (
    _check_indexes, _check_seeds, _check_migrations, _check_restores, _check_erasures, _check_webhooks,
    _check_limits,
)  # fmt: skip
