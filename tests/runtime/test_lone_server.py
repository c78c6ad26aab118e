"""A MongoDB that runs alone has no transactions, so the service refuses it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.cli.output import print_failure
from runtime.errors import Misconfigured, StoreUnavailable
from runtime.storage.embedded import binary, read_server_facts
from runtime.storage.store import Store
from tests.faults.replica_set import free_ports


@pytest.fixture
def lone_server(tmp_path: Path) -> Iterator[str]:
    (port,) = free_ports(1)
    command = [
        *(str(binary()), "--bind_ip", "127.0.0.1", "--port", str(port), "--dbpath", str(tmp_path)),
        *("--nounixsocket", "--wiredTigerCacheSizeGB", "0.25"),
    ]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield f"mongodb://127.0.0.1:{port}/"
    finally:
        process.kill()
        process.wait()


def test_a_lone_server_that_is_called_a_replica_set_is_explained(
    lone_server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    uri, says = f"{lone_server}?replicaSet=rs0", 'set name "rs0": no server in MONGODB_URI is a member of it'

    read_server_facts(lone_server, 30_000)  # waits for it

    async def look() -> None:
        store = Store(uri, timeout_ms=2000)
        try:
            await store.ping()
        finally:
            await store.close()

    with pytest.raises(StoreUnavailable) as refused:
        asyncio.run(look())
    print_failure(refused.value)
    assert says in capsys.readouterr().err
    with pytest.raises(StoreUnavailable, match=says):
        read_server_facts(uri, 2000)


def test_a_lone_server_is_refused(lone_server: str) -> None:
    """By what ``serve`` and ``/ready`` ask a store."""

    async def look() -> None:
        store = Store(lone_server, timeout_ms=30_000)
        try:
            await store.ping()
        finally:
            await store.close()

    with pytest.raises(Misconfigured, match=r"a lone server, .*: use a replica set or a sharded cluster"):
        asyncio.run(look())
