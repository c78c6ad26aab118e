"""The shapes in which records are stored (``runtime.migrations``): a backup fits where they are the same.

The shapes of a realm are part of its backup. A tenant comes into a realm that has noted its own; records in
another shape would be read wrongly there. While a migration is in force records are in two shapes at once.
"""

from runtime.backup.parts import Place
from runtime.backup.problems import Unfit
from runtime.call import Service
from runtime.filter import EVERYTHING
from runtime.migrations import list_migrations
from runtime.system.record_types import STORED_SHAPE


async def read_shapes(service: Service, place: Place) -> dict[str, str]:
    """Read the fingerprint of the noted shape of each record type of a realm."""
    access = Place(place.realm, place.database).allow(STORED_SHAPE)
    found = await service.store.find(access, EVERYTHING)
    return {one["refName"]: one["fingerprint"] for one in found}


async def require_settled(service: Service, place: Place) -> None:
    """Raise ``Unfit`` while records of the realm are migrated."""
    for one in await list_migrations(service.store, service.settings.default_realm):
        if one["database"] == place.database and one["phase"] != "DONE":
            advice = "let `recordsmith migrate run` finish it, or undo it, then run this again"
            raise Unfit(f"the migration {one['refName'][:100]} is in force: {advice}")


async def require_same_shapes(service: Service, place: Place, shapes: dict[str, str]) -> None:
    """Raise ``Unfit`` for a tenant whose records are stored in other shapes than those of the realm."""
    here = await read_shapes(service, place)
    differing = [name for name, shape in shapes.items() if here.get(name, shape) != shape]
    if differing:
        advice = "restore it with the specifications of then into a realm of its own"
        raise Unfit(
            f"records of {differing[0]} are stored in another shape here than in the backup: {advice}"
        )
