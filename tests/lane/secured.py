"""A mongod that wants TLS and SCRAM, and fails commands on demand."""

from __future__ import annotations

import datetime
import ipaddress
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from runtime.storage.embedded import binary
from tests.faults.replica_set import free_ports

Document = dict[str, Any]

USER, PASSWORD = "lane", "a long pass"


LOOPBACK = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))


def certificate(folder: Path, host: x509.GeneralName = LOOPBACK) -> Path:
    """One file with a key and its own certificate, for a host."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, str(host.value))])
    own = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([host]), False)
        .add_extension(x509.BasicConstraints(True, None), True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "server.pem"
    file.write_bytes(secret + own.public_bytes(serialization.Encoding.PEM))
    return file


@contextmanager
def secured_server(folder: Path) -> Iterator[str]:
    """The address of a replica set of one that answers nobody without TLS and a password."""
    file, (port,) = certificate(folder), free_ports(1)
    (folder / "files").mkdir()
    (folder / "key").write_text("c2VjcmV0IG9mIHRoZSBzZXQ=")
    (folder / "key").chmod(0o600)
    command = [
        *(str(binary()), "--replSet", "rs0", "--bind_ip", "127.0.0.1", "--port", str(port)),
        *("--dbpath", str(folder / "files"), "--logpath", str(folder / "log"), "--nounixsocket"),
        *("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64", "--keyFile", str(folder / "key"), "--auth"),
        *("--tlsMode", "requireTLS", "--tlsCertificateKeyFile", str(file), "--tlsCAFile", str(file)),
        *("--tlsAllowConnectionsWithoutCertificates", "--setParameter", "enableTestCommands=1"),
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
