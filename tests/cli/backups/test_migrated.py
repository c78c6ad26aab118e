"""Migrations by hand and backups: after a restore one runs again exactly if its records went back before it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from runtime.backup import BackupProblem, taking
from runtime.backup.by_hand import note_migrations, parse_notes
from runtime.backup.parts import Place
from runtime.backup.shapes import read_shapes
from runtime.spelling import fingerprint

from .scene import NOW, Document, Run, record, stored

BY_HAND = """
RECORD = "Region"

async def forward(records):
    for one in records:
        one["displayName"] += "!"
"""


def region(tenant: str = "acme") -> Document:
    own = record(tenant)
    domain = {**own["dataDomain"], "ownerId": "ann@acme"}
    return {**own, "displayName": "North", "name": "North", "dataDomain": domain}


def note(name: str, realm: str, phase: str, **members: Any) -> Document:
    own = record("service", refName=f"{name}@{realm}", database=realm, phase=phase, steps=["Region: forward"])
    more = {"moved": 3, "checked": 0, "startedBy": "ann", "startedDate": NOW}
    return {**own, **more, "finishedDate": NOW + timedelta(seconds=9), "seconds": 1.5, **members}


def notes(documents: Database[Document], realm: str) -> dict[str, Document]:
    """What is noted of the migrations by hand of a realm, without what is of the note itself."""
    own = ("_id", "refName", "database", "displayName", "dataDomain", "activeStatus", "version", "auditInfo")
    return {
        one["refName"].partition("@")[0]: {name: value for name, value in one.items() if name not in own}
        for one in documents["recordMigrations"].find({"database": realm, "recordType": None})
    }


@pytest.fixture
def migrations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the files that are written by hand."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "migrations"
    folder.mkdir()
    return folder


def test_a_migration_runs_again_over_records_of_before(
    run: Run, documents: Database[Document], migrations: Path
) -> None:
    documents["regions"].insert_many([region(), region("zeta")])
    run("backup", "before.backup")
    (migrations / "0001_mark.py").write_text(BY_HAND)
    assert [one["moved"] for one in run("migrate", "run")] == [2]
    run("backup", "after.backup")
    after = stored(documents)["regions"]
    run("restore", "before.backup", "--replace")
    assert {one["displayName"] for one in documents["regions"].find()} == {"North"}
    assert [one["name"] for one in run("migrate", "plan")[0]["byHand"]] == ["0001_mark"]
    assert [one["moved"] for one in run("migrate", "run")] == [2]
    assert run("migrate", "run") == []
    run("restore", "after.backup", "--replace")
    assert run("migrate", "run") == []
    assert stored(documents)["regions"] == after


def test_another_realm_gets_the_notes_and_no_other_realm_loses_any(
    run: Run, documents: Database[Document], other: str, realm: str, tmp_path: Path
) -> None:
    ours = [note("0001_a", realm, "DONE"), note("0002_b", realm, "UNDONE")]
    of_type = note("Region.2", other, "DONE", recordType="Region", number=2)
    documents["recordMigrations"].insert_many([*ours, of_type, note("0003_c", other, "DONE")])
    run("backup", tmp_path / "b")
    run("restore", tmp_path / "b", "--realm", other)
    assert notes(documents, other) == notes(documents, realm)
    assert set(notes(documents, other)) == {"0001_a", "0002_b"}
    assert documents["recordMigrations"].count_documents({"refName": of_type["refName"]}) == 1


@pytest.mark.parametrize(
    ("then", "now", "is_refused"),
    [
        ([], [], False), (["DONE"], ["DONE"], False), (["UNDONE"], [], False), (["UNDONE"], ["UNDONE"], False),
        ([], ["DONE"], True), (["DONE"], [], True), (["DONE"], ["UNDONE"], True), (["UNDONE"], ["DONE"], True),
    ],
)  # fmt: skip
def test_a_tenant_comes_back_where_the_same_has_run(
    run: Run, documents: Database[Document], realm: str, tmp_path: Path,
    then: list[str], now: list[str], is_refused: bool,
) -> None:  # fmt: skip
    documents["regions"].insert_one(region())
    documents["recordMigrations"].insert_many([note("0001_a", realm, one) for one in then] or [of_no_realm()])
    run("backup", tmp_path / "b", "--tenant", "acme")
    documents["regions"].delete_many({})
    documents["recordMigrations"].delete_many({})
    documents["recordMigrations"].insert_many([note("0001_a", realm, one) for one in now] or [of_no_realm()])
    noted = notes(documents, realm)
    report = run("restore", tmp_path / "b", code=int(is_refused))
    assert documents["regions"].count_documents({}) == int(not is_refused)
    assert notes(documents, realm) == noted  # they are of all tenants
    assert not is_refused or (report["error"]["code"], "0001_a" in report["error"]["message"]) == (
        "backup.unfit",
        True,
    )


@pytest.mark.parametrize("is_alike", [True, False], ids=["one without a field of now", "any other"])
def test_a_tenant_comes_back_from_a_shape_that_needs_no_migration(
    run: Run, documents: Database[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_alike: bool
) -> None:
    documents["regions"].insert_one(region())
    run("backup", tmp_path / "now")
    noted = documents["storedShapes"].find_one({"refName": "Region"}) or {}
    shape = json.loads(noted["shape"])
    del shape["fields"]["partOf"]
    earlier = {"shape": json.dumps(shape), "fingerprint": fingerprint(shape)}
    documents["storedShapes"].update_one({"refName": "Region"}, {"$set": earlier})

    async def read_earlier(*arguments: Any) -> dict[str, str]:
        return await read_shapes(*arguments) | {"Region": earlier["fingerprint"] if is_alike else "0" * 16}

    with monkeypatch.context() as patch:
        patch.setattr(taking, "read_shapes", read_earlier)  # as the earlier version did
        run("backup", tmp_path / "earlier", "--tenant", "acme")
    report = run("restore", tmp_path / "earlier", "--replace", code=int(not is_alike))
    assert is_alike or "records of Region are stored in another shape" in report["error"]["message"]


def of_no_realm() -> Document:
    return note("0001_a", "nowhere", "DONE")


@pytest.mark.parametrize("phase", ["MOVE", "BACK"])
def test_a_migration_that_begins_before_the_snapshot_refuses_the_backup(
    run: Run,
    documents: Database[Document],
    realm: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    phase: str,
) -> None:
    open_snapshot = taking.Snapshot.find_all
    begun = False

    async def begin_first(snapshot: Any, access: Any) -> Any:
        """Another command begins one between the first look of this one and the moment of its snapshot."""
        nonlocal begun
        if not begun:
            begun = True
            documents["recordMigrations"].insert_one(note("0001_a", realm, phase))
        return await open_snapshot(snapshot, access)

    monkeypatch.setattr(taking.Snapshot, "find_all", begin_first)
    error = run("backup", tmp_path / "b", code=1)["error"]
    assert (error["code"], "0001_a" in error["message"], begun) == ("backup.unfit", True, True)
    assert list(tmp_path.glob("*b*")) == []


def test_a_migration_that_begins_after_the_snapshot_is_not_in_the_backup(
    run: Run, documents: Database[Document], realm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_kinds = taking.list_kinds
    documents["regions"].insert_one(region())
    before = stored(documents)

    async def begin_then(*arguments: Any) -> Any:
        documents["recordMigrations"].insert_one(note("0001_a", realm, "MOVE"))
        documents["regions"].update_many({}, {"$set": {"displayName": "North!"}})
        documents["regions"].insert_one(region())
        return await list_kinds(*arguments)

    monkeypatch.setattr(taking, "list_kinds", begin_then)
    run("backup", tmp_path / "b")
    documents["recordMigrations"].delete_many({})
    run("restore", tmp_path / "b", "--replace")
    assert stored(documents)["regions"] == before["regions"]
    assert notes(documents, realm) == {}


def test_a_migration_that_begins_before_the_mark_refuses_the_restore(
    run: Run, documents: Database[Document], realm: str, other: str, mongo_client: MongoClient[Document],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from runtime.backup import restoring

    documents["regions"].insert_one(region())
    run("backup", tmp_path / "b")
    set_mark = restoring.set_mark

    async def begin_first(*arguments: Any) -> Any:
        documents["recordMigrations"].insert_one(note("0001_a", other, "MOVE"))
        return await set_mark(*arguments)

    monkeypatch.setattr(restoring, "set_mark", begin_first)
    for options in ((), ("--replace",)):
        mongo_client[other]["orders"].drop()
        documents["recordMigrations"].delete_many({})
        assert (
            run("restore", tmp_path / "b", "--realm", other, *options, code=1)["error"]["code"]
            == "backup.unfit"
        )
        assert documents["restorations"].count_documents({}) == 0
        assert mongo_client[other]["regions"].count_documents({}) == 0


@pytest.mark.parametrize(
    "notes_of_file",
    [
        5, [], {"1_a": None}, {"1_a": {}}, {"1_a": {"phase": "MOVE", "startedDate": "2026-11-23T12:00:00"}},
        {"1_a": {"phase": "DONE"}}, {"1_a": {"phase": "DONE", "startedDate": "yesterday"}},
        {"1_a": {"phase": "DONE", "startedDate": "2026-11-23T12:00:00", "moved": "3"}},
        {"1_a": {"phase": "DONE", "startedDate": "2026-11-23T12:00:00", "steps": [{"$where": 1}]}},
        {"1_a": {"phase": "DONE", "startedDate": "2026-11-23T12:00:00", "moved": {"$gt": 1}}},
        {"Region.2": {"phase": "DONE", "startedDate": "2026-11-23T12:00:00"}},
    ],
)  # fmt: skip
def test_notes_that_no_backup_has_are_refused(notes_of_file: Any) -> None:
    with pytest.raises(BackupProblem):
        parse_notes(notes_of_file, Place("r", "r"))


def test_notes_reach_the_database_of_the_restore_alone() -> None:
    fine = {"phase": "DONE", "startedDate": "2026-11-23T12:00:00", "database": "else", "_id": str(ObjectId())}
    (found,) = parse_notes({"1_a": fine}, Place("r", "d")) or ()
    assert (found["refName"], found["database"]) == ("1_a@d", "d")
    assert str(found["_id"]) != fine["_id"]
    assert parse_notes(None, Place("r", "d")) is None


def test_values_that_were_removed_are_not_a_migration_by_hand() -> None:
    """A tenant whose realm never had such values is restored all the same, and the other way round."""
    migrations: Any = [
        {"refName": f"{name}@d", "database": "d", "phase": "DONE", "startedDate": NOW, **members}
        for name, members in {
            "0001_split": {}, "Region.former.removed": {"acceptedLoss": ["Region.former.removed"]},
            "Region.2": {"recordType": "Region"},
        }.items()
    ]  # fmt: skip
    assert list(note_migrations(migrations)) == ["0001_split"]
