"""Bodies that are no record: media type, syntax, encoding, depth, size."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.http.world import Document, Play, World, open_world
from tests.scenario import Scenario

SAVE = "POST /logistics/carriers"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
GOOD = json.dumps(LINE).encode()
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/json;",
        " application/json ",
        "application/vnd.acme+json",
    ],
)
def test_media_types_of_json(play: Play, media_type: str) -> None:
    headers = {"Content-Type": media_type}
    play(Scenario("save", SAVE, content=GOOD, headers=headers, status=201, stored=1))


@pytest.mark.parametrize(
    "media_type",
    [
        None,
        "",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "json",
        "application/json, text/plain",
        "*/*",
    ],
)
def test_other_media_types(play: Play, media_type: str | None) -> None:
    headers = {} if media_type is None else {"Content-Type": media_type}
    says = (
        ("send application/json, not ",)
        if media_type
        else ("Content-Type is missing: send application/json",)
    )
    play(
        Scenario(
            "save", SAVE, content=GOOD, headers=headers, status=415, code="request.media_type", says=says
        )
    )


BROKEN: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\t",
    "unfinished": b'{"name": "x"',
    "text behind": GOOD + b" x",
    "two documents": GOOD + GOOD,
    "single quotes": b"{'name': 'x'}",
    "no quotes": b"{name: 1}",
    "trailing comma": b'{"name": "x",}',
    "comment": b'{"name": "x" /* hello */}',
    "leading zero": b'{"version": 01}',
    "NUL": b"\0",
    "not UTF-8": b'{"name": "\xff", "mode": "AIR"}',
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "half a surrogate pair": b'{"name": "\\ud800", "mode": "AIR"}',
    "bare line break in a text": b'{"name": "a\nb"}',
    "compressed": gzip.compress(GOOD),
    "form": b"name=x&mode=AIR",
    "deep lists": b"[" * 100_000,
    "deep and closed": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "number without end": b'{"version": ' + b"9" * 10_000 + b"}",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_not_json(play: Play, content: bytes) -> None:
    play(Scenario("save", SAVE, content=content, headers=JSON, status=400, code="request.malformed"))


@pytest.mark.parametrize("content", [b"[]", b"null", b"1", b'"x"', b"true", b"[{}]"])
def test_json_that_is_no_object(play: Play, content: bytes) -> None:
    play(Scenario("save", SAVE, content=content, headers=JSON, status=422, code="record.invalid"))


def test_deep_json_where_any_json_may_stand(world: World, play: Play) -> None:
    value: object = 1
    for _ in range(60):
        value = {"a": value}
    attributes = {"set": {"name": {"type": "Object", "value": value}}}
    body = {"name": "x", "dynamicAttributes": attributes}
    play(
        Scenario(
            "save", "POST /logistics/customers", body=body, status=422, code="record.invalid", says=("32",)
        )
    )


def test_a_member_that_came_twice(play: Play) -> None:
    """Readers of JSON differ in which of the two counts, so what a proxy checked may not be what is stored."""
    content = b'{"name": "first", "name": "second", "mode": "AIR"}'
    said: dict[str, Any] = {"status": 400, "code": "request.repeated_member", "says": ('"name"',)}
    play(Scenario("save", SAVE, content=content, headers=JSON, has={"member": "name"}, **said))


LIMIT = 10_000
"""Bytes a body may have in ``small``; else the limit is 8 MiB."""


@pytest.fixture(scope="module")
def small(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, max_body_bytes=LIMIT) as opened:
        yield opened


def sized(size: int) -> bytes:
    return GOOD + b" " * (size - len(GOOD))


def test_as_large_as_the_limit(small: World) -> None:
    small.play(Scenario("save", SAVE, content=sized(LIMIT), headers=JSON, status=201, stored=1))


@pytest.mark.parametrize("size", [LIMIT + 1, 50 * LIMIT])
def test_larger_than_the_limit(small: World, size: int) -> None:
    said: dict[str, Any] = {"status": 413, "code": "request.too_large", "says": ("10000",)}
    small.play(Scenario("save", SAVE, content=sized(size), headers=JSON, **said))


def test_chunks_that_never_end(small: World) -> None:
    """No length is declared: what came is counted."""
    before = small.snapshot()
    answer = small.ask(SAVE, content=(b" " * 1000 for _ in range(50)), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "request.too_large")
    assert small.snapshot() == before


@pytest.mark.parametrize("declared", ["-1", "x", "99999999999999999999", "0"])
def test_a_false_length(small: World, declared: str) -> None:
    before = small.snapshot()
    answer = small.ask(SAVE, content=sized(2 * LIMIT), headers=JSON | {"Content-Length": declared})
    assert answer.status_code == 413
    assert small.snapshot() == before


def test_the_limit_unless_set(world: World, play: Play) -> None:
    said: dict[str, Any] = {"status": 413, "code": "request.too_large", "says": (str(8 * 2**20),)}
    play(Scenario("save", SAVE, content=sized(8 * 2**20 + 1), headers=JSON, **said))
    body = GOOD[:-1] + b', "x": "' + b"y" * (8 * 2**20 - 200) + b'"}'
    play(Scenario("save", SAVE, content=body, headers=JSON, status=400, code="request.unknown_member"))
