"""``recordsmith backup``, ``restore`` and ``tenants``: what is stored afterwards, byte for byte, and what is not."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bson
import pytest
import zstandard
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import OperationFailure

from runtime.backup import archive as archive_module
from runtime.backup import erasing, marks, restoring
from runtime.backup.archive import ArchiveReader, ArchiveWriter, Chunk
from runtime.cli import backup
from runtime.cli.output import CommandFailed
from runtime.cli.places import confirm_by_name
from runtime.errors import StoreUnavailable
from runtime.storage.extended_json import parse_lines, render_lines
from runtime.storage.store import Store
from tests.reused import delete_documents

from .scene import APP, NOW, Document, Run, content, credential, fill, record, stored


@pytest.mark.parametrize("tenant", [None, "acme"])
@pytest.mark.parametrize("is_sealed", [False, True])
def test_what_is_restored_is_what_was_stored(
    tenant: str | None,
    is_sealed: bool,
    run: Run,
    documents: Database[Document],
    tmp_path: Path,
    key_file: Path,
) -> None:
    fill(documents)
    path, before, others = tmp_path / "b", stored(documents, tenant), stored(documents, "zeta")
    options = ("--key-file", key_file) if is_sealed else ()
    taken = run("backup", path, *(("--tenant", tenant) if tenant else ()), *options)
    assert content(taken) == {name: len(rows) for name, rows in before.items()}
    if not is_sealed:
        with zstandard.open(path, "rb") as file:
            assert b"$2b$04$secret" in file.read()  # it has what it takes to sign in again
    if tenant is None:
        delete_documents(documents)
    else:
        run("tenants", "erase", tenant, "--confirm", tenant)
        assert stored(documents, tenant) == {}
    run("restore", path, *options)
    assert stored(documents, tenant) == before
    assert stored(documents, "zeta") == others
    assert documents["signOns"].count_documents({"dataDomain.tenantId": "acme"}) == 0
    assert documents["restorations"].count_documents({}) == 0


def test_another_realm_gets_the_same_but_for_grants_elsewhere(
    run: Run, documents: Database[Document], mongo_client: MongoClient[Document], other: str, tmp_path: Path
) -> None:
    fill(documents)
    run("backup", tmp_path / "b")
    run("restore", tmp_path / "b", "--realm", other)
    before, after = stored(documents), stored(mongo_client[other])
    users = [bson.decode(one) for one in after.pop("credentials")]
    expected = [bson.decode(one) for one in before.pop("credentials")]
    assert after == before
    for one in expected:
        del one["realms"], one["realmRoles"]
        one["domainContext"]["defaultRealm"] = one["impersonationGranter"]["realm"] = other
    assert sorted(users, key=str) == sorted(expected, key=str)


def test_a_backup_of_a_tenant_has_nothing_of_another(
    run: Run, documents: Database[Document], tmp_path: Path
) -> None:
    fill(documents)
    run("backup", tmp_path / "b", "--tenant", "acme")
    run("tenants", "export", "acme", tmp_path / "e")
    for name in ("b", "e"):
        with zstandard.open(tmp_path / name, "rb") as file:
            text = file.read()
        assert b"acme" in text
        assert b"zeta" not in text
    assert b"secret" not in text
    assert b"former" not in text
    assert b"revisions" in text


def test_an_export_is_not_restored(run: Run, documents: Database[Document], tmp_path: Path) -> None:
    fill(documents)
    run("tenants", "export", "acme", tmp_path / "e")
    delete_documents(documents)
    assert run("restore", tmp_path / "e", code=1)["error"]["code"] == "backup.unfit"
    assert stored(documents) == {}


def test_records_are_not_overwritten_unless_told(
    run: Run, documents: Database[Document], tmp_path: Path
) -> None:
    fill(documents)
    before = stored(documents)
    run("backup", tmp_path / "b")
    run("backup", tmp_path / "t", "--tenant", "acme")
    documents["regions"].delete_one({"dataDomain.tenantId": "acme"})
    documents["regions"].insert_one(record("acme", name="later"))
    now = stored(documents)
    for name in ("b", "t"):
        error = run("restore", tmp_path / name, code=1)["error"]
        assert error["code"] == "backup.in_the_way"
        assert "--replace" in error["message"]
        assert stored(documents) == now
        assert documents["restorations"].count_documents({}) == 0
    run("restore", tmp_path / "t", "--replace")
    assert stored(documents) == before
    documents["regions"].delete_many({})
    run("restore", tmp_path / "b", "--replace")
    assert stored(documents) == before


def test_a_damaged_file_writes_nothing(run: Run, documents: Database[Document], tmp_path: Path) -> None:
    fill(documents)
    path = tmp_path / "b"
    run("backup", path)
    before, data = stored(documents), path.read_bytes()
    for changed in (data[:-9], data[:-20] + b"\0" + data[-19:], b"", b"hello, file"):
        path.write_bytes(changed)
        assert run("restore", path, "--replace", code=1)["error"]["code"] == "backup.damaged"
        assert run("restore", path, "--check", code=1)["error"]["code"] == "backup.damaged"
        assert stored(documents) == before
    path.write_bytes(data)
    assert content(run("restore", path, "--check")) == {name: len(rows) for name, rows in before.items()}


def test_what_is_refused_is_undone(run: Run, documents: Database[Document], tmp_path: Path) -> None:
    fill(documents)
    run("backup", tmp_path / "b", "--tenant", "acme")
    run("tenants", "erase", "acme", "--confirm", "acme")
    documents["credentials"].insert_one(credential(documents.name, "ann@acme", "zeta"))
    before = stored(documents)
    assert "credentials are refused" in run("restore", tmp_path / "b", code=1)["error"]["message"]
    assert stored(documents) == before
    assert documents["restorations"].count_documents({}) == 0


def _rename_tenant(lines: bytes) -> bytes:
    return lines.replace(b'"acme"', b'"zeta"')


def _have_two_tenants(lines: bytes) -> bytes:
    """MongoDB finds these by the first of the two."""
    return render_lines(b"".join(map(_join_domains, parse_lines(lines))))[0]


def _join_domains(stored: bytes) -> bytes:
    body = bson.encode({"dataDomain": {"tenantId": "zeta"}})[4:-1] + stored[4:-1]
    return (len(body) + 5).to_bytes(4, "little") + body + b"\0"


def _move_users(lines: bytes) -> bytes:
    return lines.replace(b'"domainContext":{"tenantId":"acme"', b'"domainContext":{"tenantId":"zeta"')


@pytest.mark.parametrize("forge", [_rename_tenant, _have_two_tenants, _move_users])
def test_a_document_of_another_tenant_is_not_restored(
    forge: Callable[[bytes], bytes], run: Run, documents: Database[Document], tmp_path: Path
) -> None:
    """A file without a key can be written by anybody who has it."""
    fill(documents, ("acme",))
    run("backup", tmp_path / "b", "--tenant", "acme")
    archive = ArchiveReader(tmp_path / "b", None)
    writer = ArchiveWriter(tmp_path / "forged", None, archive.verify()[0])
    for chunk in archive.chunks():
        writer.write(Chunk(chunk.collection, chunk.records, forge(chunk.lines)))
    writer.finish()
    archive.close()
    delete_documents(documents)
    assert run("restore", tmp_path / "forged", code=1)["error"]["code"] == "access.denied"
    assert stored(documents) == {}


def test_a_file_that_changes_once_it_was_verified_adds_no_realm(
    run: Run, documents: Database[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(documents)
    run("backup", tmp_path / "b")
    delete_documents(documents)
    chunks, planted = ArchiveReader.chunks, render_lines(bson.encode(record()))[0]

    def change(archive: ArchiveReader) -> Iterator[Chunk]:
        yield Chunk("realms", 1, planted)
        yield from chunks(archive)

    monkeypatch.setattr(ArchiveReader, "chunks", change)
    assert run("restore", tmp_path / "b", code=1)["error"]["code"] == "backup.damaged"
    assert documents["realms"].count_documents({}) == 0


@pytest.mark.parametrize("options", [(), ("--replace",)])
def test_what_a_worker_writes_last_is_seen(
    options: tuple[str, ...],
    run: Run,
    documents: Database[Document],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A write that was on its way when the mark was set: it stays, or goes with all that is replaced."""
    fill(documents)
    path, before = tmp_path / "b", stored(documents)
    run("backup", path)
    delete_documents(documents)
    late = record(name="late")

    async def write_late(_service: Any) -> float:
        documents["regions"].insert_one(late)
        return 0.0

    monkeypatch.setattr(marks, "find_pause", write_late)
    report = run("restore", path, *options, code=0 if options else 1)
    if options:
        assert stored(documents) == before
    else:
        assert report["error"]["code"] == "backup.in_the_way"
        assert stored(documents) == {"regions": [bson.encode(late)]}
    assert documents["restorations"].count_documents({}) == 0


def test_users_that_wrote_while_they_were_erased_leave_nothing(
    run: Run, documents: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(documents)

    async def write_late(_service: Any) -> float:
        assert stored(documents, "acme") == {}  # what is waited for are commands of users that are gone
        documents["regions"].insert_one(record(name="late"))
        return 0.0

    monkeypatch.setattr(erasing, "find_pause", write_late)
    assert run("tenants", "erase", "acme", "--confirm", "acme")["counts"]["regions"] == 6
    assert stored(documents, "acme") == {}


@pytest.mark.parametrize("is_replacing", [False, True])
def test_a_fault_of_mongodb_is_an_error_of_the_command(
    is_replacing: bool,
    run: Run,
    documents: Database[Document],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(documents)
    path, before = tmp_path / "b", stored(documents)
    run("backup", path)
    if not is_replacing:
        delete_documents(documents)

    async def fail(*_arguments: Any) -> None:
        raise OperationFailure("no space left on device", 14031)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "insert_encoded", fail)
        error = run("restore", path, *(("--replace",) if is_replacing else ()), code=1)["error"]
    assert "no space left on device" in error["message"]
    assert error["code"] == ("backup.interrupted" if is_replacing else "service.misconfigured")
    assert documents["restorations"].count_documents({}) == int(is_replacing)
    documents["restorations"].update_many({}, {"$set": {"beat": NOW}})
    run("restore", path)
    assert stored(documents) == before


def test_a_realm_serves_again_when_its_restore_has_ended(
    run: Run, documents: Database[Document], other: str, mongo_client: MongoClient[Document], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, command: Any,
) -> None:  # fmt: skip
    fill(documents)
    run("backup", tmp_path / "b")

    class Killed(Exception):
        pass

    async def kill(*_arguments: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "compare", kill)
        command("restore", str(tmp_path / "b"), "--realm", other, env=APP)
    states = {one["name"]: one.get("restoring", False) for one in run("realms", "list")}
    assert states[other] is True
    create = ("users", "create", "--user", "x@acme", "--tenant", "acme", "--realm", other, "--roles", "user")
    refused = command(*create, "--password-stdin", stdin="Correct-horse-7-battery", env=APP)
    assert f"a backup is being restored into the realm {other}: try again later" in refused.output
    for words in (("restore", tmp_path / "b", "--realm", other), ("restore", "--abandon", "--realm", other)):
        assert "wait" in run(*words, code=1)["error"]["message"]  # it may still run
    documents["restorations"].update_one({}, {"$set": {"beat": NOW}})
    run("backup", tmp_path / "c")
    error = run("restore", tmp_path / "c", "--realm", other, code=1)["error"]
    assert error["code"] == "backup.interrupted"
    run("restore", tmp_path / "b", "--realm", other)
    assert stored(mongo_client[other])["regions"] == stored(documents)["regions"]
    assert {one["name"]: one.get("restoring", False) for one in run("realms", "list")}[other] is False


@pytest.mark.parametrize(("at", "stays"), [("_look_again", True), ("fill", True), ("_require_empty", False)])
@pytest.mark.parametrize("finish", ["restore", "abandon"])
def test_an_interrupted_restore_is_finished_or_given_up_at_once(
    run: Run, documents: Database[Document], other: str, mongo_client: MongoClient[Document], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, command: Any, at: str, stays: bool, finish: str,
) -> None:  # fmt: skip
    fill(documents)
    run("backup", path := tmp_path / "b")
    complete = getattr(restoring, at)

    async def interrupt(*arguments: Any, **options: Any) -> None:
        await complete(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        await asyncio.Future()

    with monkeypatch.context() as patch:
        patch.setattr(restoring, at, interrupt)
        done = command("restore", str(path), "--realm", other, env=APP)
    assert done.exit_code == 130
    advice = (
        f"interrupted: realm {other} stays marked; restore the same file again, which begins from the start"
    )
    assert (advice in " ".join(done.stderr.split())) is stays
    assert documents["restorations"].count_documents({}) == int(stays)
    if finish == "restore":
        run("restore", path, "--realm", other)
        assert stored(mongo_client[other])["regions"] == stored(documents)["regions"]
    else:
        run("restore", "--abandon", "--realm", other, code=int(not stays))
        assert "regions" not in stored(mongo_client[other])
    assert documents["restorations"].count_documents({}) == 0


@pytest.mark.parametrize(
    ("marked", "tenant", "refused"),
    [
        (None, None, True),
        (None, "acme", True),
        ("acme", None, True),
        ("acme", "acme", True),
        ("zeta", "acme", False),
    ],
)
def test_no_backup_is_taken_of_what_is_restored_in_part(
    run: Run,
    documents: Database[Document],
    tmp_path: Path,
    marked: str | None,
    tenant: str | None,
    refused: bool,
) -> None:
    fill(documents)
    name = documents.name if marked is None else f"{documents.name}/{marked}"
    place: Document = {"realm": documents.name} | ({"tenant": marked} if marked else {})
    mark = record("service", refName=name, backup="b", startedAt=NOW, beat=NOW) | place
    documents["restorations"].insert_one(mark)
    for words in (["backup"], ["tenants", "export", tenant] if tenant else ["backup"]):
        path = tmp_path / words[0]
        options = ["--tenant", tenant] if tenant and words[0] == "backup" else []
        done = run(*words, path, *options, code=int(refused))
        assert path.exists() is not refused
        if refused:
            assert done["error"]["code"] == "backup.interrupted"
            assert "is being restored, or its restore was interrupted" in done["error"]["message"]


def test_a_restore_is_given_up(
    run: Run, documents: Database[Document], other: str, mongo_client: MongoClient[Document],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    assert run("restore", "--abandon", "--realm", other, code=1)["error"]["code"] == "backup.interrupted"
    mongo_client[other]["regions"].insert_one(record())
    mark = record("service", refName=other, realm=other, backup="b", startedAt=NOW, beat=NOW)
    documents["restorations"].insert_one(mark)
    monkeypatch.chdir(tmp_path)  # not in the repository, whose specifications doctor would compare
    checks = {one["name"]: one for one in run("doctor")["checks"]}
    assert (checks["seeds"]["status"], checks["restores"]["status"]) == ("ok", "warn")
    assert other in checks["restores"]["message"]
    run("restore", "--abandon", "--realm", other)
    assert stored(mongo_client[other]) == {}
    assert documents["restorations"].count_documents({}) == 0


def test_an_erasure_takes_everything_and_nothing_else(
    run: Run, documents: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(documents)
    before, others = stored(documents, "acme"), stored(documents, "zeta")
    assert (
        run("tenants", "erase", "acme", "--confirm", "acne", code=1)["error"]["code"] == "tenants.unconfirmed"
    )
    assert run("tenants", "erase", "acme", code=1)["error"]["code"] == "tenants.unconfirmed"
    with pytest.raises(CommandFailed, match="confirm with --confirm 'Acme Air'"):
        confirm_by_name("Acme Air", "acme", "")
    counts = run("tenants", "erase", "acme", "--dry-run")["counts"]
    assert counts == {
        **{name: len(rows) for name, rows in before.items()},
        "signOns": 1,
        "webhookDeliveries": 1,
    }
    assert stored(documents, "acme") == before
    done = run("tenants", "erase", "acme", "--confirm", "acme")
    assert done["counts"] == counts
    for name in documents.list_collection_names():
        assert documents[name].count_documents({"dataDomain.tenantId": "acme"}) == 0
    assert stored(documents, "zeta") == others
    (kept,) = documents["erasures"].find()
    assert "acme" not in str(kept)
    assert kept["removed"] == counts
    assert kept["finishedAt"]


@pytest.mark.parametrize("option", ["--dry-run", "--confirm=acne"])
def test_a_tenant_of_which_nothing_is_stored_is_not_erased(
    run: Run, documents: Database[Document], option: str
) -> None:
    fill(documents)
    before = stored(documents)
    error = run("tenants", "erase", "acne", option, code=2)["error"]
    says = f"nothing is stored of tenant 'acne' in the realm {documents.name}; did you mean acme?"
    assert error == {"code": "tenant.unknown", "message": says}
    assert (stored(documents), documents["erasures"].count_documents({})) == (before, 0)


def test_an_erasure_that_was_killed_before_its_record_was_finished_goes_on(
    run: Run, documents: Database[Document], command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(documents)

    async def die(*_arguments: Any) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "_finish", die)
        command("tenants", "erase", "acme", "--confirm", "acme", env=APP)
    assert stored(documents, "acme") == {}
    assert run("tenants", "erase", "acme", "--confirm", "acme")["erased"] is True
    assert run("tenants", "erase", "acme", "--confirm", "acme", code=2)["error"]["code"] == "tenant.unknown"
    (kept,) = documents["erasures"].find()
    assert kept["finishedAt"]


def test_a_killed_erasure_goes_on(
    run: Run, documents: Database[Document], command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(documents)
    noted, note = 0, erasing._note

    async def die_later(*arguments: Any) -> None:
        nonlocal noted
        noted += 1
        if noted == 3:
            raise RuntimeError("killed")
        await note(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "_note", die_later)
        command("tenants", "erase", "acme", "--confirm", "acme", env=APP)
    assert stored(documents, "acme")
    assert documents["credentials"].count_documents({"dataDomain.tenantId": "acme"}) == 0  # users go first
    run("tenants", "erase", "acme", "--confirm", "acme")
    assert stored(documents, "acme") == {}
    assert documents["erasures"].count_documents({}) == 1


def test_shapes_come_with_a_realm_and_bind_a_tenant(
    run: Run, documents: Database[Document], mongo_client: MongoClient[Document], other: str, tmp_path: Path
) -> None:
    fill(documents)
    run("backup", tmp_path / "t", "--tenant", "acme")
    there = mongo_client[other]["storedShapes"]
    there.update_one({"refName": "Region"}, {"$set": {"fingerprint": "another"}})
    assert run("restore", tmp_path / "t", "--realm", other, code=1)["error"]["code"] == "backup.unfit"
    documents["storedShapes"].update_one({"refName": "Region"}, {"$set": {"earlier": ["of the backup"]}})
    run("backup", tmp_path / "b")
    run("restore", tmp_path / "b", "--realm", other)
    for collection in (there, documents["storedShapes"]):
        assert collection.find_one({"refName": "Region"}) == documents["storedShapes"].find_one(
            {"refName": "Region"}
        )


def test_nothing_is_backed_up_while_records_are_moved(
    run: Run, documents: Database[Document], realm: str, tmp_path: Path
) -> None:
    moving = record("service", refName="Region.2@x", database=realm, phase="DONE", steps=[], startedDate=NOW)
    documents["recordMigrations"].insert_one(moving)
    run("backup", tmp_path / "b")
    documents["recordMigrations"].update_one(
        {}, {"$set": {"phase": "MOVE", "moved": 0, "checked": 0, "toShape": ""}}
    )
    error = run("backup", tmp_path / "c", code=1)["error"]
    assert (error["code"], "migrate run" in error["message"]) == ("backup.unfit", True)
    assert "undo" not in error["message"], "after an undo records are in two shapes as well"
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("tenant", ["service", "self-registered-clients"])
def test_the_service_itself_is_not_erased(tenant: str, run: Run) -> None:
    assert (
        run("tenants", "erase", tenant, "--confirm", tenant, code=1)["error"]["code"] == "backup.in_the_way"
    )


@pytest.mark.parametrize("options", [("--replace",), ("--check",), ()])
def test_a_restore_takes_what_it_restores_from_its_file(
    run: Run, documents: Database[Document], tmp_path: Path, options: tuple[str, ...]
) -> None:
    """``--tenant`` with the backup of a realm would otherwise replace all of its tenants."""
    fill(documents)
    run("backup", tmp_path / "b")
    before = stored(documents)
    error = run("restore", tmp_path / "b", "--tenant", "acme", *options, code=2)["error"]
    assert error["code"] == "backup.usage"
    assert "restores the tenant or realm that its file is of" in error["message"]
    assert stored(documents) == before


def test_giving_up_takes_no_file(run: Run, tmp_path: Path) -> None:
    error = run("restore", tmp_path / "b", "--abandon", code=2)["error"]
    assert (error["code"], "takes no file" in error["message"]) == ("backup.usage", True)


def test_giving_up_is_not_a_check(run: Run) -> None:
    error = run("restore", "--abandon", "--check", code=2)["error"]
    assert (error["code"], "--check only verifies a file" in error["message"]) == ("backup.usage", True)


@pytest.mark.parametrize("words", [("b", "--check"), ("--abandon",)], ids=" ".join)
def test_nothing_is_replaced_where_nothing_is_restored(run: Run, words: tuple[str, ...]) -> None:
    error = run("restore", *words, "--replace", code=2)["error"]
    assert (error["code"], "--replace removes records" in error["message"]) == ("backup.usage", True)


@pytest.mark.parametrize(
    "words",
    [
        ("restore", "b", "--replace"),
        ("restore", "--abandon"),
        ("tenants", "erase", "acme", "--confirm", "acme"),
        ("tenants", "export", "acme", "e"),
        ("backup", "e"),
    ],
    ids=" ".join,
)
def test_an_empty_realm_is_not_the_default_one(
    run: Run, documents: Database[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:  # fmt: skip
    """As ``--realm "$REALM"`` names it where the variable is unset."""
    monkeypatch.chdir(tmp_path)
    fill(documents)
    run("backup", "b")
    before = stored(documents)
    error = run(*words, "--realm", "", code=2)["error"]
    assert error == {"code": "realm.unknown", "message": "the realm '' does not exist"}
    assert (stored(documents), Path("e").exists()) == (before, False)


@pytest.mark.parametrize("words", [("backup",), ("tenants", "export", "acme")])
def test_no_backup_is_written_to_standard_output(
    run: Run, documents: Database[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:  # fmt: skip
    """A pipe would have the report, and the current folder a file named ``-`` with all secrets."""
    monkeypatch.chdir(tmp_path)
    fill(documents)
    error = run(*words, "-", code=2)["error"]
    assert error == {"code": "backup.usage", "message": "name a file: a pipe cannot take what is written"}
    assert list(tmp_path.glob("*-*")) == []


def test_usage(run: Run, tmp_path: Path, command: Any) -> None:
    assert run("restore", code=2)["error"]["code"] == "backup.no_file"
    for words in (("restore",), ("restore", "--check")):
        assert run(*words, tmp_path / "none", code=2)["error"]["code"] == "backup.unreadable"
    assert run("backup", tmp_path / "b", "--realm", "nowhere", code=2)["error"]
    unreadable = run("backup", tmp_path / "b", "--key-file", tmp_path / "k", code=2)["error"]
    assert unreadable["code"] == "backup.unreadable"


@pytest.mark.parametrize("words", [("backup", "--tenant", "acmee"), ("tenants", "export", "acmee")])
def test_a_tenant_of_which_nothing_is_stored_has_no_file(
    run: Run, documents: Database[Document], tmp_path: Path, words: tuple[str, ...]
) -> None:
    """A misspelt name would pass for a backup until it is needed."""
    fill(documents)
    error = run(*words, tmp_path / "b", code=2)["error"]
    says = f"nothing is stored of tenant 'acmee' in the realm {documents.name}; did you mean acme?"
    assert error == {"code": "tenant.unknown", "message": says}
    assert list(tmp_path.glob("*b*")) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing/b", "No such file or directory"), ("b" * 300, "File name too long")],
    ids=["missing", "long"],
)
@pytest.mark.parametrize("words", [("backup",), ("tenants", "export", "acme")])
def test_a_file_that_cannot_be_written_is_an_error_of_the_command(
    run: Run, documents: Database[Document], tmp_path: Path, words: tuple[str, ...], name: str, reason: str
) -> None:
    fill(documents)
    path = tmp_path / name
    error = run(*words, path, code=1)["error"]
    assert error == {
        "code": "backup.unwritable",
        "message": f"{path} cannot be written: {reason}; remove the cause, then run it again",
    }


def test_a_full_disk_leaves_no_file(
    run: Run, documents: Database[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(documents)

    create = archive_module._create

    def create_on_full_disk(path: Path) -> Any:
        file = create(path)
        os.dup2(os.open("/dev/full", os.O_WRONLY), file.fileno())
        return file

    monkeypatch.setattr(archive_module, "_create", create_on_full_disk)
    error = run("backup", tmp_path / "b", code=1)["error"]
    assert (error["code"], "No space left on device" in error["message"]) == ("backup.unwritable", True)
    assert list(tmp_path.glob("*b*")) == []


@pytest.mark.parametrize("is_store_away", [False, True])
def test_giving_up_a_restore_that_is_interrupted_names_how_to_go_on(
    run: Run, documents: Database[Document], other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    command: Any, is_store_away: bool,
) -> None:  # fmt: skip
    fill(documents)
    run("backup", path := tmp_path / "b")

    async def interrupt(*_arguments: Any, **_options: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.Future()

    async def fail(*_arguments: Any) -> None:
        raise StoreUnavailable("the store cannot be reached")

    for words in (("restore", str(path)), ("restore", "--abandon")):
        with monkeypatch.context() as patch:
            patch.setattr(restoring, "_clear" if "--abandon" in words else "fill", interrupt)
            if is_store_away and "--abandon" in words:
                patch.setattr(marks.Mark, "_release", fail)
                patch.setattr(backup, "find_mark", fail)
            done = command(*words, "--realm", other, env=APP)
        assert done.exit_code == 130
        assert f"interrupted: realm {other} stays marked" in " ".join(done.stderr.split())
    run("restore", "--abandon", "--realm", other, code=int(is_store_away))
    assert documents["restorations"].count_documents({}) == int(is_store_away)
