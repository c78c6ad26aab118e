"""Three mongods on loopback as one replica set, each of which can be killed, frozen and started again."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from runtime.storage.embedded import mongod
from tests.stoppable import is_frozen

NAME = "faults"
MEMBERS = 3
ELECTION_MS = 2000
"""How long the others go without a word of the primary before they elect another."""
HEARTBEAT_MS = 500
TRANSACTION_SECONDS = 10
"""How long the store keeps what a transaction has locked whose service was killed: README, "MongoDB"."""
_PORTS = range(20_000, 32_000)
"""Below those of outgoing connections: a member comes back on its port, so it must still be free."""
_PATIENCE_SECONDS = 60.0

Document = dict[str, Any]


@dataclass
class Member:
    """One mongod. Its files stay; its process comes and goes."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    client: MongoClient[Document] = field(init=False)

    def __post_init__(self) -> None:
        self.client = MongoClient(
            "127.0.0.1", self.port, directConnection=True, serverSelectionTimeoutMS=500, timeoutMS=2000
        )

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Does not wait until it answers."""
        files = self.folder / "files"
        files.mkdir(parents=True, exist_ok=True)
        command = [
            *(str(mongod.binary()), "--replSet", NAME, "--bind_ip", "127.0.0.1", "--port", str(self.port)),
            *("--dbpath", str(files), "--logpath", str(self.folder / "log"), "--logappend"),
            *("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "128", "--noscripting", "--nounixsocket"),
            *("--setParameter", "diagnosticDataCollectionEnabled=false"),
            *("--setParameter", f"transactionLifetimeLimitSeconds={TRANSACTION_SECONDS}"),
        ]
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )

    def kill(self) -> None:
        """Without warning; returns when it is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        """It keeps its connections and answers nothing."""
        self._signal(signal.SIGSTOP)
        while self.process is not None and not is_frozen(self.process.pid):
            time.sleep(0.001)

    def thaw(self) -> None:
        """It answers what was asked meanwhile, and hears that others elected a primary."""
        self._signal(signal.SIGCONT)

    def says(self, command: str) -> Document:
        """Its answer to an administrative command; empty when there is none."""
        if self.process is None:
            return {}
        with suppress(PyMongoError):
            return dict(self.client.admin.command(command))
        return {}

    def _signal(self, number: int) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)


@dataclass
class ReplicaSet:
    """The set as a whole. Calls wait for what they promise, hence block."""

    members: list[Member]

    @property
    def uri(self) -> str:
        """For clients; names all members."""
        return f"mongodb://{','.join(member.host for member in self.members)}/?replicaSet={NAME}"

    def primary(self, other_than: Member | None = None) -> Member:
        """The one that takes writes, as soon as there is one."""

        def found() -> Member | None:
            alive = [member for member in self.members if member is not other_than]
            return next((one for one in alive if one.says("hello").get("isWritablePrimary")), None)

        primary: Member = waited_for(found, "a primary")
        return primary

    def whole(self) -> None:
        """Wait until every member is there and follows, so that the set survives the loss of any one."""

        def is_whole() -> bool:
            status = self.primary().says("replSetGetStatus")
            states = sorted(member["state"] for member in status.get("members", []))
            return states == [1] + [2] * (MEMBERS - 1)

        waited_for(is_whole, "three sound members")

    def initiate(self) -> None:
        """Make one set of the members."""
        config = {
            "_id": NAME,
            "members": [{"_id": number, "host": one.host} for number, one in enumerate(self.members)],
            "settings": {"electionTimeoutMillis": ELECTION_MS, "heartbeatIntervalMillis": HEARTBEAT_MS},
        }
        for member in self.members:
            waited_for(partial(member.says, "hello"), f"member {member.host}")
        self.members[0].client.admin.command("replSetInitiate", config)
        self.whole()


@contextmanager
def replica_set(folder: Path) -> Iterator[ReplicaSet]:
    """A new one on files in ``folder``; killed at the end."""
    members = [Member(port, folder / f"member-{port}") for port in free_ports(MEMBERS)]
    try:
        for member in members:
            member.start()
        found = ReplicaSet(members)
        found.initiate()
        yield found
    finally:
        for member in members:
            member.client.close()
            member.kill()


def free_ports(number: int) -> list[int]:
    """Ports on loopback that nobody listens on."""
    found = (port for port in random.sample(_PORTS, 200) if _is_free(port))
    return [next(found) for _each in range(number)]


def waited_for(condition: Callable[[], Any], what: str, seconds: float = _PATIENCE_SECONDS) -> Any:
    """The first answer of ``condition`` that says yes."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)
    return answer


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
