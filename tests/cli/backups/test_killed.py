"""Backups, restores and erasures that are killed: what is there afterwards, who says so, and what finishes them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from tests.forked import start_command
from tests.patience import STORE_MS

from .scene import NOW, Document, Run, fill, stored

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")

Kill = Callable[..., None]


@pytest.fixture(autouse=True)
def away(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the repository, whose specifications ``doctor`` would compare with the generated code."""
    monkeypatch.chdir(tmp_path_factory.getbasetemp())


@pytest.fixture
def application() -> dict[str, str]:
    """All record types, as the command that is killed has them, since ``doctor`` reports what is missing."""
    return {"SERVICE_APP": "generated.app:create"}


@pytest.fixture
def kill(mongo_uri: str, realm: str, key_folder: Path, documents: Database[Document]) -> Kill:
    """Runs a command as a process of its own, which is killed at a call of a function, and half a minute."""
    environment = {
        "MONGODB_URI": mongo_uri, "SERVICE_ENVIRONMENT": "development", "SERVICE_DEFAULT_REALM": realm,
        "SERVICE_DATA_FOLDER": str(key_folder), "LOG_LEVEL": "ERROR",
        "MONGODB_TIMEOUT_MS": str(STORE_MS),
        "SERVICE_APP": "tests.cli.backups.killed_app:create",
    }  # fmt: skip

    def run(at: str, *words: Any) -> None:
        process = start_command(*map(str, words), env=os.environ | environment | {"KILLED_AT": at})
        assert process.stdout is not None
        with process.stdout:
            try:
                assert process.wait(60) == -signal.SIGKILL
            finally:
                process.kill()
        documents["restorations"].update_many({}, {"$set": {"beat": NOW}})
        documents["serviceWorkers"].delete_many({})

    return run


def examine(run: Run) -> dict[str, tuple[str, str]]:
    """What ``doctor`` says: status and message by name."""
    return {one["name"]: (one["status"], one["message"]) for one in run("doctor")["checks"]}


def test_a_killed_backup_leaves_no_file_that_looks_whole(
    kill: Kill, run: Run, documents: Database[Document], tmp_path: Path
) -> None:
    fill(documents)
    before, path = stored(documents), tmp_path / "b"
    for number, at in enumerate(
        ("runtime.backup.archive:ArchiveWriter._write:4", "os:fsync:1", "pathlib:Path.rename:1"), 1
    ):
        kill(at, "backup", path)
        assert not path.exists()
        left = list(tmp_path.iterdir())
        assert [one.suffix for one in left] == [".part"] * number, at
        assert stored(documents) == before
    written = min(left, key=lambda one: one.stat().st_size)
    assert run("restore", written, "--replace", code=1)["error"]["code"] == "backup.damaged"
    run("backup", path)  # nothing is in its way
    run("restore", path, "--replace")
    assert stored(documents) == before


def test_a_killed_restore_is_marked_until_one_ends(
    kill: Kill, run: Run, documents: Database[Document], other: str, mongo_client: MongoClient[Document],
    tmp_path: Path,
) -> None:  # fmt: skip
    """It is killed five times, each time further on; every one begins again."""
    fill(documents)
    path, before = tmp_path / "b", stored(documents)
    run("backup", path)
    for at in (
        "runtime.backup.restoring:_look_again:1", "runtime.backup.restoring:remove_records:2",
        "runtime.backup.filling:_store:4", "runtime.backup.restoring:replace_notes:1",
        "runtime.backup.marks:Mark.remove:1",
    ):  # fmt: skip
        kill(at, "restore", path, "--realm", other)
        (mark,) = documents["restorations"].find()
        assert mark["refName"] == other, at
    status, message = examine(run)["restores"]
    assert (status, other in message) == ("warn", True)
    assert next(one for one in run("realms", "list") if one["name"] == other)["restoring"] is True
    run("restore", path, "--realm", other)
    assert examine(run)["restores"][0] == "ok"
    after = stored(mongo_client[other])
    assert len(after.pop("credentials")) == len(before.pop("credentials"))
    assert after == before


def test_a_killed_replacement_is_finished_or_given_up(
    kill: Kill, run: Run, documents: Database[Document], tmp_path: Path
) -> None:
    fill(documents)
    path, before, others = tmp_path / "b", stored(documents, "acme"), stored(documents, "zeta")
    run("backup", path, "--tenant", "acme")
    for finish in (("restore", path, "--replace"), ("restore", "--abandon", "--tenant", "acme")):
        kill("runtime.backup.filling:_store:3", "restore", path, "--replace")
        (mark,) = documents["restorations"].find()
        assert mark["refName"] == f"{documents.name}/acme"
        assert stored(documents, "zeta") == others
        run(*finish)
        assert stored(documents, "acme") == (before if path in finish else {})
        assert stored(documents, "zeta") == others
        assert documents["restorations"].count_documents({}) == 0


def test_a_killed_erasure_is_reported_and_resumed(
    kill: Kill, run: Run, documents: Database[Document]
) -> None:
    fill(documents)
    others, erase = stored(documents, "zeta"), ("tenants", "erase", "acme", "--confirm", "acme")
    for at in ("_note:1", "_note:4", "count_tenant:1", "_finish:1"):
        kill(f"runtime.backup.erasing:{at}", *erase)
        assert (
            documents["credentials"].count_documents({"dataDomain.tenantId": "acme"}) == 0
        )  # users go first
    status, message = examine(run)["erasures"]
    assert (status, documents.name in message, "acme" in message) == ("warn", True, False)
    run(*erase)
    assert examine(run)["erasures"][0] == "ok"
    for name in documents.list_collection_names():
        assert documents[name].count_documents({"dataDomain.tenantId": "acme"}) == 0
    assert stored(documents, "zeta") == others
    (kept,) = documents["erasures"].find()
    assert (kept["activeStatus"], "acme" in str(kept)) == ("ACTIVE", False)
