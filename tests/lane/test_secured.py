"""The lane with a server that wants TLS and SCRAM, and one that steps down."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pymongo import MongoClient
from pymongo.asynchronous.pool import AsyncConnection
from pymongo.errors import OperationFailure, PyMongoError

from runtime.storage.embedded import binary
from tests.faults.replica_set import free_ports
from tests.stoppable import stoppable_server

from .conftest import Document, Open

pytestmark = pytest.mark.anyio

USER, PASSWORD = "lane", "a long pass"


def certificate(folder: Path) -> Path:
    """One file with a key and its own certificate, for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    own = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(True, None), True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "server.pem"
    file.write_bytes(secret + own.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a replica set of one that answers nobody without TLS and a password."""
    folder = tmp_path_factory.mktemp("secured")
    file, (port,) = certificate(folder), free_ports(1)
    (folder / "files").mkdir()
    (folder / "key").write_text("c2VjcmV0IG9mIHRoZSBzZXQ=")
    (folder / "key").chmod(0o600)
    command = [
        *(str(binary()), "--replSet", "rs0", "--bind_ip", "127.0.0.1", "--port", str(port)),
        *("--dbpath", str(folder / "files"), "--logpath", str(folder / "log"), "--nounixsocket"),
        *("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64", "--keyFile", str(folder / "key"), "--auth"),
        *("--tlsMode", "requireTLS", "--tlsCertificateKeyFile", str(file), "--tlsCAFile", str(file)),
        *("--tlsAllowConnectionsWithoutCertificates",),
    ]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        _prepare(f"mongodb://127.0.0.1:{port}/?directConnection=true&tls=true&tlsCAFile={file}", port)
        options = f"replicaSet=rs0&tls=true&tlsCAFile={file}&authMechanism=SCRAM-SHA-256"
        yield f"mongodb://{USER}:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{port}/?{options}"
    finally:
        process.kill()
        process.wait()


def _prepare(uri: str, port: int) -> None:
    config = {"_id": "rs0", "members": [{"_id": 0, "host": f"127.0.0.1:{port}"}]}
    end = time.monotonic() + 30
    with MongoClient[Document](uri, serverSelectionTimeoutMS=200, timeoutMS=2000) as client:
        while time.monotonic() < end:
            with suppress(PyMongoError):
                client.admin.command("createUser", USER, pwd=PASSWORD, roles=["root"])
                return
            with suppress(PyMongoError):
                client.admin.command("replSetInitiate", config)
            time.sleep(0.05)
    raise AssertionError("the secured server did not start")


async def test_tls_and_scram(secured: str, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(secured) as ways:
        ids = await ways.fill(300)
        with monkeypatch.context() as patch:
            patch.setattr(AsyncConnection, "command", None)
            assert await ways.fast.find_one({"_id": ids[3]}) == {"_id": ids[3], "n": 3}
            large = {"_id": 1, "text": "x" * 3_000_000}
            await ways.fast.insert_one(large)
            assert await ways.fast.find_one({"_id": 1}) == large
            assert len(await ways.fast.find({}, batch_size=50).to_list()) == 301
        found = await asyncio.gather(*(ways.fast.find_one({"_id": one}) for one in ids))
        assert [one["n"] for one in found] == list(range(300))
        await ways.rest()


async def test_who_may_not_is_refused_as_by_the_driver(secured: str, opened: Open) -> None:
    async with opened(secured) as ways:
        await ways.client.admin.command("createUser", "reader", pwd=PASSWORD, roles=[])
    async with opened(secured.replace(f"{USER}:", "reader:")) as ways:
        with pytest.raises(OperationFailure) as one:
            await ways.driver.find_one({})
        for _time in range(2):
            with pytest.raises(OperationFailure) as other:
                await ways.fast.find_one({})
            assert (other.value.code, str(other.value.details)[:60]) == (13, str(one.value.details)[:60])


async def test_what_is_acknowledged_while_the_primary_steps_down_is_stored_once(
    tmp_path: Path, opened: Open
) -> None:
    with stoppable_server(tmp_path) as server, MongoClient[Document](server.address.uri) as client:
        async with opened(server.address.uri, timeoutMS=20_000) as ways:
            await ways.fill(1)
            acknowledged: list[int] = []
            watchers: list[tuple[int, asyncio.Event]] = []
            is_over = False

            async def write(writer: int) -> None:
                number = writer
                while not is_over:
                    await ways.fast.insert_one({"_id": number})
                    acknowledged.append(number)
                    for most, more in watchers:
                        if len(acknowledged) >= most:
                            more.set()
                    await ways.fast.update_one({"_id": number}, {"$inc": {"times": 1}})
                    number += 10

            async def enough(number: int) -> None:
                more = asyncio.Event()
                watchers.append((number, more))
                await more.wait()

            writers = [asyncio.create_task(write(one)) for one in range(1, 5)]
            for _time in range(2):
                await asyncio.sleep(0.3)
                order = {"replSetStepDown": 1, "secondaryCatchUpPeriodSecs": 0, "force": True}
                await asyncio.to_thread(_told, client, order)
                await asyncio.wait_for(enough(len(acknowledged) + 50), 15)
            is_over = True
            await asyncio.gather(*writers)
            await ways.rest()
            stored = {one["_id"]: one.get("times") for one in ways_database(client, ways).find({"n": None})}
            assert {number: stored.get(number) for number in acknowledged} == dict.fromkeys(acknowledged, 1)
            assert len(acknowledged) == len(stored)


def ways_database(client: MongoClient[Document], ways: Any) -> Any:
    return client[ways.driver.database.name]["items"]


def _told(client: MongoClient[Document], order: Document) -> None:
    with suppress(PyMongoError):
        client.admin.command(order)
