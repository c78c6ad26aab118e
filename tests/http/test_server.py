"""Over a real socket: what no client library would send, and what a test client would change on the way."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.http.world import World
from tests.serving import serving

# The process has the same address, realm, users and keys.
pytestmark = pytest.mark.settings(base_url="http://service.example")


@pytest.fixture(scope="module")
def url(world: World, mongo_uri: str, key_folder: Path) -> Iterator[str]:
    with serving(mongo_uri, world.realm, key_folder) as (_process, url):
        yield url


def exchange(url: str, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer to these bytes."""
    host = urlsplit(url)
    with socket.create_connection((str(host.hostname), host.port or 80), timeout=10) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, body


CLOSE = b"Host: x\r\nConnection: close\r\n\r\n"

NOT_HTTP: dict[str, bytes] = {
    "noise": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n",
    "version of the future": b"GET /live HTTP/9.9\r\n" + CLOSE,
    "bytes beyond ASCII in a name": b"GET /live HTTP/1.1\r\n\xff: x\r\n" + CLOSE,
    "blank in a name": b"GET /live HTTP/1.1\r\nX Y: x\r\n" + CLOSE,
    "two hosts": b"GET /live HTTP/1.1\r\nHost: x\r\n" + CLOSE,
    "two lengths": b"POST /security/login HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n" + CLOSE,
    "length and chunks": (
        b"POST /security/login HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n" + CLOSE + b"0\r\n\r\n"
    ),
    "length that is none": b"POST /security/login HTTP/1.1\r\nContent-Length: five\r\n" + CLOSE,
}  # fmt: skip


@pytest.mark.parametrize("sent", NOT_HTTP.values(), ids=NOT_HTTP.keys())
def test_what_is_no_http_is_refused_by_a_problem(url: str, sent: bytes) -> None:
    status, headers, body = exchange(url, sent)
    problem = json.loads(body)
    assert (status, problem["status"], problem["code"]) == (400, 400, "request.malformed")
    assert headers["content-type"] == "application/problem+json"
    assert headers["x-request-id"] == problem["requestId"]
    assert headers["connection"] == "close"
    assert not headers.keys() & {"server", "date"} - {"date"}


def test_a_head_beyond_the_setting_is_refused_by_a_problem(url: str) -> None:
    status, headers, body = exchange(url, b"GET /live?" + b"x" * 70_000 + b" HTTP/1.1\r\n" + CLOSE)
    problem = json.loads(body)
    assert (status, problem["code"]) == (431, "request.head_too_large")
    assert headers["content-type"] == "application/problem+json"
    assert "65536 bytes" in problem["detail"]


def test_the_service_goes_on_after_noise(url: str) -> None:
    for sent in NOT_HTTP.values():
        exchange(url, sent)
    assert httpx2.get(f"{url}/live", timeout=60).status_code == 200


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"filter=\xe6\x97\xa5", b"%ff", b"filter=%ED%A0%80"], ids=lambda line: repr(line)
)
def test_raw_bytes_in_a_query(world: World, url: str, line: bytes) -> None:
    token = world.tokens["acme"].encode()
    path = b"/logistics/carriers/list?" + line
    sent = b"GET " + path + b" HTTP/1.1\r\nAuthorization: Bearer " + token + b"\r\n" + CLOSE
    status, headers, body = exchange(url, sent)
    assert status == 400
    assert headers["content-type"] == "application/problem+json"
    assert json.loads(body)["code"] in ("request.invalid_parameter", "request.malformed")


@pytest.mark.parametrize(
    "ref_name", ["a/b", "100%", "100%25", "a%2Fb", "día 日本", "bell\7byte", "a?b#c", "..", "a/../b"]
)
def test_paths_are_decoded_once(world: World, url: str, ref_name: str) -> None:
    made = world.make("Carrier", refName=ref_name)
    escaped = "".join(f"%{byte:02X}" for byte in ref_name.encode())
    token = world.tokens["acme"]
    sent = f"GET /logistics/carriers/refName/{escaped} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n"
    status, _headers, body = exchange(url, sent.encode() + CLOSE)
    assert (status, json.loads(body)["id"]) == (200, made["id"])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/logistics/carriers/list", 200),
        ("/logistics/c%61rriers/list", 200),
        ("/logistics%2Fcarriers/list", 404),
        ("/logistics/carriers%2flist", 404),
        ("/openapi/logistics.json", 200),
        ("/openapi%2Flogistics.json", 404),
        ("/docs%2foauth2-redirect", 404),
        ("/mcp%2Fsse", 404),
    ],
)
def test_an_encoded_slash_is_in_no_path(world: World, url: str, path: str, status: int) -> None:
    """What a proxy in front compares with its own paths must not be another one here."""
    head = f"GET {path} HTTP/1.1\r\nAuthorization: Bearer {world.tokens['acme']}\r\n"
    assert exchange(url, head.encode() + CLOSE)[0] == status


def test_a_caller_that_leaves_in_the_middle_stores_nothing(world: World, url: str) -> None:
    """Half a body: the rest never comes."""
    before = world.snapshot()
    host = urlsplit(url)
    body = b'{"name": "half", "mode": "AIR"}'
    head = (
        f"POST /logistics/carriers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {world.tokens['acme']}\r\nContent-Length: {len(body) + 1}\r\n\r\n"
    )
    with socket.create_connection((str(host.hostname), host.port or 80), timeout=10) as connection:
        connection.sendall(head.encode() + body)
        time.sleep(0.2)  # it waits for the last byte: there is nothing to wait for on this side
    assert httpx2.get(f"{url}/live", timeout=60).status_code == 200
    assert world.snapshot() == before
