"""The migrations by hand that a realm has been through: a part of its backup, noted in the default realm.

No shape of a record type shows whether one has run. So a restored realm gets the notes of its backup in place
of its own: what ran after the backup is run again, and what ran before is not.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from runtime.backup.parts import Place
from runtime.backup.problems import Damaged, Unfit
from runtime.call import Service
from runtime.filter import one_of
from runtime.migrations import MigrationNotes
from runtime.model.clock import now
from runtime.storage.access import Action
from runtime.storage.own_documents import OF_NO_TENANT, complete_document
from runtime.storage.store import Snapshot
from runtime.storage.wire import create_id
from runtime.system.documents import RecordMigrationDocument
from runtime.system.record_types import RECORD_MIGRATION

SETTLED: Final = ("DONE", "UNDONE")
"""The phases in which no record is waiting to be migrated."""

Notes = dict[str, dict[str, Any]]
"""What is noted of each migration by its name."""

_PLAIN: Final[dict[str, tuple[type, ...]]] = {
    "phase": (str,), "steps": (list,), "moved": (int,), "checked": (int,), "startedBy": (str,),
    "seconds": (float, int),
}  # fmt: skip
_DATES: Final = ("startedDate", "finishedDate")


async def read_migrations(
    service: Service, place: Place, snapshot: Snapshot | None = None
) -> list[RecordMigrationDocument]:
    """Read the migrations of a realm, now or in a snapshot."""
    if snapshot is None:
        found = await MigrationNotes(service.store, service.settings.default_realm).read_all()
    else:
        found = await snapshot.find_all(_place_of_notes(service).allow(RECORD_MIGRATION))
    return [one for one in found if one["database"] == place.database]


def note_migrations(migrations: Sequence[RecordMigrationDocument]) -> Notes:
    """Return the notes of those that are written by hand, as a backup has them."""
    return {name: _note(one) for one in migrations if _is_of_file(name := _name_of(one))}


async def require_same_notes(service: Service, place: Place, notes: Notes | None) -> None:
    """Raise ``Unfit`` for a tenant if its records and those of its realm differ in what they went through."""
    if notes is None:
        return
    ran, ran_here = _list_done(notes), _list_done(note_migrations(await read_migrations(service, place)))
    for name in sorted(ran_here - ran):
        advice = "restore the tenant into a realm of its own, and run `recordsmith migrate run` there"
        raise Unfit(f"the migration {name[:100]} has run here, and not before the backup was taken: {advice}")
    for name in sorted(ran - ran_here):
        advice = "run `recordsmith migrate run` here first"
        raise Unfit(f"the migration {name[:100]} had run when the backup was taken, and not here: {advice}")


def parse_notes(notes: Any, place: Place) -> list[RecordMigrationDocument] | None:
    """Build what a realm is to note; None for a backup that does not say. Raises ``Damaged``."""
    if notes is None:
        return None
    try:
        return [_parse(name, note, place.database) for name, note in notes.items()]
    except (AttributeError, TypeError, ValueError) as error:
        raise Damaged(f"the backup is damaged: what it notes of migrations is not valid: {error}") from error


async def replace_notes(service: Service, place: Place, notes: list[RecordMigrationDocument] | None) -> None:
    """Put the notes of a backup in place of those of the realm."""
    if notes is None:
        return
    there, store = _place_of_notes(service), service.store
    former = [one["refName"] for one in await read_migrations(service, place) if _is_of_file(_name_of(one))]
    await store.delete_many(there.allow(RECORD_MIGRATION, Action.DELETE), one_of("refName", former))
    for note in notes:
        await store.insert(there.allow(RECORD_MIGRATION, Action.CREATE), note)


def _place_of_notes(service: Service) -> Place:
    """Return the default realm, where migrations of all realms are noted."""
    default = service.settings.default_realm
    return Place(default, default)


def _list_done(notes: Notes) -> set[str]:
    return {name for name, note in notes.items() if note["phase"] == "DONE"}


def _name_of(migration: RecordMigrationDocument) -> str:
    return migration["refName"].removesuffix("@" + migration["database"])


def _is_of_file(name: str) -> bool:
    """Whether a migration is one by hand: of a record type, its name begins with that of the type."""
    return name[:1].isdigit()


def _note(migration: Any) -> dict[str, Any]:
    plain = {name: migration[name] for name in _PLAIN if migration.get(name) is not None}
    dates = {name: migration[name].isoformat() for name in _DATES if migration.get(name) is not None}
    return plain | dates


def _parse(name: str, note: Any, database: str) -> RecordMigrationDocument:
    if not (_is_of_file(name) and _is_note(note)):
        raise ValueError(name[:100])
    fields: Any = {"database": database, "steps": [], "moved": 0, "checked": 0, "startedBy": ""}
    fields |= {one: value for one, value in note.items() if one in _PLAIN}
    fields |= {one: datetime.fromisoformat(note[one]) for one in _DATES if one in note}
    document: RecordMigrationDocument = complete_document(fields, f"{name}@{database}", OF_NO_TENANT, now())
    document["_id"] = create_id()
    return document


def _is_note(note: Any) -> bool:
    return (
        type(note) is dict
        and note.get("phase") in SETTLED
        and type(note.get("startedDate")) is str
        and all(type(value) in _PLAIN.get(name, (str,)) for name, value in note.items())
        and all(type(step) is str for step in note.get("steps", ()))
    )
