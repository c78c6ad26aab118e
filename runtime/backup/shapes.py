"""The shapes in which records are stored (``runtime.migrations``): a backup fits where they are the same.

The shapes of a realm are part of its backup. A tenant comes into a realm that has noted its own; records in
another shape would be read wrongly there, unless no step leads from it to that of the realm. While a
migration is in force records are in two shapes at once.
"""

from collections.abc import Iterable

from runtime.backup.by_hand import SETTLED, read_migrations
from runtime.backup.parts import Place
from runtime.backup.problems import Unfit
from runtime.call import Service
from runtime.filter import EVERYTHING
from runtime.migrations import name_alike
from runtime.storage.store import Snapshot
from runtime.system.documents import RecordMigrationDocument, StoredShapeDocument
from runtime.system.record_types import STORED_SHAPE


async def read_shapes(service: Service, place: Place, snapshot: Snapshot | None = None) -> dict[str, str]:
    """Read the fingerprint of the noted shape of each record type of a realm, now or in a snapshot."""
    access = Place(place.realm, place.database).allow(STORED_SHAPE)
    found = await (service.store.find(access, EVERYTHING) if snapshot is None else snapshot.find_all(access))
    return {one["refName"]: one["fingerprint"] for one in found}


async def require_settled(service: Service, place: Place) -> None:
    """Raise ``Unfit`` while records of the realm are migrated."""
    require_all_settled(await read_migrations(service, place))


def require_all_settled(migrations: Iterable[RecordMigrationDocument]) -> None:
    """Raise ``Unfit`` if one of them is in force."""
    for one in migrations:
        if one["phase"] not in SETTLED:
            name = one["refName"].partition("@")[0][:100]
            how = f"undo {name}" if one["phase"] in ("BACK", "SHARE") else "run"
            off = f", or call it off with `migrate cancel {name}`" if "recordType" in one else ""
            raise Unfit(f"the migration {name} is in force: finish it with `recordsmith migrate {how}`{off}")


def _fits(noted: StoredShapeDocument, shape: str) -> bool:
    return noted["fingerprint"] == shape or name_alike(noted["number"], shape) in noted.get("alike", ())


async def require_same_shapes(service: Service, place: Place, shapes: dict[str, str]) -> None:
    """Raise ``Unfit`` for a tenant whose records are stored in other shapes than those of the realm."""
    access = Place(place.realm, place.database).allow(STORED_SHAPE)
    here = {one["refName"]: one for one in await service.store.find(access, EVERYTHING)}
    differing = [name for name, shape in shapes.items() if name in here and not _fits(here[name], shape)]
    if differing:
        advice = "restore it with the specifications of then into a realm of its own"
        raise Unfit(
            f"records of {differing[0]} are stored in another shape here than in the backup: {advice}"
        )
