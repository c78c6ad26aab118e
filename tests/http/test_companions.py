"""Companions of writes: asked on every path that writes a record, and stored or undone with the write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.call import Call
from runtime.errors import Denied
from runtime.model.record_type import RecordType
from runtime.storage.store import Transaction
from tests.http.world import NOWHERE, Document, World, open_world

CARRIERS = "/logistics/carriers"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
PATCH_TYPE = {"Content-Type": "application/merge-patch+json"}


class Recorder:
    """Follows carriers; refuses those that are called ``refused``."""

    is_joint = False

    def __init__(self) -> None:
        self.seen: list[tuple[bool, bool]] = []

    async def want(self, call: Call, kind: RecordType[Any]) -> bool:
        return kind.name == "Carrier"

    async def follow(self, call: Call, transaction: Transaction, changes: Sequence[Any]) -> None:
        for change in changes:
            assert change.kind.name == "Carrier"
            if (change.after or {}).get("name") == "refused":
                raise Denied("not this one")
            self.seen.append((change.before is not None, change.after is not None))


NEW, CHANGED, GONE = (False, True), (True, True), (True, False)


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[Document], recorder: Recorder) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client) as world:
        world.app.state.service = replace(world.app.state.service, companions=(recorder,))
        yield world


@pytest.fixture(autouse=True)
def _forget(recorder: Recorder) -> None:
    recorder.seen.clear()


def test_single_writes(world: World, recorder: Recorder) -> None:
    made = world.make("Carrier")
    answer = world.ask(
        f"PATCH {CARRIERS}/id/{made['id']}", content=b'{"name": "Renamed"}', headers=PATCH_TYPE
    )
    world.ask(f"DELETE {CARRIERS}/id/{made['id']}")
    assert recorder.seen == [NEW, CHANGED, GONE], answer.text


def test_a_bulk_request(world: World, recorder: Recorder) -> None:
    old = world.make("Carrier")
    operations = [
        {"op": "save", "record": LINE},
        {"op": "save", "record": LINE},
        {"op": "save", "record": LINE | {"id": old["id"], "name": "Renamed"}},
        {"op": "delete", "id": old["id"]},
    ]
    assert world.ask(f"POST {CARRIERS}/bulk", json={"operations": operations}).json()["failed"] == 0
    assert recorder.seen == [NEW, NEW, NEW, CHANGED, GONE]


def test_a_file(world: World, recorder: Recorder) -> None:
    text = "refName,name,mode\nby-file-1,One,AIR\nby-file-2,Two,SEA\n"
    form = {"file": ("carriers.csv", text.encode(), "text/csv")}
    answer = world.ask(f"POST {CARRIERS}/csv?requestedColumns=refName,name,mode", files=form)
    assert answer.status_code == 200, answer.text
    assert recorder.seen == [NEW, NEW]


def test_many_at_once(world: World, recorder: Recorder) -> None:
    ids = [world.make("Carrier")["id"] for _ in range(2)]
    body = {"rootType": "Carrier", "query": f"id:^[{','.join(ids)}]"}
    answer = world.ask("POST /api/query/deleteMany", json=body)
    assert answer.json().get("deleted") == 2, answer.text
    assert recorder.seen == [NEW, NEW, GONE, GONE]


def test_other_types_have_none(world: World, recorder: Recorder) -> None:
    world.make("Customer")
    assert recorder.seen == []


@pytest.mark.parametrize("ways", ["single", "bulk"])
def test_a_refusal_undoes_the_write(world: World, recorder: Recorder, ways: str) -> None:
    before = world.snapshot()
    record = LINE | {"name": "refused", "id": NOWHERE}
    if ways == "single":
        assert world.ask(f"POST {CARRIERS}", json=record).status_code == 403
    else:
        answer = world.ask(f"POST {CARRIERS}/bulk", json={"operations": [{"op": "save", "record": record}]})
        assert [result["status"] for result in answer.json()["results"]] == [403]
    assert world.snapshot() == before
    assert recorder.seen == []
