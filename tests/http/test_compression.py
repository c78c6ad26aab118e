"""``http.compression=gzip``: JSON and CSV above 1 KiB, for callers that accept it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from pymongo import MongoClient

from runtime.http.compression import accepts_gzip
from tests.http.world import Document, World, open_world

PLAIN = {"Accept-Encoding": "identity"}
GZIP = {"Accept-Encoding": "gzip"}
LIST = "/logistics/countries/list"
EXPORT = "/logistics/countries/csv?requestedColumns=refName,name,dataDomain.tenantId"


@pytest.fixture(scope="module")
def packing(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, compression="gzip") as world:
        for number in range(40):
            code = f"{chr(65 + number // 26)}{chr(65 + number % 26)}"
            world.ask("POST /logistics/countries", json={"code": code, "name": f"Country {number}"})
        yield world


@pytest.mark.parametrize("path", [LIST, EXPORT])
def test_large_answers_are_compressed(packing: World, path: str) -> None:
    plain, packed = (packing.ask(f"GET {path}", headers=headers) for headers in (PLAIN, GZIP))
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    assert packed.content == plain.content
    assert len(plain.content) > 1024


def test_what_is_sent_is_smaller(packing: World) -> None:
    with packing.client.stream(
        "GET", LIST, headers={"Authorization": f"Bearer {packing.tokens['acme']}", **GZIP}
    ) as answer:
        sent = b"".join(answer.iter_raw())
    assert len(sent) < len(gzip.decompress(sent)) / 3
    assert "content-length" not in answer.headers


@pytest.mark.parametrize(
    "request_line", ["GET /live", f"GET {LIST}?limit=1&projection=name", "GET /nowhere", "GET /docs/page.css"]
)
def test_small_answers_and_other_types_stay_as_they_are(packing: World, request_line: str) -> None:
    plain, packed = (packing.ask(request_line, headers=headers) for headers in (PLAIN, GZIP))
    if "page.css" not in request_line:  # the pages have their own
        assert "content-encoding" not in packed.headers
        assert packed.headers["content-length"] == str(len(packed.content))
    assert plain.status_code == packed.status_code


def test_tokens_are_never_compressed(packing: World) -> None:
    """The size of what is compressed with a secret can betray it."""
    body = {"userId": "admin@acme.example", "password": "correct horse battery"}
    answer = packing.ask("POST /security/login", None, json=body, headers=GZIP)
    assert answer.status_code == 200
    assert len(answer.content) > 1024
    assert "content-encoding" not in answer.headers


def test_a_record_keeps_its_entity_tag(packing: World) -> None:
    first = packing.ask(f"GET {LIST}?limit=1").json()["rows"][0]
    read = packing.ask(f"GET /logistics/countries/id/{first['id']}", headers=GZIP)
    assert read.headers["etag"] == '"1"'


def test_nothing_is_compressed_without_the_setting(world: World) -> None:
    for number in range(10):
        world.ask("POST /logistics/countries", json={"code": f"Q{chr(65 + number)}", "name": "Q"})
    answer = world.ask(f"GET {LIST}", headers=GZIP)
    assert len(answer.content) > 1024
    assert not {"content-encoding", "vary"} & set(answer.headers)


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True), ("deflate, GZIP;q=1.0", True), ("*", True), ("gzip;q=0.001", True), ("", False),
        ("gzip;q=0", False), ("*, gzip;q=0", False), ("br", False), ("gzip;q=nan", False), ("gzip;x=1", True),
    ],
)  # fmt: skip
def test_what_a_caller_accepts(header: str, accepted: bool) -> None:
    assert accepts_gzip([(b"accept-encoding", header.encode())]) is accepted
