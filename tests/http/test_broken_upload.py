"""Uploads that break off, with a real server: no session is left behind, nor a connection in the worker."""

from __future__ import annotations

import signal
import socket
import struct
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from runtime.model.clock import now
from tests.http.world import CALLERS, PASSWORD, World
from tests.patience import wait_until
from tests.serving import serving

CSV = "/logistics/carriers/csv/session"
HEAD = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nrefName,name,mode\r\n'
END = b"\r\n--cut--\r\n"
ROWS = "".join(f"k-{at},Name {at},AIR\r\n" for at in range(2000)).encode()
MORE_TO_COME = 10_000_000


def token_of(url: str) -> str:
    user = {"userId": CALLERS["acme"].user_id, "password": PASSWORD}
    return str(httpx2.post(f"{url}/security/login", json=user, timeout=60).json()["accessToken"])


def begin(url: str, token: str, content: bytes, length: int = MORE_TO_COME) -> socket.socket:
    """An upload under way, of which these are the first bytes."""
    parts = urlsplit(url)
    connection = socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=30)
    head = (
        f"POST {CSV}?requestedColumns=refName,name,mode HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=cut\r\n"
        f"Content-Length: {length}\r\n\r\n"
    )
    connection.sendall(head.encode() + content)
    return connection


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def states(world: World) -> list[str]:
    return [one["state"] for one in world.documents["importSessions"].find()]


def has_rows(world: World) -> bool:
    """Whether a batch was analysed."""
    return any(one["totalRows"] for one in world.documents["importSessions"].find())


def is_gone(world: World, sessions: int = 1) -> bool:
    """Whether all that was begun has ended, and its rows with it."""
    alive = world.documents["importRows"].count_documents({"expiresAt": {"$gt": now()}})
    beating = world.documents["importSessions"].count_documents({"beat": {"$exists": True}})
    return (states(world), alive, beating) == (["DISCARDED"] * sessions, 0, 0)


def connections_to(url: str) -> int:
    """Connections that the server has open: established ones, and those that only the client has closed."""
    port = f":{urlsplit(url).port:04X}"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return sum(line[1].endswith(port) and line[3] in ("01", "08") for line in lines)


def test_no_session_outlives_its_worker_or_its_connection(
    world: World, mongo_uri: str, key_folder: Path
) -> None:
    lease = {"LIMITS_IMPORT_LEASE_SECONDS": "3"}
    with serving(mongo_uri, world.realm, key_folder, **lease) as (process, url):
        connection = begin(url, token_of(url), HEAD + ROWS)
        wait_until(lambda: has_rows(world))
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
        connection.close()
    assert states(world) == ["ANALYZING"]
    with serving(mongo_uri, world.realm, key_folder, **lease) as (_process, url):
        token = token_of(url)
        end_those_of_the_killed(world, url, token)
        end_those_that_break_off(world, url, token)
        wait_until(lambda: connections_to(url) == 0)


def end_those_of_the_killed(world: World, url: str, token: str) -> None:
    """Whichever worker looks next; one that is alive keeps its own, however slowly its file comes."""
    slow = begin(url, token, HEAD + ROWS)
    wait_until(lambda: len(states(world)) == 2)
    wait_until(lambda: "DISCARDED" in states(world))
    assert sorted(states(world)) == ["ANALYZING", "DISCARDED"]
    slow.close()
    wait_until(lambda: is_gone(world, 2))


def end_those_that_break_off(world: World, url: str, token: str) -> None:
    """In the middle of the file; and behind its end, before the answer is there to name the session."""
    whole = HEAD + ROWS + END
    begun = [
        (begin(url, token, HEAD + ROWS), socket.socket.close),
        (begin(url, token, HEAD + ROWS), reset),
        (begin(url, token, whole, len(whole)), socket.socket.close),
        *((begin(url, token, HEAD + ROWS), reset) for _each in range(4)),
    ]
    wait_until(lambda: len(states(world)) == 2 + len(begun))
    for connection, leave in begun:
        leave(connection)
    wait_until(lambda: is_gone(world, 2 + len(begun)))
