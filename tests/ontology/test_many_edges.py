"""Long ways: what follows from a write is stored in its time, in several transactions where it must be."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.errors import StoreUnavailable
from runtime.ontology import edges, following
from runtime.ontology.edges import EdgeStore
from runtime.ontology.revision import Revision
from tests.http.world import Document, World, open_world
from tests.ontology.places import check_edges, read_edges
from tests.ontology.scene import SUPPLIERS, patch, ref

MOST = 100
"""``ontology.max-edges``"""

COLUMNS = "requestedColumns=refName,name,suppliers"


@pytest.fixture(scope="module")
def opened(mongo_uri: str, mongo_client: MongoClient[Document]) -> Iterator[World]:
    settings = {"rule_cache_seconds": 0, "ontology_max_edges": MOST}
    with open_world(mongo_uri, mongo_client, **settings) as world:
        yield world


@pytest.fixture
def world(opened: World) -> Iterator[World]:
    for name in ("suppliers", "ontologyEdges"):
        opened.documents[name].delete_many({})
    yield opened
    check_edges(opened.documents)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many edges each transaction changed."""
    numbers: list[int] = []
    write = EdgeStore.write

    async def count(self: EdgeStore, revision: Revision, *rest: Any) -> None:
        numbers.append(len(revision.gone) + len(revision.new))
        await write(self, revision, *rest)

    monkeypatch.setattr(EdgeStore, "write", count)
    return numbers


def make_line(world: World, number: int, name: str = "L") -> list[Document]:
    """Suppliers that each buy from the next."""
    made: list[Document] = []
    for at in reversed(range(number)):
        fields = {"suppliers": [ref(made[0])]} if made else {}
        answer = world.ask(f"POST {SUPPLIERS}", json={"refName": f"{name}{at}", "name": "n", **fields})
        made.insert(0, answer.json())
    return made


def make_apart(world: World, number: int) -> list[Document]:
    operations = [{"op": "save", "record": {"refName": f"A{at}", "name": "n"}} for at in range(number)]
    made: list[Document] = world.ask(f"POST {SUPPLIERS}/bulk", json={"operations": operations}).json()[
        "results"
    ]
    return made


def send_file(world: World, rows: list[str]) -> Document:
    form = {"file": ("suppliers.csv", "\n".join(["refName,name,suppliers", *rows]).encode(), "text/csv")}
    answer = world.ask(f"POST {SUPPLIERS}/csv?{COLUMNS}&skipHeaderRow=true", files=form)
    assert answer.status_code == 200, answer.text
    summary: Document = answer.json()
    return summary


def row(name: str, supplier: Document) -> str:
    return f'{name},n,"[{{""entityId"":""{supplier["id"]}""}}]"'


def operations(first: Document, number: int) -> list[Document]:
    return [
        {"op": "save", "record": {"refName": f"N{at}", "name": "n", "suppliers": [ref(first)]}}
        for at in range(number)
    ]


def test_new_records_of_a_file_at_the_end_of_a_line(world: World, written: list[int]) -> None:
    line = make_line(world, 30)
    written.clear()
    summary = send_file(world, [row(f"N{at}", line[0]) for at in range(20)])
    assert summary["importedCount"] == 20, summary
    assert max(written) <= MOST
    assert len(read_edges(world.documents)) == 29 * 30 // 2 + 20 * 30 + 2 * (29 + 20)


def test_new_records_of_a_bulk_request_at_the_end_of_a_line(world: World, written: list[int]) -> None:
    line = make_line(world, 30)
    written.clear()
    body = {"atomic": False, "operations": operations(line[0], 20)}
    answer = world.ask(f"POST {SUPPLIERS}/bulk", json=body)
    assert [result["status"] for result in answer.json()["results"]] == [201] * 20
    assert max(written) <= MOST


def test_records_of_a_file_that_become_a_line(world: World, written: list[int]) -> None:
    apart = make_apart(world, 40)
    rows = [row(f"A{at}", apart[at + 1]) for at in range(39)]
    summary = send_file(world, rows)
    assert (summary["importedCount"], summary.get("failedCount", 0)) == (39, 0), summary
    assert max(written) <= MOST
    assert len(read_edges(world.documents)) == 39 * 40 // 2 + 2 * 39


def test_all_or_none_of_more_than_one_transaction_can_have_is_refused(
    world: World, written: list[int]
) -> None:
    line = make_line(world, 30)
    before = read_edges(world.documents)
    body = {"atomic": True, "operations": operations(line[0], 20)}
    answer = world.ask(f"POST {SUPPLIERS}/bulk", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "ontology.too_many_edges")
    assert "write fewer records at once" in answer.json()["detail"]
    assert read_edges(world.documents) == before


def test_two_lines_are_joined_and_parted(world: World, written: list[int]) -> None:
    near, far = make_line(world, 9, "N"), make_line(world, 9, "F")
    before = read_edges(world.documents).keys()
    for _time in range(2):
        assert patch(world, "Supplier", near[-1], suppliers=[ref(far[0])]).status_code == 200
        assert len(read_edges(world.documents)) == len(before) + 9 * 9 + 2
        assert patch(world, "Supplier", near[-1], suppliers=None).status_code == 200
        assert read_edges(world.documents).keys() == before


def test_a_short_cut_goes_whatever_runs_past_it(world: World, written: list[int]) -> None:
    """All that goes by way of it is looked at; what goes another way as well is not written again."""
    line = make_line(world, 40)
    shorter = [ref(line[20]), ref(line[22])]
    assert patch(world, "Supplier", line[19], suppliers=shorter).status_code == 200
    written.clear()
    stored = world.documents["ontologyEdges"]
    stored.update_many({"inferred": True}, {"$set": {"timestamp": None}})
    assert patch(world, "Supplier", line[19], suppliers=[ref(line[20])]).status_code == 200
    assert stored.count_documents({"inferred": True, "timestamp": {"$ne": None}}) == 0
    assert len(read_edges(world.documents)) == 39 * 40 // 2 + 2 * 39


def test_much_work_is_done_in_a_thread(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[tuple[int, str]] = []
    revise = following.revise

    def look(rules: Any, known: Any, *rest: Any, **more: Any) -> Revision:
        threads.append((len(known), threading.current_thread().name))
        return revise(rules, known, *rest, **more)

    monkeypatch.setattr(following, "revise", look)
    line = make_line(world, 50)
    assert patch(world, "Supplier", line[24], suppliers=None).status_code == 422
    assert patch(world, "Supplier", line[0], suppliers=None).status_code == 200
    large = {name for number, name in threads if number > edges._FEW}
    assert len(large) == 1
    assert next(iter(large)).startswith("long-work")


def test_a_caller_who_sees_a_part_is_shown_a_long_way(world: World) -> None:
    """What follows is proven from the statements around the record, not from all edges between the others."""
    line = make_line(world, 25)
    world.documents["suppliers"].update_many({}, {"$set": {"dataDomain.orgRefName": "north"}})
    asked = f"{SUPPLIERS}/id/{line[0]['id']}/ontology?direction=out&predicate=dependsOn&limit=100"
    for cut, number in ((None, 24), (15, 14)):
        if cut is not None:
            hidden = {"refName": line[cut]["refName"]}
            world.documents["suppliers"].update_one(hidden, {"$set": {"dataDomain.orgRefName": "south"}})
        answer = world.ask(f"GET {asked}", "acme-north")
        assert answer.status_code == 200, answer.text
        rows = {row["destination"]["id"] for row in answer.json()["rows"]}
        assert rows == {one["id"] for one in line[1 : 1 + number]}
        condition = f"hasOutgoingEdge(dependsOn, {line[-1]['id']})"
        answer = world.ask(f"GET {SUPPLIERS}/list?limit=100&filter={condition}", "acme-north")
        first = 0 if cut is None else cut + 1
        assert {row["id"] for row in answer.json()["rows"]} == {one["id"] for one in line[first:-1]}


def test_a_write_that_takes_too_long_says_what_would_help(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = make_line(world, 4)

    async def take_too_long(*_arguments: Any) -> None:
        raise StoreUnavailable("the store did not answer in time; try again")

    monkeypatch.setattr(EdgeStore, "write", take_too_long)
    for many, advises in ((2, True), (1000, False)):
        monkeypatch.setattr(following, "_MANY", many)
        answer = patch(world, "Supplier", line[1], suppliers=[])
        assert (answer.status_code, answer.json()["code"]) == (503, "store.unavailable")
        assert ("take a long way apart from its ends" in answer.json()["detail"]) is advises
